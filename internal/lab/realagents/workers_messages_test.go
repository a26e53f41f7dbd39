//go:build agents

package realagents

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/model"
	lab "aburn/internal/lab/world"
	"aburn/worker/claude"
	"aburn/worker/codex"
	"aburn/worker/headless"
	"aburn/worker/slot"
)

// messages delivers many messages to a headless worker: each is accepted by the agent's own record, and each stands in the
// conversation once. Every third is delivered twice, and some come while the agent works.
func messages(w *world, p slot.Protocol, spawn ...string) {
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	w.aburn(append([]string{"spawn", "--runtime", "headless", "--name", "w"}, append(spawn, "the task")...)...)
	dirs := w.glob(".local/state/aburn/workers/*/w")
	ch, h := headless.Channel{Protocol: p}, slot.Handle{Dir: dirs[0], Gen: 1}
	n, accepted := lab.Storm(20), 0
	drain := func(most int) {
		for headless.Waiting(h) > most {
			if _, err := ch.Look(h); err != nil {
				w.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	for i := range n {
		drain(10) // Codex takes messages faster than its turns end, and 20 may be open
		ctx, cancel := context.WithTimeout(w.Context(), runDeadline)
		m := slot.Message{ID: fmt.Sprint("m-", i), Text: fmt.Sprintf("message %d.", i)}
		for range 1 + i%3/2 {
			r, err := ch.Deliver(ctx, h, m)
			if err != nil || r == slot.Unreceived {
				w.Fatalf("message %d: %q, %v", i, r, err)
			}
		}
		accepted++
		cancel()
	}
	drain(0)
	w.worker("idle")
	asked := w.model.Asked()
	last := ""
	for _, r := range asked {
		if r.Contains(fmt.Sprintf("message %d.", n-1)) {
			last = string(r.Body)
		}
	}
	wrong := 0
	for i := range n {
		if k := strings.Count(last, fmt.Sprintf("message %d.", i)); k != 1 {
			wrong++
			w.Errorf("message %d stands in the conversation %d times", i, k)
		}
	}
	w.Logf("%d messages: %d accepted, %d lost or doubled; with none wrong the true rate is below %.4f (95 %%)", n, accepted, wrong, 3/float64(n))
}

func always() model.Script {
	return model.Script{{Name: "main", Repeat: true, Turns: []model.Turn{model.Text("ok")}}}
}

func TestClaudeHeadlessMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", always(), nil)
	w.aburn("init")
	w.trusting()
	messages(w, claude.Agent().Protocol())
}

func TestCodexHeadlessMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", always(), nil)
	w.codexUser()
	w.aburn("init")
	messages(w, codex.Agent().Protocol(), "--agent", "codex", "--env", "SCRIPTED_MODEL_KEY")
}
