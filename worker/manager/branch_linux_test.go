package manager

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An agent may put a pipe in the place of its worktree's .git: nobody waits for it.
func TestSwitchedWaitsForNoPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	go func() { done <- switched(dir, "b") }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
	}
}
