//go:build agents

package realagents

import (
	"path/filepath"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// foreignCodexHook is somebody else's hooks.json: it refuses commands that say forbidden.
const foreignCodexHook = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q forbidden && { echo not here ` +
	`>&2; exit 2; }; exit 0"}]}]}}`

// Holds codex: denied.
func TestCodexDenied(t *testing.T) {
	scenario{
		prepare: func(w *world) { w.write(filepath.Join(w.home, ".codex", "hooks.json"), foreignCodexHook) },
		script:  one(model.Calls(command("echo forbidden")), model.Calls(command("echo allowed")), model.Text("all done")),
		play:    func(w *world) { w.codexExec(w.project, "do the thing") },
		calls: `
			call_main_0_0 TOOL_DENIED -
			call_main_1_0 TOOL 0`,
		transcript: codexCalls,
	}.run(t)
}

// TestCodexWithoutTranscript: where neither the hook nor a transcript tells how a command ended, the log does not either.
func TestCodexWithoutTranscript(t *testing.T) {
	scenario{
		script:    one(model.Calls(command("exit 3")), model.Calls(patch("*** Add File: new.txt\n+new\n")), model.Text("all done")),
		play:      func(w *world) { w.codexExec(w.project, "do the thing", "--ephemeral") },
		storeless: true,
		calls: `
			call_main_0_0 TOOL -
			call_main_1_0 TOOL -`,
		check: func(w *world) {
			for _, e := range of(w.entries(w.project), logfmt.Tool) {
				if datum(e, "tool") == "Bash" && datum(e, "outcome") != "unknown" {
					w.Errorf("outcome of a command that nobody knows of: %s", e.Data)
				}
			}
		},
	}.run(t)
}

// TestCodexLeavesACommandRunning: the turn ends before the command does; what it did later is nobody's to say.
func TestCodexLeavesACommandRunning(t *testing.T) {
	running := model.Call{Name: "exec_command", Input: map[string]any{"cmd": "echo started; sleep 30; exit 5", "yield_time_ms": 250}}
	scenario{
		script: one(model.Calls(running), model.Calls(command("echo meanwhile")), model.Text("all done")),
		play:   func(w *world) { w.codexExec(w.project, "do the thing") },
		check: func(w *world) {
			for _, c := range loggedCalls(w, w.entries(w.project)) {
				if c.ID == "call_main_0_0" && (c.End == "TOOL_DENIED" || c.Exit == "0" || c.Exit == "5") {
					w.Errorf("a command that was cut off by the end of the session: %s", c)
				}
				if c.ID == "call_main_1_0" && c.Exit != "0" {
					w.Errorf("a command that ended: %s", c)
				}
			}
			w.order(w.threads()[0], "SESSION_START PROMPT STOP SESSION_END")
		},
	}.run(t)
}

// TestCodexReview: the review runs in a thread of its own, under the session's id.
func TestCodexReview(t *testing.T) {
	const verdict = `{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"Fine.","overall_confidence_score":0.9}`
	scenario{
		script: one(model.Calls(command("git diff")), model.Text(verdict), model.Text("review is done")),
		play: func(w *world) {
			w.write("changed.txt", "changed\n")
			w.start(w.project, w.codexPath(), "exec", "--dangerously-bypass-hook-trust", "review", "--uncommitted").wait()
		},
		check: func(w *world) {
			calls := loggedCalls(w, w.entries(w.project))
			expect(w, calls, "call_main_0_0 TOOL 0")
			if len(calls) == 1 && calls[0].Session != w.threads()[0] {
				w.Errorf("the review's call is in session %s, want %s", calls[0].Session, w.threads()[0])
			}
		},
	}.run(t)
}
