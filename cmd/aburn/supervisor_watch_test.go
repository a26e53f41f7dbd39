package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/cmd/aburn/internal/supervise"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
	"aburn/supervisor/watch"
	"aburn/supervisor/watchlock"
)

// watcher is a running `aburn supervisor watch --json`.
type watcher struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string // of stdout
	notes chan string // of stderr
}

// startWatch starts a watcher in dir and waits until it watches.
func startWatch(t *testing.T, dir string) *watcher {
	t.Helper()
	w := &watcher{t: t, cmd: aburnIn(dir, "supervisor", "watch", "--json"), lines: make(chan string, 1000), notes: make(chan string, 1000)}
	for _, s := range []struct {
		open func() (io.ReadCloser, error)
		to   chan string
	}{{w.cmd.StdoutPipe, w.lines}, {w.cmd.StderrPipe, w.notes}} {
		r, err := s.open()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(s.to)
			for scan := bufio.NewScanner(r); scan.Scan(); {
				s.to <- scan.Text()
			}
		}()
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill(); w.cmd.Wait() })
	w.wantsNote("process " + strconv.Itoa(w.cmd.Process.Pid) + " watches " + dir)
	return w
}

// wants is the next event: what became of which issue in which session.
func (w *watcher) wants(event, issue, session string) supervise.WatchLine {
	w.t.Helper()
	line := next(w.t, w.lines, event+" "+issue)
	var got supervise.WatchLine
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		w.t.Fatalf("%v in %q", err, line)
	}
	if string(got.Event) != event || string(got.Type) != issue || string(got.Session) != session {
		w.t.Fatalf("got %q, want %s %s of %s", line, event, issue, session)
	}
	return got
}

func (w *watcher) wantsNote(want string) {
	w.t.Helper()
	if got := next(w.t, w.notes, want); !strings.Contains(got, want) {
		w.t.Fatalf("it says %q, want %q", got, want)
	}
}

func next(t *testing.T, lines <-chan string, want string) string {
	t.Helper()
	select {
	case line, open := <-lines:
		if !open {
			t.Fatalf("the watch ended, want %q", want)
		}
		return line
	case <-time.After(patience):
		t.Fatalf("nothing came, want %q", want)
	}
	return ""
}

// end sends a signal and returns the exit code and what was printed on the way.
func (w *watcher) end(signal os.Signal) (code int, rest []string) {
	w.t.Helper()
	if err := w.cmd.Process.Signal(signal); err != nil {
		w.t.Fatal(err)
	}
	for line := range w.lines {
		rest = append(rest, line)
	}
	for range w.notes {
	}
	w.cmd.Wait()
	return w.cmd.ProcessState.ExitCode(), rest
}

// must runs aburn in dir.
func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := aburnIn(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("aburn %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// fails logs that a command failed in a session, which is an issue.
func fails(t *testing.T, dir, session string) {
	t.Helper()
	must(t, dir, "log", "build", "START", "--session", session)
	must(t, dir, "log", "build", "FAILED", "--session", session, "--data", `{"error":"out of ideas"}`)
}

// settle writes the user's own settings; the desktop of whoever runs the tests is left alone.
func settle(t *testing.T, dir, notify string) {
	t.Helper()
	path := filepath.Join(dir, "home", ".config", "aburn", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"notify": {"desktop": false, `+notify+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each issue is printed once and handed to the user's command once, however often the watcher is killed.
func TestWatchTellsOnce(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	settle(t, dir, `"command": "cat >> told"`)
	w := startWatch(t, dir)
	fails(t, dir, "one")
	raised := w.wants("raised", "explicit_failure", "one")
	if raised.Project != dir || raised.Level == "" || raised.Priority != "critical" || raised.Confidence <= 0 || raised.Says == "" || len(raised.Evidence) == 0 {
		t.Errorf("raised: %+v", raised)
	}
	told := filepath.Join(dir, "home", "told")
	waitForLines(t, told, 1)
	for range 3 {
		if _, rest := w.end(os.Kill); len(rest) > 0 {
			t.Errorf("printed too: %q", rest)
		}
		w = startWatch(t, dir)
	}
	fails(t, dir, "two")
	w.wants("raised", "explicit_failure", "two")
	must(t, dir, "log", "build", "START", "--session", "one")
	must(t, dir, "log", "build", "COMPLETE", "--session", "one")
	w.wants("resolved", "explicit_failure", "one")
	waitForLines(t, told, 2)
	if code, rest := w.end(syscall.SIGTERM); code != 0 || len(rest) > 0 {
		t.Errorf("it ended with %d and printed %q", code, rest)
	}
	var lines []supervise.WatchLine
	for line := range strings.Lines(readFile(t, told)) {
		var l supervise.WatchLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		lines = append(lines, l)
	}
	if len(lines) != 2 || lines[0].Session != "one" || lines[1].Session != "two" || lines[0].Signature == lines[1].Signature {
		t.Errorf("the user's command got %+v", lines)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func waitForLines(t *testing.T, path string, n int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if err == nil && strings.Count(string(data), "\n") >= n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %d lines did not come: %v", path, n, err)
		}
	}
}

// Notifiers that fail or hang are complained of once, and nothing waits for them.
func TestWatchBearsBadNotifiers(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for _, c := range []struct{ command, warning string }{
		{`["/nowhere/notifier"]`, "notify.command: "},
		{`"exit 7"`, "exit status 7"},
		{`"sleep 1000"`, ""},
	} {
		dir := newProject(t)
		settle(t, dir, `"command": `+c.command)
		w := startWatch(t, dir)
		for _, session := range []string{"one", "two", "three"} {
			fails(t, dir, session)
			w.wants("raised", "explicit_failure", session)
		}
		if c.warning != "" {
			w.wantsNote(c.warning)
		}
		if code, _ := w.end(os.Interrupt); code != 0 {
			t.Errorf("%s: it ended with %d", c.command, code)
		}
	}
}

func TestWatchIsAlone(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	settle(t, dir, `"bell": false`)
	w := startWatch(t, dir)
	out, err := aburnIn(dir, "supervisor", "watch").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != fault.ExitFailed ||
		!strings.Contains(string(out), "error: process "+strconv.Itoa(w.cmd.Process.Pid)+" watches") {
		t.Errorf("the second: %v\n%s", err, out)
	}
}

func TestWatchEndsCleanly(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		dir := newProject(t)
		settle(t, dir, `"bell": false`)
		w := startWatch(t, dir)
		w.cmd.Process.Signal(signal) // as timeout(1) does: once to the process, once to its group
		if code, rest := w.end(signal); code != 0 || len(rest) > 0 {
			t.Errorf("%v: it ended with %d and printed %q", signal, code, rest)
		}
		if _, err := os.Stat(filepath.Join(dir, ".oss", watchlock.PIDName)); err == nil {
			t.Errorf("%v: %s is left behind", signal, watchlock.PIDName)
		}
	}
}

func TestWatchOfADeletedProject(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	dir := t.TempDir() // not newProject: there is no log to verify at the end
	must(t, dir, "init", "--here", "--force")
	settle(t, dir, `"bell": false`)
	w := startWatch(t, dir)
	fails(t, dir, "one")
	w.wants("raised", "explicit_failure", "one")
	gone := filepath.Join(t.TempDir(), "oss")
	if err := os.Rename(filepath.Join(dir, ".oss"), gone); err != nil { // in one step: the watch may be writing into it
		t.Fatal(err)
	}
	w.wantsNote("error: " + filepath.Join(dir, ".oss") + ": it is gone, or was replaced")
	w.cmd.Wait()
	if code := w.cmd.ProcessState.ExitCode(); code != fault.ExitFailed {
		t.Errorf("it ended with %d", code)
	}
}

// Whatever happens to the files of .oss, what goes wrong later is told, and nothing twice.
func TestWatchSurvives(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := t.TempDir() // not newProject: the log is damaged on purpose
	must(t, dir, "init", "--here", "--force")
	settle(t, dir, `"bell": false`)
	w := startWatch(t, dir)
	oss := func(name string) string { return filepath.Join(dir, ".oss", name) }
	write := func(name, text string) func() error {
		return func() error { return os.WriteFile(oss(name), []byte(text), 0o600) }
	}
	raised := map[string]int{}
	for i, damage := range []func() error{
		func() error { return nil },
		write("workflow-state.json", "{broken"),
		write("workflow-state.json", `{"position":{"segment":"workflow.log","offset":99999999,"before":"00"},"state":{}}`),
		func() error { return os.Remove(oss("workflow-state.json")) },
		write("queue.json", "\x00\x00"),
		func() error { return os.Remove(oss("queue.json.lock")) },
		func() error { return os.Truncate(oss("workflow.log"), 0) },
		func() error { return os.Remove(oss("workflow.log")) },
		write("workflow.log", "{\"ts\": torn"),
		func() error { return os.Rename(oss("workflow.log"), oss("workflow.log.1")) },
	} {
		if err := damage(); err != nil {
			t.Fatalf("damage %d: %v", i, err)
		}
		session := "s" + strconv.Itoa(i)
		fails(t, dir, session)
		for raised[session] == 0 {
			var l supervise.WatchLine
			if err := json.Unmarshal([]byte(next(t, w.lines, "damage "+strconv.Itoa(i))), &l); err != nil {
				t.Fatal(err)
			}
			if l.Event == watch.Raised && l.Type == "explicit_failure" {
				raised[string(l.Session)]++
			}
		}
	}
	for session, n := range raised {
		if n > 1 {
			t.Errorf("the failure of %s was told %d times", session, n)
		}
	}
	if code, _ := w.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// The log is rotated again and again under the watcher.
func TestWatchAcrossRotation(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := newProject(t)
	settle(t, dir, `"bell": false`)
	w := startWatch(t, dir)
	for i := range 3 {
		for j := range 25 {
			must(t, dir, "log", "plan", "MILESTONE", "--session", "busy", "--summary", strconv.Itoa(i*100+j)+strings.Repeat(" long", 400))
		}
		session := "s" + strconv.Itoa(i)
		fails(t, dir, session)
		w.wants("raised", "explicit_failure", session)
	}
	if segments, _ := filepath.Glob(filepath.Join(dir, ".oss", "workflow.log.[0-9]*")); len(segments) == 0 {
		t.Error("the log was never rotated: the test shows nothing")
	}
}

// Settings that change count from the next look on; what was told stays told.
func TestWatchReadsSettingsAgain(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := newProject(t)
	settle(t, dir, `"bell": false`)
	w := startWatch(t, dir)
	fails(t, dir, "one")
	w.wants("raised", "explicit_failure", "one")
	settle(t, dir, `"bell": false, "command": "cat >> told"`)
	w.wantsNote("settings have changed")
	fails(t, dir, "two")
	w.wants("raised", "explicit_failure", "two")
	told := filepath.Join(dir, "home", "told")
	waitForLines(t, told, 1)
	if got := readFile(t, told); !strings.Contains(got, `"session":"two"`) || strings.Contains(got, `"session":"one"`) {
		t.Errorf("told %q", got)
	}
}

// An untrusted project is not judged, and its settings are not read.
func TestWatchOfAForeignProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".oss"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := aburnIn(dir, "supervisor", "watch").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "hint: aburn init") || !strings.Contains(string(out), "trusted") {
		t.Errorf("%v\n%s", err, out)
	}
}
