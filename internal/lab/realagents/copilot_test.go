//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// copilot puts the Copilot CLI on this user's PATH.
func (w *world) copilot() {
	w.Helper()
	w.link(os.Getenv(copilotVar), filepath.Join(w.home, "bin", "copilot"))
}

// startCopilot starts one non-interactive run of the Copilot CLI in the project.
func (w *world) startCopilot(prompt string, args ...string) *process {
	w.Helper()
	w.more = agents.CopilotEnv(w.model.URL())
	return w.start(w.project, os.Getenv(copilotVar), append([]string{"-p", prompt}, args...)...)
}

func copilotBash(command string) model.Call {
	return model.Call{Name: "bash", Input: map[string]any{"command": command, "description": "a command", "initial_wait": 60}}
}

// copilotSession is the session whose first prompt named the given one.
func (w *world) copilotSession(session string) string {
	w.Helper()
	for _, path := range w.glob(".copilot/session-state/*/events.jsonl") {
		data, err := os.ReadFile(path)
		if err != nil {
			w.Fatal(err)
		}
		if strings.Contains(string(data), `"content":"first prompt of `+session[:1]) {
			return filepath.Base(filepath.Dir(path))
		}
	}
	w.Fatalf("no session of %s", session)
	return ""
}

// eventWords are the log's events, each with the tool and exit code of a call, and * in a sub-agent.
func (w *world) eventWords() string {
	w.Helper()
	var words []string
	for _, e := range w.entries(w.project) {
		word := string(e.Event)
		if agentID(e) != "" {
			word += "*"
		}
		if tool := datum(e, "tool"); tool != "" {
			word += ":" + tool + datum(e, "exit_code")
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestCopilot plays one turn with and without aburn: commands that succeed, fail and are denied, an unknown tool, a file, a
// sub-agent, and aburn log in it. The model is told the same, and the log has it all, in one session.
//
// Holds copilot: basic, failing, denied, sub-agent, stop, uninstall.
func TestCopilot(t *testing.T) {
	t.Parallel()
	script := func() model.Script {
		return model.Script{
			{Name: "child", When: model.FirstUserContains("the child's task"), Turns: []model.Turn{
				model.Calls(copilotBash("aburn log test START || true")), model.Text("child result"),
			}},
			{Name: "main", Turns: []model.Turn{
				model.Calls(copilotBash("echo hi")), model.Calls(copilotBash("echo out; false")),
				model.Calls(copilotBash("touch x.tmp")), model.Calls(model.Call{Name: "nosuch"}),
				model.Calls(model.Call{Name: "create", Input: map[string]any{"path": "$PROJECT/made.tmp", "file_text": "a\n"}}),
				model.Calls(model.Call{Name: "task", Input: map[string]any{
					"description": "child", "prompt": "the child's task", "agent_type": "general-purpose", "name": "kid", "mode": "sync",
				}}),
				model.Calls(copilotBash("aburn log build START || true")),
				model.Text("all done"),
			}},
		}
	}
	told := map[string]int{}
	for _, name := range []string{"native", "hooked"} {
		w := newWorld(t, name, script(), nil)
		w.copilot()
		if name == "hooked" {
			w.install()
		}
		r := w.startCopilot("do the thing", "--allow-tool", "shell(echo)", "--allow-tool", "shell(aburn)", "--allow-tool", "shell(false)",
			"--allow-tool", "shell(true)", "--allow-tool", "write").wait()
		if r.code != 0 || !strings.Contains(r.stdout, "all done") {
			t.Fatalf("%s: exit %d %s%s", name, r.code, r.stdout, r.stderr)
		}
		told[name] = len(w.model.Asked())
		if name == "native" {
			continue
		}
		const want = "SESSION_START PROMPT TOOL_START:bash TOOL:bash0 TOOL_START:bash TOOL_FAILED:bash1 TOOL_START:bash NOTIFY " +
			"TOOL_START:nosuch TOOL_FAILED:nosuch TOOL_START:create TOOL:create TOOL_START:task AGENT_SPAWN* PROMPT* TOOL_START*:bash START* TOOL*:bash0 " +
			"AGENT_COMPLETE* " +
			"TOOL:task TOOL_START:bash START TOOL:bash0 TOOL_DENIED:bash STOP SESSION_END"
		if got := w.eventWords(); got != want {
			t.Errorf("the log has\n%s\nwant\n%s", got, want)
		}
		entries := w.entries(w.project)
		loggedCalls(t, entries)
		for _, e := range entries {
			if e.Session != entries[0].Session {
				t.Errorf("another session: %s", e.Human())
			}
		}
		if start := entries[0]; datum(start, "client_version") != agents.CopilotVersion || start.Source != "copilot" {
			t.Errorf("the session begins with %s", start.Data)
		}
		w.aburn("uninstall-hooks", "--yes")
		if _, err := os.Stat(filepath.Join(w.home, ".copilot", "hooks")); err == nil {
			t.Error("after uninstall there is a folder of hooks")
		}
	}
	if told["native"] != told["hooked"] {
		t.Errorf("the model was asked %d times, without aburn %d times", told["hooked"], told["native"])
	}
}

// TestCopilotWithoutTheHook: the executable is gone, or fails, and the agent works on.
//
// Holds copilot: missing.
func TestCopilotWithoutTheHook(t *testing.T) {
	for _, c := range []struct{ name, hook string }{{"gone", ""}, {"fails", "#!/bin/sh\necho broken >&2\nexit 2\n"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "hooked", model.Script{{Name: "main", Turns: []model.Turn{model.Calls(copilotBash("touch ran.tmp")), model.Text("all done")}}}, nil)
			w.copilot()
			hook := filepath.Join(w.home, "bin", "aburn-hook")
			data, err := os.ReadFile(filepath.Join(os.Getenv(workVar), "bin", "aburn-hook"))
			if err != nil {
				t.Fatal(err)
			}
			w.write(hook, string(data))
			if err := os.Chmod(hook, 0o755); err != nil {
				t.Fatal(err)
			}
			w.more = []string{"PATH=" + filepath.Join(w.home, "bin") + ":" + w.bin() + ":/usr/bin:/bin"}
			w.install()
			os.Remove(hook)
			if c.hook != "" {
				w.write(hook, c.hook)
				if err := os.Chmod(hook, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r := w.startCopilot("do the thing", "--allow-all-tools").wait()
			if _, err := os.Stat(filepath.Join(w.project, "ran.tmp")); err != nil || r.code != 0 {
				t.Errorf("exit %d: %v\n%s%s", r.code, err, r.stdout, r.stderr)
			}
			if _, err := os.Stat(filepath.Join(w.project, ".oss", "workflow.log")); err == nil {
				t.Error("something was recorded, so the hook was not gone")
			}
		})
	}
}

// TestCopilotInterrupted: SIGINT while a command runs. The session ends; whether the transcript tells of the interrupt by
// then is a race of the client's, so the call is interrupted or open, and nothing else.
//
// Holds copilot: interrupted.
func TestCopilotInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{{Name: "main", Turns: []model.Turn{model.Calls(copilotBash(untilEnd)), model.Text("never")}}}, nil)
	w.copilot()
	w.install()
	p := w.startCopilot("do the thing", "--allow-all-tools")
	w.waitFor(w.started())
	p.kill(syscall.SIGINT)
	p.wait()
	os.Remove(w.started())
	if got := strings.Replace(w.eventWords(), "TOOL_FAILED:bash ", "", 1); got != "SESSION_START PROMPT TOOL_START:bash SESSION_END" {
		t.Errorf("the log has %s", got)
	}
	for _, e := range of(w.entries(w.project), logfmt.ToolFailed) {
		if datum(e, "outcome") != "interrupted" || datum(e, "inferred") != "transcript" {
			t.Errorf("the call ended so: %s", e.Data)
		}
	}
}

// TestCopilotRunsClaudeHooks: a repository has Claude Code's hooks of aburn in it. Copilot runs them in a trusted folder, and
// nobody notices.
func TestCopilotRunsClaudeHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{{Name: "main", Turns: []model.Turn{model.Calls(copilotBash("touch ran.tmp")), model.Text("all done")}}}, nil)
	w.install("--project", "--agent", "claude")
	r := w.startCopilot("do the thing", "--allow-all-tools", "--trust-folder").wait()
	if _, err := os.Stat(filepath.Join(w.project, "ran.tmp")); err != nil || r.code != 0 {
		t.Errorf("exit %d: %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	if _, err := os.Stat(filepath.Join(w.project, ".oss", "workflow.log")); err == nil {
		t.Errorf("recorded: %s", w.eventWords())
	}
	store := w.glob(".copilot/session-state/*/events.jsonl")
	if len(store) != 1 {
		t.Fatalf("%d sessions", len(store))
	}
	if data, err := os.ReadFile(store[0]); err != nil || !strings.Contains(string(data), `"type":"hook.start"`) {
		t.Errorf("Copilot ran no hook: %v", err)
	}
}

// TestCopilotProject: the project's own file runs where the user trusts the folder.
func TestCopilotProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{{Name: "main", Repeat: true, Turns: []model.Turn{model.Text("all done")}}}, nil)
	w.copilot()
	w.install("--project", "--agent", "copilot")
	w.startCopilot("not trusted", "--allow-all-tools").wait()
	if _, err := os.Stat(filepath.Join(w.project, ".oss", "workflow.log")); err == nil {
		t.Errorf("recorded without trust: %s", w.eventWords())
	}
	w.startCopilot("trusted", "--allow-all-tools", "--trust-folder").wait()
	if got := w.eventWords(); got != "SESSION_START PROMPT STOP SESSION_END" {
		t.Errorf("the log has %s", got)
	}
}
