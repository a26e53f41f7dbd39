//go:build unix

package chain_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestFifoOutput: a pipe in the place of an output neither hangs the caller nor is read.
func TestFifoOutput(t *testing.T) {
	w := newWorld(t, "")
	if err := syscall.Mkfifo(filepath.Join(w.Project, "a.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.completed("", "["+hashed("a.md", "")+"]")
	if got := states(w.last(w.query(".", "plan"))); got != "unchecked(not a regular file)" {
		t.Error(got)
	}
}
