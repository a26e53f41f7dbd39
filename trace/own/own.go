// Package own reads aburn's own workflow log: the sessions of all agents as their hooks recorded them, with the commands
// and phases that their prompts declared. What an event is here, docs/formats/own.md says.
package own

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/internal/journal"
	"aburn/trace"
)

// Name is the Source of the traces.
const Name = "own"

// table is what refs call the log: its rows are entries, whose keys are their numbers.
const table = "entry"

// reader holds at most so many events as they are (maxLive).
type reader struct{ most int }

// New is the reader of workflow logs.
func New() trace.Reader { return reader{most: maxLive} }

func (reader) Name() string { return Name }

// Read reads a log, from where an earlier reading ended if that is still a place in it.
func (o reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	dir, err := os.OpenRoot(filepath.Dir(s.Path))
	if err != nil {
		return err
	}
	defer dir.Close()
	r := reading{
		path: s.Path, log: journal.New(dir, journal.Options{By: journal.Command}), sink: sink,
		most: o.most, sessions: map[string]*session{}, packed: map[string][]byte{},
	}
	var from journal.Position
	if json.Unmarshal(s.Cursor.State, &from) == nil && from != (journal.Position{}) {
		r.goesOn = true
		if err := r.read(ctx, from); !errors.Is(err, journal.ErrPosition) {
			return err
		}
		r.goesOn, r.sessions = false, map[string]*session{}
	}
	if r.shortened, err = shortened(r.log); err != nil {
		return err
	}
	return r.read(ctx, journal.Position{})
}

// shortened says whether the log's oldest segments are gone.
func shortened(log *journal.Journal) (bool, error) {
	segments, err := log.Segments()
	return err == nil && len(segments) > 0 && segments[0].First > 1, err
}

// Raw is the entry that ref names, as it stands in the log at path.
func Raw(ctx context.Context, path string, ref trace.Ref) ([]byte, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	log := journal.New(dir, journal.Options{By: journal.Command})
	for record, err := range log.Headers(journal.Position{}) {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !record.Carried && key(record.Value.Seq, string(record.Value.ID), record.Line) == ref.Key {
			return append([]byte(nil), record.JSON...), nil
		}
	}
	return nil, fmt.Errorf("%s: there is no entry %s: %w", path, ref.Key, fs.ErrNotExist)
}
