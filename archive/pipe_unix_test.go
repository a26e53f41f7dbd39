//go:build unix

package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/archive"
)

// A pipe in the archive's place is not waited for.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, archive.Name), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"View": func() error { _, err := archive.View(t.Context(), dir); return err },
		"Open": func() error { _, err := archive.Open(t.Context(), dir); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A pipe in the place of a file that SQLite makes is named: it is no full disk.
func TestPipeBeside(t *testing.T) {
	dir := t.TempDir()
	a, err := archive.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	pipe := filepath.Join(dir, archive.Name+"-shm")
	os.Remove(pipe)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"View": func() error { _, err := archive.View(t.Context(), dir); return err },
		"Open": func() error { _, err := archive.Open(t.Context(), dir); return err },
	} {
		err := open()
		var hinted interface{ Hint() string }
		if !errors.As(err, &hinted) || !strings.HasPrefix(hinted.Hint(), pipe+" is no regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
