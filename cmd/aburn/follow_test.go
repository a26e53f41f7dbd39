package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/world"
)

// patience is how long a test waits for what has to come.
const patience = 2 * time.Minute

// waitUntil waits for what has to come.
func waitUntil(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// aburnIn prepares the aburn of this test binary to run in dir, with a home of its own.
func aburnIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("aburn", args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "ABURN_LOG_ROTATE=64KiB", "GORACE=" + noRaceSleep}
	return cmd
}

// newProject is a folder with a log, which is verified when the test ends.
func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := aburnIn(dir, "init", "--here", "--force").CombinedOutput(); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	journaltest.Check(t, filepath.Join(dir, ".oss"))
	return dir
}

// follow starts `aburn tail -f` and returns its lines as they come.
func follow(t *testing.T, dir string, args ...string) <-chan string {
	t.Helper()
	cmd := aburnIn(dir, append([]string{"tail", "-f"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		for range lines {
		}
		cmd.Wait()
	})
	return lines
}

func nextLine(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(patience):
		t.Fatal("tail -f says nothing")
	}
	return ""
}

// Each entry is shown once and in order, while the log is rotated underneath.
func TestTailFollowsAcrossRotation(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := newProject(t)
	const entries = 60
	if out, err := aburnIn(dir, "log", "build", "START").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := follow(t, dir)
	if line := nextLine(t, lines); !strings.Contains(line, "START") {
		t.Fatalf("first: %q", line)
	}
	go func() {
		for i := range entries {
			text := fmt.Sprintf("slice %02d %s", i, strings.Repeat("long ", 380))
			aburnIn(dir, "log", "build", "MILESTONE", "--summary", text).Run()
		}
	}()
	for i := range entries {
		if line, want := nextLine(t, lines), fmt.Sprintf("slice %02d ", i); !strings.Contains(line, want) {
			t.Fatalf("want %q, got %q", want, line)
		}
	}
	segments, _ := filepath.Glob(filepath.Join(dir, ".oss", "workflow.log.[0-9]*"))
	if len(segments) == 0 {
		t.Error("the log was never rotated: the test shows nothing")
	}
}

// What follows goes on over a log that somebody emptied.
func TestTailFollowsATruncatedLog(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	log := func(name string) {
		t.Helper()
		if out, err := aburnIn(dir, "log", name, "START").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	log("one")
	lines := follow(t, dir, "--json")
	if line := nextLine(t, lines); !strings.Contains(line, `"cmd":"one"`) {
		t.Fatal(line)
	}
	if err := os.Truncate(filepath.Join(dir, ".oss", "workflow.log"), 0); err != nil {
		t.Fatal(err)
	}
	log("two")
	if line := nextLine(t, lines); !strings.Contains(line, `"cmd":"two"`) {
		t.Fatal(line)
	}
}

// Nothing is printed about a reader that went away.
func TestTailIntoAClosedPipe(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	for range 3 {
		if out, err := aburnIn(dir, "log", "build", "START").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := aburnIn(dir, "tail")
	cmd.Stdout = w
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	said, _ := io.ReadAll(stderr)
	cmd.Wait()
	if len(said) > 0 {
		t.Errorf("said %q", said)
	}
}
