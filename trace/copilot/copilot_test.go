package copilot

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	home     = "testdata/home"
	built    = "testdata/built"
	sessions = home + "/.copilot/session-state"
)

// What the scripted client was made to do, in every session that it left. internal/lab/realagents' TestCopilotStore made them.
func TestTruth(t *testing.T) {
	sink := tracetest.Read(t, New(), home)
	if len(sink.Errors) > 0 || len(sink.Damage) > 0 {
		t.Errorf("errors %v, damage %v", sink.Errors, sink.Damage)
	}
	tracetest.Truth(t, sink, "testdata/home.truth")
	tracetest.Golden(t, sink.Ordered(), "testdata/golden/home.json", *update)
}

// What the client can write and nobody made it write here, built from the schema that it brings along: testdata/built.truth says
// of each why.
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
	tracetest.Cuts(t, New(), home)
	tracetest.Cuts(t, New(), built)
}

func FuzzRead(f *testing.F) {
	seeds, err := filepath.Glob(sessions + "/*/events.jsonl")
	if err != nil || len(seeds) == 0 {
		f.Fatal(seeds, err)
	}
	made, err := filepath.Glob(built + "/.copilot/session-state/*/events.jsonl")
	if err != nil || len(made) == 0 {
		f.Fatal(made, err)
	}
	tracetest.Fuzz(f, New(), func(dir string) string { return filepath.Join(dir, "s", eventsFile) }, append(seeds, made...)...)
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

// find returns the paths of the stores below a home or at places, and checks that each is found once.
func find(t *testing.T, in trace.Places, env map[string]string) (got []string) {
	t.Helper()
	in.Getenv = func(key string) string { return env[key] }
	seen := map[string]bool{}
	if err := New().Find(t.Context(), in, func(s trace.Store) error {
		if seen[s.Path] {
			t.Errorf("%s was found twice", s.Path)
		}
		seen[s.Path] = true
		got = append(got, s.Path)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFind(t *testing.T) {
	all := find(t, trace.Places{Home: home}, nil)
	files, err := filepath.Glob(sessions + "/*/events.jsonl")
	if err != nil || strings.Join(all, "\n") != strings.Join(files, "\n") {
		t.Errorf("found\n%s\nwant\n%s (%v)", strings.Join(all, "\n"), strings.Join(files, "\n"), err)
	}
	named := func(path string) []string {
		return find(t, trace.Places{Home: "/nonexistent", Paths: []string{path}}, nil)
	}
	for name, got := range map[string][]string{
		"COPILOT_HOME": find(t, trace.Places{Home: "/nonexistent"}, map[string]string{"COPILOT_HOME": home + "/.copilot"}),
		"the home":     named(home),
		"the sessions": named(sessions),
	} {
		if strings.Join(got, "\n") != strings.Join(all, "\n") {
			t.Errorf("%s holds\n%s", name, strings.Join(got, "\n"))
		}
	}
	for _, path := range all {
		for _, path := range []string{path, filepath.Dir(path)} {
			if got := named(path); len(got) != 1 {
				t.Errorf("%s holds %v", path, got)
			}
		}
	}
	if got := find(t, trace.Places{}, nil); got != nil {
		t.Errorf("no home holds %v", got)
	}
}

// The client makes a session's folder before its file: the folder decides what is found, until the file is there.
func TestFolderWithoutFile(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, ".copilot", "session-state", "s1")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	opened := map[string]bool{}
	in := trace.Places{Home: dir, Opened: func(dir string, _ time.Time) { opened[dir] = true }}
	if got := find(t, in, nil); got != nil || !opened[folder] {
		t.Errorf("found %v, looked at %v", got, opened)
	}
	write(t, filepath.Join(folder, eventsFile), "{}\n")
	clear(opened)
	if got := find(t, in, nil); len(got) != 1 || opened[folder] {
		t.Errorf("found %v, looked at %v", got, opened)
	}
}

// Files of other agents have such names too; a folder above them does not make them ours.
func TestOthersAreNotOurs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/s1/events.jsonl", `{"type":"session.start","data":{"sessionId":"s1"}}`+"\n")
	write(t, dir+"/s2/events.jsonl", `{"uuid":"y","sessionId":"x","copilotVersion":"1"}`+"\n")
	if got := find(t, trace.Places{Paths: []string{dir, dir + "/s1/events.jsonl"}}, nil); got != nil {
		t.Errorf("found %v", got)
	}
}

func TestUnknownLayout(t *testing.T) {
	for _, text := range []string{"[1,2]\n", "no JSON\n", `{"type":"user.message","data":{}}` + "\n"} {
		path := filepath.Join(t.TempDir(), "s", eventsFile)
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
	dir := t.TempDir()
	path := filepath.Join(dir, ".copilot", "session-state")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("session-state", path); err != nil {
		t.Skip(err)
	}
	if found := find(t, trace.Places{Home: dir}, nil); len(found) != 1 || found[0] != path {
		t.Fatalf("found %v", found)
	}
	if err := New().Read(t.Context(), trace.Store{Reader: name, Path: path}, tracetest.NewSink()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

// A session without its first record has the folder's name.
func TestFirstLineBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s1", eventsFile)
	write(t, path, `{"type":"session.start","data":{"ses`+"\n"+`{"type":"user.message","data":{"content":"hi"},"id":"u"}`+"\n")
	sink := tracetest.NewSink()
	if err := New().Read(t.Context(), trace.Store{Reader: name, Path: path}, sink); err != nil {
		t.Fatal(err)
	}
	if s := sink.Traces["s1"]; s == nil || s.Count().Prompts != 1 || len(s.Damaged) != 1 {
		t.Errorf("%v", sink.Traces)
	}
}

// A trace holds nothing of the lines that it was read from: its memory does not grow with them.
func TestMemory(t *testing.T) {
	world.Slow(t)
	const lines, size = 8, 1 << 20
	path := filepath.Join(t.TempDir(), "s1", eventsFile)
	long := strings.Repeat("long ", size/5)
	var b strings.Builder
	record := func(id, kind, more string) {
		b.WriteString(`{"type":"` + kind + `","data":{` + more + `},"id":"` + id + `","timestamp":"2026-01-01T10:00:00.000Z"}` + "\n")
	}
	record("s", "session.start", `"sessionId":"s1","copilotVersion":"1","context":{"cwd":"/a","branch":"main","x":"`+long+`"}`)
	for i := range lines {
		n := string(rune('a' + i))
		record("u"+n, "user.message", `"content":"/ask `+long+`"`)
		record("b"+n, "session.usage_record", `"usage":{"apiCallId":"r`+n+`","model":"m","inputTokens":1,"x":"`+long+`"}`)
		record("m"+n, "assistant.message", `"messageId":"m`+n+`","model":"m","apiCallId":"r`+n+`","content":"`+long+`","toolRequests":[{"toolCallId":"c`+n+
			`","name":"create","arguments":{"path":"/a/b`+n+`","file_text":"`+long+`"}}]`)
		record("p"+n, "permission.completed", `"toolCallId":"c`+n+`","result":{"kind":"approved"},"x":"`+long+`"`)
		record("e"+n, "tool.execution_complete", `"toolCallId":"c`+n+`","success":true,"result":{"content":"`+long+`"},"fileEdits":[{"path":"/a/b`+n+
			`","kind":"create"}]`)
		record("x"+n, "session.error", `"errorType":"query","message":"`+long+`"`)
	}
	write(t, path, b.String())
	file := b.Len()
	b.Reset()
	held, traces := tracetest.Held(t, New(), path)
	if held > 2<<20 {
		t.Errorf("%d MiB are held of %d MiB of lines", held>>20, file>>20)
	}
	if n := len(traces[0].Events); n < 5*lines {
		t.Errorf("only %d events, so this shows nothing", n)
	}
}
