package tracetest

import (
	"runtime"
	"testing"

	"aburn/trace"
)

// Held reads path with r and returns the traces, and how many bytes of memory they hold. A trace has digests in place
// of contents, but a string cut out of a record keeps the whole record, which is easily overlooked.
func Held(t testing.TB, r trace.Reader, path string) (bytes int, traces []*trace.SessionTrace) {
	t.Helper()
	in := trace.Places{Home: "/nonexistent", Getenv: func(string) string { return "" }, Paths: []string{path}}
	s := &holder{Sink: NewSink()}
	before := heap()
	if err := r.Find(t.Context(), in, func(store trace.Store) error {
		return r.Read(t.Context(), store,
			s)
	}); err != nil {
		t.Fatal(err)
	}
	return heap() - before, s.traces
}

// holder keeps traces as they are given.
type holder struct {
	*Sink
	traces []*trace.SessionTrace
}

func (h *holder) Trace(t *trace.SessionTrace) error {
	h.traces = append(h.traces, t)
	return nil
}

// heap returns how much memory is in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what waits in pools goes with the second
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
