//go:build agents

package realagents

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// named waits until a worker of several is so, and returns what ps says of it.
func (w *world) named(name string, is func(gjson.Result) bool) (r gjson.Result) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		for _, r = range gjson.Parse(w.aburn("ps", "--all", "--json")).Array() {
			if r.Get("worker").String() == name && is(r) {
				return r
			}
		}
	}
	w.Fatalf("%s never is so: %s", name, w.aburn("ps", "--all", "--json"))
	return r
}

func inState(state string) func(gjson.Result) bool {
	return func(r gjson.Result) bool { return is(r, state) }
}

// TestThreeWorkers: Claude Code in tmux, Claude Code without a terminal and Codex in tmux work side by side. Two change the
// same file, one is killed with its holder and goes on, gates fail and pass, and in the end nothing of them is left.
func TestThreeWorkers(t *testing.T) {
	t.Parallel()
	turns := func(name string, turns ...model.Turn) *model.Conversation {
		return &model.Conversation{Name: name, When: model.Contains("task of " + name), Turns: turns}
	}
	w := newWorld(t, "worker", model.Script{
		{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}},
		turns("ann", model.Calls(bash("sh commit.sh one cart.txt")), model.Calls(bash(`aburn done "ann is done"`)), model.Text("the end"),
			model.Calls(bash("sh commit.sh pass pass.txt")), model.Calls(bash(`aburn done "again"`)), model.Text("the end")),
		turns("bob", model.Calls(bash("sh commit.sh two cart.txt")), model.Text("ready"), model.Calls(bash("touch asked.txt")), model.Text("later"),
			model.Text("and on")),
		turns("cid", model.Calls(command("sh commit.sh three other.txt")), model.Calls(command(`aburn done "cid is done"`)), model.Text("the end")),
	}, map[string]string{
		"cart.txt":  "cart\n",
		"commit.sh": "echo $1 > $2 && git add $2 && git -c user.name=u -c user.email=u@example.invalid commit -qm \"$1\"\n",
	})
	w.inTmux()
	w.codexUser()
	w.trusting()
	w.write(w.home+"/.claude/settings.json", `{"permissions": {"allow": ["Bash(sh commit.sh:*)"]}}`)
	w.git("config", "user.name", "u")
	w.git("config", "user.email", "u@example.invalid")
	w.aburn("init")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "ann", "bob", "cid") })
	w.aburn("spawn", "--name", "ann", "task of ann")
	w.aburn("spawn", "--name", "bob", "--runtime", "headless", "task of bob")
	w.aburn("spawn", "--name", "cid", "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY", "task of cid")
	w.named("ann", inState("done"))
	w.named("bob", inState("idle"))
	if r := w.named("cid", inState("done")); r.Get("says").String() != "cid is done" {
		t.Error(r.Raw)
	}
	if out := w.run(w.project, "aburn", "overlap"); !strings.Contains(out.stdout, "cart.txt") {
		t.Errorf("%+v", out)
	}
	if out := w.aburn("ps"); strings.Count(out, "conflict") != 2 {
		t.Error(out)
	}
	if out := w.run(w.project, "aburn", "merge", "--gate", "test -e pass.txt", "ann"); out.code != 1 || !strings.Contains(out.stderr, "a gate failed with 1") {
		t.Errorf("%+v", out)
	}
	if s := w.send("ann", "pass the gate"); s.State != "accepted" {
		t.Errorf("%+v", s)
	}
	w.named("ann", func(r gjson.Result) bool {
		return r.Get("state").String() == "done" && r.Get("says").String() == "again"
	})
	if out := w.aburn("merge", "--gate", "test -e pass.txt", "ann"); !strings.Contains(out, "merged into main") {
		t.Error(out)
	}
	if out := w.run(w.project, "aburn", "merge", "bob"); out.code != 1 || !strings.Contains(out.stdout, "cart.txt") {
		t.Errorf("two on one file: %+v", out)
	}
	if s := w.send("bob", "ask me"); s.State != "accepted" {
		t.Errorf("%+v", s)
	}
	w.named("bob", inState("needs_input"))
	w.aburn("answer", "bob", "deny", "--text", "no")
	w.named("bob", inState("idle"))
	if out := w.aburn("merge", "cid"); !strings.Contains(out, "merged into main") {
		t.Error(out)
	}
	w.killedWith(w.named("bob", inState("idle")))
	w.killedWith(w.named("ann", inState("done")))
	for _, name := range []string{"ann", "bob"} { // nobody saw how they ended
		if s := w.send("--wait", "1s", name, "are you there?"); s.State == "accepted" || s.code != 1 {
			t.Errorf("%s: %+v", name, s)
		}
		if r := w.named(name, func(gjson.Result) bool { return true }); r.Get("exit").Exists() || r.Get("state").String() == "terminated" {
			t.Error(r.Raw)
		}
	}
	if out := w.run(w.project, "sh", "-c", "aburn attach --headless bob < /dev/null"); out.code != 0 {
		t.Errorf("%+v", out)
	}
	w.send("bob", "go on")
	w.named("bob", func(r gjson.Result) bool { return r.Get("state").String() == "idle" && !r.Get("messages").Exists() })
	if n := w.timesTold("are you there?"); n != 1 {
		t.Errorf("what was sent to a dead agent was told %d times after it went on", n)
	}
	w.run(w.project, "aburn", "ps")
	if out := w.run(w.project, "aburn", "kill", "ann", "bob", "cid"); out.code != 0 {
		t.Errorf("%+v", out)
	}
	if out := w.run(w.project, "aburn", "cleanup", "--force-preserve", "ann", "bob", "cid"); out.code != 0 || strings.Count(out.stdout, "tree removed") != 3 {
		t.Errorf("%+v", out)
	}
	if out, err := exec.Command("pgrep", "-f", w.home+"/.local/state/aburn").Output(); err == nil {
		t.Errorf("still there: %s", out)
	}
	if out := w.aburn("ps"); !strings.Contains(out, "no workers, except 3") {
		t.Error(out)
	}
}
