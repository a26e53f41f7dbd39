package trace

import (
	"time"
)

// Event is one thing that happened in a session.
type Event struct {
	// Seq counts the events of a trace from 1. It is the order; Time is not.
	Seq  int       `json:"seq"`
	Time time.Time `json:"time,omitzero"`
	Ref  Ref       `json:"ref"`
	// Record is the provider's id of the source's record.
	Record string `json:"record,omitempty"`
	// Turn is the provider's id of the turn or prompt.
	Turn string `json:"turn,omitempty"`
	// By names the author if it is neither the agent nor, of a user_message, the user: "user" (a command that the user
	// ran through the agent) or "client" (text and results that the program made up).
	By string `json:"by,omitempty"`
	// Copied is the session that this event is a copy from. Copies are in no count.
	Copied string `json:"copied,omitempty"`
	// Abandoned says that the user went back to before this event. It happened, and it counts.
	Abandoned bool `json:"abandoned,omitempty"`
	// Inferred is the evidence, where the source has no record of the event.
	Inferred string `json:"inferred,omitempty"`
	Body     Body   `json:"-"`
}

// Ref is a place in the source: a line of a file, or a row of a table.
type Ref struct {
	// File counts the trace's Sources from 0.
	File int `json:"file,omitempty"`
	// Line counts from 1; Offset is the line's first byte. A line holds one record.
	Line   int64 `json:"line,omitempty"`
	Offset int64 `json:"offset,omitempty"`
	// Table and Key name a row: its primary key, parts joined by "/".
	Table string `json:"table,omitempty"`
	Key   string `json:"key,omitempty"`
}

// Body is one of the nine kinds of events: UserMessage, AgentMessage, ToolCall, ToolResult, FileChange, Error,
// Interrupt, SubagentSpawn, Session.
type Body interface {
	// Kind is the event's kind in the JSON form.
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

// Digest stands for a content: its length as text in bytes, and the first 16 hex digits of its SHA-256.
type Digest struct {
	Length int64  `json:"length"`
	Hash   string `json:"hash,omitempty"`
}

// UserMessage is a prompt, or a text of a program in a prompt's place (then Event.By is "client" and Machine says
// which).
type UserMessage struct {
	Digest
	// Head is the scrubbed beginning, on one line, at most UserHead bytes.
	Head string `json:"head,omitempty"`
	// Machine classifies a text that no person or caller wrote: task_notification, compact_summary, context, hook,
	// command_output, other.
	Machine string `json:"machine,omitempty"`
	// Command is the slash command or skill in the prompt, without its arguments.
	Command string `json:"command,omitempty"`
}

// AgentMessage is text that the model wrote.
type AgentMessage struct {
	Digest
	Thought bool `json:"thought,omitempty"`
	// Response is the Response.ID of the answer.
	Response string `json:"response,omitempty"`
}

// ToolCall is the model's request to use a tool.
type ToolCall struct {
	// Call is the provider's id of the call. Calls without one get "call-N".
	Call string `json:"call"`
	// Index counts the calls of the trace from 1.
	Index int `json:"index"`
	// Tool is the agent's name of the tool, Type the normalised class.
	Tool string   `json:"tool"`
	Type ToolType `json:"type"`
	// Input is the digest of the input as the source has it: equal inputs of one tool have equal digests.
	Input Digest `json:"input"`
	// Key is the first 8 hex digits of the input's hash, without what the model says beside a shell command, as the
	// workflow log keeps it (logfmt/SPEC.md, section 7). It is empty where the source has other bytes.
	Key string `json:"key,omitempty"`
	// Path is the file or folder of the call; Head is the scrubbed beginning of a command line (at most CommandHead
	// bytes).
	Path     string `json:"path,omitempty"`
	Head     string `json:"head,omitempty"`
	Response string `json:"response,omitempty"`
	// Parent is the call whose code made this one. A call that is a Parent is a Container: it stays in the trace and
	// is in no count of calls.
	Parent    string `json:"parent,omitempty"`
	Container bool   `json:"container,omitempty"`
}

// ToolResult marks the moment at which a result became known. SessionTrace.Results has the result.
type ToolResult struct {
	Call string `json:"call"`
	// Result counts SessionTrace.Results from 0.
	Result int `json:"result"`
}

// FileChange is a change of a file. Added and Removed are nil if the source does not say.
type FileChange struct {
	Path string `json:"path"`
	// From is the old path of a renamed file.
	From    string `json:"from,omitempty"`
	Action  string `json:"action"` // created, modified, deleted, renamed, unknown
	Added   *int   `json:"added,omitempty"`
	Removed *int   `json:"removed,omitempty"`
	// Hash is the SHA-256 of the file's new content, all 64 digits; empty if the source does not hold the whole
	// content.
	Hash string `json:"hash,omitempty"`
	Call string `json:"call,omitempty"`
}

// Error is a failure of the provider, the network or the program, and not of a tool.
type Error struct {
	// Code is the agent's word for the failure (rate_limit, server_error, usage_limit_exceeded, APIError, …).
	Code string `json:"code,omitempty"`
	// Status is the HTTP status, 0 if unknown.
	Status int `json:"status,omitempty"`
	// Fatal says that the failure ended the turn.
	Fatal bool   `json:"fatal,omitempty"`
	Head  string `json:"head,omitempty"` // scrubbed, at most ErrorHead bytes
	Digest
}

// Interrupt is a stop of the turn by the user, or by the end of the program.
type Interrupt struct {
	// Call is the interrupted call, if there was one.
	Call   string `json:"call,omitempty"`
	Reason string `json:"reason,omitempty"` // the source's word, or the evidence
}

// SubagentSpawn is the start of a sub-agent. Session is the ID of its trace, if known.
type SubagentSpawn struct {
	Session     string `json:"session,omitempty"`
	Call        string `json:"call,omitempty"`
	AgentID     string `json:"agent_id,omitempty"`
	AgentType   string `json:"agent_type,omitempty"`
	Description string `json:"description,omitempty"` // scrubbed, at most UserHead bytes
	Background  bool   `json:"background,omitempty"`
	// NotStarted says that the call was refused or invalid, so that no sub-agent began. Count leaves it out.
	NotStarted bool `json:"not_started,omitempty"`
}

// Session marks a step in the life of a session, a command or a phase.
type Session struct {
	Marker Marker `json:"marker"`
	// Detail is the source's word: why it started or ended, what triggered a compaction, the new model.
	Detail  string `json:"detail,omitempty"`
	Model   string `json:"model,omitempty"`
	Command string `json:"command,omitempty"` // of command_* and phase_*
	Phase   string `json:"phase,omitempty"`   // of phase_*
}

// Marker is the kind of a Session event.
type Marker string

const (
	Started          Marker = "started"
	Resumed          Marker = "resumed"
	Compacted        Marker = "compacted"
	Stopped          Marker = "stopped" // the end of a turn
	Ended            Marker = "ended"
	ModelChanged     Marker = "model_changed"
	Abandoned        Marker = "abandoned" // by the person who started it as a worker
	CommandStarted   Marker = "command_started"
	CommandCompleted Marker = "command_completed"
	CommandFailed    Marker = "command_failed"
	PhaseStarted     Marker = "phase_started"
	PhaseCompleted   Marker = "phase_completed"
	PhaseFailed      Marker = "phase_failed"
)

// SaidDone is the Detail of a Stopped event where a worker's agent said that its task is done.
const SaidDone = "says done"

// The bounds of kept texts, in bytes after scrubbing.
const (
	UserHead    = 200
	ErrorHead   = 1000
	CommandHead = 120
)

// The bounds of names, in bytes: ids, codes and words; ids of sessions, which may hold two of those; paths.
const (
	MaxToken   = 200
	MaxSession = 2*MaxToken + 1
	MaxPath    = 4096
)

func (*UserMessage) Kind() string { return KindUserMessage }

func (*AgentMessage) Kind() string { return KindAgentMessage }

func (*ToolCall) Kind() string { return KindToolCall }

func (*ToolResult) Kind() string { return KindToolResult }

func (*FileChange) Kind() string { return KindFileChange }

func (*Error) Kind() string { return KindError }

func (*Interrupt) Kind() string { return KindInterrupt }

func (*SubagentSpawn) Kind() string { return KindSubagentSpawn }

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

// ToolType says what a tool does, in one word for all agents, so that Write and write_file add up.
type ToolType string

// The types of tools. Each reader maps its agent's names; unknown ones are other.
const (
	ShellTool  ToolType = "shell"
	ReadTool   ToolType = "read"
	EditTool   ToolType = "edit"
	SearchTool ToolType = "search" // files and their contents
	WebTool    ToolType = "web"
	MCPTool    ToolType = "mcp"
	AgentTool  ToolType = "agent"
	OtherTool  ToolType = "other"
)
