package opencode

import (
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/sqlite"
	"aburn/trace"
)

var update = flag.Bool("update", false, "write the golden files")

// fixture is a copy of the real database of opencode 1.18.33 with 26 scripted sessions, in a folder of its own.
func fixture(t testing.TB) string {
	t.Helper()
	packed, err := os.Open("testdata/opencode.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// change runs statements on a database.
func change(t testing.TB, path string, statements ...string) {
	t.Helper()
	conn, err := sqlite.Open(path, sqlite.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range statements {
		if err := conn.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// readAll reads the store at path, which must be possible.
func readAll(t testing.TB, path string) *tracetest.Sink {
	t.Helper()
	s := tracetest.Read(t, New(), path)
	for path, err := range s.Errors {
		t.Errorf("read %s: %v", path, err)
	}
	return s
}

func TestTruthFromEvents(t *testing.T) {
	s := readAll(t, fixture(t))
	tracetest.Truth(t, s, "testdata/opencode.truth")
	for _, tr := range s.Traces {
		tr.Sources[0].Path = "opencode.db"
		if string(tr.Extra) != `{"table":"event"}` {
			t.Errorf("%s was read from %s", tr.ID, tr.Extra)
		}
	}
	tracetest.Golden(t, s.Ordered(), "testdata/golden/events.json", *update)
}

func TestTruthFromMessagesAndParts(t *testing.T) {
	path := fixture(t)
	change(t, path, "DELETE FROM event")
	s := readAll(t, path)
	tracetest.Truth(t, s, "testdata/opencode.truth")
	for _, tr := range s.Traces {
		if string(tr.Extra) != `{"table":"message, part"}` {
			t.Errorf("%s was read from %s", tr.ID, tr.Extra)
		}
	}
}

// TestBothTablesTellTheSame compares what matters: the events but for their places, order within an answer, and times.
func TestBothTablesTellTheSame(t *testing.T) {
	path := fixture(t)
	events := readAll(t, path)
	change(t, path, "DELETE FROM event")
	rows := readAll(t, path)
	for id, a := range events.Traces {
		b := rows.Traces[id]
		if got, want := outline(b), outline(a); !slices.Equal(got, want) {
			t.Errorf("%s from rows:\n%s\nfrom events:\n%s", id, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if a.Usage != b.Usage || a.Outcome != b.Outcome || len(a.Responses) != len(b.Responses) {
			t.Errorf("%s: %+v %s and %+v %s", id, a.Usage, a.Outcome, b.Usage, b.Outcome)
		}
	}
}

// outline is the events of a trace, a line each, sorted.
func outline(t *trace.SessionTrace) []string {
	var lines []string
	for _, e := range t.Events {
		e.Seq, e.Ref = 0, trace.Ref{}
		switch b := e.Body.(type) {
		case *trace.ToolCall:
			b.Index = 0
		case *trace.ToolResult:
			r := t.Results[b.Result]
			r.CallIndex, r.EventIndex = 0, 0
			lines = append(lines, show(r))
			continue
		}
		lines = append(lines, show(e))
	}
	slices.Sort(lines)
	return lines
}
