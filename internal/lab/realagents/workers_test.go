//go:build agents

package realagents

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// trusting is what Claude Code keeps of a user who has answered the questions of its first start, and trusts the project.
func (w *world) trusting() {
	w.Helper()
	key := `"customApiKeyResponses": {"approved": ["` + agents.DummyKey + `"], "rejected": []}`
	w.write(filepath.Join(w.home, ".claude.json"), `{"hasCompletedOnboarding": true, `+key+`, "projects": {"`+w.project+
		`": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}`)
}

// is reports whether a worker is in a state, as ps says it. Idle is meant behind a turn, not at the agent's start.
func is(r gjson.Result, state string) bool {
	return r.Get("state").String() == state && r.Get("reason").String() != "agent_acknowledged"
}

// worker waits until the only worker is in a state, and returns what ps says of it.
func (w *world) worker(state string) gjson.Result {
	w.Helper()
	var r gjson.Result
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if r = gjson.Get(w.aburn("ps", "--all", "--json"), "0"); is(r, state) {
			return r
		}
	}
	w.Fatalf("the worker never is %s: %s", state, r.Raw)
	return r
}

// events are the worker's entries in the log, in order.
func (w *world) events(tree string) (list []string) {
	w.Helper()
	for _, e := range w.entries(w.project) {
		if filepath.Join(w.project, e.Wt) == tree {
			list = append(list, string(e.Event))
		}
	}
	return list
}

// TestClaudeIsAWorkerHere: spawn --attach in a person's terminal. The task arrives as it was typed, a permission is seen as
// such, the linked worktree inherits the trust, hooks that are not installed come with the start, and what the agent left
// running is ended.
func TestClaudeIsAWorkerHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(
		model.Calls(bash("echo made > made.txt; setsid sleep 600 > /dev/null 2>&1 &")), model.Text("all done"),
	)(), nil)
	w.trusting()
	w.aburn("init")
	const task = "--first line\nsecond \"line\" $HOME"
	term := w.terminal("aburn", "spawn", "--attach", "--name", "w", "--", task)
	term.see("Do you want to")
	r := w.worker("needs_input")
	if r.Get("reason").String() != "awaiting_user_input" || r.Get("pid").Int() == 0 {
		t.Error(r.Raw)
	}
	tree := r.Get("tree").String()
	term.insist("Enter", func() bool { return isFile(filepath.Join(tree, "made.txt")) })
	term.see("all done")
	w.worker("idle")
	term.say("/exit")
	term.gone()
	r = w.worker("terminated")
	if r.Get("exit").Raw != "0" || r.Get("changes").Int() != 1 || r.Get("snapshots").Int() != 1 {
		t.Error(r.Raw)
	}
	events := w.events(tree)
	for _, once := range []logfmt.Event{logfmt.SessionStart, logfmt.Prompt, logfmt.Permission, logfmt.Tool, logfmt.Stop, logfmt.SessionEnd} {
		if n := len(slices.DeleteFunc(slices.Clone(events), func(e string) bool { return e != string(once) })); n != 1 {
			t.Errorf("%d of %s: %v", n, once, events)
		}
	}
	if prompts := w.asked(0).Items; !slices.ContainsFunc(prompts, func(i model.Item) bool { return strings.Contains(i.Text, task) }) {
		t.Errorf("the model was not told the task: %+v", prompts)
	}
	if diff := w.aburn("diff", "w"); !strings.Contains(diff, "+made") {
		t.Error(diff)
	}
}

// TestClaudeIsAWorkerInTmux: installed hooks fire once, and kill ends the agent in the middle of a call with all that runs.
func TestClaudeIsAWorkerInTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(model.Calls(bash(untilEnd)), model.Text("never"))(), nil)
	sockets := filepath.Join(filepath.Dir(w.home), "t")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	w.more = append(w.more, "TMUX_TMPDIR="+sockets, "TERM=xterm-256color")
	w.trusting()
	w.install("--agent", "claude")
	w.write(filepath.Join(w.home, ".claude", "settings.json"), strings.Replace(w.read(filepath.Join(w.home, ".claude", "settings.json")), "{",
		`{"permissions": {"allow": ["Bash"]},`, 1))
	if out := w.aburn("spawn", "wait for ever"); !strings.Contains(out, "has the task") {
		t.Error(out)
	}
	w.waitFor(w.started())
	r := w.worker("working")
	if out := w.aburn("kill", "wait"); !strings.Contains(out, "killed") {
		t.Error(out)
	}
	tree := r.Get("tree").String()
	r = w.worker("terminated")
	if r.Get("reason").String() != "manually_killed" {
		t.Error(r.Raw)
	}
	events := w.events(tree)
	if n := len(slices.DeleteFunc(slices.Clone(events), func(e string) bool { return e != string(logfmt.Prompt) })); n != 1 {
		t.Errorf("%d prompts: %v", n, events)
	}
	if out, err := exec.Command("pgrep", "-f", tree).Output(); err == nil && len(out) > 0 {
		t.Errorf("still there: %s", out)
	}
	os.Remove(w.started())
}

func (w *world) read(path string) string {
	w.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.Fatal(err)
	}
	return string(data)
}
