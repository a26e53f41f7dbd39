package own

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/tracetest"
)

var update = flag.Bool("update", false, "write the golden files")

// Later entries may set the command of a prompt and what a sub-agent came of.
func later(e *trace.Event) {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		b.Command = ""
	case *trace.SubagentSpawn:
		b.Call, b.Description, b.Background = "", "", false
	}
}

// Logs of real sessions, recorded by the hooks of the real agents, say what was done in them.
func TestRecordings(t *testing.T) {
	logs, err := os.ReadDir("testdata/logs")
	if err != nil || len(logs) < 10 {
		t.Fatal(len(logs), err)
	}
	for _, log := range logs {
		t.Run(log.Name(), func(t *testing.T) {
			s := tracetest.Read(t, New(), filepath.Join("testdata/logs", log.Name()))
			for path, err := range s.Errors {
				t.Errorf("%s: %v", path, err)
			}
			tracetest.Truth(t, s, filepath.Join("testdata", log.Name()+".truth"))
			if slices.Contains([]string{"claude-agents", "codex-agents", "codex-permissions", "claude-compacted", "codex-error"}, log.Name()) {
				tracetest.Golden(t, s.Ordered(), filepath.Join("testdata/golden", log.Name()+".json"), *update)
			}
		})
	}
}

func TestCuts(t *testing.T) {
	for _, log := range []string{"claude-agents", "codex-permissions", "claude-permissions"} {
		t.Run(log, func(t *testing.T) {
			t.Parallel()
			tracetest.Cuts(t, New(), filepath.Join("testdata/logs", log), later)
		})
	}
}

func FuzzRead(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, project.OssDir, journal.Name) }
	tracetest.Fuzz(f, New(), place, place("testdata/logs/codex-permissions"), place("testdata/logs/claude-agents"))
}

// written is a folder with the log that the lines of the recordings make when they are appended anew, rotated now and then.
func written(t *testing.T, rotateEvery int, logs ...string) string {
	t.Helper()
	dir := t.TempDir()
	var entries []*logfmt.Entry
	for _, log := range logs {
		entries = append(entries, recorded(t, log)...)
	}
	appendTo(t, dir, rotateEvery, entries)
	return dir
}

func recorded(t *testing.T, log string) []*logfmt.Entry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/logs", log, project.OssDir, journal.Name))
	if err != nil {
		t.Fatal(err)
	}
	var entries []*logfmt.Entry
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		e, err := logfmt.Parse([]byte(strings.TrimSpace(line)))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, &e)
	}
	return entries
}

func appendTo(t *testing.T, dir string, rotateEvery int, entries []*logfmt.Entry) {
	t.Helper()
	oss := filepath.Join(dir, project.OssDir)
	if err := os.MkdirAll(oss, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(oss)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	j := journal.New(root, journal.Options{By: journal.Command, Sync: journal.SyncNone})
	for i, e := range entries {
		if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
			t.Fatal(err)
		}
		if rotateEvery > 0 && i%rotateEvery == rotateEvery-1 {
			if err := j.Rotate(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// plain is what the traces say, without the places that it was read from.
func plain(t *testing.T, s *tracetest.Sink) string {
	t.Helper()
	for path, err := range s.Errors {
		t.Fatalf("%s: %v", path, err)
	}
	var all []string
	for _, tr := range s.Ordered() {
		for i := range tr.Events {
			tr.Events[i].Ref = trace.Ref{}
		}
		tr.Sources, tr.Project = nil, trace.Project{}
		data, err := tr.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	return strings.Join(all, "\n")
}

// However often the log was rotated, it says the same: what a rotation carries on is no new event.
func TestRotated(t *testing.T) {
	logs := []string{"claude-agents", "claude-killed", "codex-agents"}
	want := plain(t, tracetest.Read(t, New(), written(t, 0, logs...)))
	dir := written(t, 20, logs...)
	s := tracetest.Read(t, New(), dir)
	if n := len(s.Stores[0].Parts); n < 5 {
		t.Fatalf("%d segments", n)
	}
	if got := plain(t, s); got != want {
		t.Errorf("rotated it says\n%s\nnot\n%s", got, want)
	}
}

// Going on after a rotation gives what reading all of it gives, and each entry once.
func TestGoesOnAfterRotation(t *testing.T) {
	all := append(recorded(t, "claude-agents"), recorded(t, "codex-agents")...)
	want := plain(t, tracetest.Read(t, New(), written(t, 0, "claude-agents", "codex-agents")))
	for cut := 1; cut < len(all); cut += 7 {
		dir := t.TempDir()
		appendTo(t, dir, 0, all[:cut])
		s := tracetest.Read(t, New(), dir)
		appendTo(t, dir, 11, all[cut:])
		again(t, s, dir)
		if got := plain(t, s); got != want {
			t.Fatalf("cut at %d it says\n%s\nnot\n%s", cut, got, want)
		}
	}
}

// again reads the log in dir once more into s, from where it ended.
func again(t *testing.T, s *tracetest.Sink, dir string) {
	t.Helper()
	in := trace.Places{Paths: []string{dir}, Getenv: func(string) string { return "" }}
	err := New().Find(t.Context(), in, func(store trace.Store) error {
		store.Cursor = s.Cursors[store.Path]
		return New().Read(t.Context(), store, s)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A log that is not the one of the cursor is read from its beginning; one that lost its beginning keeps what was read before.
func TestReplaced(t *testing.T) {
	dir := written(t, 0, "claude-agents")
	s := tracetest.Read(t, New(), dir)
	log := filepath.Join(dir, project.OssDir, journal.Name)
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	appendTo(t, dir, 0, recorded(t, "codex-agents"))
	again(t, s, dir)
	if got := len(s.Traces); got != 5 {
		t.Errorf("there are %d traces", got)
	}

	// Another log in the same file, and a larger one.
	dir = written(t, 0, "codex-permissions")
	s = tracetest.Read(t, New(), dir)
	other := filepath.Join(written(t, 0, "claude-agents", "codex-agents"), project.OssDir, journal.Name)
	data, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, project.OssDir, journal.Name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	again(t, s, dir)
	if tr := s.Traces["8123b4ac-2355-4673-a921-c2a96325cbbe"]; len(s.Traces) != 6 || tr == nil || tr.Count().Calls != 12 {
		t.Errorf("there are %d traces, %+v", len(s.Traces), tr)
	}

	dir = written(t, 30, "claude-agents")
	s = tracetest.Read(t, New(), dir)
	want := plain(t, tracetest.Read(t, New(), dir))
	if err := os.Remove(filepath.Join(dir, project.OssDir, journal.Name+".1")); err != nil {
		t.Fatal(err)
	}
	s.Cursors = map[string]trace.Cursor{}
	again(t, s, dir)
	if got := plain(t, s); got != want {
		t.Errorf("without its beginning it says\n%s\nnot\n%s", got, want)
	}
}

// Sessions that lie side by side in a log that is larger than memory come out as they do from a small one.
func TestPacked(t *testing.T) {
	logs := []string{"claude-agents", "codex-agents", "claude-background", "codex-permissions", "codex-error", "claude-limit"}
	var woven []*logfmt.Entry
	var each [][]*logfmt.Entry
	for _, log := range logs {
		each = append(each, recorded(t, log))
	}
	for i := 0; i < 100; i++ {
		for _, entries := range each {
			if i < len(entries) {
				woven = append(woven, entries[i])
			}
		}
	}
	dir := t.TempDir()
	appendTo(t, dir, 0, woven)
	want := plain(t, tracetest.Read(t, New(), dir))
	if got := plain(t, tracetest.Read(t, reader{most: 20}, dir)); got != want {
		t.Errorf("packed it says\n%s\nnot\n%s", got, want)
	}
}

// An entry that was written twice is one event.
func TestRepeats(t *testing.T) {
	want := plain(t, tracetest.Read(t, New(), written(t, 0, "claude-agents")))
	dir := t.TempDir()
	src, err := os.ReadFile("testdata/logs/claude-agents/.oss/workflow.log")
	if err != nil {
		t.Fatal(err)
	}
	var twice strings.Builder
	for line := range strings.Lines(string(src)) {
		twice.WriteString(line)
		if strings.HasPrefix(line, "{") {
			twice.WriteString(line)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, project.OssDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, project.OssDir, journal.Name), []byte(twice.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := plain(t, tracetest.Read(t, New(), dir)); got != want {
		t.Errorf("with every entry twice it says\n%s\nnot\n%s", got, want)
	}
}

// Lines that are no entries are told with their places, and a file that has nothing else is no log.
func TestDamage(t *testing.T) {
	dir := written(t, 0, "codex-permissions")
	log := filepath.Join(dir, project.OssDir, journal.Name)
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(data), "{")
	if err := os.WriteFile(log, []byte(string(data[:at])+"\x00\x00\n"+string(data[at:])+"{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tracetest.Read(t, New(), dir)
	if len(s.Damage) != 1 || s.Damage[0].Ref.Line != 2 || s.Damage[0].Ref.Offset != int64(at) || len(s.Traces) != 1 || !s.Torn[s.Stores[0].Path] {
		t.Errorf("damage %+v, %d traces, torn %v", s.Damage, len(s.Traces), s.Torn)
	}
	// Read on, only what is new is told.
	appendTo(t, dir, 0, recorded(t, "codex-error"))
	s.Damage = nil
	again(t, s, dir)
	if len(s.Damage) != 1 || !strings.Contains(s.Damage[0].Reason, journal.Name) || s.Damage[0].Ref.Offset < int64(len(data)) {
		t.Errorf("read on, damage %+v", s.Damage)
	}
	if err := os.WriteFile(log, []byte("hello\nworld\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = tracetest.Read(t, New(), dir)
	var unknown *trace.UnknownLayout
	if !errors.As(s.Errors[s.Stores[0].Path], &unknown) {
		t.Errorf("%v", s.Errors)
	}
	for _, empty := range []string{"", "{torn"} {
		if err := os.WriteFile(log, []byte(empty), 0o600); err != nil {
			t.Fatal(err)
		}
		if s = tracetest.Read(t, New(), dir); len(s.Errors) > 0 || s.Torn[s.Stores[0].Path] != (empty != "") {
			t.Errorf("%q: %v, torn %v", empty, s.Errors, s.Torn)
		}
	}
}

// Without paths the logs of the projects are found that this user marked, that are known from elsewhere, and that one is in.
func TestFind(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"XDG_STATE_HOME": filepath.Join(home, "state")}
	t.Setenv("XDG_STATE_HOME", env["XDG_STATE_HOME"])
	for _, name := range []string{"marked", "known", "here", "other", "empty"} {
		dir := filepath.Join(home, name)
		if name == "empty" {
			if err := os.MkdirAll(filepath.Join(dir, project.OssDir), 0o700); err != nil {
				t.Fatal(err)
			}
		} else {
			appendTo(t, dir, 0, recorded(t, "codex-permissions"))
		}
	}
	for _, name := range []string{"marked", "empty"} {
		if err := project.Mark(filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	env["PWD"] = filepath.Join(home, "here", "sub")
	in := trace.Places{Home: home, Getenv: func(k string) string { return env[k] }, Projects: []string{filepath.Join(home, "known"), filepath.Join(home, "marked"), "/nonexistent"}}
	find := func(in trace.Places) string {
		var names []string
		err := New().Find(t.Context(), in, func(s trace.Store) error {
			if s.Reader != Name || s.Size == 0 || s.ModTime.IsZero() || filepath.Base(s.Path) != journal.Name {
				t.Errorf("%+v", s)
			}
			names = append(names, filepath.Base(filepath.Dir(filepath.Dir(s.Path))))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, " ")
	}
	if got := find(in); got != "marked known here" {
		t.Errorf("found %q", got)
	}
	in.Paths = []string{home}
	if got := find(in); got != "here known marked other" {
		t.Errorf("below the home found %q", got)
	}
	in.Paths = []string{filepath.Join(home, "other", project.OssDir, journal.Name), filepath.Join(home, "other")}
	if got := find(in); got != "other" {
		t.Errorf("named found %q", got)
	}
}

// What a ref names can be had from the log again, also after rotations.
func TestRaw(t *testing.T) {
	dir := written(t, 10, "claude-agents")
	s := tracetest.Read(t, New(), dir)
	for _, tr := range s.Ordered() {
		for _, e := range tr.Events {
			raw, err := Raw(t.Context(), tr.Sources[0].Path, e.Ref)
			var entry struct{ ID, TS string }
			if err == nil {
				err = json.Unmarshal(raw, &entry)
			}
			if err != nil || entry.ID != e.Record || entry.TS != e.Time.Format("2006-01-02T15:04:05.000Z") {
				t.Fatalf("%s event %d: %s, %v", tr.ID, e.Seq, raw, err)
			}
		}
	}
	if _, err := Raw(t.Context(), s.Stores[0].Path, trace.Ref{Table: table, Key: "99999"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New().Read(ended, s.Stores[0], s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What the recordings do not show: denials, deliveries, other tools' entries.
func TestEntries(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	e := func(ev logfmt.Event, data string) *logfmt.Entry {
		at = at.Add(time.Second)
		return &logfmt.Entry{Time: at, Cmd: "session", Event: ev, Session: "s1", Source: "claude", Data: []byte(data)}
	}
	prompted := e(logfmt.Start, `{}`)
	prompted.Source, prompted.Cmd = "prompt", "build"
	phaseless := e(logfmt.PhaseStart, `{}`)
	failed := e(logfmt.Failed, `{"error":"no compiler"}`)
	failed.Source, failed.Cmd, failed.Phase = "prompt", "build", "RED"
	nobody := e(logfmt.Tool, `{"tool":"Bash"}`)
	nobody.Session = ""
	dir := t.TempDir()
	appendTo(t, dir, 0, []*logfmt.Entry{
		prompted, phaseless, nobody,
		e(logfmt.Command, `{"command":"build"}`),
		e(logfmt.Delivered, `{"task_id":"t1"}`), e(logfmt.Delivered, `{"task_id":"t1","seen":true}`),
		e(logfmt.Permission, `{"tool":"Bash"}`), e(logfmt.Intervention, `{"task_id":"t1"}`), e("PARTY", `{}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c1","reason":"Permission to use Bash has been denied","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c2","reason":"The user doesn't want to proceed","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c3","reason":"PreToolUse:Bash hook error","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c4","inferred":"batch"}`),
		e(logfmt.ToolDenied, `{"tool":"Bash","tool_use_id":"c5","reason":"classifier says no"}`),
		e(logfmt.Tool, `{"tool":"mcp__x__y","tool_use_id":"c6","outcome":"unknown","inferred":"batch"}`),
		e(logfmt.ToolFailed, `{"tool":"Bash","tool_use_id":"c7","outcome":"interrupted","error":"stopped"}`),
		failed,
	})
	s := tracetest.Read(t, New(), dir)
	tr := s.Traces["s1"]
	var story []string
	for _, e := range tr.Events {
		switch b := e.Body.(type) {
		case *trace.Session:
			story = append(story, fmt.Sprintf("%s %s %s %s", b.Marker, b.Command, b.Phase, b.Detail))
		case *trace.UserMessage:
			story = append(story, fmt.Sprintf("%s%s%s", b.Machine, b.Command, e.By))
		case *trace.ToolCall:
			story = append(story, fmt.Sprintf("%s %s", b.Type, b.Call))
		case *trace.ToolResult:
			r := tr.Results[b.Result]
			story = append(story, fmt.Sprintf("%s %s", r.Status, r.Denied))
		case *trace.Interrupt:
			story = append(story, "interrupt "+b.Call)
		}
	}
	want := "command_started build  ; build; hookclient; shell c1; errored rule; shell c2; cancelled user; shell c3; errored hook; shell c4; errored other; " +
		"shell c5; errored other; mcp c6; unknown ; shell c7; cancelled ; interrupt c7; phase_failed build RED no compiler"
	if got := strings.Join(story, "; "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if tr.Agent.Name != "claude" || tr.Outcome != trace.Interrupted || tr.Project.Path != dir {
		t.Errorf("%+v, %s in %s", tr.Agent, tr.Outcome, tr.Project.Path)
	}
}
