package trace

import "time"

// Event is one thing that happened in a session.
type Event struct {
	// Seq counts the events of a trace from 1. Order is this, never Time.
	Seq  int       `json:"seq"`
	Time time.Time `json:"time,omitzero"`
	Ref  Ref       `json:"ref"`
	// Record is the provider's id of the record that it came from.
	Record string `json:"record,omitempty"`
	// Turn is the provider's id of the turn or prompt that it belongs to.
	Turn string `json:"turn,omitempty"`
	// By says who did it if not the agent or, of a user_message, the user: "user" (a command that the user ran through the
	// agent) or "client" (text and results that the program made up).
	By string `json:"by,omitempty"`
	// Copied is the session that this event is a copy from. Copies are in no count.
	Copied string `json:"copied,omitempty"`
	// Abandoned says that the conversation was rewound to before it. It happened, and it counts.
	Abandoned bool `json:"abandoned,omitempty"`
	// Inferred says from what it was worked out, where the source has no record of it.
	Inferred string `json:"inferred,omitempty"`
	Body     Body   `json:"-"`
}

// Ref is a place in what was read: a line of a file, or a row of a table.
type Ref struct {
	// File counts the trace's Sources from 0.
	File int `json:"file,omitempty"`
	// Line counts from 1, Offset is the line's first byte. A line holds one record.
	Line   int64 `json:"line,omitempty"`
	Offset int64 `json:"offset,omitempty"`
	// Table and Key name a row: its primary key, parts joined by "/".
	Table string `json:"table,omitempty"`
	Key   string `json:"key,omitempty"`
}

// Body is one of the nine kinds of events: UserMessage, AgentMessage, ToolCall, ToolResult, FileChange, Error, Interrupt,
// SubagentSpawn, Session. There are no others, here or elsewhere.
type Body interface {
	// Kind is the event's kind in its JSON form.
	Kind() string
	sealed()
}

// The kinds, as Body.Kind returns them.
const (
	KindUserMessage   = "user_message"
	KindAgentMessage  = "agent_message"
	KindToolCall      = "tool_call"
	KindToolResult    = "tool_result"
	KindFileChange    = "file_change"
	KindError         = "error"
	KindInterrupt     = "interrupt"
	KindSubagentSpawn = "subagent_spawn"
	KindSession       = "session"
)

// Digest is what is kept of a content: how many bytes it has as text, and the first 16 hex digits of its SHA-256.
type Digest struct {
	Length int64  `json:"length"`
	Hash   string `json:"hash,omitempty"`
}

// UserMessage is a prompt, or what a program put in a prompt's place (Event.By "client", then Machine says what).
type UserMessage struct {
	Digest
	// Head is the scrubbed beginning, on one line, at most UserHead bytes.
	Head string `json:"head,omitempty"`
	// Machine is what it is if no person or caller wrote it: task_notification, compact_summary, context, hook, command_output, other.
	Machine string `json:"machine,omitempty"`
	// Command is the slash command or skill that the prompt called, without its arguments.
	Command string `json:"command,omitempty"`
}

// AgentMessage is text that the model wrote.
type AgentMessage struct {
	Digest
	Thought bool `json:"thought,omitempty"`
	// Response is the Response.ID that it is part of.
	Response string `json:"response,omitempty"`
}

// ToolCall is the model's wish to use a tool.
type ToolCall struct {
	// Call is the provider's id of the call. Calls without one get "call-N".
	Call string `json:"call"`
	// Index counts the calls of the trace from 1.
	Index int `json:"index"`
	// Tool is the agent's own name of the tool, Type the normalised one.
	Tool string   `json:"tool"`
	Type ToolType `json:"type"`
	// Input is the digest of the input as the source has it: equal inputs of one tool are equal here.
	Input Digest `json:"input"`
	// Key is the first 8 hex digits of the hash of the input without what the model says beside a shell command, as the
	// workflow log keeps it (logfmt/SPEC.md, section 7); empty where the source has not the same bytes.
	Key string `json:"key,omitempty"`
	// Path is the file or folder that the call is about, Head the scrubbed beginning of a command line (at most CommandHead bytes).
	Path     string `json:"path,omitempty"`
	Head     string `json:"head,omitempty"`
	Response string `json:"response,omitempty"`
	// Parent is the call that this one was made from within (code that calls tools). A call that others have as their
	// parent is a Container: it is in the story and in no count of calls.
	Parent    string `json:"parent,omitempty"`
	Container bool   `json:"container,omitempty"`
}

// ToolResult is the moment at which something became known about a call; what, is in SessionTrace.Results.
type ToolResult struct {
	Call string `json:"call"`
	// Result counts SessionTrace.Results from 0.
	Result int `json:"result"`
}

// FileChange is a file that changed. Added and Removed are nil where the source does not tell.
type FileChange struct {
	Path string `json:"path"`
	// From is where a renamed file was.
	From    string `json:"from,omitempty"`
	Action  string `json:"action"` // created, modified, deleted, renamed, unknown
	Added   *int   `json:"added,omitempty"`
	Removed *int   `json:"removed,omitempty"`
	// Hash is the SHA-256 of the file's new content, all 64 digits; empty where the source does not hold all of it.
	Hash string `json:"hash,omitempty"`
	Call string `json:"call,omitempty"`
}

// Error is a failure that is not the result of a tool: the provider's, the network's, the program's.
type Error struct {
	// Code is the agent's own word for it (rate_limit, server_error, usage_limit_exceeded, APIError, …).
	Code string `json:"code,omitempty"`
	// Status is the HTTP status, 0 if unknown.
	Status int `json:"status,omitempty"`
	// Fatal says that it ended the turn.
	Fatal bool   `json:"fatal,omitempty"`
	Head  string `json:"head,omitempty"` // scrubbed, at most ErrorHead bytes
	Digest
}

// Interrupt is a turn that was stopped by the user, or by the end of the program.
type Interrupt struct {
	// Call is the call that it hit, if it hit one.
	Call   string `json:"call,omitempty"`
	Reason string `json:"reason,omitempty"` // the source's own word, or what it was inferred from
}

// SubagentSpawn is the start of a sub-agent. Session is the ID of its trace where that is known.
type SubagentSpawn struct {
	Session     string `json:"session,omitempty"`
	Call        string `json:"call,omitempty"`
	AgentID     string `json:"agent_id,omitempty"`
	AgentType   string `json:"agent_type,omitempty"`
	Description string `json:"description,omitempty"` // scrubbed, at most UserHead bytes
	Background  bool   `json:"background,omitempty"`
	// NotStarted says that the call which asked for it was refused or invalid: no sub-agent came of it. Count leaves it out.
	NotStarted bool `json:"not_started,omitempty"`
}

// Session is a marker in the life of a session, a command or a phase.
type Session struct {
	Marker Marker `json:"marker"`
	// Detail is the source's own word: why it started or ended, what triggered a compaction, the model switched to.
	Detail  string `json:"detail,omitempty"`
	Model   string `json:"model,omitempty"`
	Command string `json:"command,omitempty"` // of command_* and phase_*
	Phase   string `json:"phase,omitempty"`   // of phase_*
}

// Marker is the kind of a Session event.
type Marker string

// The markers.
const (
	Started          Marker = "started"
	Resumed          Marker = "resumed"
	Compacted        Marker = "compacted"
	Stopped          Marker = "stopped" // the end of a turn
	Ended            Marker = "ended"
	ModelChanged     Marker = "model_changed"
	CommandStarted   Marker = "command_started"
	CommandCompleted Marker = "command_completed"
	CommandFailed    Marker = "command_failed"
	PhaseStarted     Marker = "phase_started"
	PhaseCompleted   Marker = "phase_completed"
	PhaseFailed      Marker = "phase_failed"
)

// The bounds of what is kept of texts, in bytes after scrubbing.
const (
	UserHead    = 200
	ErrorHead   = 1000
	CommandHead = 120
)

// The bounds of what names things, in bytes: ids, codes and words; the ids of sessions, which may hold two of those; paths.
const (
	MaxToken   = 200
	MaxSession = 2*MaxToken + 1
	MaxPath    = 4096
)

// Kind is user_message.
func (*UserMessage) Kind() string { return KindUserMessage }

// Kind is agent_message.
func (*AgentMessage) Kind() string { return KindAgentMessage }

// Kind is tool_call.
func (*ToolCall) Kind() string { return KindToolCall }

// Kind is tool_result.
func (*ToolResult) Kind() string { return KindToolResult }

// Kind is file_change.
func (*FileChange) Kind() string { return KindFileChange }

// Kind is error.
func (*Error) Kind() string { return KindError }

// Kind is interrupt.
func (*Interrupt) Kind() string { return KindInterrupt }

// Kind is subagent_spawn.
func (*SubagentSpawn) Kind() string { return KindSubagentSpawn }

// Kind is session.
func (*Session) Kind() string { return KindSession }

func (*UserMessage) sealed()   {}
func (*AgentMessage) sealed()  {}
func (*ToolCall) sealed()      {}
func (*ToolResult) sealed()    {}
func (*FileChange) sealed()    {}
func (*Error) sealed()         {}
func (*Interrupt) sealed()     {}
func (*SubagentSpawn) sealed() {}
func (*Session) sealed()       {}
