package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/logfmt"
)

// exe is the real executable, built once.
var exe string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "aburn-hook-test-")
	if err != nil {
		panic(err)
	}
	exe = filepath.Join(dir, "aburn-hook")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	overlay, err := lab.UnhurriedHook(dir)
	if err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-overlay", overlay, "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// inTime tries something that a hook has to do before its deadline: a busy machine may not run it for so long.
func inTime(try func() bool) bool {
	for range 20 {
		if try() {
			return true
		}
	}
	return false
}

// world is a home with one project in it.
type world struct {
	*lab.World
	t   *testing.T
	env []string

	complains bool // hooks may write to stderr
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: lab.New(t), t: t}
	journaltest.Check(t, w.Oss())
	w.env = []string{"HOME=" + w.Home, "CLAUDE_PROJECT_DIR=" + w.Project}
	return w
}

// trust marks the project as trusted, as `aburn init` does.
func (w *world) trust() {
	w.t.Helper()
	w.Enter(w.t)
	if err := project.Mark(w.Project); err != nil {
		w.t.Fatal(err)
	}
}

// hook runs the executable with the words of agent as arguments and returns what it printed. It must exit 0.
func (w *world) hook(agent string, stdin io.Reader, env ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, strings.Fields(agent)...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.Project, append(append(os.Environ()[:0:0], w.env...), env...), stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("aburn-hook %s: %v, stderr %s", agent, err, &stderr)
	}
	if stderr.Len() > 0 && !w.complains {
		w.t.Errorf("aburn-hook %s wrote to stderr: %s", agent, &stderr)
	}
	return stdout.String()
}

// send is hook with a payload in which the recorded home is this one. It comes from
// a file, which is read at once however busy the machine is.
func (w *world) send(agent, payload string, env ...string) string {
	w.t.Helper()
	f, err := os.Open(w.Write("../stdin", strings.ReplaceAll(payload, "/home/user", w.Home)))
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	return w.hook(agent, f, env...)
}

// entries returns the log's entries in file order.
func (w *world) entries() (entries []logfmt.Entry) {
	w.t.Helper()
	root, err := os.OpenRoot(filepath.Join(w.Project, ".oss"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer root.Close()
	for line, err := range journal.New(root, journal.Options{}).Forward(journal.Position{}) {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			w.t.Fatal(err)
		}
		e, err := logfmt.Parse(line.JSON)
		if err != nil {
			w.t.Fatalf("%v: %s", err, line.JSON)
		}
		entries = append(entries, e)
	}
	return entries
}

// events are the entries as "CMD:PHASE EVENT", one a line.
func (w *world) events() string {
	w.t.Helper()
	var b strings.Builder
	for _, e := range w.entries() {
		b.WriteString(e.Cmd)
		if e.Phase != "" {
			b.WriteString(":" + e.Phase)
		}
		b.WriteString(" " + string(e.Event) + "\n")
	}
	return b.String()
}

// last is the newest entry.
func (w *world) last() logfmt.Entry {
	w.t.Helper()
	entries := w.entries()
	if len(entries) == 0 {
		w.t.Fatal("the log is empty")
	}
	return entries[len(entries)-1]
}

func get(e logfmt.Entry, path string) gjson.Result { return gjson.GetBytes(e.Data, path) }

// claudePayload is a payload of Claude Code with the given members beside the usual ones.
func claudePayload(event, members string) string {
	return `{"session_id":"s1","transcript_path":"/home/user/none.jsonl","cwd":"/home/user/project","prompt_id":"p","hook_event_name":"` + event + `"` +
		comma(members) + "}\n"
}

func codexPayload(event, members string) string {
	return `{"session_id":"s1","turn_id":"t1","transcript_path":null,"cwd":"/home/user/project","model":"m","hook_event_name":"` + event + `"` + comma(members) +
		"}"
}

func comma(members string) string {
	if members == "" {
		return ""
	}
	return "," + members
}

// append writes entries as `aburn log` does.
func (w *world) append(entries ...logfmt.Entry) {
	w.t.Helper()
	root, err := os.OpenRoot(filepath.Join(w.Project, ".oss"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer root.Close()
	_, err = journal.New(root, journal.Options{By: journal.Command, Sync: journal.SyncNone}).Append(func(journal.Tail) (all []*logfmt.Entry) {
		for _, e := range entries {
			if e.Time.IsZero() {
				e.Time = time.Now()
			}
			all = append(all, &e)
		}
		return all
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// fill makes the log longer than a tail with n entries of a session.
func (w *world) fill(session string, n int) {
	entries := make([]logfmt.Entry, n)
	for i := range entries {
		entries[i] = logfmt.Entry{Cmd: "session", Event: logfmt.Notify, Session: logfmt.SessionID(session), Source: "claude",
			Data: []byte(`{"head":"` + strings.Repeat("x", 400) + `"}`)}
	}
	w.append(entries...)
}
