//go:build agents

package realagents

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// mcpTools are the tools that an agent is offered.
var mcpTools = []string{"chain", "workflow", "failure_report", "replay", "remedy", "session_graph", "lessons"}

// claudeMCP and codexMCP are calls of a tool of aburn's server, by the names that the clients give them.
func claudeMCP(name string, input map[string]any) model.Call {
	return model.Call{Name: "mcp__aburn__" + name, Input: input}
}

func codexMCP(name string, input map[string]any) model.Call {
	return model.Call{Name: name, Namespace: "mcp__aburn", Input: input}
}

// allFails is a session whose commands fail.
func allFails(call func(string) model.Call) []model.Turn {
	return []model.Turn{model.Calls(call("go test ./none")), model.Calls(call("exit 3")), model.Calls(call("exit 3")), model.Text("it does not work")}
}

// TestMCPInClaude: the client starts the registered server, lists its tools to the model, and hands it what the commands print. The
// session that asks for a remedy without naming one is its own.
func TestMCPInClaude(t *testing.T) {
	t.Parallel()
	var w *world
	ingest := func(context.Context) { w.aburn("ingest", "--quiet") }
	turns := append(allFails(bash),
		model.Calls(model.Call{Name: "ToolSearch", Input: map[string]any{"query": "select:mcp__aburn__remedy,mcp__aburn__chain"}}),
		model.Turn{Calls: []model.Call{claudeMCP("chain", map[string]any{"command": "plan"})}},
		model.Turn{Calls: []model.Call{claudeMCP("remedy", map[string]any{"session": sessionA})}},
		model.Turn{Calls: []model.Call{claudeMCP("remedy", nil)}, Before: ingest},
		model.Turn{Calls: []model.Call{claudeMCP("chain", map[string]any{"command": "ship"})}},
		model.Text("done"))
	w = newWorld(t, "hooked", one(turns...)(), nil)
	w.install("--mcp")
	w.aburn("log", "plan", "COMPLETE", "--summary", "three slices", "--next", "build")
	w.claude("fix it", free(sessionA)...)
	ingest(t.Context())
	w.claude("what helps?", free(sessionB)...)

	listed := string(w.asked(4).Body)
	for _, name := range mcpTools {
		if !strings.Contains(listed, "mcp__aburn__"+name) {
			t.Errorf("the model was not told of %s", name)
		}
	}
	if found := w.asked(5).Last(); !strings.Contains(found, "mcp__aburn__remedy") || !strings.Contains(found, "mcp__aburn__chain") {
		t.Errorf("ToolSearch found %s", found)
	}
	w.toldByMCP(6, "chain", "plan")
	w.toldByMCP(7, "remedy", sessionA)
	if own := w.mcpAnswer(8); own.Get("answer.subject.session").Str != sessionB {
		t.Errorf("asked without a target: about %s", own.Get("answer.subject"))
	}
	if !w.asked(9).Contains("ship has not completed") {
		t.Error("the model was not told that there is no answer")
	}
	w.uninstallsMCP()
}

// TestMCPInCodex is the same with Codex, which registers the server itself, starts it with few of its own variables, and says with
// each call which session asks.
func TestMCPInCodex(t *testing.T) {
	t.Parallel()
	var w *world
	ingest := func(context.Context) { w.aburn("ingest", "--quiet") }
	turns := append(allFails(command),
		model.Calls(model.Call{Search: true, Input: map[string]any{"query": "aburn recorded sessions failures", "limit": 20}}),
		model.Turn{Calls: []model.Call{codexMCP("chain", map[string]any{"command": "plan"})}},
		model.Turn{Calls: []model.Call{codexMCP("remedy", map[string]any{"key": "5b0c"})}},
		model.Turn{Calls: []model.Call{codexMCP("remedy", map[string]any{})}, Before: ingest},
		model.Text("done"))
	w = newWorld(t, "hooked", one(turns...)(), nil)
	w.more = append(w.more, "ABURN_HOME="+filepath.Join(w.home, "elsewhere"))
	w.install("--mcp")
	w.aburn("log", "plan", "COMPLETE", "--summary", "three slices", "--next", "build")
	w.codexExec(w.project, "fix it")
	ingest(t.Context())
	w.codexExec(w.project, "what helps?")

	listed := string(w.asked(5).Body)
	for _, name := range mcpTools {
		if !strings.Contains(listed, `"`+name+`"`) {
			t.Errorf("the model was not told of %s: %s", name, w.asked(5).Last())
		}
	}
	w.toldByMCP(6, "chain", "plan")
	if !w.asked(7).Contains("hint: aburn") {
		t.Error("the model was not told that there is no answer")
	}
	own := w.mcpAnswer(8)
	session := own.Get("answer.subject.session").Str
	var sessions struct {
		Sessions []struct{ Source, Session string }
	}
	w.says(&sessions, "sessions", "--subagents", "--source", "codex", "--json")
	if len(sessions.Sessions) != 2 || session == "" || session != sessions.Sessions[0].Session {
		t.Errorf("asked without a target: about %s, of %+v", session, sessions)
	}
	w.uninstallsMCP()
}

// mcpAnswer is the structured content that the model was told last in its i-th request.
func (w *world) mcpAnswer(i int) gjson.Result {
	w.Helper()
	const begin = `{"markdown":`
	text, at := "", -1
	for _, item := range w.asked(i).Items { // the last one; behind it the client may have put a word of its own
		if j := strings.LastIndex(item.Text, begin); j >= 0 {
			text, at = item.Text, j
		}
	}
	if at < 0 {
		w.Fatalf("request %d: no answer of aburn's, but %s", i, w.asked(i).Last())
	}
	var answer json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&answer); err != nil {
		w.Fatalf("request %d: %v in %s", i, err, text)
	}
	return gjson.ParseBytes(answer)
}

// toldByMCP compares what the model was told with what the command prints, but for how long ago something was.
func (w *world) toldByMCP(i int, command ...string) {
	w.Helper()
	ago := regexp.MustCompile(`completed (now|just now|[^,(]*ago)`)
	got := ago.ReplaceAllString(w.mcpAnswer(i).Get("markdown").Str, "completed T")
	if want := ago.ReplaceAllString(w.aburn(command...), "completed T"); got != want {
		w.Errorf("the model was told\n%s\nand aburn %s prints\n%s", got, strings.Join(command, " "), want)
	}
}

// uninstallsMCP takes the server out of files that the agents have meanwhile written anew.
func (w *world) uninstallsMCP() {
	w.Helper()
	claude, codex := filepath.Join(w.home, ".claude.json"), filepath.Join(w.home, ".codex", "config.toml")
	has := func(path string) bool {
		data, err := os.ReadFile(path)
		return err == nil && (strings.Contains(string(data), `"aburn"`) || strings.Contains(string(data), "mcp_servers.aburn"))
	}
	if !has(claude) || !has(codex) {
		w.Errorf("registered: Claude Code %v, Codex %v", has(claude), has(codex))
	}
	w.aburn("uninstall-hooks", "--mcp", "--yes")
	if has(claude) || has(codex) {
		w.Errorf("registered after uninstall: Claude Code %v, Codex %v", has(claude), has(codex))
	}
	if data, err := os.ReadFile(claude); err == nil && !json.Valid(data) {
		w.Errorf("Claude Code's file is no JSON any more:\n%s", data)
	}
}
