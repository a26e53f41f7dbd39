package qwen

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	home     = "testdata/home"
	built    = "testdata/built"
	projects = home + "/.qwen/projects"
)

// What the scripted client was made to do, in every session that it left. internal/lab/realagents' TestQwenStore made them.
func TestTruth(t *testing.T) {
	sink := tracetest.Read(t, New(), home)
	if len(sink.Errors) > 0 || len(sink.Damage) > 0 {
		t.Errorf("errors %v, damage %v", sink.Errors, sink.Damage)
	}
	tracetest.Truth(t, sink, "testdata/home.truth")
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/home.json", *update)
}

// What the client writes and nobody made it write here, built from its source: testdata/built.truth says of each why.
func TestBuilt(t *testing.T) {
	sink := tracetest.Read(t, New(), built)
	if len(sink.Errors) > 0 {
		t.Errorf("errors %v", sink.Errors)
	}
	tracetest.Truth(t, sink, "testdata/built.truth")
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/built.json", *update)
}

// Nothing of an event changes with what comes behind it, beyond what tracetest forgets.
func TestCuts(t *testing.T) {
	world.Slow(t)
	tracetest.Cuts(t, told{New()}, home)
	tracetest.Cuts(t, told{New()}, built)
}

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

func FuzzRead(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, "chats", "session.jsonl") }
	seeds, err := filepath.Glob(projects + "/*/*/*.jsonl")
	if err != nil || len(seeds) == 0 {
		f.Fatal(seeds, err)
	}
	more, err := filepath.Glob(projects + "/*/subagents/*/*.jsonl")
	if err != nil || len(more) == 0 {
		f.Fatal(more, err)
	}
	made, err := filepath.Glob(built + "/.qwen/projects/*/chats/*.jsonl")
	if err != nil || len(made) == 0 {
		f.Fatal(made, err)
	}
	tracetest.Fuzz(f, New(), place, append(append(seeds, more...), made...)...)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// find returns the paths of the stores below a home or at places, and checks that each is counted once.
func find(t *testing.T, home string, env map[string]string, paths ...string) (got []string) {
	t.Helper()
	in := trace.Places{Home: home, Getenv: func(key string) string { return env[key] }, Paths: paths}
	seen := map[string]bool{}
	if err := New().Find(t.Context(), in, func(s trace.Store) error {
		for _, path := range append([]string{s.Path}, s.Parts...) {
			if seen[path] {
				t.Errorf("%s was found twice", path)
			}
			seen[path] = true
		}
		got = append(got, s.Path)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFind(t *testing.T) {
	all := find(t, home, nil)
	files, err := filepath.Glob(projects + "/*/chats/*.jsonl")
	if err != nil || strings.Join(all, "\n") != strings.Join(files, "\n") {
		t.Errorf("found\n%s\nwant\n%s (%v)", strings.Join(all, "\n"), strings.Join(files, "\n"), err)
	}
	project := filepath.Dir(filepath.Dir(all[0]))
	for name, got := range map[string][]string{
		"QWEN_HOME":        find(t, "/nonexistent", map[string]string{"QWEN_HOME": home + "/.qwen"}),
		"QWEN_RUNTIME_DIR": find(t, "/nonexistent", map[string]string{"QWEN_HOME": "/other", "QWEN_RUNTIME_DIR": home + "/.qwen"}),
		"the home":         find(t, "/nonexistent", nil, home),
		"the project":      find(t, "/nonexistent", nil, project),
		"the chats":        find(t, "/nonexistent", nil, project+"/chats"),
	} {
		if strings.Join(got, "\n") != strings.Join(all, "\n") {
			t.Errorf("%s holds\n%s", name, strings.Join(got, "\n"))
		}
	}
	for _, path := range all {
		if got := find(t, "/nonexistent", nil, path); len(got) != 1 || got[0] != path {
			t.Errorf("%s holds %v", path, got)
		}
	}
	if got := find(t, "/nonexistent", nil); got != nil {
		t.Errorf("no home holds %v", got)
	}
}

// Sessions that the user put away are read, and sub-agents whose session is gone.
func TestArchivedAndOrphans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".qwen", "projects", "p")
	line := func(session, more string) string {
		return `{"uuid":"u-` + session + `","parentUuid":null,"sessionId":"` + session + `","timestamp":"2026-01-01T10:00:00.000Z","type":"user"` + more +
			`,"message":{"role":"user","parts":[{"text":"x"}]}}` + "\n"
	}
	const agent = `,"agentId":"general-purpose-c1","agentName":"general-purpose","isSidechain":true`
	write(t, dir+"/chats/archive/s1.jsonl", line("s1", ""))
	write(t, dir+"/subagents/s1/agent-general-purpose-c1.jsonl", line("s1", agent))
	write(t, dir+"/subagents/s2/agent-general-purpose-c1.jsonl", line("s2", agent))
	root := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	for _, paths := range [][]string{nil, {root}, {dir + "/chats/archive/s1.jsonl", dir + "/subagents/s2"}} {
		var stores []trace.Store
		in := trace.Places{Home: root, Getenv: func(string) string { return "" }, Paths: paths}
		if err := New().Find(t.Context(), in, func(s trace.Store) error { stores = append(stores, s); return nil }); err != nil {
			t.Fatal(err)
		}
		sink := tracetest.NewSink()
		for _, s := range stores {
			if err := New().Read(t.Context(), s, sink); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"s1", "s1/general-purpose-c1", "s2/general-purpose-c1"} {
			if sink.Traces[id] == nil || len(sink.Traces) != 3 || len(stores) != 2 {
				t.Errorf("%v: no %s in %d traces of %d stores", paths, id, len(sink.Traces), len(stores))
			}
		}
	}
}

// When the client has deleted the file of a sub-agent, what the sub-agent cost is in the trace that was stored, or, if
// there is none, in that of the session.
func TestDeletedAgents(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	const session, cost = "3edb35e4-7b5c-41f6-ab8b-68fc7bc860a0", 200 // tokens of input, of each of the two
	sink := tracetest.Read(t, New(), dir)
	store := sink.Stores[slices.IndexFunc(sink.Stores, func(s trace.Store) bool { return strings.Contains(s.Path, session) })]
	if err := os.RemoveAll(filepath.Dir(store.Parts[0])); err != nil {
		t.Fatal(err)
	}
	store.Parts = nil
	for want, sink := range map[int64]*tracetest.Sink{cost: sink, 2 * cost: tracetest.NewSink()} {
		if err := New().Read(t.Context(), store, sink); err != nil {
			t.Fatal(err)
		}
		if got := sink.Traces[session].Usage.Input; got != want {
			t.Errorf("the session costs %d, not %d", got, want)
		}
	}
}

// Files of other agents have such names too; a folder above them does not make them ours.
func TestOthersAreNotOurs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/p/5c52c37e-e2c1-4ad2-b1bf-af57e6f6bcbc.jsonl", `{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"y","sessionId":"x"}`+"\n")
	write(t, dir+"/chats/session-2026-01-01T10-00-5c52c37e.jsonl",
		`{"sessionId":"5c52c37e-0","projectHash":"x","startTime":"2026-01-01T10:00:00Z","kind":"main"}`+"\n")
	if got := find(t, "/nonexistent", nil, dir); got != nil {
		t.Errorf("found %v", got)
	}
}

func TestUnknownLayout(t *testing.T) {
	for _, text := range []string{"[1,2]\n", "no JSON\n", `{"type":"user","message":{}}` + "\n"} {
		path := filepath.Join(t.TempDir(), ".qwen", "projects", "p", "chats", "x.jsonl")
		write(t, path, text)
		var unknown *trace.UnknownLayout
		err := New().Read(t.Context(), trace.Store{Reader: name, Path: path}, tracetest.NewSink())
		if !errors.As(err, &unknown) || unknown.Path != path {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A folder that cannot be read is a store whose reading says so, not "0 sessions". Here it is a link to itself, which
// not even root can read.
func TestUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".qwen", "projects", "p", "chats")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("chats", dir); err != nil {
		t.Skip(err)
	}
	found := find(t, strings.TrimSuffix(dir, "/.qwen/projects/p/chats"), nil)
	if len(found) != 1 || found[0] != dir {
		t.Fatalf("found %v", found)
	}
	if err := New().Read(t.Context(), trace.Store{Reader: name, Path: dir}, tracetest.NewSink()); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
}

// A trace holds nothing of the lines that it was read from: its memory does not grow with them.
func TestMemory(t *testing.T) {
	world.Slow(t)
	const lines, size = 8, 1 << 20
	path := filepath.Join(t.TempDir(), "chats", "s.jsonl")
	long := strings.Repeat("long ", size/5)
	var b strings.Builder
	record := func(uuid, kind, more string) {
		b.WriteString(`{"uuid":"` + uuid + `","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T10:00:00.000Z","type":"` + kind + `","cwd":"/a",` + more +
			"}\n")
	}
	for i := range lines {
		n := string(rune('a' + i))
		record("u"+n, "user", `"message":{"role":"user","parts":[{"text":"/ask `+long+`"}]}`)
		record("a"+n, "assistant", `"model":"m","message":{"role":"model","parts":[{"text":"`+long+`"},{"functionCall":{"id":"c`+n+
			`","name":"write_file","args":{"file_path":"/a/b`+n+`","content":"`+long+`"}}},{"functionCall":{"id":"d`+n+`","name":"agent","args":{"description":"`+long+
			`"}}}]},"usageMetadata":{"promptTokenCount":1}`)
		record("r"+n, "tool_result", `"message":{"role":"user","parts":[{"functionResponse":{"id":"c`+n+`","response":{"output":"`+long+
			`"}}}]},"toolCallResult":{"status":"success","resultDisplay":{"filePath":"/a/b`+n+`","fileDiff":"@@\n+x","newContent":"`+long+`"}}`)
		record("e"+n, "system", `"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","error_message":"`+long+
			`","error_type":"X"}}`)
	}
	write(t, path, b.String())
	file := b.Len()
	b.Reset()
	held, traces := tracetest.Held(t, New(), path)
	if held > 2<<20 {
		t.Errorf("%d MiB are held of %d MiB of lines", held>>20, file>>20)
	}
	if n := len(traces[0].Events); n < 4*lines {
		t.Errorf("only %d events, so this shows nothing", n)
	}
}
