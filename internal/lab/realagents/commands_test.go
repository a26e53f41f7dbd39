//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// aburn runs the command as a person would, in the project; it must succeed.
func (w *world) aburn(args ...string) string {
	w.Helper()
	r := w.run(w.project, "aburn", args...)
	if r.code != 0 {
		w.Fatalf("aburn %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// TestClaudeCommandAsksTheChain: a slash command of the user's own begins with a line that runs aburn chain. The client runs it
// with no hook around it.
func TestClaudeCommandAsksTheChain(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"docs/plan.md": "# the plan\n",
		".claude/commands/next.md": "---\nallowed-tools: Bash(aburn chain:*)\n---\nThe plan:\n\n!`aburn chain plan --or \"no plan yet\"`\n\n" +
			"The review:\n\n!`aburn chain review --or \"no review yet\"`\n\nGo on with $ARGUMENTS.\n",
	}
	w := newWorld(t, "hooked", one(model.Calls(bash("echo hi")), model.Text("all done"))(), files)
	w.install()
	w.aburn("log", "plan", "COMPLETE", "--summary", "three slices", "--output", "docs/plan.md", "--next", "build")
	w.claude("/next the first slice", "--session-id", sessionA, "--permission-mode", "default", "--allowedTools", "Bash(echo:*)")

	prompt := w.asked(0)
	for _, want := range []string{"three slices", "docs/plan.md", "no review yet", "the first slice"} {
		if !prompt.Contains(want) {
			t.Errorf("the model was not told %q", want)
		}
	}
	w.order(sessionA, "SESSION_START PROMPT COMMAND STOP SESSION_END")
	entries := inSession(w.entries(w.project), sessionA)
	if c := of(entries, logfmt.Command); len(c) != 1 || datum(c[0], "command") != "next" {
		t.Errorf("COMMAND: %v", c)
	}
	agree(t, loggedCalls(t, entries), w.claudeCalls())
}

// TestTemplatesInClaude runs the written slash commands for real: plan, whose lifecycle the model logs, then build, which is told
// what plan produced.
func TestTemplatesInClaude(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(bash("aburn log plan START")),
		model.Calls(tool("Write", map[string]any{"file_path": "$PROJECT/plan.md", "content": "two slices\n"})),
		model.Calls(bash("aburn log plan COMPLETE --summary 'two slices' --output plan.md --next build")),
		model.Text("planned"),
		model.Calls(bash("aburn log build START")),
		model.Calls(bash("aburn log build PHASE_START --phase RED")),
		model.Calls(bash("exit 1")),
		model.Calls(bash("aburn log build PHASE_COMPLETE --phase RED --summary 'fails as it should'")),
		model.Calls(bash("aburn log build COMPLETE --summary 'built' --next ship")),
		model.Text("built"),
	)(), nil)
	w.install()
	w.aburn("templates", "write", "--agent", "claude")
	allow := []string{"--permission-mode", "default", "--allowedTools", "Write", "Bash(exit:*)"}
	w.claude("/plan a thing", append([]string{"--session-id", sessionA}, allow...)...)
	w.claude("/build", append([]string{"--session-id", sessionB}, allow...)...)

	if first := w.asked(0); !first.Contains("a thing") {
		t.Error("the model was not told the arguments of /plan")
	}
	if build := w.asked(4); !build.Contains("two slices") || !build.Contains("plan.md") {
		t.Error("the model of /build was not told what /plan produced")
	}
	calls := loggedCalls(t, w.entries(w.project))
	agree(t, calls, w.claudeCalls())
	w.order(sessionA, "SESSION_START PROMPT COMMAND START COMPLETE STOP SESSION_END")
	w.order(sessionB, "SESSION_START PROMPT COMMAND START PHASE_START PHASE_COMPLETE COMPLETE STOP SESSION_END")
	// Calls carry what was active: the failing one belongs to build, phase RED.
	for _, e := range of(w.entries(w.project), logfmt.ToolFailed) {
		if e.Cmd != "build" || e.Phase != "RED" {
			t.Errorf("%s: cmd %s, phase %s", e.Human(), e.Cmd, e.Phase)
		}
	}
}

// TestTemplatesInCodex: $plan in a prompt brings the skill; the model runs what it asks for.
func TestTemplatesInCodex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(command("aburn chain ideate --or 'nothing yet'")),
		model.Calls(command("aburn log plan START")),
		model.Calls(command("aburn log plan COMPLETE --summary 'two slices' --next build")),
		model.Text("planned"),
	)(), nil)
	w.install()
	w.aburn("templates", "write", "--agent", "codex")
	w.codexConfig("") // the default sandbox
	w.codexExec(w.project, "$plan a thing")
	if first := w.asked(0); !first.Contains("aburn chain") || !first.Contains("aburn log plan START") {
		t.Error("the model was not given the skill")
	}
	agree(t, loggedCalls(t, w.entries(w.project)), w.codexCalls())
	w.logs(w.threads()[0], "", "START COMPLETE")
}

// TestPlugin: the written plugin is valid to Claude Code, and a session with it records without any settings; with the settings
// too, each event is still there once.
func TestPlugin(t *testing.T) {
	for _, both := range []bool{false, true} {
		name := map[bool]string{false: "alone", true: "beside settings"}[both]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "hooked", one(
				model.Calls(bash("echo hi")), model.Calls(bash("exit 3")),
				model.Calls(agent("TASK please", false)), model.Text("helper done"), model.Text("all done"))(), nil)
			if both {
				w.install()
			} else {
				w.aburn("init")
			}
			w.aburn("plugin", "write", filepath.Join(w.home, "market"))
			plugin := filepath.Join(w.home, "market")
			if r := w.start(w.project, w.claudePath(), "plugin", "validate", "--strict", plugin).wait(); r.code != 0 {
				t.Errorf("claude plugin validate: exit %d\n%s%s", r.code, r.stdout, r.stderr)
			}
			w.claude("do the thing", free(sessionA, "--plugin-dir", plugin)...)
			calls := loggedCalls(t, w.entries(w.project))
			agree(t, calls, w.claudeCalls())
			expect(t, calls, `
				toolu_main_0_0 TOOL 0
				toolu_main_1_0 TOOL_FAILED 3
				toolu_main_2_0 TOOL -`)
		})
	}
}

// TestPluginInCodex: Codex adds the written marketplace and installs its plugin, whose skill then reaches the model.
func TestPluginInCodex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(model.Text("planned"))(), nil)
	w.aburn("init")
	market := filepath.Join(w.home, "market")
	w.aburn("plugin", "write", market)
	for _, args := range [][]string{{"plugin", "marketplace", "add", market}, {"plugin", "add", "aburn@aburn"}} {
		if r := w.start(w.project, w.codexPath(), args...).wait(); r.code != 0 {
			t.Fatalf("codex %v: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	if r := w.start(w.project, w.codexPath(), "plugin", "list").wait(); !strings.Contains(r.stdout, "installed, enabled") {
		t.Errorf("codex plugin list: %s%s", r.stdout, r.stderr)
	}
	w.codexExec(w.project, "$aburn:plan a thing") // $plan reaches only skills of the user's own
	if first := w.asked(0); !first.Contains("aburn chain") || !first.Contains("aburn log plan START") {
		t.Error("the model was not given the skill")
	}
}

// TestTemplatesInNodeAgents: a command that `aburn templates write` made is one of the client's: it fills in what the user wrote, and
// runs the line that asks the chain. After `templates remove` the client knows it no more.
func TestTemplatesInNodeAgents(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, a.before, model.Script{{Name: "a", Repeat: true, Turns: []model.Turn{model.Text("all done")}}})
			w.aburn("init")
			w.aburn("templates", "write", "--agent", a.name)
			for name, or := range map[string]string{"build": "No plan was made", a.plan: "No idea was worked out"} {
				asked := len(w.model.Asked())
				a.run(w, "/"+name+" cheese by post")
				if prompt := w.asked(asked); !prompt.Contains("cheese by post") || !prompt.Contains(or) || !prompt.Contains(" START`") || prompt.Contains("{{args}}") ||
					prompt.Contains("!{aburn") {
					t.Errorf("/%s told the model %+v", name, prompt.Items)
				}
			}
			w.aburn("templates", "remove", "--agent", a.name)
			asked := len(w.model.Asked())
			a.run(w, "/build cheese by post")
			for _, r := range w.model.Asked()[asked:] {
				if r.Contains("aburn log build START") {
					t.Errorf("the command is still there: %q", r.Last())
				}
			}
		})
	}
}

// TestTemplatesInCopilot: the model is told of the written skills.
func TestTemplatesInCopilot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{{Name: "a", Repeat: true, Turns: []model.Turn{model.Text("all done")}}}, nil)
	w.aburn("init")
	w.aburn("templates", "write", "--agent", "copilot")
	w.startCopilot("hello", "--allow-all-tools", "--trust-folder").wait()
	told := false
	for _, r := range w.model.Asked() {
		told = told || strings.Contains(r.System, "Use when the user writes /plan")
	}
	if !told {
		t.Error("the model was told of no skill")
	}
}
