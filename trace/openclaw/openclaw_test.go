package openclaw

import (
	"flag"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
)

var update = flag.Bool("update", false, "write the golden files")

// What the scripted client was made to do, in every session that it left.
func TestTruth(t *testing.T) {
	sink := tracetest.Read(t, New(), "testdata/state")
	if len(sink.Errors) > 0 || len(sink.Damage) > 0 {
		t.Errorf("errors %v, damage %v", sink.Errors, sink.Damage)
	}
	tracetest.Truth(t, sink, "testdata/state.truth")
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/state.json", *update)
}

// What the client writes and nobody could make it write here: testdata/built.truth says of each what it is.
func TestBuilt(t *testing.T) {
	dir := t.TempDir()
	path := built(t, dir, len(statements(t)))
	sink := tracetest.Read(t, New(), dir)
	if len(sink.Errors) > 0 || len(sink.Damage) != 3 || sink.Damage[2].Ref.Key != "co" {
		t.Errorf("errors %v, damage %+v", sink.Errors, sink.Damage)
	}
	tracetest.Truth(t, sink, "testdata/built.truth")
	for _, s := range sink.Traces {
		s.Sources[0].Path = strings.TrimPrefix(path, dir)
	}
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/built.json", *update)
}
