package ingest

import (
	"time"

	"aburn/trace"
)

// Report is what a run did.
type Report struct {
	Started time.Time
	Took    time.Duration
	// Sources are the readers, in their order.
	Sources []Source
	// Linked is how many traces changed because of others, Expired how many were deleted as retention says, Rescrubbed how
	// many were scrubbed again.
	Linked, Expired, Rescrubbed int
	// Interrupted says that the run was ended early. What it says was done is done.
	Interrupted bool

	found []trace.Store // those that may change again soon, and others
}

// Source is what a run did with the stores of one reader.
type Source struct {
	Name string
	// Stores is how many there are, Read how many of them were opened, or would be, Bytes how much was read of them, or would be.
	Stores, Read int
	Bytes        int64
	// Sessions that are new, that changed, that are as they were, whose source is found to be gone, and that are older than
	// retention keeps them.
	New, Updated, Unchanged, Gone, Old int
	Skipped                            []Skip
	Notes                              []Note
	// Damaged are the places that could not be read, at most MaxDamaged of DamagedAll.
	Damaged    []Place
	DamagedAll int
}

// MaxDamaged is how many damaged places a report has.
const MaxDamaged = 1000

// Skip is a store, or a session of it, that was not archived.
type Skip struct {
	Path   string
	Kind   SkipKind
	Reason string
}

// SkipKind is why something was not archived.
type SkipKind string

// The kinds of skips.
const (
	UnknownLayout SkipKind = "unknown_layout"
	Unreadable    SkipKind = "unreadable"
	Invalid       SkipKind = "invalid"   // a trace that breaks the rules of package trace
	NotSince      SkipKind = "not_since" // it has not changed since Options.Since
)

// Note is something about a store that is no error.
type Note struct {
	Path string
	Kind NoteKind
	Text string
}

// NoteKind is what a note is about.
type NoteKind string

// The kinds of notes.
const (
	Truncated NoteKind = "truncated" // it is shorter than what was read
	Replaced  NoteKind = "replaced"  // another file is in its place
	Rewritten NoteKind = "rewritten" // what was read has changed
	Moved     NoteKind = "moved"
	Growing   NoteKind = "growing" // it ends in a record that is not finished
	Outdone   NoteKind = "outdone" // another store has the same session, in a later state
)

// Place is where something could not be read.
type Place struct {
	Path string
	trace.Damage
}

// Progress is how far a run is.
type Progress struct {
	Files, FilesDone int
	Bytes, BytesDone int64
	Took             time.Duration
	Linking          bool // all is read; what is left is to find out how sessions belong together
}

// Changed says whether the run changed the archive.
func (r *Report) Changed() bool {
	for i := range r.Sources {
		if s := &r.Sources[i]; s.New+s.Updated+s.Gone > 0 {
			return true
		}
	}
	return r.Linked+r.Expired+r.Rescrubbed > 0
}
