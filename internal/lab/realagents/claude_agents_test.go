//go:build agents

package realagents

import (
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// agent is a call that starts a sub-agent on a task.
func agent(task string, background bool) model.Call {
	return model.Call{Name: "Agent", Input: map[string]any{"description": "a helper", "prompt": task,
		"subagent_type": "general-purpose", "run_in_background": background}}
}

// helper is the conversation of the sub-agent that got task.
func helper(name, task string, turns ...model.Turn) *model.Conversation {
	return &model.Conversation{Name: name, When: model.FirstUserContains(task), Turns: turns}
}

// Holds claude: sub-agent.
func TestClaudeNestedAgents(t *testing.T) {
	scenario{
		script: func() model.Script {
			return model.Script{
				helper("inner", "TASK-INNER", model.Calls(bash("echo inner; exit 2")), model.Text("inner done")),
				helper("outer", "TASK-OUTER", model.Calls(bash("echo outer")), model.Calls(agent("TASK-INNER please", false)), model.Text("outer done")),
				{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-OUTER please", false)), model.Calls(bash("echo main")), model.Text("all done")}},
			}
		},
		play:       func(w *world) { w.claude("do the thing", free(sessionA)...) },
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL -
			toolu_outer_0_0 TOOL 0
			toolu_outer_1_0 TOOL -
			toolu_inner_0_0 TOOL_FAILED 2
			toolu_main_1_0 TOOL 0`,
		check: func(w *world) {
			spawned, ended := w.agentLives()
			if len(spawned) != 2 || len(ended) != 2 {
				w.Errorf("spawned %v, ended %v, want two of each", spawned, ended)
			}
		},
	}.run(t)
}

// agentLives are the ids of the sub-agents that the log saw start and end, in order. Each must be there once.
func (w *world) agentLives() (spawned, ended []string) {
	w.Helper()
	for _, e := range of(w.entries(w.project), logfmt.AgentSpawn, logfmt.AgentComplete) {
		if e.Agent == nil || e.Agent.ID == "" || datum(e, "agent_id") != e.Agent.ID {
			w.Errorf("%s: agent %v, data %s", e.Human(), e.Agent, e.Data)
		} else if e.Event == logfmt.AgentSpawn {
			spawned = append(spawned, e.Agent.ID)
		} else {
			ended = append(ended, e.Agent.ID)
		}
	}
	return spawned, ended
}

func TestClaudeParallelCalls(t *testing.T) {
	files := map[string]string{}
	var reads []model.Call
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		files[name] = name
		reads = append(reads, tool("Read", map[string]any{"file_path": "$PROJECT/" + name}))
	}
	scenario{
		files:      files,
		script:     one(model.Calls(append(reads, bash("echo seventh; exit 7"), bash("echo eighth"))...), model.Text("all done")),
		play:       func(w *world) { w.claude("do the thing", free(sessionA)...) },
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL -
			toolu_main_0_1 TOOL -
			toolu_main_0_2 TOOL -
			toolu_main_0_3 TOOL -
			toolu_main_0_4 TOOL -
			toolu_main_0_5 TOOL -
			toolu_main_0_6 TOOL_FAILED 7
			toolu_main_0_7 TOOL 0`,
	}.run(t)
}

func TestClaudeBackground(t *testing.T) {
	scenario{
		script: func() model.Script {
			return model.Script{
				helper("worker", "TASK-WORKER", model.Calls(bash("echo worker")), model.Text("worker done")),
				{Name: "main", Turns: []model.Turn{
					model.Calls(agent("TASK-WORKER please", true)),
					model.Calls(model.Call{Name: "Bash", Input: map[string]any{"command": "for i in 1 2 3; do sleep 0.2; done; echo late", "description": "later",
						"run_in_background": true}}),
					model.Text("both started"), model.Text("noted"), model.Text("noted again"),
				}},
			}
		},
		play:       func(w *world) { w.claude("do the thing", free(sessionA)...) },
		transcript: claudeCalls,
		// When a notice of an end arrives between two requests depends on the machine; what each request then holds, too.
		unequal: "the ends of background work arrive when they arrive",
		calls: `
			toolu_main_0_0 TOOL -
			toolu_worker_0_0 TOOL 0
			toolu_main_1_0 TOOL -`,
		check: func(w *world) {
			for _, e := range of(w.entries(w.project), logfmt.Tool) {
				if started := strings.HasPrefix(datum(e, "tool_use_id"), "toolu_main"); started != (datum(e, "background") == "true") {
					w.Errorf("background is %q in %s", datum(e, "background"), e.Data)
				}
			}
			machine := 0
			for _, e := range of(w.entries(w.project), logfmt.Prompt) {
				if datum(e, "machine") == "true" {
					machine++
				}
			}
			if prompts := len(of(w.entries(w.project), logfmt.Prompt)); machine != prompts-1 {
				w.Errorf("%d of %d prompts are said to be machine-made, want all but the first", machine, prompts)
			}
		},
	}.run(t)
}
