package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	w.send("claude", bash("PreToolUse", "t1", "ls", ""), inWorker)
	if _, err := root.Lstat(queue.KeysLock); err == nil || !w.begun("t1") {
		t.Error("a hook makes the lock although nobody types, or does not record its call")
	}
	lock, err := lockfile.Acquire(root, queue.KeysLock, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	calls := 1
	for name, c := range map[string]struct {
		event, env string // no event is a prompt
		waits      bool
	}{
		"a call":           {"PreToolUse", inWorker, true},
		"a prompt":         {"", inWorker, false},
		"a call's end":     {"PostToolUse", inWorker, false},
		"no worker's call": {"PreToolUse", "X=1", false},
	} {
		try := func() (right bool) {
			calls++
			id, payload := fmt.Sprint("t", calls), promptOf("claude", "s1")
			if c.event != "" {
				payload = bash(c.event, id, "ls", "")
			}
			cmd := exec.Command(exe, "claude")
			cmd.Dir, cmd.Env, cmd.Stdin = w.Project, append(w.env, c.env), strings.NewReader(payload)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			waited := false
			for ended := false; !ended; {
				waited = waited || waitsFor(t, filepath.Join(w.Oss(), queue.KeysLock))
				select {
				case err := <-done:
					if ended = true; err != nil {
						t.Errorf("%s: %v", name, err)
					}
				case <-time.After(time.Millisecond):
				}
			}
			if waited && !c.waits {
				t.Errorf("%s waits", name)
			}
			return waited == c.waits && (c.event != "PreToolUse" || w.begun(id))
		}
		// It waits for 600 ms at most, in which a busy machine may run neither it nor this test.
		if !inTime(try) {
			t.Errorf("%s: it waits never, or never with its entry in the log", name)
		}
	}
}

// begun reports whether the beginning of a call is in the log.
func (w *world) begun(id string) bool {
	return slices.ContainsFunc(w.entries(), func(e logfmt.Entry) bool { return e.Event == logfmt.ToolStart && get(e, "tool_use_id").Str == id })
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
