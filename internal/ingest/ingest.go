// Package ingest brings what is new in the agents' session stores into the archive.
package ingest

import (
	"context"
	"errors"
	"time"

	"aburn/internal/archive"
	"aburn/trace"
)

// Options says what is read.
type Options struct {
	Archive  *archive.Archive
	Readers  []trace.Reader
	Places   trace.Places
	Since    time.Time // stores that have not changed since are left alone; zero reads all
	DryRun   bool      // say what would be read, and read nothing
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Files, FilesDone int
	Bytes, BytesDone int64
	Started          time.Time
}

// Report is what a run did, by source.
type Report struct {
	Sources []Source
}

// Source is what a run did with the stores of one reader.
type Source struct {
	Name                    string
	New, Updated, Unchanged int // sessions
}

// Run reads what is new in the stores that the readers find, and puts it into the archive.
func Run(ctx context.Context, o Options) (*Report, error) { return nil, errors.New("not built yet") }
