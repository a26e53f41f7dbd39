//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

// seamScripts are what the agents run: one that lasts until its turn is ended, and one that commits.
var seamScripts = map[string]string{
	"hang.sh":   "touch started.tmp; while [ -e started.tmp ]; do sleep 0.1; done\n",
	"commit.sh": "echo made > made.txt && git add made.txt && git -c user.name=u -c user.email=u@example.invalid commit -qm made\n",
}

// seams is what send, interrupt, done, gates and merge do together on a worker without a terminal. The script's turns are:
// ready, a call that never ends, a commit, `aburn done`, an end, one more answer.
func seams(w *world, spawn ...string) {
	w.write(filepath.Join(w.home, ".config", "aburn", "workers.yaml"), "gates: ['test -e made.txt']\n")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	w.aburn(append([]string{"spawn", "--runtime", "headless", "--name", "w"}, append(spawn, "the task")...)...)
	w.worker("idle")
	w.nothingToInterrupt("w")
	first := w.send("w", "wait for ever")
	if first.State != "accepted" || first.code != 0 {
		w.Fatalf("%+v", first)
	}
	w.waitFor(filepath.Join(w.worker("working").Get("tree").String(), "started.tmp"))
	if out := w.aburn("interrupt", "w"); !strings.Contains(out, "its turn is over") {
		w.Error(out)
	}
	if r := gjson.Get(w.aburn("ps", "--json"), "0"); r.Get("state").String() != "idle" {
		w.Errorf("after interrupt: %s", r.Raw)
	}
	second := w.send("w", "and now finish")
	if second.State != "accepted" {
		w.Fatalf("%+v", second)
	}
	r := w.verifying()
	if r.Get("says").String() != "all of it" || r.Get("messages").Exists() {
		w.Error(r.Raw)
	}
	third := w.send("w", "anything else?")
	if third.State != "accepted" {
		w.Errorf("after done: %+v", third)
	}
	for deadline := time.Now().Add(runDeadline); w.timesTold("anything else?") == 0 && time.Now().Before(deadline); { // accepted is before asked
		time.Sleep(50 * time.Millisecond)
	}
	w.worker("idle")
	for _, text := range []string{"the task", "wait for ever", "and now finish", "anything else?"} {
		if n := w.timesTold(text); n != 1 {
			w.Errorf("%q was told %d times", text, n)
		}
	}
	if out := w.aburn("merge", "w"); !strings.Contains(out, "merged into main") {
		w.Error(out)
	}
}

// nothingToInterrupt waits until there is no turn of the worker to interrupt: its hook tells of the end of a turn before
// the agent itself does, and until then an interrupt ends it.
func (w *world) nothingToInterrupt(name string) {
	w.Helper()
	r := w.run(w.project, "aburn", "interrupt", name)
	for deadline := time.Now().Add(runDeadline); r.code == 0 && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		r = w.run(w.project, "aburn", "interrupt", name)
	}
	if r.code != 1 || !strings.Contains(r.stderr, "no turn of it") {
		w.Errorf("interrupt of an idle worker: %+v", r)
	}
}

// verifying waits until the only worker said done, and its gates wait.
func (w *world) verifying() (r gjson.Result) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if r = gjson.Get(w.aburn("ps", "--json"), "0"); r.Get("reason").String() == "verifying" {
			return r
		}
	}
	w.Fatalf("it never says done: %s", r.Raw)
	return r
}

func TestClaudeHeadlessSeams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(
		model.Text("ready"), model.Calls(bash("sh hang.sh")), model.Calls(bash("sh commit.sh")),
		model.Calls(bash(`aburn done "all of it"`)), model.Text("the end"), model.Text("no"),
	)(), seamScripts)
	w.aburn("init")
	w.trusting()
	w.write(filepath.Join(w.home, ".claude", "settings.json"), `{"permissions": {"allow": ["Bash(sh hang.sh)", "Bash(sh commit.sh)"]}}`)
	seams(w)
}

func TestCodexHeadlessSeams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(
		model.Text("ready"), model.Calls(kept("sh hang.sh")), model.Calls(command("sh commit.sh")),
		model.Calls(command(`aburn done "all of it"`)), model.Text("the end"), model.Text("no"),
	), seamScripts)
	w.codexUser()
	w.aburn("init")
	seams(w, "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY")
}

// TestCodexHeadlessWithoutHooks: the protocol alone tells that a message arrived, and spawn says what nobody hears.
func TestCodexHeadlessWithoutHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(model.Text("ready"), model.Text("got it")), nil)
	w.write(filepath.Join(w.home, ".codex", "config.toml"), agents.CodexConfig(w.model.URL(), w.codex, "", "on-request", w.project))
	w.aburn("init")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	r := w.run(w.project, "aburn", "spawn", "--agent", "codex", "--runtime", "headless", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "the task")
	if r.code != 0 || !strings.Contains(r.stderr, "aburn done and aburn ask of this worker") {
		t.Errorf("%+v", r)
	}
	w.worker("idle")
	if s := w.send("w", "use port 8081"); s.State != "accepted" || s.code != 0 {
		t.Errorf("%+v", s)
	}
	if r := w.worker("idle"); r.Get("messages").Exists() || w.timesTold("use port 8081") != 1 {
		t.Error(r.Raw)
	}
}
