// Package hooks turns the payload that a coding agent hands to its hook into
// entries of the project's log, and answers nothing unless the agent is to get
// something.
//
// One run is one process and one event. Invariants:
//   - It ends within Deadline of its start, and the caller exits 0 whatever happens.
//   - Nothing is printed unless the whole answer is one JSON object of the shape
//     that this agent accepts.
//   - The environment is read for switches and folders, never recorded.
//   - All entries of a run about the event are one append. What needs foreign files
//     (transcripts, edited files) is read before the log is locked.
//   - A text reaches an agent only at a prompt or, where the user wants that, at the
//     end of a turn, of the session itself, in a project that this user vouched for.
//   - A task is claimed on disk before it is printed, and noted as printed after it
//     was. Whatever fails in between changes neither exit code nor the shape of stdout.
//
// Race: two hooks of one session may run at once, in any order. Each sees the
// log under the lock, so both attribute by what is on disk before them, and a
// tool event that arrives twice has the same id and is written once.
package hooks

import (
	"os"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/recent"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// The budgets of one run, counted from the start of main.
const (
	Deadline      = 800 * time.Millisecond
	stdinDeadline = 300 * time.Millisecond
	grace         = 100 * time.Millisecond // for what is on stdin when its deadline has passed
	lookTime      = 30 * time.Millisecond
)

// HeadMax bounds the text that an entry keeps of a command, prompt or error, in bytes.
const HeadMax = 200

// PathMax bounds a path in an entry, in bytes.
const PathMax = 512

// Agent is one coding agent: its record, of which the name is the hook's argument
// and the entries' source, and what its payloads mean.
type Agent struct {
	*agentcli.Agent
	// Ignored reports events that leave no entry and cost nothing more.
	Ignored func(p *Payload) bool
	// Read says what the payload means; false if it does not know the event. It
	// may read files that the payload names and those of the worktree, and does
	// not touch the log.
	Read func(p *Payload, proj *project.Project) (Plan, bool)
	// Knows reports the fields that Read understands or leaves out on purpose.
	Knows func(key string) bool
	// Own reports whether the payload is the session's own, and not one of a
	// sub-agent or of another thread that runs under the session's id.
	Own func(p *Payload) bool
	// PromptID is the payload's field that names the prompt or turn.
	PromptID string
	// Context is the hook output that hands text to the model at event.
	Context func(event, text string) []byte
	// Continue is the hook output at a turn's end that makes the agent go on with
	// text; nil where it should not, because hooks have made it go on already.
	Continue func(p *Payload, text string) []byte
}

// Plan is what one payload comes to. The entries stand in the log in the order
// relayed ones, closed calls, drafts.
type Plan struct {
	Drafts []Draft
	Closer Closer // nil if the event ends no call but its own
	Relay  *Relay // a finished shell call, whose output may hold entries of `aburn log`
	New    bool   // the session has this id only now: the log knows nothing of it
	// Resumed says that the model's memory of the session was cut or is old, so
	// that it may want to hear what the log has of it.
	Resumed bool
}

// Draft is an entry before the log was looked at.
type Draft struct {
	Event logfmt.Event
	// Once makes the entry idempotent within its (source, session, agent, event):
	// a tool use id, or "" for an entry that is like no other.
	Once string
	Data *logfmt.Object
}

// Calls are tool calls as the log has them.
type Calls = recent.Calls

// Call is one of them.
type Call = recent.Call

// Closer ends calls that no event of their own ended.
type Closer interface {
	// Wants are the ids of the calls to know about, however long ago they began;
	// nil means all open ones that the log's tail has.
	Wants() []string
	// Prepare looks up what it needs about the calls, before the log is locked. It
	// reports whether any is to be closed.
	Prepare(calls *Calls) bool
	// Close returns the ends, under the lock. It reads no file.
	Close(calls *Calls) []Draft
}

// Relay is a finished shell call.
type Relay struct{ Command, Output string }

// Look is one look of the supervisor at the project, after the entries of this
// run are on disk and before anything is delivered. What it has to say it puts
// into the queue. alone reports that no sub-agent of the session has ended, as far
// back as the look remembers.
type Look func(l Looking) (alone bool)

// Looking is what a Look is about: a prompt or the end of a turn of the session
// itself, in a project that this user vouched for.
type Looking struct {
	Root       *os.Root // .oss
	Project    *project.Project
	Journal    *journal.Journal
	Settings   *settings.Settings
	Key        []byte // of the project's mark
	Session    logfmt.SessionID
	Transcript string    // "" when the client names none
	Prompt     string    // the id of the prompt's entry; "" at the end of a turn
	Until      time.Time // the look ends by then
	Slow       func()    // to be called before what may take long
}
