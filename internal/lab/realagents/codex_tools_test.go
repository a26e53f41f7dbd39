//go:build agents

package realagents

import (
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// command is a call of Codex's shell tool.
func command(cmd string) model.Call {
	return model.Call{Name: "exec_command", Input: map[string]any{"cmd": cmd}}
}

// kept is a command for which Codex waits half a minute. Without a word it lets go of one after ten seconds, and the turn goes on.
func kept(cmd string) model.Call {
	return model.Call{Name: "exec_command", Input: map[string]any{"cmd": cmd, "yield_time_ms": 30000}}
}

func patch(text string) model.Call {
	return model.Call{Name: "apply_patch", Freeform: true, Input: "*** Begin Patch\n" + text + "*** End Patch\n"}
}

func codexCalls(w *world) []call { return w.codexCalls() }

// Holds codex: basic, failing, stop.
func TestCodexTools(t *testing.T) {
	scenario{
		script: one(
			model.Calls(command("echo hi; pwd")),
			model.Calls(command("echo out; exit 3")),
			model.Calls(patch("*** Add File: notes.txt\n+first line\n+second line\n")),
			model.Calls(patch("*** Update File: notes.txt\n@@\n-first line\n+changed line\n second line\n")),
			model.Calls(patch("*** Update File: missing.txt\n@@\n-x\n+y\n")),                                            // no end event; the transcript tells
			model.Calls(command("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: s.txt\n+x\n*** End Patch\nEOF\n")), // likewise
			model.Calls(model.Call{Name: "no_such_tool", Input: map[string]any{"a": 1}}),                                // no hook fires
			model.Calls(model.Call{Name: "exec_command", Input: "{not json"}),                                           // nor here
			model.Text("all done"),
		),
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL 0
			call_main_1_0 TOOL_FAILED 3
			call_main_2_0 TOOL -
			call_main_3_0 TOOL -
			call_main_4_0 TOOL_FAILED -
			call_main_5_0 TOOL -`,
		check: func(w *world) {
			w.order(w.threads()[0], "SESSION_START PROMPT STOP SESSION_END")
		},
	}.run(t)
}

// threads are the ids of Codex's root sessions in this home, in order of their start.
func (w *world) threads() []string {
	w.Helper()
	var ids []string
	for _, path := range w.glob(".codex/sessions/*/*/*/*.jsonl") {
		meta := w.lines(path)[0].Get("payload")
		if id := meta.Get("id").String(); id == meta.Get("session_id").String() {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestCodexParallelAndLongCommands(t *testing.T) {
	session := func(r *model.Request) string {
		_, rest, _ := strings.Cut(r.Last(), "session ID ")
		id, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(id)
	}
	stdin := func(chars string) model.Call {
		return model.Call{Name: "write_stdin", InputFor: func(r *model.Request) any {
			return `{"session_id":` + session(r) + `,"chars":"` + chars + `","yield_time_ms":20000}`
		}}
	}
	scenario{
		script: one(
			model.Calls(command("sleep 0.1; exit 1"), command("echo two; exit 2"), command("echo three"), command("exit 4")),
			model.Calls(model.Call{Name: "exec_command", Input: map[string]any{"cmd": "read x; echo got $x; exit 5", "yield_time_ms": 250, "tty": true}}),
			model.Calls(stdin(`line\n`)),
			model.Text("all done"),
		),
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL_FAILED 1
			call_main_0_1 TOOL_FAILED 2
			call_main_0_2 TOOL 0
			call_main_0_3 TOOL_FAILED 4
			call_main_1_0 TOOL_FAILED 5`,
	}.run(t)
}

func TestCodexCodeMode(t *testing.T) {
	scenario{
		prepare: func(w *world) { w.codex = "gpt-6-sol"; w.codexConfig("danger-full-access") },
		script: one(
			model.Calls(js(`const r = await tools.exec_command({cmd:"echo in code mode; exit 4"}); text(r.output);`)),
			model.Calls(js(`const a = await tools.apply_patch("*** Begin Patch\n*** Add File: cm.txt\n+hi\n*** End Patch\n"); text(JSON.stringify(a));`)),
			model.Text("all done"),
		),
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		check:      func(w *world) { w.exits("4") },
	}.run(t)
}

func TestCodexAPIError(t *testing.T) {
	broken := model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted failure"}}
	scenario{
		script:     one(append([]model.Turn{model.Calls(command("echo before"))}, model.Times(4, broken)...)...),
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		calls:      `call_main_0_0 TOOL 0`,
		check: func(w *world) {
			w.order(w.threads()[0], "SESSION_START PROMPT TURN_FAILED SESSION_END")
		},
	}.run(t)
}

func TestCodexCompaction(t *testing.T) {
	scenario{
		script: func() model.Script {
			return model.Script{
				{Name: "summary", When: model.LastContains("CONTEXT CHECKPOINT COMPACTION"), Repeat: true, Turns: []model.Turn{model.Text("so far so good")}},
				{Name: "main", Turns: []model.Turn{
					{Calls: []model.Call{command("echo before")}, Usage: model.Usage{Input: 250000, Output: 1000}},
					model.Calls(command("echo after")),
					model.Text("all done"),
				}},
			}
		},
		play:       func(w *world) { w.codexExec(w.project, "do the thing") },
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL 0
			call_main_1_0 TOOL 0`,
		check: func(w *world) {
			w.order(w.threads()[0], "SESSION_START PROMPT COMPACT COMPACT SESSION_START STOP SESSION_END")
		},
	}.run(t)
}

// Holds codex: resume.
func TestCodexResumeAndFork(t *testing.T) {
	scenario{
		script: one(
			model.Calls(command("echo first")), model.Text("one done"),
			model.Calls(command("echo second")), model.Text("two done"),
			model.Calls(command("echo third")), model.Text("three done"),
		),
		play: func(w *world) {
			w.codexExec(w.project, "first")
			w.codexExec(w.project, "second", "resume", w.threads()[0])
			w.codexExec(w.project, "third", "fork", w.threads()[0])
		},
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL 0
			call_main_2_0 TOOL 0
			call_main_4_0 TOOL 0`,
		check: func(w *world) {
			threads := w.threads()
			if len(threads) != 2 {
				w.Fatalf("%d sessions, want two", len(threads))
			}
			w.order(threads[0], "SESSION_START PROMPT STOP SESSION_END SESSION_START PROMPT STOP SESSION_END")
			w.order(threads[1], "SESSION_START PROMPT STOP SESSION_END")
		},
	}.run(t)
}

func TestCodexKilledInATool(t *testing.T) {
	scenario{
		script: one(
			model.Calls(command("echo finished")),
			model.Calls(command(untilEnd)),
		),
		play: func(w *world) {
			p := w.startCodex(w.project, "do the thing")
			w.killIn(p, "call_main_1_0")
		},
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL 0
			call_main_1_0 open -`,
		check: func(w *world) { w.order(w.threads()[0], "SESSION_START PROMPT") },
	}.run(t)
}

// Holds codex: interrupted.
func TestCodexInterrupted(t *testing.T) {
	scenario{
		script: one(model.Calls(command(untilEnd))),
		play: func(w *world) {
			p := w.startCodex(w.project, "do the thing")
			w.waitFor(w.started())
			syscall.Kill(p.Process.Pid, syscall.SIGINT) // Codex alone, as Ctrl-C in exec reaches it
			p.wait()
		},
		transcript: codexCalls,
		check: func(w *world) {
			session := inSession(w.entries(w.project), w.threads()[0])
			if len(of(session, logfmt.Interrupt)) != 1 || len(of(session, logfmt.Stop)) != 0 {
				w.Errorf("events: %s", events(session))
			}
		},
	}.run(t)
}
