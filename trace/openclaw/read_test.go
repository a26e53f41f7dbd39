package openclaw

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
)

// clientsDatabase is the client's database.
const clientsDatabase = "testdata/state/agents/main/agent/" + databaseFile

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
	err = d.query("session_windows", "", nil, func(w row) error {
		id, text := w.text("session_id"), []byte{}
		index[w.text("session_key")] = map[string]string{"sessionId": id, "label": "kid"}
		err := d.query(table, "WHERE session_id = ? ORDER BY seq", []any{id}, func(x row) error {
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
	for name, path := range map[string]string{"client's": clientsDatabase, "built": built(t, t.TempDir(), len(statements(t)))} {
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

// A header that names its own session as its parent makes it neither a fork nor a copy of itself.
func TestOwnParent(t *testing.T) {
	path := filepath.Join(sessionsDir(t), "x.jsonl")
	text := `{"type":"session","version":4,"id":"x","timestamp":"2026-01-01T10:00:00Z","cwd":"/a","parentSession":"/s/x.jsonl"}
{"type":"message","id":"m","timestamp":"2026-01-01T10:00:01Z","message":{"role":"user","content":"hi"}}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sink := tracetest.Read(t, New(), path)
	if s := sink.Traces["x"]; s == nil || s.Relationships[0].Kind != trace.Root || s.Count().Prompts != 1 {
		t.Errorf("%+v, errors %v", s, sink.Errors)
	}
}

// A record that stands in a transcript twice counts once.
func TestRepeatedRecord(t *testing.T) {
	dir := sessionsDir(t)
	transcriptsOf(t, clientsDatabase, dir)
	path := filepath.Join(dir, "12a8ad98-d11a-4c07-9b3f-e16ce0d7db72.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	once := tracetest.Read(t, New(), path)
	if err := os.WriteFile(path, append(data, data...), 0o644); err != nil {
		t.Fatal(err)
	}
	twice := tracetest.Read(t, New(), path)
	for id, s := range once.Traces {
		if again := twice.Traces[id]; again.Count() != s.Count() || again.Usage != s.Usage || len(s.Events) != 15 {
			t.Errorf("%+v and %+v, not %+v and %+v", again.Count(), again.Usage, s.Count(), s.Usage)
		}
	}
}

// rawOf is the record of one ref.
func rawOf(ctx context.Context, path string, ref trace.Ref) (record []byte, err error) {
	all := Records(ctx, path, []trace.Ref{ref}, func(_ int, data []byte, bad error) { record, err = data, bad })
	return record, errors.Join(all, err)
}

// Each event leads back to the record that it came from, packed or not.
func TestRaw(t *testing.T) {
	sink := tracetest.Read(t, New(), clientsDatabase)
	packed := 0
	for id, s := range sink.Traces {
		for _, e := range s.Events {
			data, err := rawOf(t.Context(), clientsDatabase, e.Ref)
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
		if data, err := rawOf(t.Context(), clientsDatabase, ref); err == nil {
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
	if err := conn.Exec("SELECT * FROM auth_profile_store"); err == nil {
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
		`INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES ('k1', 99, '{"type":"message","id":"z","parentId":"ka2",`+
			`"timestamp":"2026-02-01T11:00:00Z","message":{"role":"user","content":"more"}}', 0)`)
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
