package trace

import (
	"context"
	"fmt"
	"time"
)

// Reader turns what one agent has written to disk into traces. It reads in a stream and changes nothing: neither files
// nor their times.
type Reader interface {
	// Name is the Source of its traces.
	Name() string
	// Find calls found for each of this agent's stores in the places, in a stable order, and opens as few as possible.
	// It finds stores of unknown layout too; Read then refuses them.
	Find(ctx context.Context, in Places, found func(Store) error) error
	// Read reads one store into sink. With a Cursor it continues where an earlier reading ended and gives only the
	// traces that changed. The error is *UnknownLayout for a store that it cannot read; errors of sink are returned as
	// they are.
	Read(ctx context.Context, s Store, sink Sink) error
}

// Places says where to look.
type Places struct {
	// Home is the user's home directory; Getenv reads the environment (CODEX_HOME, XDG_DATA_HOME, …).
	Home   string
	Getenv func(string) string
	// Projects are the folders of known projects.
	Projects []string
	// Paths, if any, are files and folders that a person named. They replace the agent's own places. A reader takes
	// the stores that look like its own.
	Paths []string
	// Opened, if set, is called with each folder whose entries decide what Find finds, and the folder's time from before
	// it was read; the zero time if it is missing. As long as these times stay, Find finds no other stores. It is called
	// by one goroutine at a time.
	Opened func(dir string, modified time.Time)
}

// Store is one thing to read: a transcript file, or a database or log of many sessions.
type Store struct {
	Reader string
	Path   string
	// Layout is the reader's word for the store's form.
	Layout string
	// Parts are other files that change with Path: a WAL, a .meta.json, rotated segments.
	Parts []string
	// Size and ModTime cover Path and its Parts: the sum and the latest.
	Size    int64
	ModTime time.Time
	// Cursor is where an earlier reading ended; zero reads everything. The caller has checked that the part before it
	// is unchanged.
	Cursor Cursor
}

// Cursor is where a reading ended. State is the reader's own small JSON. With it and the stored traces a reader
// continues as if it had never stopped.
type Cursor struct {
	Offset int64  `json:"offset,omitempty"`
	Line   int64  `json:"line,omitempty"`
	State  []byte `json:"state,omitempty"`
}

// Sink receives what a reader finds in one store.
type Sink interface {
	// Previous returns the stored trace with this id, which an earlier reading gave; nil if there is none.
	Previous(id string) (*SessionTrace, error)
	// Trace takes a new trace, or one that replaces the trace with its id. It validates it: here a reader that breaks
	// the rules fails.
	Trace(*SessionTrace) error
	// Damaged takes an unreadable place.
	Damaged(Damage)
	// Progress takes the number of bytes read since the last call.
	Progress(n int64)
	// Done takes the cursor for the next reading. torn says that the store ends in an unfinished record.
	Done(c Cursor, torn bool)
}

// UnknownLayout is the error for a store whose form the reader does not know.
type UnknownLayout struct {
	Agent   string // the agent that the store seems to belong to
	Version string // from the store, or "?"
	Path    string
	Why     string
}

func (e *UnknownLayout) Error() string {
	v := e.Version
	if v == "" {
		v = "?"
	}
	return fmt.Sprintf("unknown layout of %s, version %s: %s: %s", e.Agent, v, e.Path, e.Why)
}
