package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lockfile"
	"aburn/internal/queue"
	"aburn/logfmt"
)

// While somebody presses Enter in a worker's terminal, no call of it begins: its hook has written its entry, and waits. It
// waits for no other event, in no other agent, and it always ends.
func TestCallsWaitForKeys(t *testing.T) {
	w := newWorld(t)
	w.trust()
	root, err := os.OpenRoot(w.Oss())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	call := bash("PreToolUse", "t1", "ls", "")
	w.send("claude", call, inWorker)
	if _, err := root.Lstat(queue.KeysLock); err == nil {
		t.Error("a hook makes the lock although nobody types")
	}
	lock, err := lockfile.Acquire(root, queue.KeysLock, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	calls := 1
	for name, c := range map[string]struct {
		payload, env string
		waits        bool
	}{
		"a call":           {strings.Replace(call, "t1", "t2", 1), inWorker, true},
		"a prompt":         {promptOf("claude", "s1"), inWorker, false},
		"a call's end":     {bash("PostToolUse", "t2", "ls", ""), inWorker, false},
		"no worker's call": {strings.Replace(call, "t1", "t3", 1), "X=1", false},
	} {
		try := func() (waited bool) {
			calls += strings.Count(c.payload, "PreToolUse")
			cmd := exec.Command(exe, "claude")
			cmd.Dir, cmd.Env, cmd.Stdin = w.Project, append(w.env, c.env), strings.NewReader(c.payload)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			for {
				waited = waited || waitsFor(t, filepath.Join(w.Oss(), queue.KeysLock))
				select {
				case err := <-done:
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					return waited
				case <-time.After(time.Millisecond):
				}
			}
		}
		// It waits for 600 ms at most, in which a busy machine may run neither it nor this test.
		if waited := c.waits && inTime(try) || !c.waits && try(); waited != c.waits {
			t.Errorf("%s: waited %v", name, waited)
		}
	}
	starts := 0
	for _, e := range w.entries() {
		if e.Event == logfmt.ToolStart {
			starts++
		}
	}
	if starts != calls {
		t.Errorf("%d calls of %d are in the log", starts, calls)
	}
}

// waitsFor reports whether a process waits for the lock on a file.
func waitsFor(t *testing.T, path string) bool {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	inode := fmt.Sprintf(":%d ", st.Sys().(*syscall.Stat_t).Ino)
	for line := range strings.Lines(string(locks)) {
		if strings.Contains(line, "-> FLOCK") && strings.Contains(line, inode) {
			return true
		}
	}
	return false
}
