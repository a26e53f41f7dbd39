//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// asks waits until the only worker has an open question.
func (w *world) asks() gjson.Result {
	w.Helper()
	var r gjson.Result
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if r = gjson.Get(w.aburn("ps", "--all", "--json"), "0"); r.Get("asks.0.id").Exists() && r.Get("state").String() == "needs_input" {
			return r
		}
	}
	w.Fatalf("the worker never asks: %s", r.Raw)
	return r
}

// attached is what aburn attach shows of the only worker when these lines are typed.
func (w *world) attached(lines ...string) string {
	w.Helper()
	out := w.run(w.project, "sh", "-c", "printf '%s\\n' \"$@\" | aburn attach w", "sh", strings.Join(lines, "\n"))
	if out.code != 0 {
		w.Errorf("attach: %+v", out)
	}
	return out.stdout
}

// TestClaudeIsAWorkerHeadless: no terminal anywhere. It asks and waits, a person allows and denies from elsewhere, messages
// arrive, and the state is known all along.
func TestClaudeIsAWorkerHeadless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(
		model.Calls(bash("echo made > made.txt")), model.Text("one done"),
		model.Calls(bash("touch denied.txt")), model.Text("two done"),
		model.Calls(bash("echo never > never.txt")), model.Text("three done"),
	)(), nil)
	w.aburn("init")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	if r := w.run(w.project, "aburn", "spawn", "--runtime", "headless", "--name", "w", "make it"); r.code != 1 || !strings.Contains(r.stderr, "that you trust") {
		t.Errorf("without trust: %+v", r)
	}
	w.trusting()
	if out := w.aburn("spawn", "--runtime", "headless", "--name", "w", "make it"); !strings.Contains(out, "has the task") {
		t.Error(out)
	}
	r := w.asks()
	tree := r.Get("tree").String()
	if out := w.aburn("answer", "w", "allow"); !strings.Contains(out, "allowed: Bash: echo made > made.txt") {
		t.Error(out)
	}
	w.worker("idle")
	if !isFile(filepath.Join(tree, "made.txt")) {
		t.Error("what was allowed did not run")
	}
	w.attached("second")
	w.asks()
	w.aburn("answer", "w", "deny", "--text", "only made.txt, please")
	w.worker("idle")
	if isFile(filepath.Join(tree, "denied.txt")) || !w.asked(3).Contains("only made.txt, please") {
		t.Error("what was denied ran, or the model was not told why")
	}
	w.attached("third")
	w.asks()
	w.attached("/interrupt")
	w.worker("idle")
	story := w.attached()
	for _, part := range []string{"> make it", "* Bash: echo made > made.txt", "? Bash: touch denied.txt", "one done", "> second", "two done"} {
		if !strings.Contains(story, part) {
			t.Errorf("%q is not in the story:\n%s", part, story)
		}
	}
	w.aburn("kill", "w")
	w.worker("terminated")
}

// TestCodexIsAWorkerHeadless: the same with app-server, whose worker commits from its sandbox.
func TestCodexIsAWorkerHeadless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(
		model.Calls(command(sandboxed)), model.Calls(escalated("echo made > allowed.txt")), model.Text("one done"),
		model.Calls(escalated("touch denied.txt")), model.Text("two done"),
		model.Calls(kept(untilEnd)), model.Text("three done"),
	), nil)
	w.codexUser()
	w.aburn("init")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	if out := w.aburn("spawn", "--agent", "codex", "--runtime", "headless", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY", "--name", "w",
		"make it"); !strings.Contains(out, "has the task") {
		t.Error(out)
	}
	r := w.asks()
	tree := r.Get("tree").String()
	if n := w.git("rev-list", "--count", "main..aburn/w"); strings.TrimSpace(n) != "1" {
		t.Errorf("%s commits: %s", n, w.asked(1).Last())
	}
	for _, evil := range []string{".git/hooks/post-commit", ".oss/evil", "evil"} {
		if isFile(filepath.Join(w.project, evil)) {
			t.Errorf("the worker made %s", evil)
		}
	}
	w.aburn("answer", "w", "allow")
	w.worker("idle")
	if !isFile(filepath.Join(tree, "allowed.txt")) || !strings.Contains(string(w.asked(0).Body), "git worktree of your own") {
		t.Error("what was allowed did not run, or the model was not told the rules")
	}
	w.attached("second")
	w.asks()
	w.aburn("answer", "w", "deny")
	w.worker("idle")
	if isFile(filepath.Join(tree, "denied.txt")) {
		t.Error("what was denied ran")
	}
	w.attached("third")
	w.worker("working")
	w.attached("/interrupt")
	w.worker("idle")
	story := w.attached()
	for _, part := range []string{"> make it", "one done", "> second", "two done", "? "} {
		if !strings.Contains(story, part) {
			t.Errorf("%q is not in the story:\n%s", part, story)
		}
	}
	w.aburn("kill", "w")
	w.worker("terminated")
}
