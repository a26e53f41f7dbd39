package look

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/proc"
	"aburn/logfmt"
	"aburn/supervisor/state"
)

// A file is missing only if its worktree is there and the file is not; what lies
// outside, or where nobody can look, is unknown.
func TestExists(t *testing.T) {
	w := newWorld(t)
	dir := w.proj.Root
	for _, d := range []string{"docs", "feature/docs", "feature/.git", "bare"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"a.md", "docs/b c.md", "feature/docs/b.md", "../outside.md"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"inside": "a.md", "out": "../outside.md", "docs/nothing": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	l := New(w.options(journal.Command))
	for _, c := range []struct {
		wt, path string
		want     state.Fact
	}{
		{"", "a.md", state.Yes},
		{"", "docs/b c.md", state.Yes},
		{"", "docs", state.Yes},
		{"", "inside", state.Yes},
		{"", "b.md", state.No},
		{"", "nofolder/b.md", state.No},
		{"", "docs/nothing", state.No},
		{"", "out", state.Unknown},
		{"", "../outside.md", state.Unknown},
		{"", "../nothing.md", state.Unknown},
		{"", filepath.Join(dir, "a.md"), state.Unknown},
		{"", "~/x", state.Unknown},
		{"", "", state.Unknown},
		{"feature", "docs/b.md", state.Yes},
		{"feature", "a.md", state.No},
		{"bare", "a.md", state.Unknown},    // no worktree
		{"removed", "a.md", state.Unknown}, // not any more
	} {
		if got := l.exists(state.OutputKey{Wt: c.wt, Path: c.path}); got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.path, c.wt, got, c.want)
		}
	}
}

// A log may call anything a worktree: a pipe there keeps nobody waiting.
func TestNoWorktree(t *testing.T) {
	w := newWorld(t)
	if out, err := exec.Command("mkfifo", filepath.Join(w.proj.Root, "pipe")).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	done := make(chan state.Fact, 1)
	go func() { done <- New(w.options(journal.Command)).exists(state.OutputKey{Wt: "pipe", Path: "a.md"}) }()
	select {
	case got := <-done:
		if got != state.Unknown {
			t.Errorf("%v", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for the pipe's writer")
	}
}

// A process is gone when it was killed; one of another host, or without a start, is
// not known to be anything.
func TestAlive(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer cmd.Process.Kill()
	self, ok := proc.Self()
	if !ok || self.Start == 0 {
		t.Skip("this system does not tell when a process started")
	}
	me := state.Proc{PID: int64(self.PID), Start: self.Start, Host: proc.Host()}
	for p, want := range map[state.Proc]state.Fact{
		me: state.Yes,
		{PID: me.PID, Start: me.Start, Host: "elsewhere"}: state.Unknown,
		{PID: me.PID, Start: me.Start + 1, Host: me.Host}: state.No,
		{PID: int64(cmd.Process.Pid), Host: me.Host}:      state.Unknown,
		{}:                                      state.Unknown,
		{PID: 1 << 62, Start: 1, Host: me.Host}: state.No,
	} {
		if got := alive(p); got != want {
			t.Errorf("%+v: %v, want %v", p, got, want)
		}
	}
}

// What was delivered is seen when the transcript of its own session shows it, near
// its end, and then once.
func TestSeen(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	id := w.once().Queued[0].Task
	delivered := logfmt.TaskEntry(logfmt.Delivered, "A", logfmt.TaskFacts{Task: id, Type: "explicit_failure"})
	delivered.Time = w.now
	w.append(delivered)
	said := w.logged()
	transcript := filepath.Join(t.TempDir(), "transcript.jsonl")
	look := func(session string) string {
		t.Helper()
		o := w.options(journal.Hook)
		o.Session, o.Transcript = logfmt.SessionID(session), transcript
		if r, err := New(o).Once(context.Background(), w.now, time.Time{}); err != nil || !r.Complete {
			t.Fatalf("%+v, %v", r, err)
		}
		return strings.TrimPrefix(w.logged(), said)
	}
	shown := `{"text":"… (aburn task ` + id + `)"}` + "\n"
	for name, text := range map[string]string{
		"nothing":      "",
		"another task": strings.Replace(shown, id, "0123456789abcdef", 1),
		"only its id":  `{"text":"` + id + `"}`,
		"far back":     shown + strings.Repeat("x", transcriptEnd+1),
	} {
		if err := os.WriteFile(transcript, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := look("A"); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := os.WriteFile(transcript, []byte(strings.Repeat("x", 2*transcriptEnd)+shown+"{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := look("B"); got != "" {
		t.Errorf("in another session's transcript: %s", got)
	}
	got := look("A")
	if !strings.HasPrefix(got, "DELIVERED A {") || !strings.Contains(got, `"seen":true`) || !strings.Contains(got, id) || strings.Count(got, "\n") != 1 {
		t.Errorf("the log says %s", got)
	}
	if w.tasks()[0].SeenAt.IsZero() {
		t.Errorf("the task is %+v", w.tasks()[0])
	}
	if again := look("A"); again != got {
		t.Errorf("and then %s", again)
	}
}

// A permission that the user denied in the terminal waits for nobody: no hook fires, but the agent's own file has the call's result.
func TestDenied(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".claude", "projects", "-shop")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	for _, c := range []struct {
		name, file, result string
		env                func(string) string
		want               string
	}{
		{"no file of it", "B", "call_1", env, "permission_wait-"},
		{"another call's result", "A", "call_10", env, "permission_wait-"},
		{"denied", "A", "call_1", env, ""},
		{"a hook does not read it", "A", "call_1", nil, "permission_wait-"},
	} {
		w := newWorld(t)
		w.draw(`@A PROMPT build> Write'a'<w PERMISSION +90m`)
		text := `{"message":{"content":[{"type":"tool_result","is_error":true,"tool_use_id":"` + c.result + `"}]}}` + "\n"
		if err := os.WriteFile(filepath.Join(folder, c.file+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := w.options(journal.Command)
		o.Env = c.env
		r, err := New(o).Once(context.Background(), w.now, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.signatures(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if mode, _ := r.State.Sessions[0].Mode(w.now, r.Observed); c.want == "" && mode != state.Idle {
			t.Errorf("%s: it is %s", c.name, mode)
		}
		if err := os.Remove(filepath.Join(folder, c.file+".jsonl")); err != nil {
			t.Fatal(err)
		}
	}
}
