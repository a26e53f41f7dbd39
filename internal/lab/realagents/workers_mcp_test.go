//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// asksForWorkers is a model of two: the agent of a person who wants a worker begun, and the worker, which works until it is told to
// end and then gets what was sent to it.
func asksForWorkers(search model.Call, call func(name string, input map[string]any) model.Call, run func(string) model.Call) model.Script {
	calls := func(name string, input map[string]any) model.Turn { return model.Calls(call(name, input)) }
	has := func(text string) model.Match { return func(r *model.Request) bool { return r.Contains(text) } }
	return model.Script{
		{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}},
		{Name: "boss", When: has("please begin a worker"), Turns: []model.Turn{
			model.Calls(search), calls("spawn", map[string]any{"task": "WORKER: make it", "name": "w"}),
			calls("workers", map[string]any{"name": "w"}), calls("send", map[string]any{"name": "w", "text": "use port 8081"}), model.Text("done"),
		}},
		{Name: "asking", When: has("please begin another"), Turns: []model.Turn{
			model.Calls(search), calls("spawn", map[string]any{"task": "ANOTHER: make it", "name": "x"}), model.Text("done"),
		}},
		{Name: "worker", When: has("WORKER: make it"), Turns: []model.Turn{model.Calls(run(untilSaid)), model.Text("made it"), model.Text("got it")}},
	}
}

// untilSaid is a command that writes nothing, and runs until its test says so.
const untilSaid = "until [ -e '$PROJECT/said.tmp' ]; do sleep 0.1; done"

// opensWorkers is what a person sets so that agents may begin workers.
func (w *world) opensWorkers() {
	w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"mcp": {"workers": true}}`)
}

// boss runs the agent that begins a worker, and checks what its model was told of each call, and that the worker got the message.
func (w *world) boss(run func()) {
	w.Helper()
	run()
	asked := w.of("please begin a worker")
	if len(asked) != 5 {
		w.Fatalf("the model was asked %d times; last: %s", len(asked), asked[len(asked)-1].Last())
	}
	for i, wants := range [][]string{2: {`"worker":"w"`, `"permissions":"ask"`}, 3: {"w  working", "WORKER: make it"},
		4: {"w  waits (m-", "it gets the message when its turn ends"}} {
		for _, want := range wants {
			if got := asked[i].Last(); !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), want) {
				w.Errorf("request %d: %q is missing: %s", i, want, got)
			}
		}
	}
	w.write("said.tmp", "")
	w.holds("the worker has the message", func() bool {
		list := w.of("use port 8081")
		return len(list) > 0 && list[len(list)-1].Contains("WORKER: make it") && strings.Contains(list[len(list)-1].Last(), "use port 8081")
	})
	w.worker("idle")
}

// of are the requests whose conversation has a text.
func (w *world) of(text string) (list []*model.Request) {
	for _, r := range w.model.Asked() {
		if r.Contains(text) && !strings.Contains(string(r.Body), "Generate a concise, single-line") {
			list = append(list, r)
		}
	}
	return list
}

// workersNamed counts the workers.
func (w *world) workersNamed() int { return len(gjson.Parse(w.aburn("ps", "--all", "--json")).Array()) }

// TestClaudeBeginsAWorker: the tools of mcp.workers in Claude Code. It begins a worker, sees it, and sends it a message. Where it may
// not write unasked, it begins none.
func TestClaudeBeginsAWorker(t *testing.T) {
	t.Parallel()
	search := model.Call{Name: "ToolSearch", Input: map[string]any{"query": "select:mcp__aburn__spawn,mcp__aburn__workers,mcp__aburn__send"}}
	w := newWorld(t, "boss", asksForWorkers(search, claudeMCP, bash), nil)
	w.inTmux()
	w.trusting()
	w.install("--mcp", "--agent", "claude")
	settings := filepath.Join(w.home, ".claude", "settings.json")
	w.write(settings, strings.Replace(w.read(settings), "{", `{"permissions": {"allow": ["Bash"]},`, 1))
	w.opensWorkers()
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "--all", "--yes") })
	w.boss(func() { w.claude("please begin a worker", free(sessionA)...) })
	if last := w.of("use port 8081"); !last[len(last)-1].Contains("from Claude Code: use port 8081") {
		t.Error("the message does not say who sent it")
	}
	w.claude("please begin another", "--session-id", sessionB)
	if asked := w.of("please begin another"); w.workersNamed() != 1 || len(asked) < 3 {
		t.Errorf("%d workers, after %d requests", w.workersNamed(), len(asked))
	} else {
		t.Log(asked[2].Last())
	}
}

// TestCodexBeginsAWorker is the same with Codex, which asks the person about each tool that writes, and runs none where nobody can be
// asked. It hands its servers few variables: what the worker's agent needs of them stands in the server's entry.
func TestCodexBeginsAWorker(t *testing.T) {
	t.Parallel()
	search := model.Call{Search: true, Input: map[string]any{"query": "aburn workers spawn send begin a worker", "limit": 20}}
	w := newWorld(t, "boss", asksForWorkers(search, codexMCP, command), nil)
	w.inTmux()
	w.codexUser()
	w.install("--mcp", "--agent", "codex", "--trust-codex")
	w.opensWorkers()
	w.write(filepath.Join(w.home, ".config", "aburn", "workers.yaml"), "agent: codex\nenv: [SCRIPTED_MODEL_KEY]\n")
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "--all", "--yes") })
	config := filepath.Join(w.home, ".codex", "config.toml")
	w.write(config, strings.Replace(w.read(config), "[mcp_servers.aburn]\n", "[mcp_servers.aburn]\nenv_vars = [\"TMUX_TMPDIR\", \"SCRIPTED_MODEL_KEY\"]\n", 1))
	w.boss(func() {
		term := w.terminal(w.codexPath(), "--no-daemon", "--dangerously-bypass-hook-trust")
		term.see("›")
		term.say("please begin a worker")
		for _, name := range []string{"spawn", "send"} {
			question := `run tool "` + name + `"?`
			term.see(question)
			if name == "spawn" && w.workersNamed() > 0 {
				t.Error("a worker was begun unasked")
			}
			term.insist("Enter", func() bool { return !term.shows(question)() })
		}
		w.holds("the turn is over", func() bool { return len(w.of("please begin a worker")) == 5 })
	})
	w.codexExec(w.project, "please begin another")
	if asked := w.of("please begin another"); w.workersNamed() != 1 || len(asked) < 3 {
		t.Errorf("%d workers, after %d requests", w.workersNamed(), len(asked))
	} else {
		t.Log(asked[2].Last())
	}
}
