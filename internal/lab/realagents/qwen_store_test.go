//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// TestQwenStore: what Qwen Code leaves on disk agrees with what the hooks recorded of the same sessions: calls of all kinds,
// sub-agents, a resumed session, an error of the provider, and runs that a signal ended.
//
// Holds qwen: sub-agent, interrupted.
func TestQwenStore(t *testing.T) {
	a := nodeAgents()[1]
	file := func(name string, input map[string]any) model.Call { return model.Call{Name: name, Input: input} }
	wait := a.shell(untilEnd)
	task := func(description, prompt string, background bool) model.Call {
		return file("agent", map[string]any{"description": description, "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": background})
	}
	w := a.world(t, a.refuses, model.Script{
		{Name: "child", When: model.FirstUserContains("look as a child"), PerThread: true, Turns: []model.Turn{
			model.Calls(a.shell("echo child; exit 3")), model.Text("the child is done"), model.Text("again"), model.Text("and again"),
		}},
		{Name: "bg", When: model.FirstUserContains("look in the background"), Turns: []model.Turn{
			model.Calls(a.shell("echo behind")), model.Text("behind is done"),
		}},
		{Name: "tools", When: model.FirstUserContains("use the tools"), Turns: []model.Turn{
			{Reasoning: "I think first.", Text: "I begin.", Calls: []model.Call{a.shell("echo hi; aburn log build START")}, Usage: model.Usage{Input: 1000, Output: 50}},
			model.Calls(a.shell("echo 'Exit Code: 0'; exit 7")),
			model.Calls(a.shell("touch refused.tmp")),
			model.Calls(file("write_file", map[string]any{"file_path": "$PROJECT/new.txt", "content": "one\ntwo\n"})),
			model.Calls(file("read_file", map[string]any{"file_path": "$PROJECT/new.txt"})),
			model.Calls(file("edit", map[string]any{"file_path": "$PROJECT/new.txt", "old_string": "two", "new_string": "2\n3"})),
			model.Calls(file("edit", map[string]any{"file_path": "$PROJECT/new.txt", "old_string": "absent", "new_string": "x"})),
			model.Calls(file("glob", map[string]any{"pattern": "*.txt"}), file("grep_search", map[string]any{"pattern": "one"}),
				file("list_directory", map[string]any{"path": "$PROJECT"})),
			model.Calls(file("no_such_tool", map[string]any{"x": 1})),
			model.Calls(file("read_file", map[string]any{"wrong": 1})),
			model.Calls(a.shell("echo one"), a.shell("echo two; exit 2")),
			model.Calls(a.shell("kill -9 $$")),
			model.Calls(model.Call{Name: "run_shell_command", Input: map[string]any{"command": "sleep 0.2", "is_background": true}}),
			model.Text("the tools are used"), model.Text("gone on"),
		}},
		{Name: "parent", When: model.FirstUserContains("ask somebody"), Turns: []model.Turn{
			model.Calls(task("look", "look as a child", false)), model.Text("somebody was asked"), model.Text("more"),
		}},
		{Name: "behind", When: model.FirstUserContains("ask behind"), Turns: []model.Turn{
			model.Calls(task("behind", "look in the background", true)), model.Text("asked behind"), model.Text("it came back"), model.Text("more"),
		}},
		{Name: "fails", When: model.FirstUserContains("fail at once"), Repeat: true, Turns: []model.Turn{
			{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted refusal"}},
		}},
		{Name: "later", When: model.FirstUserContains("fail later"), Turns: append([]model.Turn{model.Calls(a.shell("echo before"))},
			model.Times(9, model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted refusal"}})...)},
		{Name: "kill", When: model.FirstUserContains("be killed"),
			Turns: []model.Turn{model.Calls(a.shell("echo first")), model.Calls(wait), model.Text("it went on")}},
		{Name: "killed child", When: model.FirstUserContains("wait as a child"), Turns: []model.Turn{model.Calls(wait), model.Text("it went on")}},
		{Name: "kills", When: model.FirstUserContains("kill somebody"), Turns: []model.Turn{
			model.Calls(task("wait", "wait as a child", false)), model.Text("it went on"),
		}},
		{Name: "stop", When: model.FirstUserContains("be stopped"), Turns: []model.Turn{model.Calls(wait), model.Text("it went on")}},
	})
	w.install("--agent", a.name)
	a.run(w, "use the tools")
	a.run(w, "go on", a.again...)
	a.run(w, "ask somebody")
	a.run(w, "ask behind")
	a.run(w, "fail at once")
	a.run(w, "fail later")
	for _, end := range []struct {
		prompt string
		signal syscall.Signal
	}{{"be killed", syscall.SIGKILL}, {"kill somebody", syscall.SIGKILL}, {"be stopped", syscall.SIGINT}} {
		p := w.start(w.project, os.Getenv(a.program), append(append([]string{}, a.free...), "-p", end.prompt)...)
		w.waitFor(w.started())
		p.kill(end.signal)
		p.wait()
		os.Remove(w.started())
	}
	w.storesAgree()
}

// TestQwenHome: QWEN_HOME moves the settings, where the hooks go, and the sessions.
func TestQwenHome(t *testing.T) {
	a := nodeAgents()[1]
	a.settings = "elsewhere/settings.json"
	w := a.world(t, a.before, model.Script{{Name: "a", When: model.Contains("do the thing"),
		Turns: []model.Turn{model.Calls(a.shell("echo hi")), model.Text("all done")}}})
	w.more = append(w.more, "QWEN_HOME="+filepath.Join(w.home, "elsewhere"))
	w.install("--agent", a.name)
	a.run(w, "do the thing")
	w.storesAgree()
	if isFile(filepath.Join(w.home, ".qwen", "settings.json")) {
		t.Error("the hooks are in the usual place too")
	}
}
