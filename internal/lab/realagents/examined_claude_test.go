//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// TestExaminedClaudeNested: of parallel calls one fails and one is refused by a rule, in a sub-agent of a sub-agent.
func TestExaminedClaudeNested(t *testing.T) {
	examined{
		files: map[string]string{".claude/settings.json": `{"permissions": {"deny": ["Bash(touch forbidden*)"]}}`},
		script: model.Script{
			helper("inner", "TASK-INNER", model.Calls(bash("touch forbidden.txt"), bash("echo inner; exit 7"), bash("echo fine")), model.Text("inner done")),
			helper("outer", "TASK-OUTER", model.Turn{Calls: []model.Call{agent("TASK-INNER please", false)}, Usage: model.Usage{Input: 3000, Output: 300}},
				model.Text("outer done")),
			{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-OUTER please", false), bash("echo beside; exit 3")), model.Text("all done")}},
		},
		play: func(w *world) { w.claude("do the thing", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=2 calls=2 failed=1 subagents=1 input=200 output=40
				call toolu_main_0_0 Agent completed
				call toolu_main_0_1 Bash errored exit=3
			session toolu_main_0_0 completed subagent:A responses=2 calls=1 subagents=1 input=3100 output=320
				call toolu_outer_0_0 Agent completed
			session toolu_outer_0_0 completed subagent:toolu_main_0_0 responses=2 calls=3 failed=2 denied=1 input=200 output=40
				call toolu_inner_0_0 Bash errored denied=rule
				call toolu_inner_0_1 Bash errored exit=7
				call toolu_inner_0_2 Bash completed`,
	}.run(t)
}

// TestExaminedClaudeForks: a session that was resumed and compacted is forked, the fork is forked, and the first one goes on.
// /compact is a command to the client, no prompt; of the answer that holds the summary (100 tokens in, 20 out), the transcript has
// no record: only the costs of the process tell of it.
func TestExaminedClaudeForks(t *testing.T) {
	examined{
		script: model.Script{
			{Name: "summary", When: model.Contains("CRITICAL: Respond with TEXT ONLY"), Repeat: true,
				Turns: []model.Turn{model.Text("<summary>so far so good</summary>")}},
			{Name: "main", Turns: []model.Turn{
				model.Calls(bash("echo first")), model.Text("one done"),
				model.Text("two done"),
				model.Calls(bash("echo third; exit 4")), model.Text("three done"),
				model.Calls(bash("echo fourth")), model.Text("four done"),
				{Text: "five done", Usage: model.Usage{Input: 500, Output: 50}},
			}},
		},
		play: func(w *world) {
			resume := []string{"--dangerously-skip-permissions", "--resume"}
			w.claude("first", free(sessionA)...)
			w.claude("second", append(resume, sessionA)...)
			w.grow()
			w.claude("/compact keep names", append(resume, sessionA)...)
			w.claude("third", append(resume, sessionA, "--fork-session", "--session-id", sessionB)...)
			w.grow()
			w.claude("fourth", append(resume, sessionB, "--fork-session", "--session-id", sessionC)...)
			w.claude("fifth", append(resume, sessionA)...)
		},
		truth: `
			session A completed root prompts=3 responses=4 calls=1 compacted=1 input=800 output=110
				call toolu_main_0_0 Bash completed
			session B completed fork:A prompts=1 responses=2 calls=1 failed=1 input=200 output=40
				call toolu_main_3_0 Bash errored exit=4
			session C completed fork:B prompts=1 responses=2 calls=1 input=200 output=40
				call toolu_main_5_0 Bash completed`,
	}.run(t)
}

// TestExaminedClaudeKilledInAnAgent: killed in the call of a sub-agent, then resumed. The client ends the call itself; of what
// the sub-agent's own call came to, nobody ever hears. That the client did so is an interrupt: the end of the program stopped it.
func TestExaminedClaudeKilledInAnAgent(t *testing.T) {
	examined{
		script: model.Script{
			helper("stuck", "TASK-STUCK", model.Calls(bash("echo going")), model.Calls(bash(untilEnd))),
			{Name: "main", Turns: []model.Turn{model.Calls(bash("echo before")), model.Calls(agent("TASK-STUCK please", false)), model.Text("went on")}},
		},
		play: func(w *world) {
			p := w.startClaude(w.project, "do the thing", free(sessionA)...)
			w.killIn(p, "toolu_stuck_1_0")
			w.grow()
			w.claude("go on", "--dangerously-skip-permissions", "--resume", sessionA)
		},
		truth: `
			session A completed root prompts=2 responses=3 calls=2 failed=1 subagents=1 interrupts=1 input=300 output=60
				call toolu_main_0_0 Bash completed
				call toolu_main_1_0 Agent cancelled
			session toolu_main_1_0 killed subagent:A responses=2 calls=2 no_result=1 input=200 output=40
				call toolu_stuck_0_0 Bash completed
				call toolu_stuck_1_0 Bash open`,
	}.run(t)
}

// TestExaminedClaudeEdits: one file edited again and again, with failures between, and the ends of lines that diffs stumble over.
func TestExaminedClaudeEdits(t *testing.T) {
	edit := func(file, old, with string) model.Call {
		return tool("Edit", map[string]any{"file_path": "$PROJECT/" + file, "old_string": old, "new_string": with})
	}
	write := func(file, content string) model.Call {
		return tool("Write", map[string]any{"file_path": "$PROJECT/" + file, "content": content})
	}
	read := func(file string) model.Call { return tool("Read", map[string]any{"file_path": "$PROJECT/" + file}) }
	examined{
		files: map[string]string{"a.txt": "one\ntwo\nthree\nfour\n", "crlf.txt": "one\r\ntwo\r\n"},
		script: one(
			model.Calls(read("a.txt")),
			model.Calls(edit("a.txt", "one", "ONE")),
			model.Calls(edit("a.txt", "nope", "x")),
			model.Calls(edit("a.txt", "two", "TWO\nTWO-B"), edit("a.txt", "three\n", "")),
			model.Calls(write("a.txt", "ONE\nnew\n")), // was ONE, TWO, TWO-B, four
			// there is none any more
			model.Calls(tool("MultiEdit", map[string]any{"file_path": "$PROJECT/a.txt", "edits": []any{map[string]any{"old_string": "new", "new_string": "x"}}})),
			model.Calls(write("b.txt", "x\ny")),
			model.Calls(write("empty.txt", "")),
			model.Calls(read("crlf.txt")),
			model.Calls(edit("crlf.txt", "two", "2")),
			model.Calls(edit("a.txt", "new", "New")),
			model.Calls(edit("b.txt", "y", "y\n")), // only the end of the file
			model.Calls(edit("a.txt", "New", "New")),
			model.Text("all done"),
		)(),
		play: func(w *world) { w.claude("do the thing", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=14 calls=14 failed=3 changes=9 input=1400 output=280
				call toolu_main_0_0 Read completed
				call toolu_main_1_0 Edit completed
				call toolu_main_2_0 Edit errored
				call toolu_main_3_0 Edit completed
				call toolu_main_3_1 Edit completed
				call toolu_main_4_0 Write completed
				call toolu_main_5_0 MultiEdit errored
				call toolu_main_6_0 Write completed
				call toolu_main_7_0 Write completed
				call toolu_main_8_0 Read completed
				call toolu_main_9_0 Edit completed
				call toolu_main_10_0 Edit completed
				call toolu_main_11_0 Edit completed
				call toolu_main_12_0 Edit errored
				file modified a.txt 1 1
				file modified a.txt 2 1
				file modified a.txt 0 1
				file modified a.txt 1 3
				file modified a.txt 1 1
				file created b.txt 2 0
				file modified b.txt 1 1
				file modified crlf.txt 1 1
				file created empty.txt 0 0`,
	}.run(t)
}

// TestExaminedClaudeBackground: a command in the background fails after the turn has ended.
func TestExaminedClaudeBackground(t *testing.T) {
	examined{
		script: one(
			model.Calls(model.Call{Name: "Bash", Input: map[string]any{"command": untilSaid + "; echo late; exit 4", "description": "later",
				"run_in_background": true}}),
			model.Text("started"), model.Text("noted"),
		)(),
		play: func(w *world) { w.claudeEndsLater() },
		truth: `
			session A completed root prompts=1 responses=3 calls=1 failed=1 input=300 output=60
				call toolu_main_0_0 Bash errored exit=4`,
	}.run(t)
}

// claudeEndsLater runs a session with work in the background, which ends behind the answer "started".
func (w *world) claudeEndsLater() {
	w.Helper()
	p := w.startClaude(w.project, "do the thing", free(sessionA)...)
	w.stored("the last answer of the turn", func(text string) bool { return strings.Contains(text, `"text":"started"`) })
	w.write("said.tmp", "")
	p.wait()
}

// manyBytes prints 200 KB of characters of all lengths, cut within one, and bytes that are in no character.
const manyBytes = `yes 'äöü€😀' | head -c 204801; printf '\377\376\303\n'`

// TestExaminedClaudeLongOutput: outputs too long for the transcript, and bytes that no JSON holds.
func TestExaminedClaudeLongOutput(t *testing.T) {
	examined{
		script: one(
			model.Calls(bash(manyBytes)),
			model.Calls(bash(manyBytes+"; exit 9")),
			model.Calls(bash(`printf '\377\000\033[31mred\n' >&2; exit 5`)),
			model.Text("all done"),
		)(),
		play: func(w *world) { w.claude("größe — 長い 😀", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=4 calls=3 failed=2 input=400 output=80
				call toolu_main_0_0 Bash completed
				call toolu_main_1_0 Bash errored exit=9
				call toolu_main_2_0 Bash errored exit=5`,
	}.run(t)
}

// mcpServer is an MCP server with tools that succeed, fail as a tool, fail as a call, and end the server.
const mcpServer = `#!/bin/bash
while IFS= read -r line; do
	case $line in *'"id":'*) ;; *) continue ;; esac
	id=$(sed -E 's/.*"id":([0-9]+|"[^"]*").*/\1/' <<<"$line")
	answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
	case $line in
	*'"method":"initialize"'*)
		version=$(sed -E 's/.*"protocolVersion":"([^"]*)".*/\1/' <<<"$line")
		answer '"result":{"protocolVersion":"'"$version"'","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}' ;;
	*'"method":"tools/list"'*)
		list=
		for name in good bad boom die; do list+=',{"name":"'$name'","description":"a tool","inputSchema":{"type":"object","properties":{}}}'; done
		answer '"result":{"tools":['"${list:1}"']}'
		touch "$MCP_READY" ;;
	*'"method":"tools/call"'*)
		case $line in
		*'"name":"good"'*) answer '"result":{"content":[{"type":"text","text":"fine"}]}' ;;
		*'"name":"bad"'*) answer '"result":{"content":[{"type":"text","text":"it broke"}],"isError":true}' ;;
		*'"name":"boom"'*) answer '"error":{"code":-32000,"message":"no such luck"}' ;;
		*) exit 1 ;;
		esac ;;
	*) answer '"result":{}' ;;
	esac
done
`

func TestExaminedClaudeMCP(t *testing.T) {
	examined{
		files: map[string]string{"srv.sh": mcpServer},
		script: one(
			model.Calls(bash("until [ -e '$PROJECT/ready.tmp' ]; do sleep 0.1; done")),
			model.Calls(tool("mcp__srv__good", map[string]any{}), tool("mcp__srv__bad", map[string]any{}), tool("mcp__srv__boom", map[string]any{})),
			model.Calls(tool("mcp__srv__die", map[string]any{})),
			model.Text("all done"),
		)(),
		play: func(w *world) {
			config := `{"mcpServers": {"srv": {"command": "bash", "args": ["$PROJECT/srv.sh"], "env": {"MCP_READY": "$PROJECT/ready.tmp"}}}}`
			path := filepath.Join(w.home, "mcp.json")
			w.write(path, strings.ReplaceAll(config, "$PROJECT", w.project))
			w.claude("do the thing", free(sessionA, "--mcp-config", path)...)
		},
		truth: `
			session A completed root prompts=1 responses=4 calls=5 failed=3 input=400 output=80
				call toolu_main_0_0 Bash completed
				call toolu_main_1_0 mcp__srv__good completed
				call toolu_main_1_1 mcp__srv__bad errored
				call toolu_main_1_2 mcp__srv__boom errored
				call toolu_main_2_0 mcp__srv__die errored`,
	}.run(t)
}

// TestExaminedClaudeAgentAPIError: the model refuses to answer one of two sub-agents, for which the client asks again and again.
func TestExaminedClaudeAgentAPIError(t *testing.T) {
	broken := model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted failure"}}
	examined{
		script: model.Script{
			helper("failing", "TASK-FAIL", append([]model.Turn{model.Calls(bash("echo f"))}, model.Times(40, broken)...)...),
			helper("fine", "TASK-FINE", model.Calls(bash("echo g")), model.Text("fine done")),
			{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-FAIL please", false), agent("TASK-FINE please", false)), model.Text("all done")}},
		},
		play: func(w *world) { w.claude("do the thing", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=2 calls=2 failed=1 subagents=2 input=200 output=40
				call toolu_main_0_0 Agent errored
				call toolu_main_0_1 Agent completed
			session toolu_main_0_0 errored subagent:A responses=1 calls=1 errors=1 input=100 output=20
				call toolu_failing_0_0 Bash completed
			session toolu_main_0_1 completed subagent:A responses=2 calls=1 input=200 output=40
				call toolu_fine_0_0 Bash completed`,
	}.run(t)
}
