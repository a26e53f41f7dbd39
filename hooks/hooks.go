package hooks

import (
	"os"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/recent"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// The budgets of one run, counted from the start of main; Deadline from when the payload was there. Agents give a hook 10 s.
const (
	Deadline      = 800 * time.Millisecond
	stdinDeadline = 300 * time.Millisecond // of an agent that forgets to close the pipe
	stdinFirst    = 5 * time.Second        // of the first byte: on a busy machine the agent itself is late, and it waits for us
	stdinLast     = 8 * time.Second        // of a payload that has begun
	grace         = 100 * time.Millisecond // to read what is on stdin when its deadline has passed
	lookTime      = 30 * time.Millisecond
)

// HeadMax bounds the text that an entry keeps of a command, prompt or error, in bytes.
const HeadMax = 200

// PathMax bounds a path in an entry, in bytes.
const PathMax = 512

// Agent is one coding agent: its record and the meaning of its payloads. The record's
// name is the hook's argument and the entries' source.
type Agent struct {
	*agentcli.Agent
	// Ignored reports events that leave no entry and cost nothing more.
	Ignored func(p *Payload) bool
	// Read makes a plan of the payload; false if it does not know the event. It may
	// read files that the payload names and files of the worktree. It does not touch
	// the log.
	Read func(p *Payload, proj *project.Project) (Plan, bool)
	// Knows reports the fields that Read understands or leaves out on purpose.
	Knows func(key string) bool
	// Own reports whether the payload is the session's own, and not one of a
	// sub-agent or of another thread that runs under the session's id.
	Own func(p *Payload) bool
	// Keys, if not nil, is the shared name of a payload's field for an agent that spells fields otherwise; "" leaves the
	// field out.
	Keys func(key string) string
	// Complete, if not nil, adds what the payload leaves to the environment, and what has to be read out of other fields.
	Complete func(p *Payload, env func(string) string)
	// Answered, if not nil, reports whether the payload of a call's end holds what the call answered, and not only how it ended.
	Answered func(p *Payload) bool
	// PromptID is the payload's field that names the prompt or turn; "" if it has none.
	PromptID string
	// Context is the hook output that hands text to the model at event.
	Context func(event, text string) []byte
	// MidTurn reports whether the payload is a call's end whose hook output the model
	// sees in the same turn.
	MidTurn func(p *Payload) bool
	// PrintMode reports whether the session runs in a print mode of the agent, so that
	// no prompt comes after the end of its turn.
	PrintMode func(p *Payload, env func(string) string) bool
	// Continue is the hook output at a turn's end that makes the agent go on with
	// text; nil if hooks have made it go on already.
	Continue func(p *Payload, text string) []byte
	// Decide is the hook output before a call that makes the agent deny it, or ask the user about it, with a reason; nil if
	// the agent can't do that.
	Decide func(d Decision, reason string) []byte
	// Status, if not nil, reads what the agent gives to a status line.
	Status func(payload gjson.Result) Status
}

// Plan is what to record of one payload. The log gets relayed entries first, then
// ends of closed calls, then drafts.
type Plan struct {
	Drafts []Draft
	Closer Closer // nil if the event ends no call but its own
	Relay  *Relay // a finished shell call, whose output may hold entries of `aburn log`
	// Pair, unless nil, ends a call of an agent that gives its calls no ids. It runs
	// under the log's lock, before the drafts are written, and adds the id to them: of
	// the oldest open call with this tool and input, or "" if there is none.
	Pair func(id string)
	New  bool // the session has just got this id, so the log has nothing of it
	// Resumed: the model's memory of the session was cut or is old, so the answer
	// may repeat what the log has of it.
	Resumed bool
}

// Draft is an entry without the members that come from the log.
type Draft struct {
	Event logfmt.Event
	// Once makes the entry idempotent within its (source, session, agent, event):
	// a tool use id, or "" for an entry that no other one repeats.
	Once string
	// Unnamed: the client gives the call no id. Under the log's lock a start gets a new one, and an end that of the newest
	// open call of the same tool and input, if there is one.
	Unnamed bool
	Data    *logfmt.Object
	// NotAfter: the agent may send the event where it says nothing. It makes no entry if
	// the session's newest is of one of these.
	NotAfter []logfmt.Event
}

// Calls are tool calls as the log has them.
type Calls = recent.Calls

// Call is one of them.
type Call = recent.Call

// Closer ends calls for which the agent sent no end event.
type Closer interface {
	// Wants returns the ids of the calls to look up, however long ago they began;
	// nil means all open calls in the log's tail.
	Wants() []string
	// Prepare looks the calls up before the log is locked. It reports whether any has
	// to be closed.
	Prepare(calls *Calls) bool
	// Close returns the ends, under the lock. It reads no file.
	Close(calls *Calls) []Draft
}

// Relay is a finished shell call, whose output may hold entries for the log.
type Relay struct{ Command, Output string }

// Look is one look of the supervisor at the project, after the entries of this run
// are on disk and before anything is delivered. It puts advice into the queue.
type Look func(l Looking) Looked

// Looked is what a hook needs to know of a look.
type Looked struct {
	Alone   bool     // no sub-agent of the session has ended, as far back as the look remembers
	Certain []string // the tasks for the session that may be told inside of its turn; see Looking.InTurn
}

// Looking is the input of a Look: a prompt, or the end of a turn or of a tool call of
// the session itself, in a project that this user trusts.
type Looking struct {
	Root       *os.Root // .oss
	Project    *project.Project
	Journal    *journal.Journal
	Settings   *settings.Settings
	Key        []byte // of the project's mark
	Session    logfmt.SessionID
	Transcript string    // "" when the client names none
	Prompt     string    // the id of the prompt's entry; "" at the end of a turn or call
	InTurn     []string  // after a tool call: the types of issues that may be told; else nil
	Until      time.Time // when the look has to end
	Slow       func()    // the look calls it before work that may take long
}

// HookContext is the hook output with which Claude Code and Codex both take text
// for the model.
func HookContext(event, text string) []byte {
	var inner, outer logfmt.Object
	inner.Str("hookEventName", event).Str("additionalContext", text)
	return outer.Raw("hookSpecificOutput", inner.Bytes()).Bytes()
}
