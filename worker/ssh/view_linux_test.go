package ssh

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"aburn/internal/lab/world"
)

// The ssh of a page hears of a new size, whatever the parent of aburn holds back. The size is said first: a page that is still smaller
// would keep a broken picture.
func TestViewTakesASize(t *testing.T) {
	dir := t.TempDir()
	// Nothing but exec: a shell that forks lets all signals through again.
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte("#!/bin/sh\nexec cat /proc/self/status -\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	undo := world.Deaf(t)
	v, err := Host{Name: "box", Env: os.Environ()}.View("/", "w", 200, 50, true)
	undo()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	v.Fit(90, 31)
	said := 0
	err = v.Settle(t.Context(), func(cols, rows int) error {
		said++
		if at, err := pty.GetsizeFull(v.f); err != nil || cols != 90 || rows != 31 || at.Cols != 200 || at.Rows != 50 {
			t.Errorf("it says %dx%d at %+v, %v", cols, rows, at, err)
		}
		return nil
	})
	if at, failed := pty.GetsizeFull(v.f); err != nil || said != 1 || failed != nil || at.Cols != 90 || at.Rows != 31 {
		t.Errorf("%v, said %d times, %+v, %v", err, said, at, failed)
	}
	for lines := bufio.NewScanner(v); lines.Scan(); {
		if held, ok := strings.CutPrefix(lines.Text(), "SigBlk:"); ok {
			if strings.Trim(held, "\t0\r") != "" {
				t.Errorf("it does not hear of its size: %s", held)
			}
			return
		}
	}
	t.Error("it says nothing of its signals")
}
