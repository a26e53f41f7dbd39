//go:build unix

package project

import (
	"syscall"
	"testing"
)

// None of these may hang or be read.
func TestOddGitFiles(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nhome/a/.git/\nhome/b/.oss/\nhome/b/src/\nhome/c/.oss/\nhome/c/.git=gitdir: @/home/c/big\nhome/c/big=x")
	for _, fifo := range []string{"home/a/.git/HEAD", "home/b/.git"} {
		if err := syscall.Mkfifo(w.path(fifo), 0o644); err != nil {
			t.Skip("this file system has no FIFOs:", err)
		}
	}
	for _, start := range []string{"home/a", "home/b/src", "home/c"} {
		p, err := Find(w.path(start), w.env)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Branch(); got != "" {
			t.Errorf("%s: branch %q", start, got)
		}
	}
}
