package archive

import (
	"cmp"
	"time"

	"aburn/trace"
)

// Session is what the archive knows of a session without reading its trace.
type Session struct {
	// Key names the session within this archive. It stays the same when the session is read again.
	Key        int64
	Source, ID string
	Agent      trace.Agent
	Project    trace.Project
	Start, End time.Time
	ActiveMS   int64
	// Stated is how the session ended as its own source says, StatedFrom the evidence. The verdict on a session is its
	// digest's (package digests).
	Stated     trace.Outcome
	StatedFrom string
	Counts     trace.Counts
	Usage      trace.Usage
	// Relation is the first relationship that is not root, else root.
	Relation trace.Relation
	// Path is the first file of the trace.
	Path string
	// Gone says that this file, or the session in it, no longer exists: the archive has the only trace.
	Gone bool
	// Live says that the last event is less than LiveFor old and that no end is recorded: the session may be going on.
	Live bool
	// Recorded says that aburn's hooks recorded the session too; of a worker's ledger, that its agent's session is known. Such
	// a record is listed only with Filter.Own.
	Recorded bool
	// Ask is the head of the first prompt.
	Ask string
}

// Outline is the part of a Session that is needed of all sessions to relate them.
type Outline struct {
	Key        int64
	Source, ID string
	Project    string // its key
	Start, End time.Time
}

// Filter chooses sessions. The zero value chooses all.
type Filter struct {
	Since, Until time.Time // by the session's end: at or after Since, before Until; a session without a known end is in neither
	Source       string
	Project      string // the project's key, or a path in it
	Relation     trace.Relation
	Limit        int  // keeps only the newest; 0 for all
	Own          bool // includes aburn's records of sessions that were read from their agent's store
}

// Relation is a relationship with the keys of both sessions. RelatedKey is 0 if the archive does not have that one.
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

// CallRow is a tool call that counts, with its result.
type CallRow struct {
	Key        int64 // of the session
	Source     string
	Session    string
	Call, Tool string
	Type       trace.ToolType
	Index, Seq int
	Start      time.Time
	// DurationMS is the measurement of the hooks, else of the source, else the time from the call to its last result
	// (Gap); 0 if unknown.
	DurationMS int64
	// Gap says that nobody measured the call: it took at most DurationMS, which includes the wait for a permission.
	Gap bool
	// Status is that of the last result, empty if there is none.
	Status   trace.Status
	Failed   bool
	Denied   string
	ExitCode *int
	Input    string // hash of the input; the log's short one if no store has the input
	Path     string
	Head     string
	Length   int64 // of the last result's content
	Spawned  string
	Results  int
}

// Subject is what the call was about: a path or the beginning of a command.
func (r *CallRow) Subject() string { return cmp.Or(r.Path, r.Head) }
