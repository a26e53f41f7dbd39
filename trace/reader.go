package trace

import (
	"context"
	"fmt"
	"time"
)

// Reader brings what one agent has written to disk to traces. It reads, in a stream, and changes nothing: not the files,
// not their times.
type Reader interface {
	// Name is the Source of its traces.
	Name() string
	// Find calls found for each store that this agent has in the places, in a stable order, without opening more than it must.
	// A store whose layout it does not know is found too; Read then says so.
	Find(ctx context.Context, in Places, found func(Store) error) error
	// Read reads one store and gives sink what it holds. With a Cursor it goes on where an earlier read ended and
	// gives only the traces that changed. It returns *UnknownLayout for what it cannot read, and sink's errors as they are.
	Read(ctx context.Context, s Store, sink Sink) error
}

// Places is where to look.
type Places struct {
	// Home is the user's home directory, Getenv the environment (CODEX_HOME, XDG_DATA_HOME, …).
	Home   string
	Getenv func(string) string
	// Projects are folders of projects that are known, from sessions that were read before or elsewhere.
	Projects []string
	// Paths, if there are any, are files and folders that a person named, in place of the agent's own places. A reader
	// takes those that look like its own.
	Paths []string
}

// Store is one thing to read: a transcript file, or a database or log that holds many sessions.
type Store struct {
	Reader string
	Path   string
	// Layout is the reader's own word for what it is.
	Layout string
	// Parts are other files that change with it: a WAL, a .meta.json, rotated segments. Path itself is not among them.
	Parts []string
	// Size and ModTime are those of Path and its Parts together: the sum and the latest.
	Size    int64
	ModTime time.Time
	// Cursor is where an earlier read of this store ended; zero to read all of it. Whoever sets it has made sure that the
	// part before it is the same as then.
	Cursor Cursor
}

// Cursor is how far a read came. State is the reader's own, small, and JSON; with it and the traces as they were
// stored, it goes on as if it had never stopped.
type Cursor struct {
	Offset int64  `json:"offset,omitempty"`
	Line   int64  `json:"line,omitempty"`
	State  []byte `json:"state,omitempty"`
}

// Sink takes what a reader found in one store.
type Sink interface {
	// Previous is the trace of this reader with this id as an earlier read gave it, for going on with; nil if there is none.
	Previous(id string) (*SessionTrace, error)
	// Trace takes a trace, new or in place of the one with its id. It validates it: here a reader that breaks the rules fails.
	Trace(*SessionTrace) error
	// Damaged takes a place that could not be read.
	Damaged(Damage)
	// Progress takes how many more bytes were read.
	Progress(n int64)
	// Done takes the cursor for the next read; torn says that the store ends in a record that is not finished.
	Done(c Cursor, torn bool)
}

// UnknownLayout is the error for a store that a reader does not know how to read.
type UnknownLayout struct {
	Agent   string // whose store it seems to be
	Version string // as the store itself says, or "?"
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
