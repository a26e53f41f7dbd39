package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/lab/world"
)

// TestMCPOwnProjectOnly: an agent sees the sessions of its own project. Neither an argument of its own, nor the id of a session or a
// key of another project, nor its project's settings or variables open more; the user's own settings do.
func TestMCPOwnProjectOnly(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	w.allow(false)
	prompts := "swap" + "fish" // a word of the prompt of a session in another project
	w.addSession("/home/user/other", "0ther000-0000-4000-8000-00000000000f", prompts+" the tables", "panic: runtime error: index out of range [5] with length 3")
	w.addSession(w.dir, "01111111-0000-4000-8000-00000000000e", "look at my own", "make: *** No rule to make target")
	w.must("ingest")
	w.vars["ABURN_MCP_ALL_PROJECTS"] = "true"
	if err := os.WriteFile(filepath.Join(w.dir, ".oss", "settings.json"), []byte(`{"mcp": {"all_projects": true}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	key := w.keyOf("0ther000")

	s := w.dial()
	for _, c := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"failure_report", map[string]any{"all_projects": true}},
		{"failure_report", map[string]any{"project": "/home/user/other"}},
		{"failure_report", map[string]any{"project": "../../home/user/other"}},
		{"failure_report", map[string]any{"project": "/"}},
		{"lessons", map[string]any{"all_projects": true}},
		{"session_graph", map[string]any{"all_projects": true}},
		{"session_graph", map[string]any{"session": "0ther000"}},
		{"replay", map[string]any{"session": "0ther000"}},
		{"replay", map[string]any{"session": "claude/0ther000-0000-4000-8000-00000000000f"}},
		{"replay", map[string]any{"key": key}},
		{"remedy", map[string]any{"session": "0ther000"}},
		{"remedy", map[string]any{"key": key}},
	} {
		r, _ := w.ask(s, c.tool, c.arguments, nil)
		if text := textOf(r); !r.IsError || !strings.Contains(text, "mcp.all_projects in the user's own settings") || strings.Contains(text, prompts) ||
			strings.HasPrefix(text, "hint:") {
			t.Errorf("%s %v: error %v, %s", c.tool, c.arguments, r.IsError, text)
		}
	}
	for _, uri := range []string{"aburn://digests/all", "aburn://digest/claude/0ther000-0000-4000-8000-00000000000f",
		"aburn://trace/claude/0ther000-0000-4000-8000-00000000000f"} {
		if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "mcp.all_projects") {
			t.Errorf("%s: %v %v", uri, r, err)
		}
	}
	// Its own sessions it sees, and in lists nothing else.
	for tool, arguments := range map[string]map[string]any{
		"replay": {"session": "01111111"}, "session_graph": nil, "failure_report": {"project": "."}, "remedy": {"session": "01111111"},
	} {
		r, a := w.ask(s, tool, arguments, nil)
		if all, _ := json.Marshal(a); r.IsError || strings.Contains(string(all), prompts) || strings.Contains(string(all), "0ther000") {
			t.Errorf("%s: error %v, %s", tool, r.IsError, textOf(r))
		}
	}
	if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests"}); err != nil || strings.Contains(r.Contents[0].Text, "0ther000") ||
		!strings.Contains(r.Contents[0].Text, "01111111") {
		t.Errorf("%v %v", r, err)
	}

	w.allow(true) // counts from the next question on
	if r, _ := w.ask(s, "replay", map[string]any{"session": "0ther000"}, nil); r.IsError || !strings.Contains(textOf(r), prompts) {
		t.Errorf("allowed: error %v, %s", r.IsError, textOf(r))
	}
	if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests/all"}); err != nil ||
		!strings.Contains(r.Contents[0].Text, "0ther000") {
		t.Errorf("%v %v", r, err)
	}
}

// keyOf is a key of a session.
func (w *mcpWorld) keyOf(session string) string {
	w.Helper()
	var r struct{ Errors []struct{ Key string } }
	text := w.must("replay", session, "--json")
	if i := strings.Index(text, `"e1-`); json.Unmarshal([]byte(text), &r) == nil && i >= 0 {
		return strings.SplitN(text[i+1:], `"`, 2)[0]
	}
	if i := strings.Index(text, `"f1-`); i >= 0 {
		return strings.SplitN(text[i+1:], `"`, 2)[0]
	}
	w.Fatal("no key: ", text)
	return ""
}

// addSession adds a session of Claude Code whose only call failed so.
func (w *mcpWorld) addSession(dir, id, prompt, failure string) {
	w.Helper()
	path := filepath.Join(w.home, ".claude/projects", strings.ReplaceAll(dir, "/", "-"), id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	s := &storedSession{t: w.T, path: path, dir: dir, id: id}
	s.prompt(prompt)
	s.shell("make "+prompt, failure)
	old := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, old, old); err != nil {
		w.Fatal(err)
	}
}
