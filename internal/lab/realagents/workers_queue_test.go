//go:build agents

package realagents

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/model"
)

// TestIdleCodexIsTold: an idle Codex in tmux gets every message that is sent to it, once, without a key pressed. How long each took is
// logged: its terminal reads its queue about every ten seconds.
func TestIdleCodexIsTold(t *testing.T) {
	t.Parallel()
	title := &model.Conversation{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}}
	w := newWorld(t, "worker", append(model.Script{title}, always()...), nil)
	w.privateTmux()
	w.codexUser()
	w.aburn("init")
	w.aburn("spawn", "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "the task")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	const n = 20
	var took []time.Duration
	for i := range n {
		w.worker("idle")
		begun := time.Now()
		if r := w.run(w.project, "aburn", "send", "--wait", "2m", "w", fmt.Sprintf("message %d.", i)); r.code != 0 {
			t.Fatalf("message %d: %s%s", i, r.stdout, r.stderr)
		}
		took = append(took, time.Since(begun))
	}
	w.worker("idle")
	last := ""
	for _, r := range w.model.Asked() {
		if r.Contains(fmt.Sprintf("message %d.", n-1)) {
			last = string(r.Body)
		}
	}
	for i := range n {
		if k := strings.Count(last, fmt.Sprintf("message %d.", i)); k != 1 {
			t.Errorf("message %d stands in the conversation %d times", i, k)
		}
	}
	slices.Sort(took)
	t.Logf("accepted after %s (median), %s at most", took[n/2], took[n-1])
}
