//go:build agents

package realagents

import (
	"testing"

	"aburn/internal/lab/testkit/model"
)

// free are the arguments of a session without permission checks, under a fixed session id.
func free(session string, more ...string) []string {
	return append([]string{"--dangerously-skip-permissions", "--session-id", session}, more...)
}

// Session ids of the tests, so that a wrong one is seen at a glance.
const (
	sessionA = "aaaaaaaa-0000-4000-8000-00000000000a"
	sessionB = "bbbbbbbb-0000-4000-8000-00000000000b"
	sessionC = "cccccccc-0000-4000-8000-00000000000c"
)

// bash is a call of Claude Code's shell tool.
func bash(command string) model.Call {
	return model.Call{Name: "Bash", Input: map[string]any{"command": command, "description": "a command"}}
}

func tool(name string, input map[string]any) model.Call { return model.Call{Name: name, Input: input} }

// one is a script of one conversation.
func one(turns ...model.Turn) func() model.Script {
	return func() model.Script { return model.Script{{Name: "main", Turns: turns}} }
}

func claudeCalls(w *world) []call { return w.claudeCalls() }

// Holds claude: basic, failing, stop.
func TestClaudeTools(t *testing.T) {
	scenario{
		files: map[string]string{"a.txt": "one\ntwo\n"},
		script: one(
			model.Calls(bash("echo hi; pwd")),
			model.Calls(bash("echo out; echo err >&2; exit 3")),
			model.Calls(bash("grep nothing a.txt")), // exit 1, which the client calls a success
			model.Calls(tool("Read", map[string]any{"file_path": "$PROJECT/a.txt"})),
			model.Calls(tool("Read", map[string]any{"file_path": "$PROJECT/missing.txt"})),
			model.Calls(tool("Write", map[string]any{"file_path": "$PROJECT/b.txt", "content": "new\n"})),
			model.Calls(tool("Edit", map[string]any{"file_path": "$PROJECT/a.txt", "old_string": "two", "new_string": "three"})),
			model.Calls(tool("NoSuchTool", nil)),                           // refused by the client: only PostToolBatch tells
			model.Calls(tool("Read", map[string]any{"path": "wrong key"})), // likewise: input that does not fit
			model.Text("all done"),
		),
		play:       func(w *world) { w.claude("do the thing", free(sessionA)...) },
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL 0
			toolu_main_1_0 TOOL_FAILED 3
			toolu_main_2_0 TOOL -
			toolu_main_3_0 TOOL -
			toolu_main_4_0 TOOL_FAILED -
			toolu_main_5_0 TOOL -
			toolu_main_6_0 TOOL -
			toolu_main_7_0 TOOL_FAILED -
			toolu_main_8_0 TOOL_FAILED -`,
		check: func(w *world) {
			w.order(sessionA, "SESSION_START PROMPT STOP SESSION_END")
		},
	}.run(t)
}
