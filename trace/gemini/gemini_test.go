package gemini

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

var update = flag.Bool("update", false, "write the golden files")

const home = "testdata/home"

// chatsDir is where the files of the client's one project lie.
const chatsDir = home + "/.gemini/tmp/gm-proj/chats"

// What the scripted client was made to do, in every session that it left.
func TestTruth(t *testing.T) {
	sink := tracetest.Read(t, New(), home)
	if len(sink.Errors) > 0 || len(sink.Damage) > 0 {
		t.Errorf("errors %v, damage %v", sink.Errors, sink.Damage)
	}
	tracetest.Truth(t, sink, "testdata/home.truth")
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/home.json", *update)
}

// What the client writes and nobody could make it write here, built from its source: testdata/built.truth says of each why.
func TestBuilt(t *testing.T) {
	sink := tracetest.Read(t, New(), "testdata/built")
	if len(sink.Errors) > 0 {
		t.Errorf("errors %v", sink.Errors)
	}
	tracetest.Truth(t, sink, "testdata/built.truth")
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/built.json", *update)
}

// Nothing of an event changes with what comes behind it, beyond what tracetest forgets and the text of one session that is
// written anew.
func TestCuts(t *testing.T) {
	world.Slow(t)
	sink := tracetest.Read(t, New(), home, "testdata/built")
	for _, store := range sink.Stores {
		root, _, _ := strings.Cut(store.Path, "/.gemini/")
		files := append([]string{store.Path}, store.Parts...)
		for i, path := range files {
			if filepath.Ext(path) != ".jsonl" || strings.Contains(sameShape, short(filepath.Base(path))) {
				continue
			}
			dir := t.TempDir() // with this session alone, and of its own files none that was begun after this one
			for j, other := range append(files, filepath.Join(filepath.Dir(filepath.Dir(store.Path)), ".project_root")) {
				if data, err := os.ReadFile(other); err == nil && (j <= i || !isSession(filepath.Base(other))) {
					write(t, filepath.Join(dir, strings.TrimPrefix(other, root)), string(data))
				}
			}
			file := strings.TrimPrefix(path, root+"/")
			t.Run(filepath.Base(file), func(t *testing.T) {
				tracetest.CutFile(t, told{New()}, dir, file, func(e *trace.Event) {
					if m, ok := e.Body.(*trace.AgentMessage); ok && strings.HasSuffix(file, "edited00.jsonl") {
						m.Digest = trace.Digest{}
					}
				})
			})
		}
	}
}

// sameShape names sessions that differ from de6e5cce in ids and times alone.
const sameShape = "f28657bc 65d0fed4 6c7d4b74 c587f9bb"

// told leaves out the sub-agents that are inferred, at the end of a trace, from files for want of a call: they move when
// the call comes.
type told struct{ trace.Reader }

func (r told) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	return r.Reader.Read(ctx, s, toldSink{sink})
}

type toldSink struct{ trace.Sink }

func (s toldSink) Trace(t *trace.SessionTrace) error {
	for n := len(t.Events); n > 0 && t.Events[n-1].Inferred == inFolder; n-- {
		t.Events = t.Events[:n-1]
	}
	t.Settle()
	return s.Sink.Trace(t)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzRead(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, "chats", "session-2026-01-01T10-00-5c52c37e.jsonl") }
	tracetest.Fuzz(f, New(), place,
		chatsDir+"/session-2026-11-21T07-57-c9672373.jsonl", chatsDir+"/session-2026-11-21T08-02-9c605162.jsonl",
		chatsDir+"/session-2026-11-21T07-57-5c52c37e.jsonl", "testdata/built/.gemini/tmp/p/chats/session-2026-01-03T10-00-rewound0.jsonl",
		"testdata/built/.gemini/tmp/p/chats/session-2026-01-04T10-00-compact0.jsonl")
}

func FuzzLegacy(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, "chats", "session-2025-09-17T10-00-0ld00000.json") }
	tracetest.Fuzz(f, New(), place, "testdata/built/.gemini/tmp/p/chats/session-2025-09-17T10-00-0ld00000.json")
}

// A session that was resumed twice and one that was converted hold each record up to four times; each counts once.
func TestNothingCountsTwice(t *testing.T) {
	all := tracetest.Read(t, New(), home, "testdata/built")
	for id, records := range map[string]int{"9c605162-5ebb-413d-b5b4-8b22f753d7c0": 2, "0ld00000-0000-4000-8000-000000000000": 2} {
		s := all.Traces[id]
		if len(s.Sources) != records {
			t.Fatalf("%s was read from %d files, so this shows nothing", id, len(s.Sources))
		}
		seen := map[string]bool{}
		for _, c := range s.Calls() {
			if seen[c.Call.Call] {
				t.Errorf("%s: the call %s is there twice", id, c.Call.Call)
			}
			seen[c.Call.Call] = true
			if len(c.Results) != 1 {
				t.Errorf("%s: the call %s has %d results", id, c.Call.Call, len(c.Results))
			}
		}
		responses := map[string]bool{}
		for _, r := range s.Responses {
			if responses[r.ID] {
				t.Errorf("%s: the answer %s is there twice", id, r.ID)
			}
			responses[r.ID] = true
		}
	}
}

// The client deletes files while they are read: one of two is no error, all of them are, and say so.
func TestVanished(t *testing.T) {
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(work, ".gemini/tmp/gm-proj/chats")
	var store trace.Store
	file := filepath.Join(dir, "session-2026-11-21T08-03-9c605162.jsonl")
	in := trace.Places{Home: work, Getenv: func(string) string { return "" }, Paths: []string{file}}
	if err := New().Find(t.Context(), in, func(s trace.Store) error { store = s; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(store.Parts) != 1 || store.Parts[0] != file {
		t.Fatalf("%s was found as %+v", file, store)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	sink := tracetest.NewSink()
	if err := New().Read(t.Context(), store, sink); err != nil || len(sink.Traces) != 1 {
		t.Errorf("with one of two files: %v, %d traces", err, len(sink.Traces))
	}
	if err := os.Remove(store.Path); err != nil {
		t.Fatal(err)
	}
	if err := New().Read(t.Context(), store, tracetest.NewSink()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without any file: %v", err)
	}
}

func TestFind(t *testing.T) {
	stores := func(home, variable string, paths ...string) []string {
		t.Helper()
		var got []string
		in := trace.Places{Home: home, Paths: paths, Getenv: func(key string) string {
			if key == "GEMINI_CLI_HOME" {
				return variable
			}
			return ""
		}}
		if err := New().Find(t.Context(), in, func(s trace.Store) error {
			if s.Size == 0 || s.ModTime.IsZero() || s.Reader != "gemini" {
				t.Errorf("found %+v", s)
			}
			got = append(got, s.Path)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	all := stores(home, "")
	if len(all) != 10 {
		t.Errorf("%d stores in the home, not 10: %s", len(all), strings.Join(all, "\n"))
	}
	for name, got := range map[string][]string{
		"GEMINI_CLI_HOME": stores("/nonexistent", home),
		"the home":        stores("/nonexistent", "", home),
		"the chats":       stores("/nonexistent", "", chatsDir),
	} {
		if strings.Join(got, "\n") != strings.Join(all, "\n") {
			t.Errorf("%s holds %s", name, strings.Join(got, "\n"))
		}
	}
	child := chatsDir + "/5c52c37e-e2c1-4ad2-b1bf-af57e6f6bcbc/eeec103d-cc70-445d-894a-fc16d15dd2be.jsonl"
	for _, path := range []string{child, filepath.Dir(child)} {
		if got := stores("/nonexistent", "", path); len(got) != 1 || got[0] != child {
			t.Errorf("%s holds %v", path, got)
		}
	}
	if got := stores("/nonexistent", "", "testdata"); len(got) < len(all) {
		t.Errorf("testdata holds %v", got)
	}
	if got := stores("/nonexistent", ""); got != nil {
		t.Errorf("no home holds %v", got)
	}
}

// Files of other agents have such names too; a folder above them does not make them ours.
func TestOthersAreNotOurs(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{
		"session-2026-01-01-abcdef01.jsonl":          `{"type":"user","sessionId":"x","uuid":"y"}`,
		"5c52c37e-e2c1-4ad2-b1bf-af57e6f6bcbc.jsonl": `{"type":"summary"}`,
	} {
		write(t, filepath.Join(dir, file), text+"\n")
	}
	if sink := tracetest.Read(t, New(), dir); len(sink.Stores) > 0 {
		t.Errorf("found %+v", sink.Stores)
	}
}

// A sub-agent's file that lies beside the sessions has no caller that is known, and is read all the same.
func TestAgentWithoutCaller(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats", "session-2026-01-01T10-00-5c52c37e.jsonl")
	write(t, path, `{"sessionId":"5c52c37e-0","projectHash":"x","startTime":"2026-01-01T10:00:00Z","kind":"subagent"}`+"\n")
	sink := tracetest.Read(t, New(), path)
	if s := sink.Traces["5c52c37e-0"]; s == nil || s.Relationships[0].Kind != trace.Root {
		t.Errorf("%+v, errors %v", s, sink.Errors)
	}
}

// rawOf is the record of one ref.
func rawOf(ctx context.Context, path string, ref trace.Ref) (record []byte, err error) {
	all := Records(ctx, path, []trace.Ref{ref}, func(_ int, data []byte, bad error) { record, err = data, bad })
	return record, errors.Join(all, err)
}

// Raw leads back to the message of an old file; lines lead back themselves.
func TestRaw(t *testing.T) {
	path := "testdata/built/.gemini/tmp/p/chats/session-2025-09-17T10-00-0ld00000.json"
	raw, err := rawOf(t.Context(), path, trace.Ref{Table: "messages", Key: "1"})
	if err != nil || !strings.Contains(string(raw), `"type": "gemini"`) || !strings.HasPrefix(string(raw), "{") {
		t.Errorf("%v: %s", err, raw)
	}
	for _, ref := range []trace.Ref{{Table: "messages", Key: "99"}, {Table: "other", Key: "1"}, {Line: 3}} {
		if raw, err := rawOf(t.Context(), path, ref); err == nil {
			t.Errorf("%+v is %s", ref, raw)
		}
	}
}

func TestUnknownLayout(t *testing.T) {
	for _, text := range []string{"[1,2]\n", "no JSON\n", `{"id":"a","type":"user","content":"no header"}` + "\n"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "chats", "session-2026-01-01T10-00-abcdef01.jsonl")
		write(t, path, text)
		var unknown *trace.UnknownLayout
		if sink := tracetest.Read(t, New(), dir); !errors.As(sink.Errors[path], &unknown) || unknown.Path != path {
			t.Errorf("%q: %v", text, sink.Errors)
		}
	}
}

// A folder that cannot be read is a store whose reading says so, not "0 sessions". Here it is a link to itself, which
// not even root can read.
func TestUnreadable(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".gemini", "tmp", "x", "chats")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("chats", dir); err != nil {
		t.Skip(err)
	}
	var found []trace.Store
	in := trace.Places{Home: home, Getenv: func(string) string { return "" }}
	if err := New().Find(t.Context(), in, func(s trace.Store) error { found = append(found, s); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("found %+v", found)
	}
	if err := New().Read(t.Context(), found[0], tracetest.NewSink()); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
}
