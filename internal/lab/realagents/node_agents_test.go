//go:build agents

package realagents

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// nodeAgent is one of the agents that are scripts, and how it is driven.
type nodeAgent struct {
	name     string
	program  string // the variable with its executable
	settings string // below the home
	before   string // the user's settings
	refuses  string // the same, with what refuses a command that mentions refused.tmp
	env      func(modelURL string) []string
	free     []string // arguments of a run that asks nothing
	again    []string // arguments that go on with the newest session
	plan     string   // the name of a project's command plan: Gemini CLI has one of its own
	recorded string   // of TestNodeAgentsRecorded
}

func nodeAgents() []nodeAgent {
	return []nodeAgent{{
		name: "gemini", program: geminiVar, settings: ".gemini/settings.json", before: agents.GeminiSettings, env: agents.GeminiEnv,
		refuses: strings.Replace(agents.GeminiSettings, "{\n", "{\n  \"hooks\": {\"BeforeTool\": [{\"hooks\": [{\"type\": \"command\",\n"+
			"    \"command\": \"if grep -q refused.tmp; then echo not here >&2; exit 2; fi\"}]} /* theirs */]}, // first\n", 1),
		free: []string{"-m", "gemini-2.5-pro", "--yolo"}, again: []string{"--resume", "latest"}, plan: "workspace.plan",
		recorded: "PROMPT, START, TOOL 0, TOOL_FAILED 7, TOOL 0, TOOL 0, TOOL_DENIED, STOP", // a refusal is known when the turn ends
	}, {
		name: "qwen", program: qwenVar, settings: ".qwen/settings.json", before: agents.QwenSettings, env: agents.QwenEnv,
		refuses: strings.Replace(agents.QwenSettings, "{\n", "{\n  \"permissions\": {\"deny\": [\"Bash(touch refused.tmp)\"]}, // first\n", 1),
		free:    []string{"--yolo"}, again: []string{"--continue"}, plan: "plan",
		recorded: "PROMPT, START, TOOL 0, TOOL_FAILED 7, TOOL_DENIED, TOOL 0, TOOL 0, STOP",
	}}
}

// world makes a world with the agent's settings and, with hooks, aburn in them.
func (a nodeAgent) world(t *testing.T, settings string, script model.Script) *world {
	t.Helper()
	w := newWorld(t, "hooked", script, nil)
	w.more = a.env(w.model.URL())
	w.write(a.path(w), settings)
	w.link(os.Getenv(a.program), filepath.Join(w.home, "bin", a.name))
	return w
}

func (a nodeAgent) path(w *world) string { return filepath.Join(w.home, a.settings) }

func (a nodeAgent) run(w *world, prompt string, more ...string) result {
	w.Helper()
	return w.start(w.project, os.Getenv(a.program), append(append(append([]string{}, a.free...), more...), "-p", prompt)...).wait()
}

func (a nodeAgent) shell(command string) model.Call {
	return model.Call{Name: "run_shell_command", Input: map[string]any{"command": command, "is_background": false}}
}

// settingsNow are the bytes of the agent's settings.
func (a nodeAgent) settingsNow(w *world) []byte {
	w.Helper()
	data, err := os.ReadFile(a.path(w))
	if err != nil {
		w.Fatal(err)
	}
	return data
}

// TestNodeAgentsRecorded: what a command ended with is in the log, whatever the client calls it; a call that was refused is there as
// such; `aburn log` in a call knows its session. The settings, comments included, are what the client reads, and in the end the user's.
//
// Holds gemini, qwen: basic, failing, denied, stop, uninstall.
func TestNodeAgentsRecorded(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, a.refuses, model.Script{{Name: "a", When: model.Contains("do the thing"), Turns: []model.Turn{
				model.Calls(a.shell("echo hi; aburn log build START")), model.Calls(a.shell("echo 'Exit Code: 0'; exit 7")),
				model.Calls(a.shell("touch refused.tmp")), model.Calls(a.shell("echo one"), a.shell("echo two")), model.Text("all done"),
			}}})
			w.install("--agent", a.name)
			if r := a.run(w, "do the thing"); r.code != 0 || !strings.Contains(r.stdout, "all done") {
				t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			if isFile(filepath.Join(w.project, "refused.tmp")) {
				t.Error("nothing refused the call: the case proves nothing")
			}
			var ends []string
			sessions := map[string]bool{}
			for _, e := range w.entries(w.project) {
				sessions[string(e.Session)] = true
				switch e.Event {
				case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
					ends = append(ends, strings.TrimSpace(string(e.Event)+" "+datum(e, "exit_code")))
				case logfmt.Prompt, logfmt.Stop, logfmt.Start:
					ends = append(ends, string(e.Event))
				}
			}
			if got := strings.Join(ends, ", "); got != a.recorded {
				t.Errorf("got  %s\nwant %s", got, a.recorded)
			}
			if len(sessions) != 1 || sessions[""] {
				t.Errorf("the entries are of the sessions %v", sessions)
			}
			loggedCalls(t, w.entries(w.project))
			w.aburn("uninstall-hooks", "--yes")
			if got := a.settingsNow(w); string(got) != a.refuses {
				t.Errorf("the settings are not byte for byte what they were:\n%s\nwant\n%s", got, a.refuses)
			}
		})
	}
}

// TestNodeAgentsWithoutTheProgram: an uninstalled program blocks neither prompts nor tools.
//
// Holds gemini, qwen: missing.
func TestNodeAgentsWithoutTheProgram(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, a.before, model.Script{{Name: "a", When: model.Contains("do the thing"),
				Turns: []model.Turn{model.Calls(a.shell("touch made.tmp")), model.Text("all done")}}})
			w.install("--agent", a.name)
			moved := bytes.ReplaceAll(a.settingsNow(w), []byte("/bin/aburn-hook"), []byte("/gone/aburn-hook"))
			w.write(a.path(w), string(moved))
			r := a.run(w, "do the thing")
			if r.code != 0 || !strings.Contains(r.stdout, "all done") || !isFile(filepath.Join(w.project, "made.tmp")) {
				t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			if a.name == "gemini" && strings.Contains(r.stdout+r.stderr, "aburn") {
				t.Errorf("the person is told: %s%s", r.stdout, r.stderr)
			}
			if isFile(filepath.Join(w.project, ".oss", "workflow.log")) {
				t.Error("something was recorded: the case proves nothing")
			}
		})
	}
}

// TestNodeAgentsAdvice: what a session did wrong is told at its next prompt, once, in the request to the model, and to no other session.
//
// Holds gemini, qwen: advice.
func TestNodeAgentsAdvice(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, a.before, conversations(
				[]model.Turn{model.Calls(a.shell(failing)), model.Text("it failed"), model.Calls(a.shell("echo x")), model.Text("I read it"), model.Text("and again")},
				[]model.Turn{model.Text("b is done")}))
			w.install("--agent", a.name)
			w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"supervisor": {"queue_above": 0.5}}`)
			a.run(w, "first prompt of b")
			a.run(w, "first prompt of a")
			a.run(w, "next prompt of a", a.again...)
			a.run(w, "last prompt of a", a.again...)
			if got := w.advice("b"); strings.Contains(got, "|") || got == "" {
				t.Errorf("the other session was told %s", got)
			}
			// A request repeats what was said before, unless the client keeps no context of hooks.
			asked := w.advice("a")
			if !strings.HasPrefix(asked, ". . |.") || strings.Contains(asked, "||") {
				t.Errorf("told %s", asked)
			}
			if got := w.story(); strings.Count(got, "DELIVERED") != 1 {
				t.Errorf("the log says %s", got)
			}
		})
	}
}

// TestGeminiSettingsStillParse: the client that does not start with a trailing comma starts with every form that an install leaves.
func TestGeminiSettingsStillParse(t *testing.T) {
	a := nodeAgents()[0]
	for name, settings := range map[string]string{
		"one line": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`,
		"comment":  "{ // mine\n \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}} // , {\n /* , */ }",
		"in hooks": "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \"hooks\": {/* none */ \"AfterTool\": [ // yet\n]}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := a.world(t, settings, model.Script{{Name: "a", Turns: []model.Turn{model.Text("all done")}, Repeat: true}})
			w.install("--agent", a.name)
			if r := a.run(w, "do the thing"); r.code != 0 || !strings.Contains(r.stdout, "all done") {
				t.Errorf("exit %d: %s%s\n%s", r.code, r.stdout, r.stderr, a.settingsNow(w))
			}
			if json.Valid([]byte(settings)) != json.Valid(a.settingsNow(w)) {
				t.Errorf("%s", a.settingsNow(w))
			}
		})
	}
}

// TestNodeAgentsAdviceAtStop: a critical task makes the turn go on, once, and the prompt that comes of it is no person's.
func TestNodeAgentsAdviceAtStop(t *testing.T) {
	for _, a := range nodeAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			ask := "aburn query --get session | head -1 | xargs -I S aburn queue add --session S --priority critical \"it's <critical>\""
			w := a.world(t, a.before, model.Script{{Name: "a", When: model.Contains("do the thing"), Turns: []model.Turn{
				model.Calls(a.shell(ask)), model.Text("done"), model.Text("I read it"), model.Text("unasked"),
			}}})
			w.install("--agent", a.name)
			w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"deliver": {"at_stop": true}}`)
			a.run(w, "do the thing")
			var told []bool
			for _, r := range w.model.Asked() {
				if r.Conversation == "a" {
					told = append(told, r.Contains("- critical: it's <critical>\n"))
				}
			}
			if !slices.Equal(told, []bool{false, false, true}) {
				t.Errorf("told in the requests: %v", told)
			}
			var prompts []string
			for _, e := range of(w.entries(w.project), logfmt.Prompt) {
				prompts = append(prompts, "machine="+datum(e, "machine"))
			}
			if got := strings.Join(prompts, " "); got != "machine= machine=true" {
				t.Errorf("prompts: %s", got)
			}
		})
	}
}
