package openclaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

// Reading on behind each statement gives what reading all of it at once gives then.
func TestReadingOn(t *testing.T) {
	world.Slow(t)
	path := built(t, t.TempDir(), 0)
	conn := open(t, path)
	defer conn.Close()
	execute(t, conn, "PRAGMA foreign_keys = 0", "PRAGMA synchronous = 0")
	sink := tracetest.NewSink()
	for k, statement := range statements(t) {
		execute(t, conn, statement)
		read(t, path, sink, sink.Cursors[""])
		if k%4 > 0 && k < len(statements(t))-1 {
			continue
		}
		whole := tracetest.NewSink()
		read(t, path, whole, trace.Cursor{})
		if len(sink.Traces) != len(whole.Traces) {
			t.Fatalf("behind %d statements there are %d sessions, not %d", k+1, len(sink.Traces), len(whole.Traces))
		}
		for id, want := range whole.Traces {
			a, errA := json.MarshalIndent(sink.Traces[id], "", " ")
			b, errB := json.MarshalIndent(want, "", " ")
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Fatalf("behind %d statements, %s is\n%s\nnot\n%s", k+1, id, a, b)
			}
		}
	}
}

func read(t *testing.T, path string, sink trace.Sink, from trace.Cursor) {
	t.Helper()
	store := trace.Store{Reader: name, Path: path, Layout: database, Cursor: from}
	if err := New().Read(t.Context(), store, sink); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyWhatChanged(t *testing.T) {
	path := built(t, t.TempDir(), len(statements(t)))
	sink := tracetest.NewSink()
	read(t, path, sink, trace.Cursor{})
	again := &counting{Sink: sink}
	read(t, path, again, sink.Cursors[""])
	if len(again.ids) > 0 {
		t.Errorf("nothing changed, and %v were read", again.ids)
	}
	conn := open(t, path)
	execute(t, conn,
		`INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES ('k1', 99, '{"type":"message","id":"z","parentId":"ka2",`+
			`"timestamp":"2026-02-01T11:00:00Z","message":{"role":"user","content":"more"}}', 0)`)
	conn.Close()
	read(t, path, again, sink.Cursors[""])
	if fmt.Sprint(again.ids) != "[k1]" {
		t.Errorf("k1 changed, and %v were read", again.ids)
	}
	if r := sink.Traces["k1"].Relationships[0]; r.ParentCall != "c5" || r.Description != "kid" {
		t.Errorf("read without its caller, the sub-agent's relationship is %+v", r)
	}
}

// What a compaction that truncates destroys stays in the trace, and what others copied from it stays a copy.
func TestDestroyedRecordsAreKept(t *testing.T) {
	path := built(t, t.TempDir(), len(statements(t)))
	sink := tracetest.NewSink()
	read(t, path, sink, trace.Cursor{})
	want := map[string]trace.Counts{}
	usage := map[string]trace.Usage{}
	for id, s := range sink.Traces {
		want[id], usage[id] = s.Count(), s.Usage
	}
	conn := open(t, path)
	execute(t, conn, "PRAGMA foreign_keys = 0", "DELETE FROM transcript_events WHERE session_id = 's1' AND seq BETWEEN 1 AND 12",
		"DELETE FROM transcript_event_identities WHERE session_id = 's1' AND seq BETWEEN 1 AND 12",
		"UPDATE session_windows SET status = 'done' WHERE session_id = 'f1'")
	conn.Close()
	for _, due := range []string{"[s1 f1]", "[s1]"} { // the second time, only the sink has them
		again := &counting{Sink: sink}
		read(t, path, again, sink.Cursors[""])
		for id, s := range sink.Traces {
			if s.Count() != want[id] || s.Usage != usage[id] {
				t.Errorf("%s counts %+v and %+v, not %+v and %+v", id, s.Count(), s.Usage, want[id], usage[id])
			}
		}
		conn := open(t, path)
		execute(t, conn, "UPDATE session_windows SET status = 'failed' WHERE session_id = 's1'")
		conn.Close()
		if fmt.Sprint(again.ids) != due {
			t.Errorf("%v were read, not %s", again.ids, due)
		}
	}
	fresh := tracetest.NewSink()
	read(t, path, fresh, trace.Cursor{})
	if fresh.Traces["s1"].Count() == want["s1"] {
		t.Error("nothing was destroyed, so this shows nothing")
	}
}

type counting struct {
	trace.Sink
	ids []string
}

func (c *counting) Trace(t *trace.SessionTrace) error {
	c.ids = append(c.ids, t.ID)
	return c.Sink.Trace(t)
}
