// Package own reads aburn's workflow log as one more source: the sessions of all agents as their hooks recorded them,
// with the commands and phases that prompts declared. It is the only reader that knows the log's format.
// docs/formats/own.md says what an event is here.
package own

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"aburn/internal/journal"
	"aburn/trace"
)

// Name is the Source of the traces.
const Name = "own"

// table is the Ref.Table: rows are entries, and Key is the entry's number.
const table = "entry"

// reader is the trace.Reader of logs.
type reader struct{ maxHeld int }

// New returns the reader for workflow logs.
func New() trace.Reader { return reader{maxHeld: maxHeld} }

func (reader) Name() string { return Name }

// Read reads a log from where an earlier reading ended, if that is still a place in it.
func (o reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	dir, err := os.OpenRoot(filepath.Dir(s.Path))
	if err != nil {
		return err
	}
	defer dir.Close()
	r := reading{
		path: s.Path, log: journal.New(dir, journal.Options{By: journal.Command}), sink: sink,
		maxHeld: o.maxHeld,
	}
	if from, ok := position(s.Cursor.State); ok {
		r.incremental = true
		if err := r.read(ctx, from); !errors.Is(err, journal.ErrPosition) {
			return err
		}
		r.incremental = false
	}
	if r.shortened, err = shortened(r.log); err != nil {
		return err
	}
	return r.read(ctx, journal.Position{})
}

// markLength is how many bytes before a position are kept, to recognise another log in its place.
const markLength = 24

// state is the position in a cursor.
type state struct {
	Segment string `json:"segment"`
	Dev     uint64 `json:"dev"`
	Ino     uint64 `json:"ino"`
	Offset  int64  `json:"offset"`
	Before  []byte `json:"before"`
}

func position(data []byte) (journal.Position, bool) {
	var at state
	if json.Unmarshal(data, &at) != nil || at.Segment == "" {
		return journal.Position{}, false
	}
	return journal.Position{Segment: at.Segment, Dev: at.Dev, Ino: at.Ino, Offset: at.Offset,
		Before: string(at.Before)}, true
}

// shortened reports whether the log's oldest segments are gone.
func shortened(log *journal.Journal) (bool, error) {
	segments, err := log.Segments()
	return err == nil && len(segments) > 0 && segments[0].First > 1, err
}

// Records calls each with the index of each ref and its entry in the log at path, or why there is none.
func Records(ctx context.Context, path string, refs []trace.Ref, each func(i int, entry []byte, err error)) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	open := map[string]int{} // by key: the index of the ref
	for i, ref := range refs {
		open[ref.Key] = i
	}
	log := journal.New(dir, journal.Options{By: journal.Command})
	for record, err := range log.Headers(journal.Position{}) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if record.Carried {
			continue
		}
		key := key(record.Value.Seq, string(record.Value.ID), record.Segment, record.Offset)
		if i, ok := open[key]; ok {
			delete(open, key)
			each(i, slices.Clone(record.JSON), nil)
		}
		if len(open) == 0 {
			return nil
		}
	}
	for key, i := range open {
		each(i, nil, fmt.Errorf("%s: there is no entry %s: %w", path, key, fs.ErrNotExist))
	}
	return nil
}
