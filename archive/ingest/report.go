package ingest

import (
	"time"

	"aburn/trace"
)

// Report is what a run did.
type Report struct {
	Started time.Time
	Took    time.Duration
	// Sources has the readers in their order.
	Sources []Source
	// Linked counts traces that changed because of others, Expired those deleted by retention, Rescrubbed those
	// scrubbed again.
	Linked, Expired, Rescrubbed int
	// Left counts the stores that were to be read and were not, because the run ended before.
	Left int
	// Interrupted says that the run ended early. What the report says was done is done.
	Interrupted bool

	found []trace.Store // those that may change soon again, and others
}

// Source is what a run did with one reader's stores.
type Source struct {
	Name string
	// Stores counts all stores, Read those that were opened, Bytes what was read of them. In a dry run, what would be.
	Stores, Read int
	Bytes        int64
	// New, Updated and Unchanged count sessions that were read. Gone counts those whose source no longer exists, Old
	// those older than retention keeps.
	New, Updated, Unchanged, Gone, Old int
	Skipped                            []Skip
	Notes                              []Note
	// Damaged are the first MaxDamaged unreadable places of DamagedAll.
	Damaged    []Place
	DamagedAll int
}

// MaxDamaged bounds the damaged places in a report.
const MaxDamaged = 1000

// Skip is a store, or a session in it, that was not archived.
type Skip struct {
	Path   string
	Kind   SkipKind
	Reason string
}

// SkipKind says why something was not archived.
type SkipKind string

// The kinds of skips.
const (
	UnknownLayout SkipKind = "unknown_layout"
	Unreadable    SkipKind = "unreadable"
	Invalid       SkipKind = "invalid"   // the trace breaks the rules of package trace
	NotSince      SkipKind = "not_since" // unchanged since Options.Since
)

// Note is a remark about a store that is no error.
type Note struct {
	Path string
	Kind NoteKind
	Text string
}

// NoteKind is the subject of a note.
type NoteKind string

// The kinds of notes.
const (
	Truncated NoteKind = "truncated" // shorter than what was read
	Replaced  NoteKind = "replaced"  // another file is in its place
	Rewritten NoteKind = "rewritten" // the part that was read has changed
	Moved     NoteKind = "moved"
	Growing   NoteKind = "growing" // ends in an unfinished record
	Outdone   NoteKind = "outdone" // another store has the session in a later state
)

// Place is an unreadable place.
type Place struct {
	Path string
	trace.Damage
}

// Progress is the state of a run.
type Progress struct {
	Files, FilesDone int
	Bytes, BytesDone int64
	Took             time.Duration
	Linking          bool // all is read, and sessions are being related
}

// Changed reports whether the run changed the archive.
func (r *Report) Changed() bool {
	for i := range r.Sources {
		if s := &r.Sources[i]; s.New+s.Updated+s.Gone > 0 {
			return true
		}
	}
	return r.Linked+r.Expired+r.Rescrubbed > 0
}
