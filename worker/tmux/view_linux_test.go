package tmux

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"aburn/internal/lab/world"
)

// looked is a session, and a view of it that has the keyboard and room for 90 columns and 31 rows.
func looked(t *testing.T) *View {
	t.Helper()
	dir := t.TempDir()
	r, ok := New(append(os.Environ(), "TMUX_TMPDIR="+dir))
	if !ok {
		t.Skip("no tmux")
	}
	t.Cleanup(func() { r.tmux(context.Background(), "kill-server") })
	address, err := r.Start(t.Context(), "w", dir, []string{"cat"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(t.Context(), address, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	go func() {
		for buf := make([]byte, 1<<12); ; {
			if _, err := v.Read(buf); err != nil {
				return
			}
		}
	}()
	v.Fit(90, 31)
	return v
}

func nobody(int, int) error { return nil }

// becomes waits until the view's client and the window have a size.
func (v *View) becomes(t *testing.T, size [2]int) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		now, err := v.situation(t.Context())
		if err == nil && now.size == size && now.window == size {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("never %v: %+v, %v", size, now, err)
		}
	}
}

// perf, and whatever else holds back the signal of a new size for all that it starts, does not keep a page from its size.
func TestViewOfAParentThatHoldsSignalsBack(t *testing.T) {
	undo := world.Deaf(t)
	v := looked(t)
	undo()
	if err := v.Settle(t.Context(), nobody); err != nil {
		t.Fatal(err)
	}
	v.becomes(t, [2]int{90, 31})
}

// A client that tmux does not know yet is waited for: a page that says its size at once keeps its keyboard.
func TestViewThatAttachesLate(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux")
	}
	dir := t.TempDir()
	shim := fmt.Sprintf(`#!/bin/sh
case "$*" in
*attach-session*) until grep -q xxx %[1]s/asked; do sleep 0.02; done ;;
*list-clients*) %[2]q "$@"; code=$?; printf x >> %[1]s/asked; exit $code ;;
esac
exec %[2]q "$@"
`, dir, tmux)
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(shim), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	v := looked(t)
	if err := v.Settle(t.Context(), nobody); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", strings.TrimPrefix(os.Getenv("PATH"), dir+":"))
	v.becomes(t, [2]int{90, 31})
}

// A size is said before tmux can draw anything for it: a page that is still smaller would keep a broken picture.
func TestViewSaysItsSizeFirst(t *testing.T) {
	v := looked(t)
	said := 0
	err := v.Settle(t.Context(), func(cols, rows int) error {
		said++
		at, err := pty.GetsizeFull(v.f)
		if err != nil || cols != 90 || rows != 31 || at.Cols == 90 || at.Rows == 31 {
			t.Errorf("it says %dx%d at %+v, %v", cols, rows, at, err)
		}
		return err
	})
	if err != nil || said != 1 {
		t.Fatalf("%v, said %d times", err, said)
	}
	v.becomes(t, [2]int{90, 31})
}
