//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// edges are what only one of the two can tell.
type edges struct {
	subagent    model.Call
	child       []model.Turn
	spawned     string // the log of a turn with a sub-agent
	interrupted string // of a run that SIGINT ended in a call
	untrusted   int    // the exit code of a run in a folder that the user does not trust
}

func (a nodeAgent) edges() edges {
	if a.name == "gemini" {
		return edges{
			subagent: model.Call{Name: "invoke_agent", Input: map[string]any{"agent_name": "generalist", "prompt": "the child's task"}},
			child: []model.Turn{model.Calls(a.shell("echo child; exit 3")),
				model.Calls(model.Call{Name: "complete_task", Input: map[string]any{"result": map[string]any{"response": "child result"}}})},
			spawned: "SESSION_START PROMPT TOOL_START:invoke_agent AGENT_SPAWN TOOL_START:run_shell_command TOOL_FAILED:run_shell_command3 " +
				"TOOL_START:complete_task TOOL:complete_task AGENT_COMPLETE TOOL:invoke_agent STOP SESSION_END",
			interrupted: "SESSION_START PROMPT TOOL_START:run_shell_command SESSION_END", // its end is nobody's to tell: the call stays open
			untrusted:   55,
		}
	}
	return edges{
		subagent: model.Call{Name: "agent", Input: map[string]any{"description": "child", "prompt": "the child's task", "subagent_type": "general-purpose",
			"run_in_background": false}},
		child: []model.Turn{model.Calls(a.shell("echo child; exit 3")), model.Text("child result")},
		spawned: "SESSION_START PROMPT TOOL_START:agent AGENT_SPAWN* TOOL_START*:run_shell_command TOOL_FAILED*:run_shell_command3 AGENT_COMPLETE* " +
			"TOOL:agent STOP",
		interrupted: "SESSION_START PROMPT TOOL_START:run_shell_command TOOL_FAILED:run_shell_command",
	}
}

// TestNodeAgentsSubagent: a sub-agent begins and ends in the log, and so does its command.
//
// Holds gemini, qwen: sub-agent.
func TestNodeAgentsSubagent(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			x := a.edges()
			w := a.world(t, a.before, model.Script{
				{Name: "child", When: model.All(model.Contains("the child's task"), model.Not(model.Contains("do the thing"))), Turns: x.child},
				{Name: "a", When: model.Contains("do the thing"), Turns: []model.Turn{model.Calls(x.subagent), model.Text("all done")}},
			})
			w.install("--agent", a.name)
			a.run(w, "do the thing")
			if got := w.eventWords(); got != x.spawned {
				t.Errorf("the log has\n%s\nwant\n%s", got, x.spawned)
			}
			loggedCalls(t, w.entries(w.project))
		})
	}
}

// TestNodeAgentsResumed: the session goes on in another process, under its id.
//
// Holds gemini, qwen: resume.
func TestNodeAgentsResumed(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, a.before, model.Script{{Name: "a", When: model.Contains("do the thing"), Repeat: true, Turns: []model.Turn{model.Text("one")}}})
			w.install("--agent", a.name)
			a.run(w, "do the thing")
			a.run(w, "go on", a.again...)
			var starts []string
			entries := w.entries(w.project)
			for _, e := range of(entries, logfmt.SessionStart) {
				starts = append(starts, datum(e, "source"))
			}
			if got := strings.Join(starts, " "); got != "startup resume" || len(of(entries, logfmt.Prompt)) != 2 {
				t.Errorf("the log has %s, started by %s", w.eventWords(), got)
			}
			for _, e := range entries {
				if e.Session != entries[0].Session {
					t.Errorf("another session: %s", e.Human())
				}
			}
		})
	}
}

// TestNodeAgentsInterrupted: SIGINT while a command runs.
//
// Holds gemini, qwen: interrupted.
func TestNodeAgentsInterrupted(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, a.before, model.Script{{Name: "a", When: model.Contains("do the thing"),
				Turns: []model.Turn{model.Calls(a.shell(untilEnd)), model.Text("never")}}})
			w.install("--agent", a.name)
			p := w.start(w.project, os.Getenv(a.program), append(append([]string{}, a.free...), "-p", "do the thing")...)
			w.waitFor(w.started())
			p.kill(syscall.SIGINT)
			p.wait()
			os.Remove(w.started())
			if got := w.eventWords(); got != a.edges().interrupted {
				t.Errorf("the log has %s", got)
			}
			for _, e := range of(w.entries(w.project), logfmt.ToolFailed) {
				if datum(e, "outcome") != "interrupted" {
					t.Errorf("the call ended so: %s", e.Data)
				}
			}
		})
	}
}

// TestNodeAgentsProject: hooks in the project's own settings record. Where the user trusts folders one by one, they do so only in a
// trusted one.
func TestNodeAgentsProject(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			asks := strings.Replace(a.before, `"security": {`, `"security": {"folderTrust": {"enabled": true}, `, 1)
			w := a.world(t, asks, model.Script{{Name: "a", When: model.Contains("do the thing"), Repeat: true, Turns: []model.Turn{model.Text("all done")}}})
			w.more = slices.DeleteFunc(w.more, func(v string) bool { return strings.HasPrefix(v, "GEMINI_CLI_TRUST_WORKSPACE=") })
			w.install("--agent", a.name, "--project")
			if data, err := os.ReadFile(filepath.Join(w.project, a.settings)); err != nil || !strings.Contains(string(data), "aburn-hook") {
				t.Fatalf("the project's settings: %v\n%s", err, data)
			}
			if r := a.run(w, "do the thing"); r.code != a.edges().untrusted || isFile(filepath.Join(w.project, ".oss", "workflow.log")) {
				t.Errorf("without trust: exit %d\n%s%s", r.code, r.stdout, r.stderr)
			}
			w.write(filepath.Join(filepath.Dir(a.path(w)), "trustedFolders.json"), `{"`+w.project+`": "TRUST_FOLDER"}`)
			a.run(w, "do the thing")
			if got := strings.TrimSuffix(w.eventWords(), " SESSION_END"); got != "SESSION_START PROMPT STOP" {
				t.Errorf("the log has %s", got)
			}
			w.aburn("uninstall-hooks", "--yes", "--agent", a.name, "--project")
			if data, err := os.ReadFile(filepath.Join(w.project, a.settings)); err == nil && strings.Contains(string(data), "aburn-hook") {
				t.Errorf("after uninstall: %s", data)
			}
			if got := a.settingsNow(w); string(got) != asks {
				t.Errorf("the user's settings changed:\n%s", got)
			}
		})
	}
}

// TestGeminiInATerminal: a person refuses a call in the dialog, and allows another.
//
// Holds gemini: denied.
func TestGeminiInATerminal(t *testing.T) {
	t.Parallel()
	a := nodeAgents()[0]
	w := a.world(t, a.before, model.Script{{Name: "a", When: model.Contains("do the thing"), Turns: []model.Turn{
		model.Calls(a.shell("touch refused.txt")), model.Text("refused"), model.Calls(a.shell("touch granted.tmp; exit 5")), model.Text("granted"),
	}}})
	w.install("--agent", a.name)
	term := w.terminal(os.Getenv(a.program), "-m", "gemini-2.5-pro")
	term.see("Type your message")
	submit := func(text string) {
		term.tmux("send-keys", "-l", text)
		term.see("> " + text)
		term.insist("Enter", func() bool { return term.shows("Type your message")() || term.shows("Allow execution")() })
	}
	submit("do the thing")
	term.see("Allow execution")
	w.logged(logfmt.Notify, 1)
	term.insist("Escape", term.shows("Request cancelled"))
	submit("once more")
	term.see("✦ refused")
	submit("and again")
	term.see("Allow execution")
	w.logged(logfmt.Notify, 2)
	term.insist("Enter", term.shows("✦ granted"))
	term.say("/quit")
	term.gone()
	const call = " TOOL_START:run_shell_command NOTIFY "
	if got := w.eventWords(); got != "SESSION_START PROMPT"+call+"TOOL_DENIED:run_shell_command PROMPT STOP PROMPT"+call+
		"TOOL_FAILED:run_shell_command5 STOP SESSION_END" {
		t.Errorf("the log has %s", got)
	}
	for _, e := range of(w.entries(w.project), logfmt.ToolDenied) {
		if datum(e, "inferred") != "transcript" || !strings.Contains(datum(e, "reason"), "User denied execution") {
			t.Errorf("the refusal: %s", e.Data)
		}
	}
	if isFile(filepath.Join(w.project, "refused.txt")) {
		t.Error("the refused command ran")
	}
}

// TestCopilotAdvice: what a session did wrong is told at its next prompt, once, in the request to the model, and to no other session.
// That session goes on in other processes, under its id.
//
// Holds copilot: advice, resume.
func TestCopilotAdvice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", conversations(
		[]model.Turn{model.Calls(copilotBash(failing)), model.Text("it failed"), model.Calls(copilotBash("echo x")), model.Text("I read it"),
			model.Text("and again")},
		[]model.Turn{model.Text("b is done")}), nil)
	w.copilot()
	w.install("--agent", "copilot")
	w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"supervisor": {"queue_above": 0.5}}`)
	w.startCopilot("first prompt of b", "--allow-all-tools").wait()
	w.startCopilot("first prompt of a", "--allow-all-tools").wait()
	session := w.copilotSession("a")
	w.startCopilot("next prompt of a", "--allow-all-tools", "--resume="+session).wait()
	w.startCopilot("last prompt of a", "--allow-all-tools", "--resume="+session).wait()
	if got := w.advice("b"); strings.Contains(got, "|") || got == "" {
		t.Errorf("the other session was told %s", got)
	}
	if got := w.advice("a"); got != ". . |. |. |." {
		t.Errorf("told %s", got)
	}
	if got := w.story(); strings.Count(got, "DELIVERED") != 1 {
		t.Errorf("the log says %s", got)
	}
	var starts []string
	for _, e := range of(inSession(w.entries(w.project), session), logfmt.SessionStart) {
		starts = append(starts, datum(e, "source"))
	}
	if got := strings.Join(starts, " "); got != "new resume resume" {
		t.Errorf("the session was started so: %s", got)
	}
}

// TestOpencodeRefused: a rule refuses a command, and one that a person would be asked about is refused where nobody can be.
//
// Holds opencode: denied.
func TestOpencodeRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{titles(), {Name: "main", Turns: []model.Turn{
		model.Calls(opencodeBash("touch refused.tmp")), model.Calls(opencodeBash("touch asked.tmp")), model.Text("all done"),
	}}}, nil)
	w.hookOpencode()
	w.write(filepath.Join(w.project, "opencode.json"), `{"permission": {"bash": {"*": "allow", "touch refused.tmp": "deny", "touch asked.tmp": "ask"}}}`)
	w.startOpencode("do the thing").wait()
	if got := w.eventWords(); got != "SESSION_START PROMPT TOOL_START:bash TOOL_DENIED:bash TOOL_START:bash PERMISSION:bash TOOL_DENIED:bash STOP SESSION_END" {
		t.Errorf("the log has %s", got)
	}
	for i, e := range of(w.entries(w.project), logfmt.ToolDenied) {
		if !strings.HasPrefix(datum(e, "reason"), []string{"The user has specified a rule", "The user rejected permission"}[i]) {
			t.Errorf("the refusal: %s", e.Data)
		}
	}
	if isFile(filepath.Join(w.project, "refused.tmp")) || isFile(filepath.Join(w.project, "asked.tmp")) {
		t.Error("a refused command ran")
	}
}

// TestOpencodeInterrupted: SIGINT while a command runs. The client tells nothing of it: the call stays open.
//
// Holds opencode: interrupted.
func TestOpencodeInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{titles(), {Name: "main", Turns: []model.Turn{model.Calls(opencodeBash(untilEnd)), model.Text("never")}}}, nil)
	w.hookOpencode()
	p := w.startOpencode("do the thing")
	w.waitFor(w.started())
	p.kill(syscall.SIGINT)
	p.wait()
	os.Remove(w.started())
	if got := w.eventWords(); got != "SESSION_START PROMPT TOOL_START:bash" {
		t.Errorf("the log has %s", got)
	}
}

// TestWithoutTheHook: the executable is gone, and both agents work on.
//
// Holds claude, codex: missing.
func TestWithoutTheHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", twoAgents(), nil)
	w.install()
	for _, path := range []string{".claude/settings.json", ".codex/hooks.json"} {
		path = filepath.Join(w.home, path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w.write(path, strings.ReplaceAll(string(data), "/bin/aburn-hook", "/gone/aburn-hook"))
	}
	c, x := w.claude("do the thing", free(sessionA)...), w.codexExec(w.project, "do the thing")
	if c.code != 0 || !strings.Contains(c.stdout, "done") || x.code != 0 || !strings.Contains(x.stdout, "done") {
		t.Errorf("Claude Code: exit %d\n%s%s\nCodex: exit %d\n%s%s", c.code, c.stdout, c.stderr, x.code, x.stdout, x.stderr)
	}
	if isFile(filepath.Join(w.project, ".oss", "workflow.log")) {
		t.Error("something was recorded: the case proves nothing")
	}
}
