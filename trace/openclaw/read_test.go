package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"zombiezen.com/go/sqlite/sqlitex"

	"aburn/trace"
	"aburn/trace/tracetest"
)

const state1 = "testdata/state/agents/main/agent/" + databaseFile

// transcriptsOf writes the sessions of a database as files of lines, as the client did before it had one, into dir.
func transcriptsOf(t testing.TB, database, dir string) {
	t.Helper()
	lite, d, err := openDatabase(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close()
	r := &reading{db: d}
	defer r.close()
	index := map[string]any{}
	err = d.each("session_windows", "", nil, func(w row) error {
		id, text := w.text("session_id"), []byte{}
		index[w.text("session_key")] = map[string]string{"sessionId": id, "label": "kid"}
		err := d.each(table, "WHERE session_id = ? ORDER BY seq", []any{id}, func(x row) error {
			data, err := r.unpack(x)
			if err != nil {
				data = []byte("damaged")
			}
			text = append(append(text, data...), '\n')
			return nil
		}, eventColumns...)
		if err != nil || len(text) == 0 {
			return err
		}
		return os.WriteFile(filepath.Join(dir, id+".jsonl"), text, 0o644)
	}, "session_id", "session_key")
	if err != nil {
		t.Fatal(err)
	}
	if child, ok := index["agent:main:subagent:k1"].(map[string]string); ok {
		child["spawnedBy"] = "agent:main:dashboard:s1"
		index["agent:main:dashboard:s1"] = map[string]string{"sessionId": "s1"} // the main key stands for s2 now
	}
	data, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// sessionsDir is a folder for transcripts.
func sessionsDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The same records give the same traces from a database and from lines, but for where they stand, and for what only the
// database knows: version, status, and relationships.
func TestLinesAreAsTheDatabase(t *testing.T) {
	for name, path := range map[string]string{"client's": state1, "built": built(t, t.TempDir(), len(statements(t)))} {
		dir := sessionsDir(t)
		transcriptsOf(t, path, dir)
		fromDatabase, fromLines := tracetest.Read(t, New(), path), tracetest.Read(t, New(), dir)
		if len(fromLines.Errors) > 0 || len(fromDatabase.Traces) != len(fromLines.Traces) {
			t.Errorf("%s: %d sessions, %d from lines, errors %v", name, len(fromDatabase.Traces), len(fromLines.Traces), fromLines.Errors)
		}
		for id, want := range fromDatabase.Traces {
			got := fromLines.Traces[id]
			if got == nil {
				t.Errorf("%s: no session %s from lines", name, id)
				continue
			}
			if a, b := plain(t, got), plain(t, want); id != "s2" && id != "f1" && a != b { // those two are linked by the database alone
				t.Errorf("%s: %s from lines is\n%s\nnot\n%s", name, id, a, b)
			}
			if got.Agent.Version != "" || want.Agent.Version != "2026.9.6" {
				t.Errorf("%s: versions %q and %q", name, got.Agent.Version, want.Agent.Version)
			}
		}
		if child := fromLines.Traces["k1"]; child != nil {
			if r := child.Relationships[0]; r.Related != "s1" || r.ParentCall != "c5" || r.Kind != trace.Subagent || r.Provenance != trace.Explicit {
				t.Errorf("the sub-agent's relationship from lines is %+v", r)
			}
		}
	}
}

// plain is what must be equal.
func plain(t *testing.T, s *trace.SessionTrace) string {
	t.Helper()
	c := *s
	c.Agent, c.Sources, c.Relationships, c.Damaged, c.Outcome, c.OutcomeFrom = trace.Agent{}, nil, nil, nil, "", ""
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	forget(v)
	if data, err = json.MarshalIndent(v, "", " "); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func forget(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "ref")
		for _, x := range v {
			forget(x)
		}
	case []any:
		for _, x := range v {
			forget(x)
		}
	}
}

// Reading on behind each statement gives what reading all of it at once gives then.
func TestReadingOn(t *testing.T) {
	path := built(t, t.TempDir(), 0)
	conn := open(t, path)
	defer conn.Close()
	execute(t, conn, "PRAGMA foreign_keys = 0", "PRAGMA synchronous = 0")
	sink := tracetest.NewSink()
	for k, statement := range statements(t) {
		execute(t, conn, statement)
		read(t, path, sink, sink.Cursors[""])
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
	execute(t, conn, `INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES ('k1', 99, '{"type":"message","id":"z","parentId":"ka2","timestamp":"2026-02-01T11:00:00Z","message":{"role":"user","content":"more"}}', 0)`)
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
		"DELETE FROM transcript_event_identities WHERE session_id = 's1' AND seq BETWEEN 1 AND 12", "UPDATE session_windows SET status = 'done' WHERE session_id = 'f1'")
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

// A call and its tokens that a fork and a continuation hold too count once.
func TestNothingCountsTwice(t *testing.T) {
	dir := t.TempDir()
	built(t, dir, len(statements(t)))
	sink := tracetest.Read(t, New(), dir)
	calls, responses := map[string]int{}, map[string]int{}
	copied := 0
	for _, s := range sink.Traces {
		for _, c := range s.Calls() {
			if c.Counts() {
				calls[c.Call.Call]++
			} else if c.Event.Copied != "" {
				copied++
			}
		}
		for _, r := range s.Responses {
			if r.Copied == "" {
				responses[r.ID]++
			} else {
				copied++
			}
		}
	}
	if copied != 2 {
		t.Errorf("%d copies, not a call and an answer", copied)
	}
	for id, n := range calls {
		if n != 1 {
			t.Errorf("the call %s counts %d times", id, n)
		}
	}
	for id, n := range responses {
		if n != 1 {
			t.Errorf("the answer %s counts %d times", id, n)
		}
	}
}

// Each event leads back to the record that it came from, packed or not.
func TestRaw(t *testing.T) {
	sink := tracetest.Read(t, New(), state1)
	packed := 0
	for id, s := range sink.Traces {
		for _, e := range s.Events {
			data, err := Raw(t.Context(), state1, e.Ref)
			if err != nil {
				t.Fatalf("%s: event %d: %v", id, e.Seq, err)
			}
			if got := gjson.GetBytes(data, "id").Str; got != e.Record && e.Record != "" {
				t.Errorf("%s: event %d leads to the record %s, not %s", id, e.Seq, got, e.Record)
			}
			if strings.HasPrefix(e.Ref.Key, "fcaee6fa") && len(data) > 10000 {
				packed++
			}
		}
	}
	if packed != 1 {
		t.Errorf("%d events came from the packed record", packed)
	}
	for _, ref := range []trace.Ref{{Table: table, Key: "nobody/1"}, {Table: table, Key: "nobody"}, {Table: "auth_profile_store", Key: "x/1"}, {Line: 1}} {
		if data, err := Raw(t.Context(), state1, ref); err == nil {
			t.Errorf("%+v is %s", ref, data)
		}
	}
}

// The tables with credentials are not touched: here, reading one of them fails.
func TestCredentialsAreNotTouched(t *testing.T) {
	dir := t.TempDir()
	path := built(t, dir, len(statements(t)))
	conn := open(t, path)
	for _, table := range []string{"auth_profile_store", "auth_profile_state"} {
		execute(t, conn, "DROP TABLE "+table, "CREATE VIEW "+table+" AS SELECT abs(-9223372036854775808) AS store_key")
	}
	if err := sqlitex.ExecuteTransient(conn, "SELECT * FROM auth_profile_store", nil); err == nil {
		t.Fatal("it can be read, so this shows nothing")
	}
	conn.Close()
	if sink := tracetest.Read(t, New(), dir); len(sink.Errors) > 0 || len(sink.Traces) != 7 {
		t.Errorf("%v, %d sessions", sink.Errors, len(sink.Traces))
	}
}

// What stands only in the log of a database that is open is read, and neither file changes.
func TestLive(t *testing.T) {
	dir := t.TempDir()
	all := statements(t)
	path := built(t, dir, len(all)-1)
	conn := open(t, path)
	defer conn.Close()
	execute(t, conn, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0",
		`INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES ('k1', 99, '{"type":"message","id":"z","parentId":"ka2","timestamp":"2026-02-01T11:00:00Z","message":{"role":"user","content":"more"}}', 0)`)
	before := bytesOf(t, path, path+"-wal")
	sink := tracetest.Read(t, New(), dir)
	if s := sink.Traces["k1"]; s == nil || len(s.Events) != 6 {
		t.Errorf("k1 is %+v", s)
	}
	if sink.Stores[0].Parts[0] != path+"-wal" {
		t.Errorf("the store is %+v", sink.Stores[0])
	}
	if !bytes.Equal(before, bytesOf(t, path, path+"-wal")) {
		t.Error("reading changed the files")
	}
}

func bytesOf(t *testing.T, paths ...string) []byte {
	t.Helper()
	var all []byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}

// A structure that we do not know is an error with its version, never "0 sessions"; an empty store is none.
func TestUnknownLayout(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, databaseFile)
	conn := open(t, old)
	execute(t, conn, "CREATE TABLE schema_meta (meta_key, schema_version, app_version)", "INSERT INTO schema_meta VALUES ('primary', 18, '2026.7.2')",
		"CREATE TABLE sessions (session_id)", "CREATE TABLE session_entries (session_key)")
	conn.Close()
	lines := filepath.Join(dir, "sessions", "x.jsonl")
	if err := os.MkdirAll(filepath.Dir(lines), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{lines: `{"type":"message"}` + "\n", filepath.Join(filepath.Dir(lines), "sessions.json"): "{}"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sink := tracetest.Read(t, New(), dir)
	for _, path := range []string{old, lines} {
		var unknown *trace.UnknownLayout
		if !errors.As(sink.Errors[path], &unknown) {
			t.Errorf("%s: %v", path, sink.Errors[path])
		} else if path == old && unknown.Version != "2026.7.2 (schema 18)" {
			t.Errorf("the version is %q", unknown.Version)
		}
	}
	empty := t.TempDir()
	built(t, empty, 0)
	if sink := tracetest.Read(t, New(), empty); len(sink.Errors) > 0 || len(sink.Traces) > 0 || len(sink.Cursors) != 1 {
		t.Errorf("a database without sessions: %v, %v", sink.Errors, sink.Traces)
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	built(t, filepath.Join(home, ".openclaw"), 0)
	sessions := filepath.Join(home, ".openclaw", "agents", "main", "sessions")
	if err := os.MkdirAll(sessions, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"sessions.json", "a.jsonl", "2026-01-01_b.jsonl", "c.jsonl.reset.2026-01-01", "c.jsonl.deleted.2026-01-01", "a.trajectory.jsonl", "a.checkpoint.1.jsonl", "d.jsonl.lock"} {
		if err := os.WriteFile(filepath.Join(sessions, file), []byte(`{"type":"session","cwd":"/"}`+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := "2026-01-01_b.jsonl a.jsonl c.jsonl.reset.2026-01-01 " + databaseFile
	for name, in := range map[string]trace.Places{
		"home":               {Home: home},
		"OPENCLAW_HOME":      {Home: "/nonexistent", Getenv: func(k string) string { return map[string]string{"OPENCLAW_HOME": home}[k] }},
		"OPENCLAW_STATE_DIR": {Home: home, Getenv: func(k string) string { return map[string]string{"OPENCLAW_STATE_DIR": "~/.openclaw"}[k] }},
		"paths":              {Home: "/nonexistent", Paths: []string{home}},
	} {
		if in.Getenv == nil {
			in.Getenv = func(string) string { return "" }
		}
		var got []string
		if err := New().Find(t.Context(), in, func(s trace.Store) error { got = append(got, filepath.Base(s.Path)); return nil }); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s holds %s, not %s", name, strings.Join(got, " "), want)
		}
	}
}

func TestCuts(t *testing.T) {
	for name, path := range map[string]string{"client's": state1, "built": built(t, t.TempDir(), len(statements(t)))} {
		dir := sessionsDir(t)
		transcriptsOf(t, path, dir)
		files, err := fs.Glob(os.DirFS(dir), "*.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasPrefix(file, "27b03c54") || strings.HasPrefix(file, "30787d90") {
				continue // as bf159ebb and 8f8f762d
			}
			t.Run(name+" "+file, func(t *testing.T) {
				alone := sessionsDir(t)
				needs := map[string]string{"h1.jsonl": "s1.jsonl"} // what it was copied from
				for _, f := range []string{file, "sessions.json", needs[file]} {
					if data, err := os.ReadFile(filepath.Join(dir, f)); err == nil && f != "" {
						if err := os.WriteFile(filepath.Join(alone, f), data, 0o644); err != nil {
							t.Fatal(err)
						}
					}
				}
				tracetest.CutFile(t, New(), alone, file)
			})
		}
	}
}

func FuzzLines(f *testing.F) {
	dir := sessionsDir(f)
	transcriptsOf(f, built(f, f.TempDir(), len(statements(f))), dir)
	transcriptsOf(f, state1, dir)
	place := func(dir string) string { return filepath.Join(dir, "sessions", "s1.jsonl") }
	tracetest.Fuzz(f, New(), place, filepath.Join(dir, "s1.jsonl"), filepath.Join(dir, "tr.jsonl"), filepath.Join(dir, "98c8c2b9-48e3-47be-8fa3-7d45532e57d0.jsonl"))
}

func FuzzDatabase(f *testing.F) {
	tracetest.Fuzz(f, New(), func(dir string) string { return filepath.Join(dir, databaseFile) }, state1)
}
