//go:build unix

package codex

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"aburn/hooks"
)

// A transcript that is a pipe would keep a reader waiting for a writer.
func TestTranscriptIsAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipes on this file system: ", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if hooks.Tail(path, longTail) != nil || hooks.FirstRecord(path).Exists() {
			t.Error("read something")
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("still waiting for a writer")
	}
}
