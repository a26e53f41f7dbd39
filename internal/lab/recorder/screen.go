//go:build agents

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// screen is an agent's terminal interface in a tmux of its own: questions, Esc and /clear exist only there.
type screen struct {
	s      *studio
	socket string
}

func (s *studio) screen(name string, args ...string) *screen {
	t := &screen{s, filepath.Join(s.home, "tmux")}
	line := append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", "-c", s.project, "--", "env", "-i", "TERM=xterm-256color"},
		s.env()...)
	t.tmux(append(append(line, filepath.Join(s.home, "bin", name)), args...)...)
	return t
}

func (t *screen) tmux(args ...string) {
	if t.s.err != nil {
		return
	}
	if out, err := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput(); err != nil {
		t.s.fail(fmt.Errorf("tmux %s: %w\n%s", args[0], err, out))
	}
}

func (t *screen) text() string {
	out, _ := exec.Command("tmux", "-S", t.socket, "capture-pane", "-p").Output()
	return string(out)
}

// shows reports whether a text is on the screen.
func (t *screen) shows(text string) func() bool {
	return func() bool { return strings.Contains(t.text(), text) }
}

func (t *screen) see(text string) {
	t.s.until(text, t.shows(text))
	if t.s.err != nil {
		t.s.err = fmt.Errorf("%w\n%s", t.s.err, t.text())
	}
}

// say types a line. The pause keeps the interface from taking it for a paste that Enter belongs to.
func (t *screen) say(text string) {
	t.tmux("send-keys", "-l", text)
	time.Sleep(300 * time.Millisecond)
	t.tmux("send-keys", "Enter")
}

// insist presses a key until done: a new dialog may not accept keys yet.
func (t *screen) insist(key string, done func() bool) {
	t.s.until(key, func() bool {
		t.tmux("send-keys", key)
		for range 20 {
			if time.Sleep(50 * time.Millisecond); done() {
				return true
			}
		}
		return false
	})
}

func (t *screen) gone() {
	t.s.until("the end of the program", func() bool { return exec.Command("tmux", "-S", t.socket, "has-session").Run() != nil })
}

func (t *screen) close() { exec.Command("tmux", "-S", t.socket, "kill-server").Run() }
