package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/world"
)

// TestKilledMergeIsNothingOrWhole kills merge with -9 before and while each call of git runs. The person's branch, index and
// files are then those of before or of a whole merge, the worker has lost nothing, and another merge ends it. make test
// kills at every fifth call, from one of the first five on; make test-long at each.
func TestKilledMergeIsNothingOrWhole(t *testing.T) {
	world.Slow(t)
	for _, when := range []string{"before", "while"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.mergeable()
			real, err := exec.LookPath("git")
			s.must(err)
			s.shim("git", fmt.Sprintf(`#!/bin/sh
[ -e "$HOME/kill_at" ] || exec %[1]s "$@"
read -r n < "$HOME/count"; n=$((n+1)); echo $n > "$HOME/count"
read -r at < "$HOME/kill_at"
if [ $n = "$at" ]; then
	rm "$HOME/kill_at"
	kill -9 $PPID
	[ %[2]s = while ] && sleep 0.1 && exec %[1]s "$@" >/dev/null 2>&1
	exit 1
fi
exec %[1]s "$@"
`, real, when))
			from := strings.TrimSpace(s.ok("git", "rev-parse", "HEAD"))
			head := strings.TrimSpace(s.ok("git", "rev-parse", "aburn/w"))
			step, whole := 5, 0
			if world.Storm(1) > 1 {
				step = 1
			}
			for n := 1 + rand.IntN(step); n < 300; n += step {
				s.must(os.WriteFile(filepath.Join(s.home, "count"), []byte("0"), 0o600))
				s.must(os.WriteFile(filepath.Join(s.home, "kill_at"), []byte(strconv.Itoa(n)), 0o600))
				cmd := s.command("aburn", "merge", "--include-changes", "w")
				out, err := cmd.CombinedOutput()
				os.Remove(filepath.Join(s.home, "kill_at"))
				s.noProcess()
				if s.mergedOrNot(from) {
					whole++
				}
				if err == nil {
					if n < 20 {
						t.Errorf("merge ended after %d calls: the shim is not called: %s", n, out)
					}
					break
				}
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
					t.Fatalf("step %d: %v: %s", n, err, out)
				}
				s.ok("git", "reset", "-q", "--hard", from)
				s.ok("git", "-C", s.workers()[0].Tree, "reset", "-q", "--mixed", head)
				for ref := range strings.Lines(s.ok("git", "for-each-ref", "--format=%(refname)", "refs/aburn/snap")) {
					s.ok("git", "update-ref", "-d", strings.TrimSpace(ref)) // else one kill adds one call
				}
			}
			if step == 1 && when == "while" && whole < 2 {
				t.Errorf("killed %s: whole only %d times", when, whole)
			}
			s.ok("aburn", "merge", "--include-changes", "w")
			if !s.mergedOrNot(from) {
				t.Error("not merged in the end")
			}
		})
	}
}

// mergeable makes a worker w with one commit, and changes that it did not commit.
func (s *site) mergeable() {
	s.Helper()
	cmd := s.command("aburn", "spawn", "--env", "DO", "--name", "w", "task")
	cmd.Env = append(cmd.Env, "DO=echo 1 > one; git add one; git commit -qm one; echo 2 > two; echo 3 >> one")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
	s.noProcess()
	s.must(os.WriteFile(filepath.Join(s.project, "mine"), []byte("mine\n"), 0o600))
	s.ok("git", "add", "mine")
	s.ok("git", "commit", "-qm", "mine")
}

// mergedOrNot reports whether the branch has the worker's work. Branch, index and files must agree.
func (s *site) mergedOrNot(from string) bool {
	s.Helper()
	if out := s.ok("git", "status", "--porcelain"); strings.Trim(out, "\n") != "" && out != "?? .oss/\n" {
		s.Errorf("half merged:\n%s", out)
	}
	if lock := filepath.Join(s.project, ".git", "index.lock"); fileExists(lock) {
		s.Errorf("%s is there", lock)
	}
	tree := s.workers()[0].Tree
	one, _ := os.ReadFile(filepath.Join(tree, "one"))
	two, _ := os.ReadFile(filepath.Join(tree, "two"))
	if string(one) != "1\n3\n" || string(two) != "2\n" {
		s.Errorf("the worker's files: %q, %q", one, two)
	}
	if strings.TrimSpace(s.ok("git", "rev-parse", "HEAD")) == from {
		return false
	}
	if out := s.ok("git", "show", "HEAD:one", "HEAD:two", "HEAD:mine"); out != "1\n3\n2\nmine\n" {
		s.Errorf("merged %q", out)
	}
	return true
}
