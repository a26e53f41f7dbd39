//go:build agents

package realagents

import (
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// spawn starts a sub-agent in Codex's second form of them. history is what it sees of its parent: none or all.
func spawn(name, task, history string) model.Call {
	return model.Call{Namespace: "collaboration", Name: "spawn_agent",
		Input: map[string]any{"task_name": name, "message": task, "fork_turns": history}}
}

var waitAgents = model.Call{Namespace: "collaboration", Name: "wait_agent", Input: map[string]any{"timeout_ms": 30000}}

// js is code for Codex's JavaScript tool, from which the newer models call all others.
func js(code string) model.Call { return model.Call{Name: "exec", Freeform: true, Input: code} }

// codexHelper is the conversation of the sub-agent whose path ends in name.
func codexHelper(name string, turns ...model.Turn) *model.Conversation {
	return &model.Conversation{Name: name, When: model.HeaderContains("X-Codex-Turn-Metadata", "/"+name+`"`), Turns: turns}
}

// Holds codex: sub-agent.
func TestCodexNestedAgents(t *testing.T) {
	scenario{
		prepare: func(w *world) { w.codex = "gpt-6-sol"; w.codexConfig("danger-full-access") },
		script: func() model.Script {
			return model.Script{
				codexHelper("inner", model.Calls(js(`text((await tools.exec_command({cmd:"echo inner; exit 2"})).output)`)), model.Text("inner done")),
				codexHelper("alpha", model.Calls(spawn("inner", "look inside", "none")), model.Calls(waitAgents), model.Text("alpha done")),
				codexHelper("beta", model.Calls(js(`text((await tools.exec_command({cmd:"echo beta"})).output)`)), model.Text("beta done")),
				{Name: "main", Turns: []model.Turn{
					model.Calls(js(`text((await tools.exec_command({cmd:"echo main"})).output)`)),
					model.Calls(spawn("alpha", "look around", "none"), spawn("beta", "look around", "all")), // beta repeats its parent's records
					model.Calls(waitAgents), model.Calls(waitAgents), model.Text("all done"),
				}},
			}
		},
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		unequal:    "what wait_agent answers depends on who ends first",
		check: func(w *world) {
			if spawned, ended := w.agentLives(); len(spawned) != 3 || len(ended) != 3 {
				w.Errorf("spawned %v, ended %v, want three of each", spawned, ended)
			}
			w.exits("2 0 0")
		},
	}.run(t)
}

// exits holds the exit codes of the shell calls, in any order; code mode makes up its calls' ids.
func (w *world) exits(want string) {
	w.Helper()
	var got []string
	for _, e := range of(w.entries(w.project), logfmt.Tool, logfmt.ToolFailed) {
		if code := datum(e, "exit_code"); code != "" {
			got = append(got, code)
		}
	}
	if !sameWords(strings.Join(got, " "), want) {
		w.Errorf("exit codes %v, want %s", got, want)
	}
}

// TestCodexFirstAgents has Codex's first form of sub-agents, which models unknown to it still get. They raise prompts of their own.
func TestCodexFirstAgents(t *testing.T) {
	v1 := func(name string, input map[string]any) model.Call {
		return model.Call{Namespace: "multi_agent_v1", Name: name, Input: input}
	}
	child := func(r *model.Request) string {
		_, rest, _ := strings.Cut(r.Last(), `"agent_id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		return id
	}
	wait := v1("wait_agent", nil)
	wait.InputFor = func(r *model.Request) any { return map[string]any{"targets": []string{child(r)}, "timeout_ms": 30000} }
	scenario{
		prepare: func(w *world) { w.codex = "some-unknown-model"; w.codexConfig("danger-full-access") },
		script: func() model.Script {
			return model.Script{
				{Name: "child", When: model.HeaderContains("X-Codex-Turn-Metadata", `"thread_source":"subagent"`),
					Turns: []model.Turn{model.Calls(command("echo child; exit 2")), model.Text("child done")}},
				{Name: "main", Turns: []model.Turn{
					model.Calls(v1("spawn_agent", map[string]any{"message": "look around"})),
					model.Calls(wait),
					model.Text("all done"),
				}},
			}
		},
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL -
			call_main_1_0 TOOL -
			call_child_0_0 TOOL_FAILED 2`,
		check: func(w *world) {
			if spawned, ended := w.agentLives(); len(spawned) != 1 || len(ended) != 1 {
				w.Errorf("spawned %v, ended %v, want one of each", spawned, ended)
			}
		},
	}.run(t)
}
