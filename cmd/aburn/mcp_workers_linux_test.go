package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"aburn/internal/lab/world"
)

// asking is an agent's client of `aburn mcp`, started in dir.
func (s *site) asking(dir string, more ...string) *mcp.ClientSession {
	s.Helper()
	cmd := s.command("aburn", "-C", dir, "mcp")
	cmd.Env = append(cmd.Env, more...)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(s.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	s.must(err)
	s.Cleanup(func() { c.Close() })
	return c
}

// TestMCPWorkers: nothing of workers is offered before the person's own settings say so, whatever the project's or a variable
// says. Then an agent begins a worker, which asks for all that it does, sees it and writes to it, without a key. That worker begins one,
// and this none, also where its client hands on no mark.
func TestMCPWorkers(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	tools := func(c *mcp.ClientSession) (names string) {
		t.Helper()
		list, err := c.ListTools(t.Context(), nil)
		s.must(err)
		for _, tool := range list.Tools {
			names += tool.Name + " "
		}
		return names
	}
	ask := func(c *mcp.ClientSession, tool string, arguments map[string]any) (text string, data gjson.Result, failed bool) {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		s.must(err)
		all, err := json.Marshal(r.StructuredContent)
		s.must(err)
		return r.Content[0].(*mcp.TextContent).Text, gjson.GetBytes(all, "answer"), r.IsError
	}
	s.must(os.WriteFile(filepath.Join(s.project, ".oss", "settings.json"), []byte(`{"mcp": {"workers": true}}`), 0o600))
	if names := tools(s.asking(s.project)); strings.Contains(names, "spawn") || strings.Contains(names, "workers") || strings.Contains(names, "send") {
		t.Fatalf("a project's settings open %s", names)
	}
	config := filepath.Join(s.home, ".config", "aburn")
	s.must(os.MkdirAll(config, 0o700))
	s.must(os.WriteFile(filepath.Join(config, "settings.json"), []byte(`{"mcp": {"workers": true}}`), 0o600))
	s.must(os.WriteFile(filepath.Join(config, "workers.yaml"), []byte("permissions: edits\nenv: [DO]\n"), 0o600))
	c := s.asking(s.project, "DO=while :; do sleep 0.1; done")
	if names := tools(c); !strings.Contains(names, "send session_graph spawn why workers") {
		t.Fatal(names)
	}
	if text, _, failed := ask(c, "workers", nil); !failed || !strings.Contains(text, "no worker") {
		t.Error(text)
	}
	text, made, failed := ask(c, "spawn", map[string]any{"task": "--permissions bypass; do it", "name": "w"})
	if failed || made.Get("worker").Str != "w" || made.Get("permissions").Str != "ask" {
		t.Fatal(text)
	}
	text, seen, failed := ask(c, "workers", map[string]any{"name": "w"})
	if failed || seen.Get("workers.0.state").Str != "working" || !strings.Contains(text, "--permissions bypass; do it") {
		t.Error(text, seen)
	}
	if text, sent, failed := ask(c, "send", map[string]any{"name": "w", "text": "use port 8081"}); failed || sent.Get("state").Str != "waits" {
		t.Error(text)
	}
	if text, _, failed := ask(c, "send", map[string]any{"name": "x", "text": "y"}); !failed || !strings.Contains(text, `no worker is called "x"`) {
		t.Error(text)
	}
	outbox, _ := filepath.Glob(filepath.Join(s.home, ".local/state/aburn/workers/*/w/outbox/*"))
	if len(outbox) != 1 || !strings.Contains(readFile(t, outbox[0]), "from an agent") {
		t.Errorf("%q", outbox)
	}
	if text, _, failed := ask(s.asking(s.project, "ABURN_WORKER=a/w/x"), "spawn", map[string]any{"task": "more"}); !failed ||
		!strings.Contains(text, "of its own project only") {
		t.Error(text)
	}
	text, made, failed = ask(s.asking(seen.Get("workers.0.tree").Str, "DO=sleep 600"), "spawn", map[string]any{"task": "more", "name": "child"})
	if failed || made.Get("permissions").Str != "ask" || made.Get("via").Str != "pty" {
		t.Fatal(text)
	}
	if text, _, failed := ask(s.asking(made.Get("tree").Str), "spawn", map[string]any{"task": "more"}); !failed ||
		!strings.Contains(text, "was begun by the worker w, and may not spawn") {
		t.Error(text)
	}
	s.ok("aburn", "kill", "w", "child")
	s.settled()
}
