//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// member is what ps says of one worker.
func (w *world) member(name string) gjson.Result {
	w.Helper()
	return gjson.Parse(w.aburn("ps", name, "--json"))
}

// until waits until a worker is in a state.
func (w *world) until(name, state string) gjson.Result {
	w.Helper()
	var r gjson.Result
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if r = w.member(name); is(r, state) {
			return r
		}
	}
	w.Fatalf("%s is never %s: %s", name, state, r.Raw)
	return r
}

// toldTogether reports whether one request to the model had all these texts, and none of others.
func (w *world) toldTogether(all []string, without string) bool {
	for _, r := range w.model.Asked() {
		text := ""
		for _, i := range r.Items {
			text += i.Text + "\n"
		}
		if !slices.ContainsFunc(all, func(s string) bool { return !strings.Contains(text, s) }) && (without == "" || !strings.Contains(text, without)) {
			return true
		}
	}
	return false
}

// forked: a second worker goes on with the conversation and the files of a first one. Both go on by themselves, and a third
// one does the same from a worker that ended.
func forked(w *world, runtime string, spawn ...string) {
	w.privateTmux()
	for _, name := range []string{"w", "f", "g"} {
		w.Cleanup(func() { w.run(w.project, "aburn", "kill", name) })
	}
	where := append([]string{"spawn", "--runtime", runtime}, spawn...)
	w.aburn(append(where, "--name", "w", "the first task")...)
	first := w.until("w", "idle")
	w.write(filepath.Join(first.Get("tree").String(), "left.txt"), "left\n")
	w.aburn("spawn", "--runtime", runtime, "--from", "w", "--name", "f", "the second task")
	second := w.until("f", "idle")
	if b, err := os.ReadFile(filepath.Join(second.Get("tree").String(), "left.txt")); err != nil || string(b) != "left\n" {
		w.Errorf("the tree of the fork: %q %v", b, err)
	}
	if !w.toldTogether([]string{"the first task", "first answer", "the second task", "From here on you work in another worktree: " + second.Get("tree").String()},
		"") {
		w.Error("the fork did not go on with the conversation")
	}
	if out := w.run(w.project, "aburn", "send", "--after-turn", "w", "the third task"); out.code > 1 {
		w.Errorf("%+v", out)
	}
	if runtime == "headless" {
		w.until("w", "idle")
		for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline) &&
			!w.toldTogether([]string{"the third task"}, ""); time.Sleep(50 * time.Millisecond) {
		}
		if !w.toldTogether([]string{"the first task", "the third task"}, "the second task") {
			w.Error("the source did not go on by itself")
		}
	}
	w.aburn("kill", "f")
	w.aburn("spawn", "--runtime", runtime, "--from", "f", "--name", "g", "the fourth task")
	third := w.until("g", "idle")
	if !w.toldTogether([]string{"the first task", "the second task", "the fourth task"}, "") {
		w.Error("a fork of an ended worker did not go on with its conversation")
	}
	sessions := map[string]bool{}
	for _, r := range []gjson.Result{w.member("w"), w.member("f"), third} {
		w.Log(r.Get("worker").String(), r.Get("session").String())
		sessions[r.Get("session").String()] = true
	}
	if runtime == "headless" && len(sessions) != 3 {
		w.Errorf("they share a session: %v", sessions)
	}
}

// forkTurns are what the model says, whoever asks.
func forkTurns() []model.Turn {
	return []model.Turn{model.Text("first answer"), model.Text("second answer"), model.Text("third answer"), model.Text("fourth answer")}
}

func TestClaudeForkedHeadless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(forkTurns()...)(), nil)
	w.aburn("init")
	w.trusting()
	forked(w, "headless")
}

func TestClaudeForkedInTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(forkTurns()...)(), nil)
	w.aburn("init")
	w.trusting()
	forked(w, "tmux")
}

func TestCodexForkedHeadless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(forkTurns()...), nil)
	w.codexUser()
	w.aburn("init")
	forked(w, "headless", "--agent", "codex", "--env", "SCRIPTED_MODEL_KEY")
}

func TestCodexForkedInTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(forkTurns()...), nil)
	w.codexUser()
	w.aburn("init")
	forked(w, "tmux", "--agent", "codex", "--env", "SCRIPTED_MODEL_KEY")
}
