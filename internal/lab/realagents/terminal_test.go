//go:build agents

package realagents

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// terminal is an agent's terminal interface, in a tmux of its own.
type terminal struct {
	w      *world
	socket string
}

// terminal starts a program in a terminal. Some things happen only there: questions, Esc, /clear.
func (w *world) terminal(name string, args ...string) *terminal {
	w.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.Skip("tmux is not installed")
	}
	t := &terminal{w, filepath.Join(filepath.Dir(w.home), "tmux")}
	line := append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", "-c", w.project, "--", "env", "-i", "TERM=xterm-256color"},
		w.env()...)
	t.tmux(append(append(line, name), args...)...)
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("screen:\n%s", t.screen())
		}
		exec.Command("tmux", "-S", t.socket, "kill-server").Run() // it may be gone
	})
	return t
}

func (t *terminal) tmux(args ...string) string {
	t.w.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.w.Errorf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

func (t *terminal) screen() string {
	out, _ := exec.Command("tmux", "-S", t.socket, "capture-pane", "-p").Output()
	return string(out)
}

// see waits until text is on the screen.
func (t *terminal) see(text string) {
	t.w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if strings.Contains(t.screen(), text) {
			return
		}
	}
	t.w.Fatalf("%q did not appear on the screen", text)
}

// say types a line.
func (t *terminal) say(text string) {
	t.w.Helper()
	t.w.typeLine(text, t.screen, t.press)
}

// typeLine types a line, and Enter behind it once it is on the screen: a client that reads both at once takes them for a paste
// that Enter belongs to, and so it does for a moment after the line.
func (w *world) typeLine(text string, screen func() string, press func(keys ...string)) {
	w.Helper()
	before := strings.Count(screen(), text)
	press("-l", text)
	w.holds(text+" is on the screen", func() bool { return strings.Count(screen(), text) > before })
	time.Sleep(300 * time.Millisecond)
	press("Enter")
}

func (t *terminal) press(keys ...string) {
	t.w.Helper()
	t.tmux(append([]string{"send-keys"}, keys...)...)
}

// insist presses a key until done: a dialog that has just come up may not listen yet.
func (t *terminal) insist(key string, done func() bool) {
	t.w.Helper()
	t.w.insist(key, func() { t.press(key) }, done)
}

// choose presses a key until a choice stays: Claude Code draws its first dialog anew after a moment, with the cursor where it was.
func (t *terminal) choose(key, choice string) {
	t.w.Helper()
	shows := t.shows(choice)
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); {
		t.insist(key, shows)
		stays := true
		for range 30 {
			time.Sleep(50 * time.Millisecond)
			stays = stays && shows()
		}
		if stays {
			return
		}
	}
	t.w.Fatalf("%q was not chosen", choice)
}

// insist presses a key until done. What follows a dialog must not get the key too, so a slow client has some seconds.
func (w *world) insist(key string, press func(), done func() bool) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); {
		press()
		for range 60 {
			if time.Sleep(50 * time.Millisecond); done() {
				return
			}
		}
	}
	w.Fatalf("pressing %s did not help", key)
}

// shows reports whether text is on the screen.
func (t *terminal) shows(text string) func() bool {
	return func() bool { return strings.Contains(t.screen(), text) }
}

// gone waits until the program has ended.
func (t *terminal) gone() {
	t.w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if exec.Command("tmux", "-S", t.socket, "has-session").Run() != nil {
			return
		}
	}
	t.w.Fatal("the program did not end")
}

// claudeTerminal starts Claude Code in a terminal, with the questions of its first start answered.
func (w *world) claudeTerminal(args ...string) *terminal {
	w.Helper()
	w.write(filepath.Join(w.home, ".claude.json"), `{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["`+agents.DummyKey+
		`"], "rejected": []},
		"projects": {"`+w.project+`": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}`)
	term := w.terminal(w.claudePath(), args...)
	term.see("❯")
	return term
}

// TestClaudeInATerminal: questions answered with no and with yes, a call interrupted by Esc, which no hook tells, and /clear, which begins
// another session in the same process.
//
// Holds claude: interrupted.
func TestClaudeInATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(bash("touch denied.txt")),
		model.Calls(bash(untilEnd)),
		model.Text("third answer"),
	)(), nil)
	w.install()
	term := w.claudeTerminal("--session-id", sessionA, "--permission-mode", "default")
	term.say("first")
	term.see("Do you want to")
	w.logged(logfmt.Permission, 1)
	term.insist("Escape", term.shows("Interrupted"))
	term.say("second")
	term.see("Do you want to")
	w.logged(logfmt.Permission, 2)
	term.insist("Enter", func() bool { return isFile(w.started()) }) // yes
	term.insist("Escape", func() bool { return strings.Count(term.screen(), "Interrupted") == 2 })
	term.say("/clear")
	term.insist("C-u", func() bool { return !strings.Contains(term.screen(), "Interrupted") }) // the screen is cleared
	term.say("third")
	term.see("third answer")
	term.say("/exit")
	term.gone()

	entries := w.entries(w.project)
	logged := loggedCalls(t, entries)
	transcript := w.claudeCalls()
	for i := range transcript {
		transcript[i].End = "" // the client writes how it went on; no hook fires
	}
	agree(t, logged, transcript)
	expect(t, logged, "toolu_main_0_0 open -\n toolu_main_1_0 open -")
	w.order(sessionA, "SESSION_START PROMPT PERMISSION PROMPT PERMISSION SESSION_END")
}

// escalated is a call of Codex's shell tool that wants to leave the sandbox, about which Codex asks.
func escalated(cmd string) model.Call {
	return model.Call{Name: "exec_command", Input: map[string]any{"cmd": cmd, "sandbox_permissions": "require_escalated", "justification": "because"}}
}

// TestCodexInATerminal: approvals exist only there. One is given, one refused.
func TestCodexInATerminal(t *testing.T) {
	t.Parallel()
	script := append(model.Script{{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true,
		Turns: []model.Turn{model.Text("a title")}}},
		one(
			model.Calls(escalated("echo granted; exit 7")), model.Text("first answer"),
			model.Calls(escalated("touch refused.txt")), model.Text("second answer"),
		)()...)
	w := newWorld(t, "hooked", script, nil)
	w.install()
	w.write(filepath.Join(w.home, ".codex", "config.toml"), agents.CodexConfig(w.model.URL(), w.codex, "read-only", "on-request", w.project))
	term := w.terminal(w.codexPath(), "--no-daemon", "--dangerously-bypass-hook-trust")
	term.see("›")
	term.say("first")
	term.see("Would you like to")
	w.logged(logfmt.Permission, 1)
	term.insist("y", term.shows("first answer"))
	term.insist("C-u", func() bool { return !term.shows("Would you like to")() })
	term.say("second")
	term.see("Would you like to")
	w.logged(logfmt.Permission, 2)
	term.insist("Escape", func() bool { return !term.shows("Would you like to")() })
	term.say("/quit")
	term.gone()

	entries := w.entries(w.project)
	if len(of(entries, logfmt.Permission)) != 2 {
		t.Errorf("questions: %d, want 2", len(of(entries, logfmt.Permission)))
	}
	agree(t, loggedCalls(t, entries), w.codexCalls())
	expect(t, loggedCalls(t, entries), "call_main_0_0 TOOL_FAILED 7\n call_main_2_0 TOOL_DENIED -")
}
