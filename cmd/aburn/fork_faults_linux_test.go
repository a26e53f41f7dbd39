package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// TestKilledForkLeavesNothing kills spawn --from with -9 while the tree gets the source's files. Nothing of it is left, and the
// source is as it was.
func TestKilledForkLeavesNothing(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.shim("claude", mending)
	s.notices("")
	git, err := exec.LookPath("git")
	s.must(err)
	s.shim("git",
		fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *'read-tree --reset'*) if [ -e \"$HOME/kill\" ]; then rm \"$HOME/kill\"; kill -9 $PPID; exit 1; fi ;; esac\nexec "+
			"%s \"$@\"\n", git))
	s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--name", "w", "quiet")
	s.patiently("w is idle", s.is("w", "idle"))
	tree := s.workers()[0].Tree
	s.must(os.WriteFile(filepath.Join(tree, "left"), []byte("left\n"), 0o600))
	s.ok("git", "-C", tree, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "its own")
	s.must(os.WriteFile(filepath.Join(s.home, "kill"), nil, 0o600))
	if out, err := s.command("aburn", "spawn", "--runtime", "headless", "--trust", "--from", "w", "--name", "f", "go on").CombinedOutput(); err == nil ||
		fileExists(filepath.Join(s.home, "kill")) {
		t.Fatalf("it was not killed: %s", out)
	}
	if !fileExists(filepath.Join(filepath.Dir(tree), "f")) {
		t.Fatal("it was killed before it had a tree")
	}
	s.ok("aburn", "ps", "--all")
	if list := s.ok("git", "branch", "--list", "aburn/f"); strings.TrimSpace(list) != "" || fileExists(filepath.Join(filepath.Dir(tree), "f")) {
		t.Errorf("left: %q", list)
	}
	if status := s.ok("git", "-C", tree, "status", "--porcelain"); !strings.Contains(status, "?? left") {
		t.Errorf("the source: %q", status)
	}
	s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--from", "w", "--name", "g", "quiet")
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(tree), "g", "left")); err != nil || string(data) != "left\n" {
		t.Errorf("%q %v", data, err)
	}
}
