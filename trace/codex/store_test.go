package codex_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/codex"
)

func TestUnknownLayouts(t *testing.T) {
	tests := []struct{ name, file, content, why string }{
		{"no session_meta", rolloutName, started("").lines[1] + "\n", "no session_meta"},
		{"the first layout of all", rolloutName, `{"id":"x","timestamp":"2025-05-01T00:00:00Z","instructions":null}` + "\n", "no session_meta"},
		{"no JSON", rolloutName, "hello\n", "no JSON object"},
		{"no thread", rolloutName, strings.Replace(paginated("").text(), `"id":"`+thread+`"`, `"id":""`, 1), "names no thread"},
		{"another mode", rolloutName, strings.Replace(paginated("").text(), "paginated", "sharded", 1), "history_mode is sharded"},
		{"compressed", rolloutName + ".zst", "\x28\xb5\x2f\xfd", "compressed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, test.file, test.content)
			s := tracetest.Read(t, codex.New(), dir)
			var unknown *trace.UnknownLayout
			if !errors.As(s.Errors[path], &unknown) || !strings.Contains(unknown.Why, test.why) || unknown.Agent != "codex" || unknown.Path != path {
				t.Errorf("the error is %v", s.Errors[path])
			}
			if len(s.Traces) > 0 {
				t.Errorf("%d sessions were read", len(s.Traces))
			}
		})
	}
}

func TestNothingYet(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "torn": strings.TrimSuffix(paginated("").text(), "\n")} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, rolloutName, content)
			s := tracetest.Read(t, codex.New(), dir)
			if len(s.Errors) > 0 || len(s.Traces) > 0 || s.Torn[path] != (content != "") {
				t.Errorf("errors %v, sessions %d, torn %v", s.Errors, len(s.Traces), s.Torn[path])
			}
			if s.Cursors[path].Offset != 0 {
				t.Errorf("it read up to byte %d", s.Cursors[path].Offset)
			}
		})
	}
}

// TestDamage: what cannot be read is reported with its place, and reading goes on behind it. Unknown records are none.
func TestDamage(t *testing.T) {
	w := started("").item(`"type":"UserMessage","id":"a","content":[{"type":"text","text":"one"}]`)
	w.lines = append(w.lines, "\x00\x00\x00", `{"timestamp":"x"`, `{"type":"event_msg","payload":7}`)
	w.event("of_tomorrow", "").item(`"type":"OfTomorrow","id":"n"`).rec("of_tomorrow", "").
		item(`"type":"UserMessage","id":"b","content":[{"type":"text","text":"two"}]`)
	s := w.readAll(t)
	got := s.Traces[thread]
	if n := got.Count().Prompts; n != 2 {
		t.Errorf("%d prompts", n)
	}
	if len(got.Damaged) != 3 || len(s.Damage) != 3 {
		t.Fatalf("damage %+v and %+v", got.Damaged, s.Damage)
	}
	offset := int64(len(strings.Join(w.lines[:3], "\n")) + 1)
	if d := got.Damaged[0]; d.Ref.Line != 4 || d.Ref.Offset != offset || d.Reason == "" {
		t.Errorf("the first is %+v, want line 4 at %d", d, offset)
	}
}

// TestRefs: each event leads back to its record.
func TestRefs(t *testing.T) {
	for _, session := range tracetest.Read(t, codex.New(), rollouts).Traces {
		data, err := os.ReadFile(session.Sources[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range session.Events {
			if n := int64(bytes.Count(data[:e.Ref.Offset], []byte{'\n'})) + 1; n != e.Ref.Line {
				t.Errorf("%s: event %d: byte %d is in line %d, not %d", session.ID, e.Seq, e.Ref.Offset, n, e.Ref.Line)
			}
			line, _, _ := bytes.Cut(data[e.Ref.Offset:], []byte{'\n'})
			if !json.Valid(line) || e.Record != "" && !bytes.Contains(line, []byte(e.Record)) {
				t.Errorf("%s: event %d is not in the record at byte %d", session.ID, e.Seq, e.Ref.Offset)
			}
		}
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	text := paginated("").text()
	real := filepath.Join(home, "elsewhere")
	write(t, real, "2026/11/21/rollout-2026-11-21T08-00-00-"+thread+".jsonl", text)
	write(t, real, "2026/11/21/notes.jsonl", text)
	write(t, real, "2026/11/20/rollout-2026-11-20T08-00-00-"+other+".jsonl.zst", "x")
	write(t, home, ".codex/archived_sessions/rollout-2026-11-19T08-00-00-"+other+".jsonl", text)
	write(t, home, ".codex/history.jsonl", "{}\n")
	if err := os.Symlink(real, filepath.Join(home, ".codex", "sessions")); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(home, "moved")
	write(t, moved, "sessions/rollout-2026-11-18T08-00-00-"+other+".jsonl", text)
	renamed := write(t, home, "mine.jsonl", text)
	write(t, home, "other.jsonl", "{}\n")
	find := func(in trace.Places) (found []string) {
		t.Helper()
		err := codex.New().Find(context.Background(), in, func(s trace.Store) error {
			if s.Reader != "codex" || s.Layout == "" || s.ModTime.IsZero() || s.Size == 0 {
				t.Errorf("store %+v", s)
			}
			found = append(found, strings.TrimPrefix(s.Path, home+"/"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	equal := func(got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	equal(find(trace.Places{Home: home}),
		".codex/sessions/2026/11/20/rollout-2026-11-20T08-00-00-"+other+".jsonl.zst",
		".codex/sessions/2026/11/21/rollout-2026-11-21T08-00-00-"+thread+".jsonl",
		".codex/archived_sessions/rollout-2026-11-19T08-00-00-"+other+".jsonl")
	equal(find(trace.Places{Home: home, Getenv: func(key string) string { return map[string]string{"CODEX_HOME": moved}[key] }}),
		"moved/sessions/rollout-2026-11-18T08-00-00-"+other+".jsonl")
	equal(find(trace.Places{Home: home, Paths: []string{renamed, filepath.Join(home, "other.jsonl"), moved}}),
		"mine.jsonl", "moved/sessions/rollout-2026-11-18T08-00-00-"+other+".jsonl")
	equal(find(trace.Places{Home: filepath.Join(home, "nobody")}))
	if err := codex.New().Find(context.Background(), trace.Places{Paths: []string{filepath.Join(home, "gone")}}, nil); err == nil {
		t.Error("a named path that is not there is no error")
	}
}

// keeping is a sink that gives a trace of before to go on with.
type keeping struct {
	*tracetest.Sink
	before *trace.SessionTrace
}

func (k keeping) Previous(string) (*trace.SessionTrace, error) { return k.before, nil }

// TestArchivedMeanwhile: a rollout that is moved goes on as the same session; one without new records gives no trace.
func TestArchivedMeanwhile(t *testing.T) {
	w := started("").item(`"type":"UserMessage","id":"a","content":[{"type":"text","text":"one"}]`)
	dir := t.TempDir()
	path := write(t, dir, rolloutName, w.text())
	first := tracetest.Read(t, codex.New(), dir)
	store := trace.Store{Path: filepath.Join(dir, "archived_sessions", filepath.Base(path)), Cursor: first.Cursors[path]}
	read := func() *tracetest.Sink {
		t.Helper()
		k := keeping{tracetest.NewSink(), first.Traces[thread]}
		if err := codex.New().Read(context.Background(), store, k); err != nil {
			t.Fatal(err)
		}
		return k.Sink
	}
	write(t, dir, "archived_sessions/"+filepath.Base(path), w.text())
	if s := read(); len(s.Traces) != 0 {
		t.Errorf("nothing is new, and it gave %d sessions", len(s.Traces))
	}
	w.item(`"type":"UserMessage","id":"b","content":[{"type":"text","text":"two"}]`)
	write(t, dir, "archived_sessions/"+filepath.Base(path), w.text())
	got := read().Traces[thread]
	if got == nil || got.Count().Prompts != 2 || got.Sources[0].Path != store.Path {
		t.Fatalf("got %+v", got)
	}
}

// TestCursorWithoutTrace: a cursor of which nobody has the trace is an error, not a session that begins in its middle.
func TestCursorWithoutTrace(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, rolloutName, started("").text())
	cursor := tracetest.Read(t, codex.New(), dir).Cursors[path]
	if err := codex.New().Read(context.Background(), trace.Store{Path: path, Cursor: cursor}, tracetest.NewSink()); err == nil {
		t.Error("it was read")
	}
}

// TestSecrets: what little text is kept is scrubbed, names that somebody made up too.
func TestSecrets(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("A1b2C3d4", 5)[:36]
	w := started(`,"git":{"branch":"`+secret+`"}`).
		item(`"type":"UserMessage","id":"a","content":[{"type":"text","text":"use `+secret+`"}]`).
		call("c", "exec_command", `{"cmd":"curl -H `+secret+`"}`, "exec_command failed with "+secret).
		item(`"type":"SubAgentActivity","id":"d","kind":"started","agent_thread_id":"`+other+`","agent_path":"/root/`+secret+`"`).
		event("task_complete", `,"error":{"message":"bad `+secret+`","codex_error_info":"other"}`)
	data, err := json.Marshal(w.read(t))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(secret)) {
		t.Errorf("the secret is in the trace: %s", data)
	}
	if !bytes.Contains(data, []byte("[redacted:")) {
		t.Error("nothing was redacted")
	}
}
