//go:build agents

package realagents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

// TestIdleCodexIsTold: an idle Codex in tmux gets every message that is sent to it, once, without a key pressed. How long each took is
// logged: its terminal reads its queue about every ten seconds.
func TestIdleCodexIsTold(t *testing.T) {
	t.Parallel()
	title := &model.Conversation{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true,
		Turns: []model.Turn{model.Text("a title")}}
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
		if r.Conversation != title.Name && r.Contains(fmt.Sprintf("message %d.", n-1)) {
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

// TestCodexQueueThroughAServer: a terminal of Codex that is the client of an app server is told at once by `codex queue --remote`, and a
// draft in its input line stays. aburn does not start Codex so yet: docs/evidence/messages.md says why. How long each took is logged.
func TestCodexQueueThroughAServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "server", append(codexScript()[:1], always()...), nil)
	w.write(filepath.Join(w.home, ".codex", "config.toml"), agents.CodexConfig(w.model.URL(), w.codex, "", "on-request", w.project))
	dir, err := os.MkdirTemp("", "s") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address := "unix://" + filepath.Join(dir, "s")
	server := exec.Command(w.codexPath(), "app-server", "--listen", address)
	server.Dir, server.Env = w.project, w.env()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	w.holds("the server listens", func() bool { _, err := os.Stat(filepath.Join(dir, "s")); return err == nil })
	term := w.terminal(w.codexPath(), "--remote", address, "the task")
	term.see("Worked for")
	rollout := filepath.Base(w.glob(".codex/sessions/*/*/*/*.jsonl")[0])
	session := strings.TrimSuffix(rollout, ".jsonl")[len(rollout)-len(".jsonl")-36:]
	term.press("-l", "a draft")
	term.see("a draft")
	asked := func(text string) func() bool {
		return func() bool {
			return slices.ContainsFunc(w.model.Asked(), func(r *model.Request) bool { return r.Contains(text) })
		}
	}
	var took []time.Duration
	for i := range 20 {
		text, begun := fmt.Sprintf("message %d.", i), time.Now()
		if r := w.run(w.project, "codex", "queue", "--remote", address, "--thread", session, "--message", text); r.code != 0 {
			t.Fatalf("message %d: %s%s", i, r.stdout, r.stderr)
		}
		w.holds("the model is told "+text, asked(text))
		took = append(took, time.Since(begun))
	}
	term.see("› a draft")
	slices.Sort(took)
	t.Logf("told after %s (median), %s at most", took[10], took[19])
}
