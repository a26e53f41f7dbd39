//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

// acpWorlds are the agents that take the Agent Client Protocol, each with a user of aburn's hooks.
func acpWorlds() map[string]func(t *testing.T, script model.Script) *world {
	worlds := map[string]func(*testing.T, model.Script) *world{
		"opencode": func(t *testing.T, script model.Script) *world {
			w := newWorld(t, "acp", script, nil)
			w.hookOpencode()
			w.write(filepath.Join(w.home, ".config", "opencode", "opencode.json"), agents.OpencodeConfig(w.model.URL()))
			w.more = append(w.more, agents.OpencodeEnv()...)
			return w
		},
		"copilot": func(t *testing.T, script model.Script) *world {
			w := newWorld(t, "acp", script, nil)
			w.copilot()
			w.install("--agent", "copilot")
			w.more = append(w.more, agents.CopilotEnv(w.model.URL())...)
			return w
		},
	}
	for _, a := range nodeAgents() {
		worlds[a.name] = func(t *testing.T, script model.Script) *world {
			w := a.world(t, a.before, script)
			w.install("--agent", a.name)
			return w
		}
	}
	return worlds
}

// TestWorkersOfTheAgentClientProtocol: without a terminal each of them has its task with the rules, asks and waits, is answered,
// gets a message, and goes on with its conversation after its end. Each message stands in it once.
func TestWorkersOfTheAgentClientProtocol(t *testing.T) {
	for name, make := range acpWorlds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shells := map[string]func(string) model.Call{"opencode": opencodeBash, "copilot": copilotBash}
			for _, a := range nodeAgents() {
				shells[a.name] = a.shell
			}
			w := make(t, model.Script{titles(), {Name: "a", When: model.Contains("the task of this worker"), Turns: []model.Turn{
				model.Calls(shells[name]("echo made > made.txt")), model.Text("all done"), model.Text("got it"), model.Text("went on"), model.Text("more"),
				model.Text("more"),
			}}, {Name: "others", Repeat: true, Turns: []model.Turn{model.Text("nothing")}}})
			w.aburn("init")
			t.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
			args := []string{"spawn", "--agent", name, "--runtime", "headless", "--trust", "--name", "w"}
			if name == "gemini" {
				args = append(args, "--model", "gemini-2.5-pro")
			}
			w.aburn(append(args, "the task of this worker")...)
			r := w.worker("needs_input")
			tree := r.Get("tree").String()
			if isFile(filepath.Join(tree, "made.txt")) || !strings.Contains(r.Get("asks.0.what").String(), "made.txt") {
				t.Errorf("%s", r.Raw)
			}
			w.aburn("answer", "w", "allow")
			r = w.worker("idle")
			if !isFile(filepath.Join(tree, "made.txt")) {
				t.Error("the call did not run")
			}
			if s := w.send("w", "use port 8081"); s.State != "accepted" || s.code != 0 {
				t.Errorf("%+v", s)
			}
			w.worker("idle")
			w.aburn("kill", "w")
			w.worker("terminated")
			if name == "gemini" { // it says of a worktree that it has no session there
				return
			}
			w.aburn("resume", "w")
			if s := w.send("w", "and go on"); s.State != "accepted" || s.code != 0 {
				t.Errorf("%+v", s)
			}
			w.worker("idle")
			last := ""
			for _, req := range w.model.Asked() {
				if req.Contains("] and go on") {
					last = string(req.Body)
				}
			}
			for _, once := range []string{"the task of this worker", "] use port 8081", "] and go on", "You work in a git worktree"} {
				if n := strings.Count(last, once); n != 1 {
					t.Errorf("%q stands %d times in the conversation", once, n)
				}
			}
			if os.Getenv(keepVar) != "" {
				t.Log(w.eventWords())
			}
			w.aburn("kill", "w")
		})
	}
}
