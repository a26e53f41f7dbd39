//go:build agents

package realagents

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lab/testkit/model"
)

// held is what a worker's own terminal shows.
func (w *world) held() string {
	now, err := hold.Look(context.Background(), w.glob(".local/state/aburn/workers/*/w")[0], 1)
	if err != nil {
		return err.Error()
	}
	return strings.Join(now.Lines, "\n")
}

// TestClaudeAtAHeldTerminal: without tmux it has its task, is typed messages, asks, and nothing is typed at the question. A person
// who sits down answers there.
func TestClaudeAtAHeldTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "held", one(
		model.Text("ready"), model.Text("got one"), model.Text("got many"), model.Calls(bash("touch made")), model.Text("made it"), model.Text("got it at the end"),
	)(), nil)
	w.trusting()
	w.aburn("init")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("screen:\n%s", w.held())
		}
		w.run(w.project, "aburn", "kill", "w")
	})
	if out := w.aburn("spawn", "--runtime", "pty", "--name", "w", "begin"); !strings.Contains(out, "claude · pty · ") {
		t.Error(out)
	}
	w.worker("idle")
	for _, text := range []string{"use port 8081", strings.Repeat("a line of many, with words\n", 82) + "the end"} {
		if s := w.send("w", text); s.State != "accepted" || s.code != 0 {
			t.Fatalf("%+v\n%s", s, w.held())
		}
		w.worker("idle")
	}
	if s := w.send("w", "now make it"); s.State != "accepted" {
		t.Fatalf("%+v\n%s", s, w.held())
	}
	tree := w.worker("needs_input").Get("tree").String()
	if s := w.send("--wait", "1s", "w", "and then rest"); s.State != "waits" || isFile(filepath.Join(tree, "made")) {
		t.Errorf("at a question: %+v\n%s", s, w.held())
	}
	term := w.terminal("aburn", "attach", "w")
	term.see("Do you want to")
	term.insist("Enter", func() bool { return isFile(filepath.Join(tree, "made")) })
	term.see("made it")
	w.worker("idle")
	w.aburn("kill", "w")
	term.gone()
}

// TestCodexAtAHeldTerminal: it asks its terminal where the cursor is, and ends without an answer.
func TestCodexAtAHeldTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "held", codexScript(model.Text("all done")), nil)
	w.codexUser()
	w.aburn("init")
	if out := w.aburn("spawn", "--agent", "codex", "--runtime", "pty", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "begin"); !strings.Contains(out,
		"has the task") {
		t.Error(out, w.held())
	}
	w.worker("idle")
	for until := time.Now().Add(runDeadline); !strings.Contains(w.held(), "all done"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal(w.held())
		}
	}
	w.aburn("kill", "w")
}
