//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// lifecycle are the entries that prompts wrote with aburn log.
func (w *world) lifecycle() []logfmt.Entry {
	w.Helper()
	var own []logfmt.Entry
	for _, e := range w.entries(w.project) {
		if e.Source == "prompt" {
			own = append(own, e)
		}
	}
	return own
}

// brief is an entry as one word: EVENT or EVENT:PHASE.
func brief(e logfmt.Entry) string {
	return strings.Trim(string(e.Event)+":"+e.Phase, ":")
}

// logs holds the entries of prompts to a line of EVENT or EVENT:PHASE, all in one session and worktree and none from a sub-agent.
func (w *world) logs(session, wt, want string) []logfmt.Entry {
	w.Helper()
	entries := w.lifecycle()
	var got []string
	for _, e := range entries {
		got = append(got, brief(e))
		if string(e.Session) != session || agentID(e) != "" || !strings.HasSuffix(e.Wt, wt) || (wt == "") != (e.Wt == "") {
			w.Errorf("%s: session %s, agent %q, wt %q; want session %s, no agent, wt %q", e.Human(), e.Session, agentID(e), e.Wt, session, wt)
		}
	}
	if line := strings.Join(got, " "); line != want {
		w.Errorf("prompts logged %q, want %q", line, want)
	}
	return entries
}

// TestCodexLogsFromItsSandbox: commands of the model may not write the log, the hooks may. What aburn log prints is relayed.
func TestCodexLogsFromItsSandbox(t *testing.T) {
	for _, c := range []struct {
		name, sandbox, place string
		trusted, relayed     bool
	}{
		{"default", "", "project", false, true},
		{"default in a sub-folder", "", "project/sub", false, true},
		{"default in a worktree", "", "linked", false, true},
		{"default in a trusted project", "", "project", true, false},
		{"workspace-write", "workspace-write", "project", false, false},
		{"workspace-write in a sub-folder", "workspace-write", "project/sub", false, true},
		{"workspace-write in a worktree", "workspace-write", "linked", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			codexLogsFromItsSandbox(t, c.sandbox, c.place, c.trusted, c.relayed)
		})
	}
}

func codexLogsFromItsSandbox(t *testing.T, sandbox, place string, trusted, relayed bool) {
	script := one(
		model.Calls(command("aburn log build START")),
		model.Calls(command("aburn log build PHASE_START --phase RED && aburn log build PHASE_COMPLETE --phase RED --summary 'three \"failing\" tests'")),
		model.Calls(command("echo not a log command")),
		model.Calls(command("aburn log build COMPLETE --summary 'it works' --output made.txt --metric tests=3 --next ship; echo exit $?")),
		model.Text("all done"),
	)
	w := newWorld(t, "hooked", script(), map[string]string{"made.txt": "made\n", "sub/made.txt": "made\n"})
	w.addWorktree()
	w.install()
	if trusted {
		w.codexConfig(sandbox, w.project)
	} else {
		w.codexConfig(sandbox)
	}
	dir := filepath.Join(w.home, place)
	w.codexExec(dir, "do the thing")

	thread, wt := w.threads()[0], ""
	if place == "linked" {
		wt = "linked"
	}
	entries := w.logs(thread, wt, "START PHASE_START:RED PHASE_COMPLETE:RED COMPLETE")
	expect(t, loggedCalls(t, w.entries(w.project)), `
		call_main_0_0 TOOL 0
		call_main_1_0 TOOL 0
		call_main_2_0 TOOL 0
		call_main_3_0 TOOL 0`)
	agree(t, loggedCalls(t, w.entries(w.project)), w.codexCalls())
	if last := w.asked(4).Last(); !strings.Contains(last, "exit 0") {
		t.Errorf("the model was told:\n%s", last)
	}
	if t.Failed() {
		return
	}
	complete := entries[3]
	if datum(complete, "summary") != "it works" || datum(complete, "outputs.0.bytes") != "5" || datum(complete, "metrics.tests") != "3" ||
		datum(complete, "next_suggested") != "ship" {
		t.Errorf("data of COMPLETE: %s", complete.Data)
	}
	if got := strings.Contains(w.asked(1).Last(), logfmt.RelayPrefix); got != relayed {
		t.Errorf("relayed is %v, want %v", got, relayed)
	}
	if r := w.run(dir, "aburn", "chain", "build", "--get", "data.summary"); strings.TrimSpace(r.stdout) != "it works" {
		t.Errorf("aburn chain: %+v", r)
	}
}

// TestClaudeLogsByPermission: in the default mode aburn log needs a permission; --allow-log gives exactly that one.
func TestClaudeLogsByPermission(t *testing.T) {
	play := func(t *testing.T, want string, install ...string) {
		t.Parallel()
		script := one(model.Calls(bash("aburn log build START")), model.Calls(bash("touch other.txt")), model.Text("all done"))
		w := newWorld(t, "hooked", script(), nil)
		w.install(install...)
		w.claude("do the thing", "--session-id", sessionA, "--permission-mode", "default")
		calls := loggedCalls(t, w.entries(w.project))
		expect(t, calls, want)
		agree(t, calls, w.claudeCalls())
		if isFile(filepath.Join(w.project, "other.txt")) {
			t.Error("a command that nobody allowed has run")
		}
		if started := len(w.lifecycle()) == 1; started != (len(install) > 0) {
			t.Errorf("logged: %v", started)
		}
	}
	t.Run("denied", func(t *testing.T) {
		play(t, "toolu_main_0_0 TOOL_DENIED -\n toolu_main_1_0 TOOL_DENIED -")
	})
	t.Run("allowed", func(t *testing.T) {
		play(t, "toolu_main_0_0 TOOL 0\n toolu_main_1_0 TOOL_DENIED -", "--allow-log")
	})
}

// TestTwoHelpersLogAtOnce: the environment names the session only; which sub-agent logs is seen from the open shell calls.
func TestTwoHelpersLogAtOnce(t *testing.T) {
	scenario{
		script: func() model.Script {
			gate := newGate(2)
			turns := func(name string) []model.Turn {
				return []model.Turn{
					{Calls: []model.Call{bash("aburn log " + name + " START --agent-type " + name)}, Before: gate.pass},
					{Calls: []model.Call{bash("aburn log " + name + " COMPLETE --agent-type " + name + " --summary " + name)}, Before: gate.pass},
					model.Text(name + " done"),
				}
			}
			return model.Script{
				helper("tester", "TASK-TESTER", turns("tester")...),
				helper("reviewer", "TASK-REVIEWER", turns("reviewer")...),
				{Name: "main", Turns: []model.Turn{
					model.Calls(bash("aburn log build START")),
					model.Calls(agent("TASK-TESTER please", false), agent("TASK-REVIEWER please", false)),
					model.Calls(bash("aburn log build COMPLETE --summary built")),
					model.Text("all done"),
				}},
			}
		},
		play:       func(w *world) { w.claude("do the thing", free(sessionA)...) },
		unequal:    "aburn log finds no .oss without aburn",
		transcript: claudeCalls,
		check: func(w *world) {
			owner := map[string]string{} // conversation → sub-agent, as the transcript tells
			for _, c := range w.claudeCalls() {
				owner[strings.Split(c.ID, "_")[1]] = c.Agent
			}
			entries := w.lifecycle()
			if len(entries) != 6 {
				w.Errorf("%d entries of prompts, want 6", len(entries))
			}
			for _, e := range entries {
				name := e.Cmd
				if name == "build" {
					name = "main"
				}
				if string(e.Session) != sessionA || agentID(e) != owner[name] {
					w.Errorf("%s: session %s, agent %q, want %q", e.Human(), e.Session, agentID(e), owner[name])
				}
			}
			// The chain's memory is not touched by helpers.
			if r := w.run(w.project, "aburn", "chain", "build", "--get", "data.summary"); strings.TrimSpace(r.stdout) != "built" {
				w.Errorf("aburn chain build: %+v", r)
			}
			if r := w.run(w.project, "aburn", "chain", "tester"); r.code != 1 {
				w.Errorf("a helper's COMPLETE is in the chain: %+v", r)
			}
		},
	}.run(t)
}

// TestCodexInsideClaude: both agents' variables are in the inner shell, and each entry still finds its own session.
func TestCodexInsideClaude(t *testing.T) {
	script := func() model.Script {
		return model.Script{
			{Name: "inner", When: model.Speaks(model.Responses), Turns: []model.Turn{
				model.Calls(command("aburn log review START")),
				model.Calls(command("echo inner; exit 4")),
				model.Calls(command("aburn log review COMPLETE --summary inner")),
				model.Text("inner done"),
			}},
			{Name: "main", Turns: []model.Turn{
				model.Calls(bash("aburn log build START")),
				model.Calls(bash("codex exec --dangerously-bypass-hook-trust 'inner task' </dev/null")),
				model.Calls(bash("aburn log build COMPLETE --summary outer")),
				model.Text("all done"),
			}},
		}
	}
	t.Parallel()
	w := newWorld(t, "hooked", script(), nil)
	w.install()
	w.claude("do the thing", free(sessionA)...)
	calls := loggedCalls(t, w.entries(w.project))
	agree(t, calls, append(w.claudeCalls(), w.codexCalls()...))
	expect(t, calls, `
		toolu_main_0_0 TOOL 0
		toolu_main_1_0 TOOL 0
		toolu_main_2_0 TOOL 0
		call_inner_0_0 TOOL 0
		call_inner_1_0 TOOL_FAILED 4
		call_inner_2_0 TOOL 0`)
	thread := w.threads()[0]
	for _, e := range w.lifecycle() {
		want := sessionA
		if e.Cmd == "review" {
			want = thread
		}
		if string(e.Session) != want {
			t.Errorf("%s: session %s, want %s", e.Human(), e.Session, want)
		}
	}
	w.order(sessionA, "SESSION_START PROMPT START COMPLETE STOP SESSION_END")
	w.order(thread, "SESSION_START PROMPT START COMPLETE STOP SESSION_END")
}
