package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	synth "aburn/internal/lab/synth/archived"
	"aburn/internal/lab/world"
	"aburn/internal/mcpserver"
)

// newMCPArchive is an mcpWorld whose archive is generated, and its sessions.
func newMCPArchive(t *testing.T) (*mcpWorld, []*synth.Session) {
	t.Helper()
	w := newMCPWorld(t)
	dir := filepath.Join(w.home, "pile")
	if _, err := synth.Make(t.Context(), dir, synth.Options{Units: 400, Seed: 5, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	sessions, err := synth.Sessions(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.vars["ABURN_HOME"] = filepath.Join(dir, synth.ArchiveDir)
	return w, sessions
}

// TestMCPEveryAnswer: whatever is asked of an archive, and however oddly, the answer is what the tool's schema says and within its bounds
// (ask sees to that), or an error with a reason; its blocks of code are closed.
func TestMCPEveryAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("it asks hundreds of questions, one after the other")
	}
	w, sessions := newMCPArchive(t)
	s := w.dial()
	var keys struct {
		Failures []struct{ Fingerprint string }
		Errors   []struct {
			Key string `json:"error_key"`
		}
	}
	if err := json.Unmarshal([]byte(w.must("report", "--json")), &keys); err != nil || len(keys.Failures) < 10 || len(keys.Errors) < 10 {
		t.Fatalf("%v: %d failures, %d errors", err, len(keys.Failures), len(keys.Errors))
	}
	type ask struct {
		tool      string
		arguments map[string]any
	}
	var asks []ask
	targets := map[string][]any{"key": {"f1-", "e1-0000", "\x00", " "}, "session": {"", "*", "../x", "claude/"}}
	for _, f := range keys.Failures[:10] {
		targets["key"] = append(targets["key"], f.Fingerprint)
	}
	for _, e := range keys.Errors[:10] {
		targets["key"] = append(targets["key"], e.Key)
	}
	for i, one := range sessions {
		if i%50 == 0 {
			targets["session"] = append(targets["session"], one.Source+"/"+one.ID, one.ID[:min(len(one.ID), 9)])
		}
	}
	for name, values := range targets {
		for _, v := range values {
			asks = append(asks, ask{"replay", map[string]any{name: v}}, ask{"remedy", map[string]any{name: v}})
			if name == "session" {
				asks = append(asks, ask{"session_graph", map[string]any{name: v}})
			}
		}
	}
	for _, tool := range []string{"failure_report", "lessons", "session_graph"} {
		asks = append(asks, ask{tool, nil}, ask{tool, map[string]any{"all_projects": true}})
		for name, values := range map[string][]any{
			"since":   {"1h", "30d", "2026-01-01", "9999-12-31", "0001-01-01", "-1d", "tomorrow", 7},
			"source":  {"claude", "codex", "opencode", "own", "", "x", []any{}},
			"project": {sessions[0].Project, filepath.Base(sessions[0].Project), "/", ".", "%", "/nowhere", "\u202e", map[string]any{}},
		} {
			for _, v := range values {
				asks = append(asks, ask{tool, map[string]any{name: v, "all_projects": name != "project"}})
			}
		}
	}
	for _, v := range []any{0, 1, 1000, -1, 1 << 40, 1.5, "ten"} {
		asks = append(asks, ask{"session_graph", map[string]any{"limit": v, "all_projects": true}})
	}
	for _, v := range []any{"tokens", "failures", "duration", "x"} {
		asks = append(asks, ask{"session_graph", map[string]any{"top": v, "limit": 500, "all_projects": true}})
	}
	for _, v := range []any{"plan", "build", "x", "", "\n", nil} {
		asks = append(asks, ask{"chain", map[string]any{"command": v}}, ask{"chain", map[string]any{"command": v, "all": true, "any": true}})
	}
	asks = append(asks, ask{"workflow", nil}, ask{"workflow", map[string]any{"x": 1}})

	answered, cut := map[string]int{}, 0
	for _, a := range asks {
		r, answer := w.ask(s, a.tool, a.arguments, nil)
		text := textOf(r)
		switch {
		case r.IsError && len(strings.TrimSpace(text)) < 10:
			t.Errorf("%s %v: an error without a reason: %q", a.tool, a.arguments, text)
		case !r.IsError && strings.TrimSpace(text) == "":
			t.Errorf("%s %v: an answer without text", a.tool, a.arguments)
		case !r.IsError:
			answered[a.tool]++
		}
		if open := openBlock(text); open != "" {
			t.Errorf("%s %v: a block of code is not closed: %q", a.tool, a.arguments, open)
		}
		if len(answer.Cut) > 0 {
			cut++
		}
	}
	for tool, least := range map[string]int{"chain": 4, "workflow": 1, "failure_report": 5, "replay": 30, "remedy": 30, "session_graph": 20, "lessons": 3} {
		if answered[tool] < least {
			t.Errorf("%s has answered %d questions", tool, answered[tool])
		}
	}
	if cut < 10 {
		t.Errorf("%d answers were cut", cut)
	}
}

// openBlock is the line that opens the last block of code of a text, if nothing closes it. None of recorded text closes it early.
func openBlock(text string) (open string) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case !strings.HasPrefix(line, "```"):
		case open == "":
			open = line
		case strings.Trim(line, "`") == "" && len(line) >= strings.Count(open, "`"):
			open = ""
		}
	}
	return open
}

// TestMCPNothingOfOtherProjects: what is asked about one project of an archive tells of no session of another, and names none.
func TestMCPNothingOfOtherProjects(t *testing.T) {
	world.Slow(t)
	w, sessions := newMCPArchive(t)
	s := w.dial()
	mine := sessions[len(sessions)/2].Project
	check := func(what, text string) {
		t.Helper()
		for _, one := range sessions {
			if one.Project == mine || strings.HasPrefix(one.Project, mine) {
				continue
			}
			if strings.Contains(text, one.ID) || strings.Contains(text, one.Project+`"`) || strings.Contains(text, "`"+one.Project+"`") {
				t.Fatalf("%s tells of %s in %s", what, one.ID, one.Project)
			}
		}
	}
	for _, tool := range []string{"failure_report", "lessons", "session_graph"} {
		r, a := w.ask(s, tool, map[string]any{"project": mine}, nil)
		if r.IsError {
			t.Errorf("%s: %s", tool, textOf(r))
		}
		check(tool, textOf(r))
		check(tool, string(a.Answer))
	}
	// And the project that the server runs in, which no session of the archive was in.
	for _, tool := range []string{"failure_report", "lessons", "session_graph"} {
		for _, arguments := range []map[string]any{nil, {"all_projects": false}, {"project": "."}, {"since": "365d"}} {
			r, _ := w.ask(s, tool, arguments, nil)
			if !r.IsError {
				t.Errorf("%s %v: %s", tool, arguments, textOf(r))
			}
			check(fmt.Sprint(tool, arguments), textOf(r))
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests"}); err == nil {
		t.Error("aburn://digests tells of other projects")
	}
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests/all"})
	if err != nil || len(r.Contents[0].Text) > mcpserver.MaxResource || !strings.Contains(r.Contents[0].Text, mine) {
		t.Errorf("aburn://digests/all: %v", err)
	}
}

// What agents ask is answered from the archive as it is: it must come at once. A person's command reads what is new.
func TestMCPReadsNothingNew(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	s := w.dial()
	id := "9e1f0000-0000-4000-8000-000000000009"
	line := `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"make it work"},"uuid":"u1",` +
		`"timestamp":"2025-11-20T13:00:01.000Z","cwd":"/home/user/shop","sessionId":"` + id + `","version":"2.1.329"}`
	if err := os.WriteFile(filepath.Join(w.home, ".claude/projects/-home-user-shop", id+".jsonl"), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := w.ask(s, "session_graph", map[string]any{"session": id}, nil); !r.IsError {
		t.Errorf("MCP read a new session:\n%s", textOf(r))
	}
	w.must("show", id)
	if r, _ := w.ask(s, "session_graph", map[string]any{"session": id}, nil); r.IsError {
		t.Errorf("a command read it, and MCP does not know it:\n%s", textOf(r))
	}
}
