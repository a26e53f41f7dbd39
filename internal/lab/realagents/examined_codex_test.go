//go:build agents

package realagents

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// newerCodex makes Codex offer what its newer models get: code mode, and sub-agents of the second form.
func newerCodex(w *world) { w.codex = "gpt-6-sol"; w.codexConfig("danger-full-access") }

// resumeLast goes on with the newest session of this home.
func (w *world) resumeLast(prompt string) {
	w.Helper()
	w.start(w.project, w.codexPath(), "exec", "--dangerously-bypass-hook-trust", "resume", "--last", prompt).wait()
}

// TestExaminedCodexPatches: parallel commands of which two fail, a patch that does all that patches can, and two that fail.
func TestExaminedCodexPatches(t *testing.T) {
	examined{
		files: map[string]string{"a.txt": "one\ntwo\n", "gone.txt": "1\n2\n3\n", "old.txt": "m1\nm2\n"},
		script: one(
			model.Calls(command("echo one"), command("exit 3"), command(manyBytes+"; exit 6")),
			model.Calls(patch("*** Add File: new.txt\n+n1\n+n2\n*** Update File: a.txt\n@@\n-one\n+ONE\n two\n*** Delete File: gone.txt\n"+
				"*** Update File: old.txt\n*** Move to: sub/moved.txt\n@@\n-m1\n+M1\n m2\n")),
			model.Calls(patch("*** Update File: a.txt\n@@\n-no such line\n+x\n")),
			model.Calls(patch("*** Add File: half.txt\n+h\n*** Update File: missing.txt\n@@\n-x\n+y\n")),
			model.Text("all done"),
		)(),
		play: func(w *world) { w.codexExec(w.project, "größe — 長い 😀") },
		truth: `
			session A completed root prompts=1 responses=5 calls=6 failed=4 changes=4 input=500 output=100
				call call_main_0_0 exec_command completed exit=0
				call call_main_0_1 exec_command errored exit=3
				call call_main_0_2 exec_command errored exit=6
				call call_main_1_0 apply_patch completed
				call call_main_2_0 apply_patch errored
				call call_main_3_0 apply_patch errored
				file created new.txt 2 0
				file modified a.txt 1 1
				file deleted gone.txt 0 3
				file renamed sub/moved.txt 1 1`,
	}.run(t)
}

// TestExaminedCodexAgentFails: a sub-agent that saw all of its parent fails in a command, then at the model.
// What became of a sub-agent is what became of the call that started it.
func TestExaminedCodexAgentFails(t *testing.T) {
	broken := model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted failure"}}
	examined{
		prepare: newerCodex,
		script: model.Script{
			codexHelper("alpha", append([]model.Turn{model.Calls(js(`text((await tools.exec_command({cmd:"echo alpha; exit 2"})).output)`))},
				model.Times(4, broken)...)...),
			{Name: "main", Turns: []model.Turn{
				{Calls: []model.Call{js(`text((await tools.exec_command({cmd:"echo main; exit 3"})).output)`)}, Usage: model.Usage{Input: 7000, Output: 700}},
				model.Calls(spawn("alpha", "look around", "all")),
				model.Calls(waitAgents), model.Text("all done"),
			}},
		},
		play: func(w *world) { w.codexExec(w.project, "do the thing") },
		truth: `
			session A completed root prompts=1 responses=4 calls=3 failed=2 subagents=1 input=7300 output=760
				call ? exec_command errored exit=3
				call call_main_1_0 spawn_agent errored
				call call_main_2_0 wait_agent completed
			session call_main_1_0 errored subagent:A responses=1 calls=1 failed=1 errors=1 input=100 output=20
				call ? exec_command errored exit=2`,
	}.run(t)
}

// TestExaminedCodexForks: a compacted and resumed session is forked, the fork is forked, and the first one goes on.
func TestExaminedCodexForks(t *testing.T) {
	examined{
		script: model.Script{
			{Name: "summary", When: model.LastContains("CONTEXT CHECKPOINT COMPACTION"), Repeat: true, Turns: []model.Turn{model.Text("so far so good")}},
			{Name: "main", Turns: []model.Turn{
				{Calls: []model.Call{command("echo first")}, Usage: model.Usage{Input: 250000, Output: 1000}}, model.Text("one done"),
				model.Text("two done"),
				model.Calls(command("exit 4")), model.Text("three done"),
				model.Calls(command("echo fourth")), model.Text("four done"),
				{Text: "five done", Usage: model.Usage{Input: 500, Output: 50}},
			}},
		},
		play: func(w *world) {
			w.codexExec(w.project, "first")
			w.grow()
			w.codexExec(w.project, "second", "resume", w.threads()[0])
			w.codexExec(w.project, "third", "fork", w.threads()[0])
			w.grow()
			w.codexExec(w.project, "fourth", "fork", w.threads()[1])
			w.codexExec(w.project, "fifth", "resume", w.threads()[0])
		},
		truth: `
			session A completed root prompts=3 responses=5 calls=1 compacted=1 input=250800 output=1110
				call call_main_0_0 exec_command completed exit=0
			session B completed fork:A prompts=1 responses=2 calls=1 failed=1 input=200 output=40
				call call_main_3_0 exec_command errored exit=4
			session C completed fork:B prompts=1 responses=2 calls=1 input=200 output=40
				call call_main_5_0 exec_command completed exit=0`,
	}.run(t)
}

// TestExaminedCodexInterrupted: one of two parallel commands is interrupted; then the session goes on.
func TestExaminedCodexInterrupted(t *testing.T) {
	examined{
		script: one(model.Calls(command("echo quick"), command(untilEnd)), model.Calls(command("exit 2")), model.Text("went on"))(),
		play: func(w *world) {
			p := w.startCodex(w.project, "do the thing")
			w.waitFor(w.started())
			w.waitEnded("call_main_0_0")                // what has no exit when Codex is interrupted, it calls aborted
			syscall.Kill(p.Process.Pid, syscall.SIGINT) // Codex alone, as Ctrl-C in exec reaches it
			p.wait()
			w.grow()
			w.resumeLast("go on")
		},
		truth: `
			session A completed root prompts=2 responses=3 calls=3 failed=1 interrupts=1 input=300 output=60
				call call_main_0_0 exec_command completed exit=0
				call call_main_0_1 exec_command cancelled
				call call_main_1_0 exec_command errored exit=2`,
	}.run(t)
}

// TestExaminedCodexKilledInAnAgent: killed in the command of a sub-agent, while its parent waits for it; then the parent goes on.
// Nobody tells the parent that the sub-agent ended, so that it is still running for all that its records say.
func TestExaminedCodexKilledInAnAgent(t *testing.T) {
	waits := make(chan struct{})
	examined{
		prepare: newerCodex,
		script: model.Script{
			codexHelper("alpha", model.Turn{
				Calls: []model.Call{js(`text((await tools.exec_command({cmd:"touch '$PROJECT/started.tmp'; while [ -e '$PROJECT/started.tmp' ]; do sleep 0.1; ` +
					`done"})).output)`)},
				Before: func(ctx context.Context) {
					select {
					case <-waits:
					case <-ctx.Done():
					}
				},
			}),
			{Name: "main", Turns: []model.Turn{
				model.Calls(spawn("alpha", "look around", "none")),
				{Calls: []model.Call{waitAgents}, Before: func(context.Context) { close(waits) }},
				model.Text("went on"),
			}},
		},
		play: func(w *world) {
			p := w.startCodex(w.project, "do the thing")
			w.waitRecorded("call_main_1_0")
			w.killIn(p, "call_alpha_0_0")
			w.grow()
			w.codexExec(w.project, "go on", "resume", w.threads()[0])
		},
		truth: `
			session A completed root prompts=2 responses=3 calls=2 no_result=2 subagents=1 input=300 output=60
				call call_main_0_0 spawn_agent running
				call call_main_1_0 wait_agent open
			session call_main_0_0 killed subagent:A responses=1 calls=1 no_result=1 input=100 output=20
				call ? ? open`,
	}.run(t)
}

func TestExaminedCodexMCP(t *testing.T) {
	mcp := func(name string) model.Call {
		return model.Call{Namespace: "mcp__srv", Name: name, Input: map[string]any{}}
	}
	examined{
		files: map[string]string{"srv.sh": mcpServer},
		script: one(
			model.Calls(command("until [ -e '$PROJECT/ready.tmp' ]; do sleep 0.1; done")),
			model.Calls(mcp("good"), mcp("bad"), mcp("boom")),
			model.Calls(mcp("die")),
			model.Text("all done"),
		)(),
		prepare: func(w *world) {
			path := filepath.Join(w.home, ".codex", "config.toml")
			config, err := os.ReadFile(path)
			if err != nil {
				w.Fatal(err)
			}
			server := "\n[mcp_servers.srv]\ncommand = \"bash\"\nargs = [\"$PROJECT/srv.sh\"]\nenv = { MCP_READY = \"$PROJECT/ready.tmp\" }\n"
			w.write(path, string(config)+strings.ReplaceAll(server, "$PROJECT", w.project))
		},
		play: func(w *world) { w.codexExec(w.project, "do the thing") },
		truth: `
			session A completed root prompts=1 responses=4 calls=5 failed=3 input=400 output=80
				call call_main_0_0 exec_command completed exit=0
				call call_main_1_0 mcp__srv__good completed
				call call_main_1_1 mcp__srv__bad errored
				call call_main_1_2 mcp__srv__boom errored
				call call_main_2_0 mcp__srv__die errored`,
	}.run(t)
}
