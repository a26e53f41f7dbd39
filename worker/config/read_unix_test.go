//go:build unix

package config

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe where a file is looked for holds nobody up: an agent can make one.
func TestPipeIsNoFile(t *testing.T) {
	p := folder(t, nil)
	if err := syscall.Mkfifo(filepath.Join(p.Root, ours), 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := Load(p)
		read <- err
	}()
	select {
	case err := <-read:
		if m := new(*Mistake); !errors.As(err, m) || (*m).Text != "is no regular file" {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("it waits for a writer")
	}
}
