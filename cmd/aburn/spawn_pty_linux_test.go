package main

import (
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// spawnAtTerminal spawns a worker whose holder gives it a terminal. It does what do says.
func (s *site) spawnAtTerminal(do string) {
	s.Helper()
	cmd := s.command("aburn", "spawn", "--runtime", "pty", "--env", "DO", "--name", "w", "task")
	cmd.Env = append(cmd.Env, "DO="+do)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "claude · pty · ") {
		s.Fatalf("%v: %s", err, out)
	}
}

// A person sees the worker's terminal, types at it and leaves. Whoever only looks does neither change it nor type. The worker
// goes on, and ends with all that it started.
func TestAttachToHeldTerminal(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.spawnAtTerminal(`stty size; echo here I am; while read -r l; do echo "got $l"; stty size; done`)
	s.sit("attach", "w")
	s.until("its screen is seen", func() bool { return strings.Contains(s.outer("capture-pane", "-p"), "here I am") })
	s.outer("send-keys", "hello", "Enter")
	s.until("it got the line, and the size of this terminal", func() bool {
		now := s.outer("capture-pane", "-p")
		return strings.Contains(now, "got hello") && strings.Contains(now, "30 100")
	})
	s.outer("send-keys", "C-b", "d")
	// Of the person's tmux C-b is its own prefix: twice is once.
	s.outer("send-keys", "C-b")
	s.outer("send-keys", "d")
	s.until("attach has ended", func() bool { return strings.Contains(s.outer("has-session"), "no server") })
	s.sit("attach", "--read-only", "w")
	s.until("its screen is seen again", func() bool { return strings.Contains(s.outer("capture-pane", "-p"), "got hello") })
	s.outer("send-keys", "-l", "not this\r")
	s.outer("resize-window", "-x", "50", "-y", "10")
	s.ok("aburn", "ps")
	s.outer("send-keys", "C-b")
	s.outer("send-keys", "d")
	s.until("it has ended", func() bool { return strings.Contains(s.outer("has-session"), "no server") })
	s.sit("attach", "w")
	s.until("its screen is seen once more", func() bool { return strings.Contains(s.outer("capture-pane", "-p"), "got hello") })
	if now := s.outer("capture-pane", "-p"); strings.Contains(now, "not this") || strings.Contains(now, "10 50") {
		t.Errorf("who only looked changed it:\n%s", now)
	}
	s.ok("aburn", "kill", "w")
	s.until("attach ends with the agent", func() bool { return strings.Contains(s.outer("has-session"), "no server") })
	s.noProcess()
	if w := s.workers()[0]; w.Reason != "manually_killed" {
		t.Errorf("%+v", w)
	}
}
