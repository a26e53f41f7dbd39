// Package tracetest is how every reader of traces is tested: what it reads is valid, is what a person found out by hand,
// does not change where the source is cut off, and is the same when it is read in two goes.
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

// Sink keeps what a reader gives, as an archive does: traces as it stores them, the latest of an id.
type Sink struct {
	// Stores is what was found, in that order.
	Stores []trace.Store
	// Traces is what was read, by id.
	Traces map[string]*trace.SessionTrace
	// Damage is what was reported beside the traces.
	Damage []trace.Damage
	// Cursors and Torn tell how the reading of a store ended, by its path. A store that was refused is in neither.
	Cursors map[string]trace.Cursor
	Torn    map[string]bool
	// Errors is what Read returned, by the store's path.
	Errors map[string]error
	// Bytes is the progress that was told.
	Bytes int64

	stored map[string][]byte          // id → packed
	gave   map[string]map[string]bool // store's path → ids of what it gave
	store  string                     // that is being read
	broken []error                    // traces that were refused
}

// NewSink is an empty Sink.
func NewSink() *Sink {
	return &Sink{Traces: map[string]*trace.SessionTrace{}, Cursors: map[string]trace.Cursor{}, Torn: map[string]bool{},
		Errors: map[string]error{}, stored: map[string][]byte{}, gave: map[string]map[string]bool{}}
}

// without is what was read from all stores but those that the file at path is part of: those are to be read anew.
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

// Read finds the stores in paths with r and reads them all. A trace that is not valid, or is not the same after being
// stored, fails the test; what else went wrong is in the Sink.
func Read(t testing.TB, r trace.Reader, paths ...string) *Sink {
	t.Helper()
	s := NewSink()
	s.run(t, r, paths, nil)
	return s
}

// Ordered is the traces, by id.
func (s *Sink) Ordered() []*trace.SessionTrace {
	var all []*trace.SessionTrace
	for _, id := range slices.Sorted(maps.Keys(s.Traces)) {
		all = append(all, s.Traces[id])
	}
	return all
}

// run finds and reads; of the stores that it knows a cursor of, only those that due accepts (nil: all), from there on.
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

// Previous implements trace.Sink.
func (s *Sink) Previous(id string) (*trace.SessionTrace, error) {
	data, ok := s.stored[id]
	if !ok {
		return nil, nil
	}
	return packed.Parse(data)
}

// Trace implements trace.Sink.
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

// Damaged implements trace.Sink.
func (s *Sink) Damaged(d trace.Damage) { s.Damage = append(s.Damage, d) }

// Progress implements trace.Sink.
func (s *Sink) Progress(n int64) { s.Bytes += n }

// Done implements trace.Sink.
func (s *Sink) Done(c trace.Cursor, torn bool) {
	s.Cursors[s.store] = c
	s.Torn[s.store] = torn
}
