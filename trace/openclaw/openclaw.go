// Package openclaw reads the sessions of OpenClaw: per agent one SQLite database of events, or, as versions before it left
// them, one file of lines a session. Both hold the same records. docs/formats/openclaw.md says what they are and how that
// is known.
//
// Tables and columns are named, one by one: beside the transcripts the database holds credentials, which nothing here
// touches.
package openclaw

import (
	"context"
	"path/filepath"

	"aburn/trace"
)

// name is the source and the agent of the traces.
const name = "openclaw"

// product is whose store it is, in errors.
const product = "OpenClaw"

// The layouts of stores.
const (
	database = "sqlite"
	lines    = "jsonl"
)

type reader struct{}

// New is the reader of OpenClaw's sessions.
func New() trace.Reader { return reader{} }

// Name implements trace.Reader.
func (reader) Name() string { return name }

// Read implements trace.Reader. A session that changed is read again as a whole: the cursor says which did.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	if s.Layout == database || filepath.Ext(s.Path) == ".sqlite" {
		return readDatabase(ctx, s, sink)
	}
	return readLines(ctx, s, sink)
}
