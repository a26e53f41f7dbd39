package archive

import (
	"time"

	"aburn/trace"
)

// Session is what the archive knows of a session without opening its trace.
type Session struct {
	// Key names the session within this archive. It stays the same when the session is read again.
	Key        int64
	Source, ID string
	Agent      trace.Agent
	Project    trace.Project
	Start, End time.Time
	ActiveMS   int64
	// Outcome is the trace's, but that killed is unknown while the session is Live.
	Outcome     trace.Outcome
	OutcomeFrom string
	Counts      trace.Counts
	Usage       trace.Usage
	// Relation is the first relationship that is none to a root, else root.
	Relation trace.Relation
	// Path is the first file that it was read from.
	Path string
	// Gone says that this file, or the session in it, is no more: the archive has the only trace.
	Gone bool
	// Live says that the source changed less than LiveFor ago: the session may be going on.
	Live bool
	// Recorded says that aburn's hooks recorded it too. Their own trace of it is listed only if Filter.Own asks for it.
	Recorded bool
	// Ask is the head of the first prompt.
	Ask string
}

// Outline is the little of a Session that is needed of all of them to see how they hang together.
type Outline struct {
	Key        int64
	Source, ID string
	Start, End time.Time
}

// LiveFor is how long after its source last changed a session may still be going on.
const LiveFor = 5 * time.Minute

// Filter chooses sessions. The zero value is all of them.
type Filter struct {
	Since, Until time.Time // of the session's end: at or after Since, before Until; one whose end nobody knows is neither
	Source       string
	Project      string // the project's key, or a path in it
	Outcome      string
	Relation     trace.Relation
	Limit        int  // the newest so many; 0 for all
	Own          bool // also what hooks recorded of sessions that were read from their agent's store
}

// Relation is a relationship with the sessions at its ends. RelatedKey is 0 where the archive does not have that one.
type Relation struct {
	Key, RelatedKey int64
	trace.SessionRelationship
}

// CallFilter chooses tool calls.
type CallFilter struct {
	Filter
	Failed bool  // only failed ones
	Key    int64 // of one session; 0 for all
}

// CallRow is a tool call that counts, with what became of it.
type CallRow struct {
	Key        int64 // the session's
	Source     string
	Session    string
	Call, Tool string
	Type       trace.ToolType
	Index, Seq int
	Start      time.Time
	// DurationMS is how long it took as its source measured it, else from the call to its last result; 0 if that is unknown.
	DurationMS int64
	// Status is that of its last result, empty if it has none.
	Status   trace.Status
	Failed   bool
	Denied   string
	ExitCode *int
	Input    string // the input's hash
	Path     string
	Head     string
	Length   int64 // of the last result's content
	Spawned  string
	Results  int
}
