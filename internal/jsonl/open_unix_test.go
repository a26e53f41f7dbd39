//go:build unix

package jsonl_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aburn/internal/jsonl"
)

// A pipe that nobody writes to, and a device that never ends, are refused and not waited for.
func TestOpenPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, os.DevNull} {
		if _, err := jsonl.Open(path); !errors.Is(err, jsonl.ErrIrregular) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
