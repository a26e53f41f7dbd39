//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

// TestCopilotStore: what the Copilot CLI leaves on disk agrees with what the hooks recorded of the same sessions: calls of all
// kinds, sub-agents in each other, a resumed session, an error of the provider, and runs that a signal ended.
//
// Holds copilot: denied.
func TestCopilotStore(t *testing.T) {
	call := func(name string, input map[string]any) model.Call { return model.Call{Name: name, Input: input} }
	wait := copilotBash(untilEnd)
	task := func(name, prompt, mode string) model.Call {
		return call("task", map[string]any{"description": name, "prompt": prompt, "agent_type": "general-purpose", "name": name, "mode": mode})
	}
	w := newWorld(t, "hooked", model.Script{
		{Name: "grandchild", When: model.FirstUserContains("look as a grandchild"), Turns: []model.Turn{
			model.Calls(copilotBash("echo grandchild; exit 4")), model.Text("the grandchild is done"),
		}},
		{Name: "child", When: model.FirstUserContains("look as a child"), PerThread: true, Turns: []model.Turn{
			model.Calls(copilotBash("echo child; exit 3")), model.Calls(task("grandkid", "look as a grandchild", "sync")), model.Text("the child is done"),
		}},
		{Name: "bg", When: model.FirstUserContains("look in the background"), Turns: []model.Turn{
			model.Calls(copilotBash("echo behind")), model.Text("behind is done"),
		}},
		{Name: "tools", When: model.FirstUserContains("use the tools"), Turns: []model.Turn{
			{Reasoning: "I think first.", Text: "I begin.", Calls: []model.Call{copilotBash("echo hi; aburn log build START")},
				Usage: model.Usage{Input: 1000, Output: 50, CacheRead: 400, CacheWrite: 30}},
			model.Calls(copilotBash("echo '<shellId: 0 completed with exit code 0>'; exit 7")),
			model.Calls(copilotBash("touch refused.tmp")),
			model.Calls(call("create", map[string]any{"path": "$PROJECT/new.txt", "file_text": "one\ntwo\n"})),
			model.Calls(call("view", map[string]any{"path": "$PROJECT/new.txt"})),
			model.Calls(call("edit", map[string]any{"path": "$PROJECT/new.txt", "old_str": "two", "new_str": "2\n3"})),
			model.Calls(call("edit", map[string]any{"path": "$PROJECT/new.txt", "old_str": "absent", "new_str": "x"})),
			model.Calls(call("view", map[string]any{"path": "$PROJECT/missing.txt"})),
			model.Calls(call("glob", map[string]any{"pattern": "*.txt"}), call("grep", map[string]any{"pattern": "one"})),
			model.Calls(call("no_such_tool", map[string]any{"x": 1})),
			model.Calls(call("view", map[string]any{"wrong": 1})),
			model.Calls(copilotBash("echo one"), copilotBash("echo two; exit 2")),
			model.Calls(call("bash", map[string]any{"command": "sleep 0.2", "description": "a command", "mode": "async"})),
			model.Text("the tools are used"), model.Text("it came back"), model.Text("gone on"), model.Text("and on"),
		}},
		{Name: "parent", When: model.FirstUserContains("ask somebody"), Turns: []model.Turn{
			model.Calls(task("kid", "look as a child", "sync")), model.Text("somebody was asked"), model.Text("more"),
		}},
		{Name: "behind", When: model.FirstUserContains("ask behind"), Turns: []model.Turn{
			model.Calls(task("behind", "look in the background", "background")), model.Text("asked behind"), model.Text("it came back"), model.Text("more"),
		}},
		{Name: "fails", When: model.FirstUserContains("fail at once"), Repeat: true, Turns: []model.Turn{
			{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted refusal"}},
		}},
		{Name: "later", When: model.FirstUserContains("fail later"), Turns: append([]model.Turn{model.Calls(copilotBash("echo before"))},
			model.Times(9, model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted refusal"}})...)},
		{Name: "summary", When: model.LastContains("ummar"), Repeat: true, Turns: []model.Turn{model.Text("<overview>it was long</overview>")}},
		{Name: "compacted", When: model.FirstUserContains("be compacted"), Turns: []model.Turn{
			model.Calls(copilotBash("echo long")), {Text: "so long", Usage: model.Usage{Input: 63000}}, model.Text("after it"), model.Text("more"), model.Text("more"),
		}},
		{Name: "kill", When: model.FirstUserContains("be killed"),
			Turns: []model.Turn{model.Calls(copilotBash("echo first")), model.Calls(wait), model.Text("it went on")}},
		{Name: "child2", When: model.FirstUserContains("wait as a child"), Turns: []model.Turn{model.Calls(wait), model.Text("it went on")}},
		{Name: "kills", When: model.FirstUserContains("kill somebody"), Turns: []model.Turn{
			model.Calls(task("wait", "wait as a child", "sync")), model.Text("it went on"),
		}},
		{Name: "asked", When: model.FirstUserContains("be asked"), Turns: []model.Turn{
			model.Calls(copilotBash("touch refused.txt")), model.Text("refused"), model.Calls(copilotBash("touch granted.tmp; exit 5")), model.Text("granted"),
		}},
		{Name: "critical", When: model.FirstUserContains("go on at the end"), Turns: []model.Turn{
			model.Calls(copilotBash("aburn query --get session | tail -1 | xargs -I S aburn queue add --session S --priority critical 'it is critical'")),
			model.Text("done"), model.Text("I read it"),
		}},
		{Name: "end", When: model.FirstUserContains("be ended"), Turns: []model.Turn{model.Calls(wait), model.Text("it went on")}},
		{Name: "stop", When: model.FirstUserContains("be stopped"), Turns: []model.Turn{model.Calls(wait), model.Text("it went on")}},
	}, nil)
	w.copilot()
	w.install("--agent", "copilot")
	deny := []string{"--allow-all-tools", "--deny-tool", "shell(touch refused.tmp)"}
	w.startCopilot("use the tools", deny...).wait()
	w.startCopilot("go on", append(deny, "--continue")...).wait()
	for _, prompt := range []string{"ask somebody", "ask behind", "fail at once", "fail later"} {
		w.startCopilot(prompt, "--allow-all-tools").wait()
	}
	w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"deliver": {"at_stop": true}}`)
	w.startCopilot("go on at the end", "--allow-all-tools").wait()
	w.startCopilot("be compacted", "--allow-all-tools").wait()
	w.startCopilot("/compact", "--allow-all-tools", "--continue").wait()
	w.startCopilot("after the compaction", "--allow-all-tools", "--continue").wait()
	for _, end := range []struct {
		prompt, call string
		signal       syscall.Signal
	}{{"be killed", "toolu_kill_1_0", syscall.SIGKILL}, {"kill somebody", "toolu_child2_0_0", syscall.SIGKILL}, {"be stopped", "toolu_stop_0_0", syscall.SIGINT},
		{"be ended", "toolu_end_0_0", syscall.SIGTERM}} {
		p := w.startCopilot(end.prompt, "--allow-all-tools")
		w.waitFor(w.started())
		w.waitRecorded(end.call)
		p.kill(end.signal)
		p.wait()
		os.Remove(w.started())
	}
	term := w.copilotTerminal()
	term.say("be asked")
	term.see("Do you want to run")
	term.insist("Escape", func() bool { return !term.shows("Do you want to run")() })
	term.see("by user") // the operation is cancelled, or aborted where a second Escape came
	term.say("once more")
	term.see("● refused")
	term.say("and again")
	term.see("Do you want to run")
	term.insist("Enter", term.shows("● granted"))
	term.say("/exit")
	term.gone()
	w.storesAgree()
}

// copilotTerminal starts the Copilot CLI in a terminal, in a folder that the user trusts.
func (w *world) copilotTerminal() *terminal {
	w.Helper()
	w.more = agents.CopilotEnv(w.model.URL())
	term := w.terminal(os.Getenv(copilotVar))
	term.see("Do you trust the files")
	term.insist("Enter", func() bool { return !term.shows("Do you trust the files")() })
	term.see("Manual Approval")
	return term
}
