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
)

// hookOpencode puts opencode on this user's PATH, and aburn's plugin into it.
func (w *world) hookOpencode() {
	w.Helper()
	w.link(os.Getenv(opencodeVar), filepath.Join(w.home, "bin", "opencode"))
	// opencode waits for an install of its library for plugins, which cannot succeed here: it should fail at once.
	w.write(filepath.Join(w.home, ".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n")
	w.install("--agent", "opencode")
}

// TestOpencodeHooks: commands that succeed and fail, a file, an unknown tool, a sub-agent, and aburn log in it: the log has it
// all in one session, and so has the store, call for call.
//
// Holds opencode: basic, failing, sub-agent, stop, uninstall.
func TestOpencodeHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{titles(),
		{Name: "child", When: model.FirstUserContains("the child's task"), Turns: []model.Turn{
			model.Calls(opencodeBash("aburn log test START")), model.Text("child result"),
		}},
		{Name: "main", Turns: []model.Turn{
			model.Calls(opencodeBash("echo hi")), model.Calls(opencodeBash("echo out; exit 7")),
			model.Calls(model.Call{Name: "write", Input: map[string]any{"filePath": "$PROJECT/made.tmp", "content": "a\n"}}),
			model.Calls(model.Call{Name: "task", Input: map[string]any{"description": "child", "prompt": "the child's task", "subagent_type": "general"}}),
			model.Calls(opencodeBash("aburn log build START")),
			model.Text("all done"),
		}}}, nil)
	w.hookOpencode()
	r := w.startOpencode("do the thing").wait()
	if r.code != 0 || !strings.Contains(r.stdout, "all done") {
		t.Fatalf("exit %d %s%s", r.code, r.stdout, r.stderr)
	}
	const want = "SESSION_START PROMPT TOOL_START:bash TOOL:bash0 TOOL_START:bash TOOL_FAILED:bash7 TOOL_START:write TOOL:write " +
		"TOOL_START:task AGENT_SPAWN* PROMPT* TOOL_START*:bash START* TOOL*:bash0 AGENT_COMPLETE* TOOL:task TOOL_START:bash START TOOL:bash0 STOP SESSION_END"
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
	if start := entries[0]; datum(start, "client_version") != agents.OpencodeVersion || start.Source != "opencode" {
		t.Errorf("the session begins with %s", start.Data)
	}
	w.aburn("uninstall-hooks", "--yes")
	if _, err := os.Stat(filepath.Join(w.home, ".config", "opencode", "plugin")); err == nil {
		t.Error("after uninstall there is a folder of plugins")
	}
}

// TestOpencodeResumedAndTold: the session goes on in another process, and what waits for it stands behind its prompt.
//
// Holds opencode: resume, advice.
func TestOpencodeResumedAndTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{titles(), {Name: "main", Turns: []model.Turn{
		model.Calls(opencodeBash("echo one")), model.Text("one done"), model.Text("two done"), model.Text("three done"),
	}}}, nil)
	w.hookOpencode()
	w.startOpencode("first").wait()
	session := string(w.entries(w.project)[0].Session)
	w.aburn("queue", "add", "--session", session, "--priority", "high", "be careful")
	w.startOpencode("second", "-s", session).wait()
	w.startOpencode("third", "-s", session).wait()
	if got := w.eventWords(); got != "SESSION_START PROMPT TOOL_START:bash TOOL:bash0 STOP SESSION_END SESSION_START PROMPT DELIVERED STOP SESSION_END "+
		"SESSION_START PROMPT STOP SESSION_END" {
		t.Errorf("the log has %s", got)
	}
	var told []string
	for _, r := range w.model.Asked() {
		if r.Conversation == "main" {
			n := 0
			for _, item := range r.Items {
				n += strings.Count(item.Text, "be careful")
			}
			told = append(told, strings.Repeat("|", n)+".")
		}
	}
	if got := strings.Join(told, " "); got != ". . |. |." {
		t.Errorf("the model was told %s", got)
	}
}

// TestOpencodeWithoutTheHook: the hook is gone, or hangs, and the agent works on.
//
// Holds opencode: missing.
func TestOpencodeWithoutTheHook(t *testing.T) {
	for _, c := range []struct{ name, hook string }{{"gone", ""}, {"fails", "#!/bin/sh\nexit 2\n"}, {"hangs", "#!/bin/sh\nexec sleep 600\n"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "hooked", model.Script{titles(), {Name: "main", Turns: []model.Turn{model.Calls(opencodeBash("touch ran.tmp")), model.Text("all done")}}},
				nil)
			w.hookOpencode()
			plugin := filepath.Join(w.home, ".config", "opencode", "plugin", "aburn.js")
			data, err := os.ReadFile(plugin)
			if err != nil {
				t.Fatal(err)
			}
			hook := filepath.Join(w.home, "bin", "the-hook")
			w.write(plugin, strings.Replace(string(data), filepath.Join(os.Getenv(workVar), "bin", "aburn-hook"), hook, 1))
			if c.hook != "" {
				w.write(hook, c.hook)
				if err := os.Chmod(hook, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r := w.startOpencode("do the thing").wait()
			if _, err := os.Stat(filepath.Join(w.project, "ran.tmp")); err != nil || r.code != 0 || !strings.Contains(r.stdout, "all done") {
				t.Errorf("exit %d: %v\n%s%s", r.code, err, r.stdout, r.stderr)
			}
			if _, err := os.Stat(filepath.Join(w.project, ".oss", "workflow.log")); err == nil {
				t.Error("something was recorded, so the hook was not gone")
			}
		})
	}
}

// TestOpencodeHooksKilled: at a kill the log has what happened until then, and the call stays open.
func TestOpencodeHooksKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{titles(), {Name: "main", Turns: []model.Turn{model.Calls(opencodeBash(untilEnd)), model.Text("never")}}}, nil)
	w.hookOpencode()
	p := w.startOpencode("do the thing")
	w.waitFor(w.started())
	p.kill(syscall.SIGKILL)
	p.wait()
	os.Remove(w.started())
	if got := w.eventWords(); got != "SESSION_START PROMPT TOOL_START:bash" {
		t.Errorf("the log has %s", got)
	}
}

// TestOpencodeCommand: a command that `aburn templates write` made is one of opencode's: it fills in what the user wrote, and
// runs the line that asks the chain.
func TestOpencodeCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{titles(), {Name: "main", Repeat: true, Turns: []model.Turn{model.Text("all done")}}}, nil)
	w.aburn("init")
	w.aburn("templates", "write", "--agent", "opencode")
	w.startOpencode("cheese by post", "--command", "plan").wait()
	prompt := w.asked(0)
	for _, r := range w.model.Asked() {
		if r.Conversation == "main" {
			prompt = r
			break
		}
	}
	if !prompt.Contains("cheese by post") || prompt.Contains("$ARGUMENTS") || prompt.Contains("!`aburn") || !prompt.Contains("aburn log plan START") {
		t.Errorf("the model was told %q", prompt.Last())
	}
}
