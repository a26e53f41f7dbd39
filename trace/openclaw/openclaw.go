// Package openclaw reads the sessions of OpenClaw: one SQLite database of events per agent, or, from older versions,
// one file of lines per session. Both hold the same records. It knows no other agent: everything behind trace is blind
// to the source. docs/formats/openclaw.md says what the records are and how that is known.
//
// The reader names each table and column that it reads: beside the transcripts the database holds credentials.
package openclaw

import (
	"context"
	"path/filepath"

	"aburn/trace"
)

// name is the source of the traces, and their agent's name.
const name = "openclaw"

// product is the client's name in errors.
const product = "OpenClaw"

const (
	database = "sqlite"
	lines    = "jsonl"
)

type reader struct{}

// New returns the reader for OpenClaw's sessions.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return name }

// Read reads a store. It reads a changed session again as a whole; the cursor says which ones changed.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	if s.Layout == database || filepath.Ext(s.Path) == ".sqlite" {
		return readDatabase(ctx, s, sink)
	}
	return readLines(ctx, s, sink)
}
