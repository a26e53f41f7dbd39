package opencode

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

// goOn reads the store at path from where before ended, and says which sessions it gave.
func goOn(t *testing.T, path string, before *tracetest.Sink) (*given, []string) {
	t.Helper()
	g := &given{Sink: tracetest.NewSink(), traces: map[string]*trace.SessionTrace{}}
	store := trace.Store{Reader: name, Path: path, Layout: layoutDatabase}
	if before != nil {
		store.Cursor = before.Cursors[before.Stores[0].Path]
	}
	if err := New().Read(t.Context(), store, g); err != nil {
		t.Fatal(err)
	}
	return g, slices.Sorted(maps.Keys(g.traces))
}

// given is a sink that keeps the last read's traces and cursor.
type given struct {
	*tracetest.Sink
	traces map[string]*trace.SessionTrace
	cursor trace.Cursor
	torn   bool
}

func (g *given) Trace(t *trace.SessionTrace) error { g.traces[t.ID] = t; return nil }

func (g *given) Done(c trace.Cursor, torn bool) { g.cursor, g.torn = c, torn }

// without takes sessions out of a database, as if they had not been yet; with the numbers of the events' rows as they grow.
func without(t *testing.T, path string, sessions ...string) {
	t.Helper()
	for _, s := range sessions {
		change(t, path, fmt.Sprintf("DELETE FROM session WHERE id = '%s'", s), fmt.Sprintf("DELETE FROM event_sequence WHERE aggregate_id = '%s'", s))
		for _, table := range []string{"message", "part"} {
			change(t, path, fmt.Sprintf("DELETE FROM %s WHERE session_id = '%s'", table, s))
		}
		change(t, path, fmt.Sprintf("DELETE FROM event WHERE aggregate_id = '%s'", s))
	}
}

// grow brings back what a session has in the database at from.
func grow(t *testing.T, path, from string, sessions ...string) {
	t.Helper()
	statements := []string{fmt.Sprintf("ATTACH '%s' AS whole", from)}
	for _, s := range sessions {
		statements = append(statements, fmt.Sprintf("INSERT INTO session SELECT * FROM whole.session WHERE id = '%s'", s),
			fmt.Sprintf("INSERT INTO event_sequence SELECT * FROM whole.event_sequence WHERE aggregate_id = '%s'", s),
			fmt.Sprintf("INSERT INTO event SELECT * FROM whole.event WHERE aggregate_id = '%s' ORDER BY seq", s))
		for _, table := range []string{"message", "part"} {
			statements = append(statements, fmt.Sprintf("INSERT INTO %s SELECT * FROM whole.%s WHERE session_id = '%s'", table, table, s))
		}
	}
	change(t, path, statements...)
}

// parent and child are sessions of the fixture; the child is younger.
const (
	parent = "ses_e02eddb90ffeNoiHe2Vxu0NEzd"
	child  = "ses_e02edc4c7ffe8rwpmD2c6eJb09"
	origin = "ses_e02ee8204ffeS1MZWS62ph06gB"
	fork   = "ses_e02e7c9fcffeHJr57DJre72U23"
)

func TestGoesOnWithWhatChanged(t *testing.T) {
	world.Slow(t)
	for _, events := range []bool{true, false} {
		t.Run(fmt.Sprint("events=", events), func(t *testing.T) {
			whole, path := fixture(t), fixture(t)
			if !events {
				change(t, whole, "DELETE FROM event")
			}
			all := readAll(t, whole)
			without(t, path, parent, child, fork)
			if !events {
				change(t, path, "DELETE FROM event")
			}
			first := readAll(t, path)
			if len(first.Traces) != 23 {
				t.Fatalf("%d sessions", len(first.Traces))
			}
			again, ids := goOn(t, path, first)
			if events && len(ids) != 0 || len(ids) > 1 { // without events, what was written in the last millisecond is read again
				t.Errorf("nothing changed, and it gave %v", ids)
			}
			if string(again.cursor.State) != string(first.Cursors[path].State) {
				t.Errorf("the cursor is %s, was %s", again.cursor.State, first.Cursors[path].State)
			}
			if !events { // old rows that are written later have later times
				change(t, whole, "UPDATE session SET time_updated = 1795249000000 WHERE id IN ('"+parent+"', '"+child+"', '"+fork+"')")
			}
			grow(t, path, whole, parent, child, fork)
			grown, ids := goOn(t, path, first)
			for _, id := range []string{parent, child, fork} {
				if !slices.Contains(ids, id) || show(grown.traces[id].Events) != show(all.Traces[id].Events) ||
					show(grown.traces[id].Relationships) != show(all.Traces[id].Relationships) {
					t.Errorf("%s is not as when all is read at once; given: %v", id, ids)
				}
			}
			if events && len(ids) != 3 {
				t.Errorf("gave %v", ids)
			}
		})
	}
}

// TestAnOrphanIsReadAgain: a sub-agent was read before its parent said which call started it.
func TestAnOrphanIsReadAgain(t *testing.T) {
	whole, path := fixture(t), fixture(t)
	without(t, path, parent)
	first := readAll(t, path)
	if r := first.Traces[child].Relationships[0]; r.Kind != trace.Subagent || r.Related != parent || r.ParentCall != "" {
		t.Fatalf("%+v", r)
	}
	grow(t, path, whole, parent)
	grown, ids := goOn(t, path, first)
	if !slices.Equal(ids, []string{child, parent}) || grown.traces[child].Relationships[0].ParentCall != "call_17_0" {
		t.Errorf("gave %v", ids)
	}
	var s state
	if err := json.Unmarshal(grown.cursor.State, &s); err != nil || len(s.Orphans) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAnotherDatabaseIsReadWhole: the cursor is of another database, or of rows that were numbered anew.
func TestAnotherDatabaseIsReadWhole(t *testing.T) {
	path := fixture(t)
	first := readAll(t, path)
	change(t, path, "UPDATE event SET id = 'evt_other' WHERE rowid = (SELECT max(rowid) FROM event)")
	if _, ids := goOn(t, path, first); len(ids) != 26 {
		t.Errorf("gave %d sessions", len(ids))
	}
}

func TestAForkWhoseOriginIsGone(t *testing.T) {
	path := fixture(t)
	without(t, path, origin)
	s := readAll(t, path)
	// Another fork of the same session holds the two oldest messages, and is older.
	if r := s.Traces[fork].Relationships[0]; r.Kind != trace.Fork || r.Related != "ses_e02e91e07ffe4rop7ZffvFKdPl" {
		t.Errorf("%+v", r)
	}
	without(t, path, "ses_e02e91e07ffe4rop7ZffvFKdPl")
	tr := readAll(t, path).Traces[fork]
	if r := tr.Relationships[0]; r.Kind != trace.Fork || r.Related != unknownOrigin || r.Evidence == "" {
		t.Errorf("%+v", r)
	}
	if tr.Usage.Input != 220 || tr.Count().Calls != 0 {
		t.Errorf("%+v %+v", tr.Usage, tr.Count())
	}
	// Without the title nothing says that it is a copy of anything: a clock was set back.
	change(t, path, "UPDATE session SET title = 'renamed'")
	if tr := readAll(t, path).Traces[fork]; tr.Relationships[0].Kind != trace.Root || tr.Usage.Input != 1020 {
		t.Errorf("%+v %+v", tr.Relationships[0], tr.Usage)
	}
}

func TestNothingIsCountedTwice(t *testing.T) {
	path := fixture(t)
	var sum trace.Usage
	calls := map[string]int{}
	for _, tr := range readAll(t, path).Traces {
		sum.Add(tr.Usage)
		for _, c := range tr.Calls() {
			if c.Counts() {
				calls[tr.ID+" "+c.Call.Call]++
			}
		}
	}
	// SELECT sum(json_extract(data,'$.tokens.input')), … of step-finish parts whose message is no older than its session.
	if sum.Input != 64050 || sum.Output != 338 || sum.CacheRead != 40 {
		t.Errorf("%+v", sum)
	}
	for call, n := range calls {
		if n != 1 {
			t.Errorf("%s: %d", call, n)
		}
	}
	if len(calls) != 26 {
		t.Errorf("%d calls", len(calls))
	}
}

func TestEmptyAndAbsentStores(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "opencode.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := readAll(t, dir)
	if len(s.Traces) != 0 || !s.Torn[empty] {
		t.Errorf("%d sessions, torn %t", len(s.Traces), s.Torn[empty])
	}
}
