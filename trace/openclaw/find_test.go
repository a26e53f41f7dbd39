package openclaw

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
)

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
	for _, file := range []string{"sessions.json", "a.jsonl", "2026-01-01_b.jsonl", "c.jsonl.reset.2026-01-01", "c.jsonl.deleted.2026-01-01", "a.trajectory.jsonl",
		"a.checkpoint.1.jsonl", "d.jsonl.lock"} {
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
