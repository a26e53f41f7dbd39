// Package tracetest tests readers of traces, and only tests import it. What a reader returns is valid, is what a
// person found by hand, does not depend on where the source is cut, and is the same when read in two steps.
package tracetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"aburn/trace"
	"aburn/trace/packed"
)

// Sink keeps what a reader gives, like an archive: stored traces, the latest of each id.
type Sink struct {
	// Stores are the stores found, in order.
	Stores []trace.Store
	// Traces are the traces read, by id.
	Traces map[string]*trace.SessionTrace
	// Damage is what was reported beside the traces.
	Damage []trace.Damage
	// Cursors and Torn say how the reading of a store ended, by its path. A refused store is in neither.
	Cursors map[string]trace.Cursor
	Torn    map[string]bool
	// Errors are the errors of Read, by the store's path.
	Errors map[string]error
	// Bytes is the sum of reported progress.
	Bytes int64

	stored map[string][]byte          // id → packed
	gave   map[string]map[string]bool // store's path → ids of its traces
	store  string                     // being read
	broken []error                    // refused traces
}

// NewSink returns an empty Sink.
func NewSink() *Sink {
	return &Sink{Traces: map[string]*trace.SessionTrace{}, Cursors: map[string]trace.Cursor{}, Torn: map[string]bool{},
		Errors: map[string]error{}, stored: map[string][]byte{}, gave: map[string]map[string]bool{}}
}

// without returns what was read from all stores except those that the file at path is part of, which are to be read
// again.
func (s *Sink) without(path string) *Sink {
	rest := NewSink()
	for _, store := range s.Stores {
		if _, done := s.Cursors[store.Path]; !done || store.Path == path || slices.Contains(store.Parts, path) {
			continue
		}
		rest.Cursors[store.Path], rest.Torn[store.Path], rest.gave[store.Path] = s.Cursors[store.Path], s.Torn[store.Path], s.gave[store.Path]
		for id := range s.gave[store.Path] {
			rest.Traces[id], rest.stored[id] = s.Traces[id], s.stored[id]
		}
	}
	return rest
}

// Read finds the stores in paths with r and reads them all. An invalid trace, or one that storing changes, fails the
// test; the Sink has all other errors.
func Read(t testing.TB, r trace.Reader, paths ...string) *Sink {
	t.Helper()
	s := NewSink()
	s.run(t, r, paths, nil)
	return s
}

// Ordered returns the traces, by id.
func (s *Sink) Ordered() []*trace.SessionTrace {
	var all []*trace.SessionTrace
	for _, id := range slices.Sorted(maps.Keys(s.Traces)) {
		all = append(all, s.Traces[id])
	}
	return all
}

// run finds and reads stores. Of those with a cursor it reads only the ones that due accepts (nil: all), from there
// on.
func (s *Sink) run(t testing.TB, r trace.Reader, paths []string, due func(trace.Store) bool) {
	t.Helper()
	s.Stores = nil
	in := trace.Places{Home: "/nonexistent", Getenv: func(string) string { return "" }, Paths: paths}
	err := r.Find(t.Context(), in, func(store trace.Store) error {
		s.Stores = append(s.Stores, store)
		return nil
	})
	if err != nil {
		t.Fatalf("find in %s: %v", strings.Join(paths, ", "), err)
	}
	for _, store := range s.Stores {
		cursor, known := s.Cursors[store.Path]
		if known && due != nil && !due(store) {
			continue
		}
		store.Cursor = cursor
		s.read(t.Context(), r, store)
	}
	for _, err := range s.broken {
		t.Error(err)
	}
	s.broken = nil
}

func (s *Sink) read(ctx context.Context, r trace.Reader, store trace.Store) {
	s.store = store.Path
	delete(s.Errors, store.Path)
	if err := r.Read(ctx, store, s); err != nil {
		s.Errors[store.Path] = err
	}
}

func (s *Sink) Previous(id string) (*trace.SessionTrace, error) {
	data, ok := s.stored[id]
	if !ok {
		return nil, nil
	}
	return packed.Parse(data)
}

func (s *Sink) Trace(t *trace.SessionTrace) error {
	data, again, err := roundTrip(t)
	if err != nil {
		s.broken = append(s.broken, err)
		return err
	}
	s.Traces[t.ID], s.stored[t.ID] = again, data
	if s.gave[s.store] == nil {
		s.gave[s.store] = map[string]bool{}
	}
	s.gave[s.store][t.ID] = true
	return nil
}

func (s *Sink) Damaged(d trace.Damage) { s.Damage = append(s.Damage, d) }

func (s *Sink) Progress(n int64) { s.Bytes += n }

func (s *Sink) Done(c trace.Cursor, torn bool) {
	s.Cursors[s.store] = c
	s.Torn[s.store] = torn
}
