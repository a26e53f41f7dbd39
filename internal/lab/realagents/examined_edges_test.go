//go:build agents

package realagents

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// TestExaminedClaudeEscape: Esc in a terminal stops the second of two parallel commands; then the session goes on.
func TestExaminedClaudeEscape(t *testing.T) {
	examined{
		script: model.Script{
			{Name: "side", When: model.NoTools, Repeat: true, Turns: []model.Turn{model.Text("a title")}}, // of which no transcript tells
			{Name: "main", Turns: []model.Turn{model.Calls(bash("echo quick"), bash(untilEnd)), model.Calls(bash("exit 3")), model.Text("went on")}},
		},
		play: func(w *world) {
			term := w.claudeTerminal("--session-id", sessionA, "--permission-mode", "default", "--allowedTools", "Bash")
			term.say("first")
			w.waitFor(w.started())
			w.grow()
			term.insist("Escape", term.shows("Interrupted"))
			w.grow()
			term.say("second")
			term.see("went on")
			term.say("/exit")
			term.gone()
		},
		truth: `
			session A completed root prompts=2 responses=3 calls=3 failed=2 interrupts=1 input=300 output=60
				call toolu_main_0_0 Bash completed
				call toolu_main_0_1 Bash cancelled
				call toolu_main_1_0 Bash errored exit=3`,
	}.run(t)
}

// TestExaminedClaudeBackgroundAgent: a sub-agent in the background ends after the turn that started it.
func TestExaminedClaudeBackgroundAgent(t *testing.T) {
	examined{
		script: model.Script{
			helper("worker", "TASK-WORKER", model.Calls(bash(untilSaid+"; exit 2")), model.Text("worker done")),
			{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-WORKER please", true)), model.Text("started"), model.Text("noted")}},
		},
		play: func(w *world) { w.claudeEndsLater() },
		truth: `
			session A completed root prompts=1 responses=3 calls=1 subagents=1 input=300 output=60
				call toolu_main_0_0 Agent completed
			session toolu_main_0_0 completed subagent:A responses=2 calls=1 failed=1 input=200 output=40
				call toolu_worker_0_0 Bash errored exit=2`,
	}.run(t)
}

// TestExaminedClaudeRefused: a sub-agent is refused by somebody's hook, by a rule, and because there is nobody to ask.
func TestExaminedClaudeRefused(t *testing.T) {
	examined{
		files: map[string]string{".claude/settings.json": `{"permissions": {"deny": ["Bash(touch forbidden*)"]},
			"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q refused && { echo not here >&2; exit 2; }; exit 0"}]}]}}`},
		script: model.Script{
			helper("worker", "TASK-WORKER", model.Calls(bash("echo refused"), bash("touch forbidden.txt"), bash("touch asked.txt"), bash("echo fine")),
				model.Text("worker done")),
			{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-WORKER please", false)), model.Text("all done")}},
		},
		play: func(w *world) {
			w.claude("do the thing", "--session-id", sessionA, "--permission-mode", "default", "--allowedTools", "Bash(echo:*)")
		},
		truth: `
			session A completed root prompts=1 responses=2 calls=1 subagents=1 input=200 output=40
				call toolu_main_0_0 Agent completed
			session toolu_main_0_0 completed subagent:A responses=2 calls=4 failed=3 denied=3 input=200 output=40
				call toolu_worker_0_0 Bash errored denied=hook
				call toolu_worker_0_1 Bash errored denied=rule
				call toolu_worker_0_2 Bash errored denied=other
				call toolu_worker_0_3 Bash completed`,
	}.run(t)
}

// TestExaminedClaudeLimits: the service is overloaded twice before it answers; then the limit of turns ends the turn, and another
// process goes on.
func TestExaminedClaudeLimits(t *testing.T) {
	overloaded := model.Turn{Failure: &model.Failure{Status: 529, Type: "overloaded_error", Message: "overloaded"}}
	examined{
		script: one(overloaded, overloaded, model.Calls(bash("echo one")), model.Calls(bash("exit 2")), model.Text("went on"))(),
		play: func(w *world) {
			w.claude("do the thing", free(sessionA, "--max-turns", "2")...)
			w.grow()
			w.claude("go on", "--dangerously-skip-permissions", "--resume", sessionA)
		},
		truth: `
			session A completed root prompts=2 responses=3 calls=2 failed=1 errors=3 input=300 output=60
				call toolu_main_2_0 Bash completed
				call toolu_main_3_0 Bash errored exit=2`,
	}.run(t)
}

// TestExaminedClaudeOddFiles: lines that look like the headers of a diff, a name that is not ASCII, a file outside of the project.
func TestExaminedClaudeOddFiles(t *testing.T) {
	write := func(path, content string) model.Call {
		return tool("Write", map[string]any{"file_path": path, "content": content})
	}
	edit := func(path, old, with string) model.Call {
		return tool("Edit", map[string]any{"file_path": path, "old_string": old, "new_string": with})
	}
	examined{
		script: one(
			model.Calls(write("$PROJECT/sub/größe.sql", "-- x\nselect\n-- y\n")),
			model.Calls(edit("$PROJECT/sub/größe.sql", "-- x\nselect\n-- y", "++ x\n@@ -1 +1 @@\n+++ b\n--- a")),
			model.Calls(write("$HOME/outside.txt", "\n\n\n")),
			model.Text("all done"),
		)(),
		play: func(w *world) { w.claude("do the thing", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=4 calls=3 changes=3 input=400 output=80
				call toolu_main_0_0 Write completed
				call toolu_main_1_0 Edit completed
				call toolu_main_2_0 Write completed
				file created sub/größe.sql 3 0
				file modified sub/größe.sql 4 3
				file created $HOME/outside.txt 3 0`,
	}.run(t)
}

// TestExaminedCodexOddFiles: the same for Codex, and a patch that a shell command holds.
func TestExaminedCodexOddFiles(t *testing.T) {
	examined{
		files: map[string]string{"größe.sql": "-- x\nselect\n-- y\nkeep\n"},
		script: one(
			model.Calls(patch("*** Update File: größe.sql\n@@\n--- x\n-select\n--- y\n+++ x\n+@@ -1 +1 @@\n++++ b\n+--- a\n keep\n")),
			model.Calls(command("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: sub/s.txt\n+x\n+\n*** End Patch\nEOF\n")),
			model.Calls(patch("*** Delete File: sub/s.txt\n"), command("cat missing.txt || exit 7")),
			model.Text("all done"),
		)(),
		play: func(w *world) { w.codexExec(w.project, "do the thing") },
		truth: `
			session A completed root prompts=1 responses=4 calls=4 failed=1 changes=3 input=400 output=80
				call call_main_0_0 apply_patch completed
				call call_main_1_0 exec_command completed
				call call_main_2_0 apply_patch completed
				call call_main_2_1 exec_command errored exit=7
				file modified größe.sql 4 3
				file created sub/s.txt 2 0
				file deleted sub/s.txt 0 2`,
	}.run(t)
}

// TestExaminedCodexDroppedStream: an answer breaks off after its text; the client asks again. Of the first nobody says what it cost.
func TestExaminedCodexDroppedStream(t *testing.T) {
	examined{
		script: one(model.Calls(command("exit 9")), model.Turn{Text: "half an", Cut: true}, model.Text("a whole answer"))(),
		play:   func(w *world) { w.codexExec(w.project, "do the thing") },
		truth: `
			session A completed root prompts=1 responses=2 calls=1 failed=1 input=200 output=40
				call call_main_0_0 exec_command errored exit=9`,
	}.run(t)
}

// TestExaminedCodexArchived: the user archives a session that was forked, which moves its file.
func TestExaminedCodexArchived(t *testing.T) {
	examined{
		script: one(model.Calls(command("exit 1")), model.Text("one"), model.Calls(command("exit 2")), model.Text("two"))(),
		play: func(w *world) {
			w.codexExec(w.project, "first")
			id := w.threads()[0]
			w.grow()
			w.codexExec(w.project, "second", "fork", id)
			w.grow()
			if r := w.run(w.project, w.codexPath(), "archive", id); r.code != 0 {
				w.Errorf("codex archive: exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			if moved := w.glob(filepath.Join(".codex", "archived_sessions", "*"+id+"*")); len(moved) != 1 {
				w.Errorf("archived: %v", moved)
			}
		},
		truth: `
			session A completed root prompts=1 responses=2 calls=1 failed=1 input=200 output=40
				call call_main_0_0 exec_command errored exit=1
			session B completed fork:A prompts=1 responses=2 calls=1 failed=1 input=200 output=40
				call call_main_2_0 exec_command errored exit=2`,
	}.run(t)
}

// TestExaminedCodexNested: a sub-agent that saw all of its parent has a sub-agent that saw all of it.
func TestExaminedCodexNested(t *testing.T) {
	examined{
		prepare: newerCodex,
		script: model.Script{
			codexHelper("inner", model.Calls(js(`text((await tools.exec_command({cmd:"exit 2"})).output)`)), model.Text("inner done")),
			codexHelper("alpha", model.Calls(spawn("inner", "look inside", "all")), model.Calls(waitAgents), model.Text("alpha done")),
			{Name: "main", Turns: []model.Turn{
				model.Calls(js(`text((await tools.exec_command({cmd:"echo main"})).output)`)),
				model.Calls(spawn("alpha", "look around", "all")), model.Calls(waitAgents), model.Text("all done"),
			}},
		},
		play: func(w *world) { w.codexExec(w.project, "do the thing") },
		truth: `
			session A completed root prompts=1 responses=4 calls=3 subagents=1 input=400 output=80
				call ? exec_command completed exit=0
				call call_main_1_0 spawn_agent completed
				call call_main_2_0 wait_agent completed
			session call_main_1_0 completed subagent:A responses=3 calls=2 subagents=1 input=300 output=60
				call call_alpha_0_0 spawn_agent completed
				call call_alpha_1_0 wait_agent completed
			session call_alpha_0_0 completed subagent:call_main_1_0 responses=2 calls=1 failed=1 input=200 output=40
				call ? exec_command errored exit=2`,
	}.run(t)
}

// TestExaminedClaudeForkOfTheKilled: killed in a sub-agent, and forked instead of resumed: the fork ends a call that is not its own.
func TestExaminedClaudeForkOfTheKilled(t *testing.T) {
	examined{
		script: model.Script{
			helper("stuck", "TASK-STUCK", model.Calls(bash(untilEnd))),
			{Name: "main", Turns: []model.Turn{model.Calls(bash("exit 1")), model.Calls(agent("TASK-STUCK please", false)), model.Text("went on")}},
		},
		play: func(w *world) {
			p := w.startClaude(w.project, "do the thing", free(sessionA)...)
			w.killIn(p, "toolu_stuck_0_0")
			w.grow()
			w.claude("go on", "--dangerously-skip-permissions", "--resume", sessionA, "--fork-session", "--session-id", sessionB)
		},
		truth: `
			session A killed root prompts=1 responses=2 calls=2 failed=1 no_result=1 subagents=1 input=200 output=40
				call toolu_main_0_0 Bash errored exit=1
				call toolu_main_1_0 Agent open
			session toolu_main_1_0 killed subagent:A responses=1 calls=1 no_result=1 input=100 output=20
				call toolu_stuck_0_0 Bash open
			session B completed fork:A prompts=1 responses=1 input=100 output=20`,
	}.run(t)
}

// TestExaminedClaudeTwins: two sub-agents at once that nothing but their calls tells apart.
func TestExaminedClaudeTwins(t *testing.T) {
	twins := helper("twin", "TASK-TWIN", model.Calls(bash("exit 2")), model.Text("twin done"))
	twins.PerThread = true
	examined{
		script: model.Script{twins,
			{Name: "main", Turns: []model.Turn{model.Calls(agent("TASK-TWIN please", false), agent("TASK-TWIN please", false)), model.Text("all done")}}},
		play: func(w *world) { w.claude("do the thing", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=2 calls=2 subagents=2 input=200 output=40
				call toolu_main_0_0 Agent completed
				call toolu_main_0_1 Agent completed
			session toolu_main_0_0 completed subagent:A responses=2 calls=1 failed=1 input=200 output=40
				call ? Bash errored exit=2
			session toolu_main_0_1 completed subagent:A responses=2 calls=1 failed=1 input=200 output=40
				call ? Bash errored exit=2`,
	}.run(t)
}

// TestExaminedClaudeAtOnce: two processes go on with one session at the same time, in one transcript.
func TestExaminedClaudeAtOnce(t *testing.T) {
	both := newGate(2)
	examined{
		script: one(model.Text("one"), model.Turn{Text: "two", Before: both.pass}, model.Turn{Text: "three", Before: both.pass})(),
		play: func(w *world) {
			w.claude("first", free(sessionA)...)
			w.grow()
			second := w.startClaude(w.project, "second", "--dangerously-skip-permissions", "--resume", sessionA)
			third := w.startClaude(w.project, "third", "--dangerously-skip-permissions", "--resume", sessionA)
			second.wait()
			third.wait()
		},
		truth: `session A completed root prompts=3 responses=3 input=300 output=60`,
	}.run(t)
}

// TestExaminedClaudeInterrupted: SIGINT in a command without a terminal, then the session goes on.
func TestExaminedClaudeInterrupted(t *testing.T) {
	examined{
		script: one(model.Calls(bash(untilEnd)), model.Text("went on"))(),
		play: func(w *world) {
			p := w.startClaude(w.project, "do the thing", free(sessionA)...)
			w.waitFor(w.started())
			syscall.Kill(p.Process.Pid, syscall.SIGINT)
			p.wait()
			w.grow()
			w.claude("go on", "--dangerously-skip-permissions", "--resume", sessionA)
		},
		truth: `
			session A completed root prompts=2 responses=2 calls=1 failed=1 interrupts=1 input=200 output=40
				call toolu_main_0_0 Bash cancelled`,
	}.run(t)
}

// TestExaminedClaudeAgentCompacted: a sub-agent's conversation is compacted, not its parent's.
func TestExaminedClaudeAgentCompacted(t *testing.T) {
	examined{
		prepare: func(w *world) { w.more = []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"} },
		script: model.Script{
			{Name: "summary", When: model.Contains("CRITICAL: Respond with TEXT ONLY"), Repeat: true,
				Turns: []model.Turn{model.Text("<summary>so far so good</summary>")}},
			{Name: "main", When: model.FirstUserContains("do the thing"), Turns: []model.Turn{model.Calls(agent("TASK-LONG please", false)), model.Text("all done")}},
			{Name: "long", Turns: []model.Turn{ // its first message is the summary later
				model.Calls(bash("echo one")),
				{Calls: []model.Call{bash("echo two")}, Usage: model.Usage{Input: 190000}},
				model.Calls(bash("exit 2")), model.Text("long done"),
			}},
		},
		play: func(w *world) { w.claude("do the thing", free(sessionA)...) },
		truth: `
			session A completed root prompts=1 responses=2 calls=1 subagents=1 input=200 output=40
				call toolu_main_0_0 Agent completed
			session toolu_main_0_0 completed subagent:A responses=4 calls=3 failed=1 compacted=1 input=190300 output=80
				call toolu_long_0_0 Bash completed
				call toolu_long_1_0 Bash completed
				call toolu_long_2_0 Bash errored exit=2`,
	}.run(t)
}

// TestExaminedCodexForkOfTheKilled: killed in a command, and forked instead of resumed.
func TestExaminedCodexForkOfTheKilled(t *testing.T) {
	examined{
		script: one(model.Calls(command("exit 1"), command(untilEnd)), model.Calls(command("exit 2")), model.Text("went on"))(),
		play: func(w *world) {
			p := w.startCodex(w.project, "do the thing")
			w.waitEnded("call_main_0_0")
			w.killIn(p, "call_main_0_1")
			w.grow()
			w.codexExec(w.project, "go on", "fork", w.threads()[0])
		},
		truth: `
			session A killed root prompts=1 responses=1 calls=2 failed=1 no_result=1 input=100 output=20
				call call_main_0_0 exec_command errored exit=1
				call call_main_0_1 exec_command open
			session B completed fork:A prompts=1 responses=2 calls=1 failed=1 input=200 output=40
				call call_main_1_0 exec_command errored exit=2`,
	}.run(t)
}

// TestExaminedCodexParentFails: the model refuses to answer the parent while its sub-agent is at work.
func TestExaminedCodexParentFails(t *testing.T) {
	broken := model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted failure"}}
	working := make(chan struct{})
	waits := broken
	waits.Before = func(ctx context.Context) {
		select {
		case <-working:
		case <-ctx.Done():
		}
	}
	examined{
		prepare: newerCodex,
		script: model.Script{
			codexHelper("alpha", model.Calls(js(`text((await tools.exec_command({cmd:"exit 2"})).output)`)), model.Turn{
				Text:   "too late",
				Before: func(ctx context.Context) { close(working); <-ctx.Done() }, // it never comes
			}),
			{Name: "main", Turns: append([]model.Turn{model.Calls(spawn("alpha", "look around", "none")), waits}, model.Times(3, broken)...)},
		},
		play: func(w *world) { w.codexExec(w.project, "do the thing") },
		// Whether it is written that the end of the program ended the sub-agent's turn, depends on the program.
		truth: `
			session A errored root prompts=1 responses=1 calls=1 no_result=1 subagents=1 errors=1 input=100 output=20
				call call_main_0_0 spawn_agent running
			session call_main_0_0 ? subagent:A responses=1 calls=1 failed=1 interrupts=? input=100 output=20
				call ? exec_command errored exit=2`,
	}.run(t)
}
