package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/trace"
)

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
	now := func() time.Time { return entries[len(entries)-1].Time }
	j := journal.New(root, journal.Options{By: journal.Command, Sync: journal.SyncNone, Now: now})
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
func TestParts(t *testing.T) {
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
	counted := counting{reader{maxHeld: 20}, map[string]int{}}
	given := tracetest.Read(t, counted, dir)
	for id, n := range counted.made {
		if n != 1 {
			t.Errorf("session %s was made %d times", id, n)
		}
	}
	if got := plain(t, given); got != want {
		t.Errorf("in parts it says\n%s\nnot\n%s", got, want)
	}
}

// counting is a reader that counts how often each trace is made.
type counting struct {
	trace.Reader
	made map[string]int
}

func (c counting) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	return c.Reader.Read(ctx, s, countingSink{sink, c.made})
}

type countingSink struct {
	trace.Sink
	made map[string]int
}

func (c countingSink) Trace(t *trace.SessionTrace) error {
	c.made[t.ID]++
	return c.Sink.Trace(t)
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

// Entries are as large as an entry may be, and what is kept of them is not.
func TestHeld(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	var entries []*logfmt.Entry
	large := strings.Repeat("x", 60<<10)
	for i, ev := range slices.Repeat([]logfmt.Event{logfmt.Prompt, logfmt.ToolStart, logfmt.ToolFailed, logfmt.TurnFailed, logfmt.Failed}, 40) {
		data := fmt.Sprintf(`{"tool":"Bash","tool_use_id":"c%d","head":"go test","error":"no","other":%q}`, i/5, large)
		entries = append(entries, &logfmt.Entry{Time: time.Now(), Cmd: "build", Event: ev, Session: "s1", Source: "claude", Data: []byte(data)})
	}
	appendTo(t, dir, 0, entries)
	held, traces := tracetest.Held(t, New(), dir)
	if len(traces) != 1 || len(traces[0].Events) < 200 || held > 1<<20 {
		t.Errorf("%d traces hold %d bytes of a log of 12 MB", len(traces), held)
	}
}

// What another tool has written into a log was scrubbed by nobody.
func TestScrubbed(t *testing.T) {
	secret := "ghp" + "_0123456789abcdefghijABCDEFGHIJ456789"
	dir := t.TempDir()
	data := []byte(strings.ReplaceAll(`{"tool":"Bash S","tool_use_id":"c1","head":"curl S","path":"/x/S","error":"no S","reason":"S","command":"S","source":"S","trigger":"S","task":"S",
		"inferred":"S","status":"S","agent_type":"S","client_version":"1"}`, "S", secret))
	var entries []*logfmt.Entry
	for _, ev := range logfmt.Events() {
		for _, agent := range []*logfmt.Agent{nil, {Type: secret, ID: "a1"}} {
			entries = append(entries, &logfmt.Entry{Time: time.Now(), Cmd: "build", Phase: "RED", Event: ev, Session: "s1", Source: "claude", Agent: agent, Data: data})
		}
	}
	appendTo(t, dir, 0, entries)
	s := tracetest.Read(t, New(), dir)
	if len(s.Traces) != 2 {
		t.Fatalf("%d traces, %v", len(s.Traces), s.Errors)
	}
	for _, tr := range s.Ordered() {
		data, err := tr.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.Index(string(data), secret); i >= 0 {
			t.Errorf("%s: …%s", tr.ID, data[max(0, i-80):i])
		}
		if tr.Scrub.Redacted == 0 {
			t.Errorf("%s: nothing was redacted", tr.ID)
		}
	}
}
