//go:build agents

package realagents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/worker/claude"
	"aburn/worker/codex"
	"aburn/worker/slot"
)

// screensVar names a folder to which the screens of TestDialogs are written, as testdata of worker/claude and worker/codex: the cursor's
// column and line, then the lines.
const screensVar = "ABURN_AGENTS_SCREENS"

// record keeps the present screen, with the paths of this run replaced. A screen of client that asks is a dialog for aburn, and no other.
func (t *terminal) record(name string, client slot.Agent, asks bool) {
	t.w.Helper()
	s := slot.Screen{}
	at, shown := t.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}"), t.screen()
	if _, err := fmt.Sscan(at, &s.X, &s.Y); err != nil {
		t.w.Fatal(err)
	}
	for line := range strings.Lines(shown) {
		s.Lines = append(s.Lines, strings.TrimRight(line, " \n"))
	}
	if words, ok := client.(slot.Asker).Asks(s); ok != asks {
		t.w.Errorf("%s is a dialog: %t, %q\n%s", name, ok, words, shown)
	}
	text := strings.TrimSpace(at) + "\n" + strings.ReplaceAll(shown, t.w.project, "/home/user/project")
	if dir := os.Getenv(screensVar); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(strings.TrimRight(text, "\n")+"\n"), 0o644); err != nil {
			t.w.Error(err)
		}
	}
}

// imitation is an answer of a model that looks like a dialog.
const imitation = "I stopped before this:\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel"

// TestDialogs records what the clients show while they ask, work and rest. No hook is installed.
func TestDialogs(t *testing.T) {
	t.Run("claude", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "bare", one(
			model.Calls(bash("touch made")), model.Text("made it"),
			model.Calls(tool("Write", map[string]any{"file_path": "$PROJECT/new.txt", "content": "one\ntwo\n"})), model.Text("wrote it"),
			model.Calls(bash(untilEnd)), model.Text(imitation),
		)(), nil)
		w.write(filepath.Join(w.home, ".claude.json"), `{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["`+agents.DummyKey+
			`"], "rejected": []}}`)
		term := w.terminal(w.claudePath(), "--session-id", sessionA, "--permission-mode", "default")
		term.see("Quick safety check")
		term.record("trust", claude.Agent(), true)
		term.choose("Up", "❯ Yes, I trust")
		term.insist("Enter", term.shows("? for shortcuts"))
		term.record("idle", claude.Agent(), false)
		term.say("first")
		term.see("Do you want to")
		term.record("bash", claude.Agent(), true)
		term.insist("Enter", term.shows("made it"))
		term.say("second")
		term.see("new.txt?")
		term.record("write", claude.Agent(), true)
		term.insist("Enter", term.shows("wrote it"))
		term.say("third")
		term.see("Do you want to proceed")
		term.insist("Enter", func() bool { return isFile(w.started()) })
		term.see("esc to interrupt")
		term.record("works", claude.Agent(), false)
		os.Remove(w.started())
		term.see("I stopped before this")
		w.holds("the turn is over", func() bool { return !term.shows("esc to interrupt")() })
		term.record("imitation", claude.Agent(), false)
		term.press("-l", "a draft")
		term.see("a draft")
		term.record("draft", claude.Agent(), false)
	})
	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "bare", codexScript(model.Calls(escalated("echo granted")), model.Text("first answer"), model.Text(imitation)), nil)
		config := agents.CodexConfig(w.model.URL(), w.codex, "read-only", "on-request", "/nowhere")
		w.write(filepath.Join(w.home, ".codex", "config.toml"), config)
		w.install("--agent", "codex")
		term := w.terminal(w.codexPath(), "--no-daemon")
		term.see("rust")
		term.record("codex-trust", codex.Agent(), true)
		term.insist("Enter", term.shows("review"))
		term.record("codex-hooks", codex.Agent(), true)
		term.insist("Escape", func() bool { return !term.shows("review")() })
		term.see("›")
		term.record("codex-idle", codex.Agent(), false)
		term.say("first")
		term.see("Would you like to")
		term.record("codex-approval", codex.Agent(), true)
		term.insist("y", term.shows("first answer"))
		term.say("second")
		term.see("I stopped before this")
		term.record("codex-imitation", codex.Agent(), false)
	})
}
