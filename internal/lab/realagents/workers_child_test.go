//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// parentAndChild is a model of two workers: a parent, whose turns these are, and the one that it spawns, which runs until the test ends it.
func parentAndChild(run func(string) model.Call, parent ...model.Turn) model.Script {
	has := func(text string) model.Match { return func(r *model.Request) bool { return r.Contains(text) } }
	return model.Script{
		{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}},
		{Name: "parent", When: has("PARENT: spawn one"), Turns: parent},
		{Name: "child", When: has("CHILD: be one"), Turns: []model.Turn{model.Calls(run(untilSaid)), model.Text("made it")}},
	}
}

// toldOf checks what the parent's model was told of its n-th call.
func (w *world) toldOf(n int, want ...string) {
	w.Helper()
	asked := w.of("PARENT: spawn one")
	if len(asked) <= n {
		w.Fatalf("the model of the parent was asked %d times", len(asked))
	}
	for _, text := range want {
		if got := asked[n].Last(); !strings.Contains(got, text) {
			w.Errorf("of call %d the model was not told %q: %s", n, text, got)
		}
	}
}

const (
	spawnsChild = "aburn spawn --name child 'CHILD: be one'"
	endsChild   = "aburn interrupt child; aburn kill child; aburn ps"
)

// TestCodexWorkerSpawnsAWorker: in its sandbox it sees workers, and can make none: it is told why, and nothing is left. What its person
// lets out of the sandbox makes one, which outlives it. It ends nobody, inside or outside.
func TestCodexWorkerSpawnsAWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", parentAndChild(command,
		model.Calls(command(spawnsChild+"; aburn ps --json")), model.Calls(escalated(spawnsChild)), model.Calls(escalated(endsChild)), model.Text("all done"),
	), nil)
	w.codexUser()
	w.aburn("init")
	w.write(filepath.Join(w.home, ".config", "aburn", "workers.yaml"), "env: [SCRIPTED_MODEL_KEY]\n")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "--all", "--yes") })
	w.aburn("spawn", "--agent", "codex", "--runtime", "headless", "--permissions", "edits", "--name", "parent", "PARENT: spawn one")
	asks := func(r gjson.Result) bool { return r.Get("asks.0.id").Exists() }
	w.named("parent", asks)
	w.toldOf(1, "error: no worker can be made inside of this sandbox: ", "hint: run the same command outside of the sandbox", `"worker":"parent"`)
	if branches := w.git("branch", "--list", "aburn/*"); w.workersNamed() != 1 || strings.Contains(branches, "child") {
		t.Errorf("%d workers; branches:\n%s", w.workersNamed(), branches)
	}
	w.aburn("answer", "parent", "allow")
	if child := w.named("child", inState("working")); child.Get("parent").String() != "parent" {
		t.Error(child.Raw)
	}
	w.named("parent", asks)
	w.toldOf(2, "child  codex")
	w.aburn("answer", "parent", "allow")
	w.named("parent", inState("idle"))
	w.toldOf(3, "error: a worker may not end turns of workers", "error: a worker may not end workers", "working")
	w.aburn("kill", "parent")
	w.named("parent", inState("terminated"))
	w.write("said.tmp", "")
	w.named("child", inState("idle"))
}

// TestClaudeWorkerSpawnsAWorker: Claude Code has no sandbox here. It asks its person about each command.
func TestClaudeWorkerSpawnsAWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", parentAndChild(bash,
		model.Calls(bash(spawnsChild)), model.Calls(bash(endsChild)), model.Text("all done"),
	), nil)
	w.trusting()
	w.aburn("init")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "--all", "--yes") })
	w.aburn("spawn", "--runtime", "headless", "--name", "parent", "PARENT: spawn one")
	asks := func(r gjson.Result) bool { return r.Get("asks.0.id").Exists() }
	w.named("parent", asks)
	w.aburn("answer", "parent", "allow")
	if child := w.named("child", inState("working")); child.Get("parent").String() != "parent" {
		t.Error(child.Raw)
	}
	w.named("parent", asks)
	w.toldOf(1, "child  claude")
	w.aburn("answer", "parent", "allow")
	w.named("parent", inState("idle"))
	w.toldOf(2, "error: a worker may not end turns of workers", "error: a worker may not end workers")
	w.aburn("kill", "parent")
	w.named("parent", inState("terminated"))
	w.write("said.tmp", "")
	w.named("child", inState("idle"))
}
