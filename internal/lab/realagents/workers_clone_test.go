//go:build agents

package realagents

import (
	"context"
	"strings"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lab/testkit/model"
)

// TestClaudeInAClone: the repository of clones is another folder, so the agent asks once whether it is trusted, and of the next
// worker in it not any more.
func TestClaudeInAClone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "clone", model.Script{{Name: "a", Repeat: true, Turns: []model.Turn{model.Text("ready")}}}, nil)
	w.trusting()
	w.aburn("init")
	t.Cleanup(func() { w.run(w.project, "aburn", "kill", "first", "second") })
	screen := func(name string) string {
		dirs := w.glob(".local/state/aburn/workers/*/" + name)
		for _, dir := range dirs {
			if now, err := hold.Look(context.Background(), dir, 1); err == nil {
				return strings.Join(now.Lines, "\n")
			}
		}
		return ""
	}
	w.aburn("spawn", "--workspace", "clone", "--name", "first", "begin")
	for until := time.Now().Add(runDeadline / 4); !strings.Contains(screen("first"), "trust"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("it asks nothing:\n%s", screen("first"))
		}
	}
	t.Log(screen("first"))
	term := w.terminal("aburn", "attach", "first")
	term.see("trust")
	term.choose("Up", "❯ Yes, I trust")
	term.press("Enter")
	w.worker("idle")
	if out := w.aburn("spawn", "--workspace", "clone", "--name", "second", "begin too"); !strings.Contains(out, "has the task") {
		t.Errorf("%s\n%s", out, screen("second"))
	}
}
