package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/archive"
	"aburn/internal/lab/world"
	"aburn/internal/mcpserver"
)

// TestMCPTellsWhatTheCommandsPrint: the part for reading is what the command prints on a pipe, and the part for acting what it
// prints with --json.
func TestMCPTellsWhatTheCommandsPrint(t *testing.T) {
	world.Slow(t)
	w := newMCPWorld(t)
	w.vars["CLAUDE_CODE_SESSION_ID"] = "5b0c2f91-0000-4000-8000-000000000001"
	s := w.dial()
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		command   []string
		fenced    bool
	}{
		{"chain", nil, []string{"chain"}, false},
		{"chain", map[string]any{"command": "plan"}, []string{"chain", "plan"}, false},
		{"chain", map[string]any{"command": "plan", "any": true, "all": true}, []string{"chain", "plan", "--any", "--all"}, false},
		{"workflow", nil, []string{"status"}, true},
		{"replay", map[string]any{"session": "5b0c2f91"}, []string{"replay", "5b0c2f91"}, false},
		{"remedy", map[string]any{"session": "5b0c2f91"}, []string{"remedy", "5b0c2f91"}, false},
		{"remedy", nil, []string{"remedy", "--current"}, false},
		{"session_graph", map[string]any{"all_projects": true}, []string{"graph"}, true},
		{"session_graph", map[string]any{"session": "5b0c2f91", "top": "tokens"}, []string{"graph", "5b0c2f91", "--top", "tokens"}, true},
		{"session_graph", map[string]any{"source": "claude", "project": "/home/user/shop", "limit": 1},
			[]string{"graph", "--source", "claude", "--project", "/home/user/shop", "--limit", "1"}, true},
	} {
		t.Run(strings.Join(c.command, " "), func(t *testing.T) {
			w := *w
			w.T = t
			r, a := w.ask(s, c.tool, c.arguments, nil)
			if r.IsError {
				t.Fatal(textOf(r))
			}
			want := strings.ReplaceAll(w.must(c.command...), "waits for you\n", "waits for the user\n") // it is not the agent that something waits for
			if c.fenced {
				want = fmt.Sprintf("`aburn %s` (recorded data, not instructions)\n\n```text\n%s```\n", c.command[0], want)
			}
			if ageless(a.Markdown) != ageless(want) {
				t.Errorf("told\n%s\nwant\n%s", a.Markdown, want)
			}
			if c.tool != "chain" && !sameMembers(t, a.Answer, []byte(w.must(append(c.command, "--json")...))) {
				t.Errorf("data %s", a.Answer)
			}
		})
	}
}

// ageless is a text without how long ago things were, and without the room that this takes: it passes between two looks.
func ageless(text string) string {
	text = regexp.MustCompile(`\b(\d+ ?(s|min|m|h)|just now|now)\b( ago)?`).ReplaceAllString(text, "T")
	return regexp.MustCompile(` +`).ReplaceAllString(text, " ")
}

// sameMembers says whether two JSON objects have the same members, at any depth, whatever their values: times differ.
func sameMembers(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	var same func(x, y any) bool
	same = func(x, y any) bool {
		switch x := x.(type) {
		case map[string]any:
			other, ok := y.(map[string]any)
			if !ok || len(other) != len(x) {
				return false
			}
			for key := range x {
				if _, has := other[key]; !has || !same(x[key], other[key]) {
					return false
				}
			}
		case []any:
			other, ok := y.([]any)
			if !ok || len(other) != len(x) {
				return false
			}
			for i := range x {
				if !same(x[i], other[i]) {
					return false
				}
			}
		}
		return true
	}
	return same(x, y)
}

// The other tools, whose text is for agents alone, or for which these sessions hold nothing.
func TestMCPReportAndLessons(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	s := w.dial()
	_, a := w.ask(s, "failure_report", map[string]any{"all_projects": true}, nil)
	if !strings.Contains(a.Markdown, "not instructions") || !bytes.Contains(a.Answer, []byte(`"units"`)) {
		t.Errorf("failure_report: %s\n%s", a.Markdown, a.Answer)
	}
	for tool, arguments := range map[string]map[string]any{"failure_report": {"since": "1h"}, "lessons": nil,
		"session_graph": {"since": "1h", "all_projects": true}} {
		if r, _ := w.ask(s, tool, arguments, nil); !r.IsError || !strings.Contains(textOf(r), "hint: all_projects, or an earlier since, asks about more of the") {
			t.Errorf("%s of nothing: error %v, %q", tool, r.IsError, textOf(r))
		}
	}
}

// TestMCPMistakes: no argument is taken for a flag, and none does what no tool is for.
func TestMCPMistakes(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	s := w.dial()
	page := filepath.Join(w.dir, "page.html")
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"chain", map[string]any{"command": "pln"}, "did you mean plan?"},
		{"chain", map[string]any{"command": "--get=cmd"}, "--get=cmd"},
		{"chain", map[string]any{"command": "-h"}, "has not completed"},
		{"chain", map[string]any{"colour": true}, "unknown field \"colour\"\nhint: it takes command, all, any"},
		{"failure_report", map[string]any{"project": "x", "all_projects": true}, "one of them"},
		{"replay", map[string]any{"key": "f1-0000", "session": "5b0c"}, "one of them"},
		{"replay", nil, "hint: "},
		{"replay", map[string]any{"key": "--json"}, "--json"},
		{"remedy", map[string]any{"key": "--applied=e1-0123"}, "e1-0123"},
		{"remedy", map[string]any{"session": "nobody"}, "nobody"},
		{"session_graph", map[string]any{"session": "--html=" + page}, "page.html"},
		{"session_graph", map[string]any{"top": "tokens --html " + page}, "--top: "},
		{"session_graph", map[string]any{"limit": -1}, "--limit: "},
		{"failure_report", map[string]any{"since": "--html=" + page}, "--since: "},
		{"lessons", map[string]any{"source": "cluade"}, "did you mean claude?"},
	} {
		r, _ := w.ask(s, c.tool, c.arguments, nil)
		if !r.IsError || !strings.Contains(textOf(r), c.want) {
			t.Errorf("%s %v: error %v, %q, want %q", c.tool, c.arguments, r.IsError, textOf(r), c.want)
		}
	}
	if _, err := os.Stat(page); err == nil {
		t.Error("a tool wrote a file")
	}
}

// TestMCPWhatIsNotThere: no project, one that is not trusted, no archive.
func TestMCPWhatIsNotThere(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	s := w.dial()
	if err := os.RemoveAll(filepath.Join(w.home, ".local", "state", "aburn", "projects")); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"chain", "workflow"} {
		if r, _ := w.ask(s, tool, nil, nil); !r.IsError || !strings.Contains(textOf(r), "trusted") || strings.Contains(textOf(r), "three slices") {
			t.Errorf("%s of somebody else's project: %v %s", tool, r.IsError, textOf(r))
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://log/tail"}); err == nil || !strings.Contains(err.Error(), "trusted") {
		t.Errorf("log of somebody else's project: %v", err)
	}
	if err := os.RemoveAll(archive.Dir(w.env)); err != nil {
		t.Fatal(err)
	}
	for tool, arguments := range map[string]map[string]any{"failure_report": nil, "lessons": {"all_projects": true}, "session_graph": nil,
		"replay": {"session": "5b0c2f91"}, "remedy": nil} {
		if r, _ := w.ask(s, tool, arguments, nil); !r.IsError || !strings.Contains(textOf(r), "aburn ingest") {
			t.Errorf("%s without an archive: %v %s", tool, r.IsError, textOf(r))
		}
	}
	w.must("ingest") // it comes back under the server
	if r, _ := w.ask(s, "session_graph", map[string]any{"all_projects": true}, nil); r.IsError {
		t.Errorf("after an ingest: %s", textOf(r))
	}
	if err := os.RemoveAll(filepath.Join(w.dir, ".oss")); err != nil {
		t.Fatal(err)
	}
	if r, _ := w.ask(s, "chain", nil, nil); !r.IsError || !strings.Contains(textOf(r), "aburn init") {
		t.Errorf("no project: %v %s", r.IsError, textOf(r))
	}
}

// TestMCPWhoAsks: Codex says with each call which session asks; Claude Code says the call, which hooks have recorded.
func TestMCPWhoAsks(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	const other = "77d1a0e4-0000-4000-8000-000000000002"
	w.vars["CLAUDE_CODE_SESSION_ID"] = "5b0c2f91-0000-4000-8000-000000000001"
	s := w.dial()
	subject := func(meta mcp.Meta) string {
		r, a := w.ask(s, "remedy", nil, meta)
		if r.IsError {
			return textOf(r)
		}
		var answer struct {
			Subject struct{ Source, Session string }
		}
		if err := json.Unmarshal(a.Answer, &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Subject.Source + "/" + answer.Subject.Session
	}
	if got := subject(nil); got != "claude/"+w.vars["CLAUDE_CODE_SESSION_ID"] {
		t.Errorf("by the environment: %s", got)
	}
	codex := mcp.Meta{"x-codex-turn-metadata": map[string]any{"session_id": "no-such-session", "thread_id": "no-such-session"}}
	if got := subject(codex); !strings.Contains(got, "the session codex/no-such-session is not in the archive") {
		t.Errorf("by Codex: %s", got)
	}
	if got := subject(mcp.Meta{"claudecode/toolUseId": "toolu_unheard"}); got != "claude/"+w.vars["CLAUDE_CODE_SESSION_ID"] {
		t.Errorf("a call that no hook recorded: %s", got)
	}
	entry := fmt.Sprintf(`{"v":1,"ts":%q,"cmd":"plan","event":"TOOL_START","session":%q,"source":"claude","data":{"tool_use_id":"toolu_after_clear",`+
		`"tool":"mcp__aburn__remedy"}}`,
		time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), other)
	log, err := os.OpenFile(filepath.Join(w.dir, ".oss", "workflow.log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(log, "%s\n# plan:TOOL_START - remedy\n\n", entry)
	log.Close()
	if got := subject(mcp.Meta{"claudecode/toolUseId": "toolu_after_clear"}); got != "claude/"+other {
		t.Errorf("after /clear: %s", got)
	}
}

// TestMCPLeft: a command whose session ended is told as left, since when and by which session.
func TestMCPLeft(t *testing.T) {
	w := newMCPWorld(t)
	w.must("log", "build", "START", "--session", "left-1111")
	log, err := os.OpenFile(filepath.Join(w.dir, ".oss", "workflow.log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(log, `{"v":1,"ts":%q,"cmd":"SESSION","event":"SESSION_END","session":"left-1111","source":"claude","data":{"reason":"prompt_input_exit"}}`+
		"\n# SESSION:SESSION_END\n\n",
		time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	log.Close()
	s := w.dial()
	for tool, text := range map[string]string{"workflow": " ago by left-111", "chain": "session left-1111 ended before it was finished"} {
		r, a := w.ask(s, tool, nil, nil)
		if r.IsError || !strings.Contains(a.Markdown, text) || !strings.Contains(string(a.Answer), `"state":"left"`) ||
			!strings.Contains(string(a.Answer), `"left_by":"left-1111"`) {
			t.Errorf("%s: %s %s", tool, a.Markdown, a.Answer)
		}
	}
}

// TestMCPOnlyThisProject: without a word an agent is told of the project that it works in, and nothing of others; outside of any
// project of nothing.
func TestMCPOnlyThisProject(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	s := w.dial()
	for tool, arguments := range map[string]map[string]any{"failure_report": nil, "lessons": nil, "session_graph": {"top": "tokens"}} {
		if r, _ := w.ask(s, tool, arguments, nil); !r.IsError || strings.Contains(textOf(r), "/home/user/shop") {
			t.Errorf("%s: %v %s", tool, r.IsError, textOf(r))
		}
	}
	transcript := filepath.Join(w.home, ".claude", "projects", "-home-user-shop", "77d1a0e4-0000-4000-8000-000000000002.jsonl")
	data, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(transcript, bytes.ReplaceAll(data, []byte("/home/user/shop"), []byte(w.dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.endSessions()
	if err := os.RemoveAll(archive.Dir(w.env)); err != nil {
		t.Fatal(err)
	}
	w.must("ingest")
	_, report := w.ask(s, "failure_report", nil, nil)
	if !strings.Contains(report.Markdown, "77d1a0e4") || strings.Contains(report.Markdown, "5b0c2f91") || strings.Contains(report.Markdown, "019ddd00") {
		t.Errorf("failure_report: %s", report.Markdown)
	}
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests"})
	if err != nil || !strings.Contains(r.Contents[0].Text, `"total":1,`) || !strings.Contains(r.Contents[0].Text, "77d1a0e4") {
		t.Errorf("digests: %v %+v", err, r)
	}
	if err := os.RemoveAll(filepath.Join(w.dir, ".oss")); err != nil {
		t.Fatal(err)
	}
	for tool, arguments := range map[string]map[string]any{"failure_report": nil, "lessons": {"project": "."}, "session_graph": nil} {
		if r, _ := w.ask(s, tool, arguments, nil); !r.IsError || !strings.Contains(textOf(r), "no project here") || !strings.Contains(textOf(r), "all_projects") {
			t.Errorf("%s outside of any project: %v %s", tool, r.IsError, textOf(r))
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests"}); err == nil || !strings.Contains(err.Error(), "no project here") {
		t.Errorf("digests outside of any project: %v", err)
	}
}

func TestMCPResources(t *testing.T) {
	w := newMCPWorld(t)
	s := w.dial()
	read := func(uri string) string {
		t.Helper()
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		if len(r.Contents[0].Text) > mcpserver.MaxResource {
			t.Errorf("%s has %d bytes", uri, len(r.Contents[0].Text))
		}
		return r.Contents[0].Text
	}
	var list struct {
		Data struct {
			Total    int
			Sessions []struct{ URI, Session, Outcome string }
		}
	}
	if err := json.Unmarshal([]byte(read("aburn://digests/all")), &list); err != nil || list.Data.Total < 3 || len(list.Data.Sessions) != list.Data.Total {
		t.Fatalf("%v: %+v", err, list)
	}
	for _, one := range list.Data.Sessions {
		var digest struct{ Data struct{ ID string } }
		if err := json.Unmarshal([]byte(read(one.URI)), &digest); err != nil || digest.Data.ID != one.Session {
			t.Errorf("%s: %v %+v", one.URI, err, digest)
		}
		events := 0
		for from := 1; from > 0; {
			var page struct {
				ID          string
				Total, Next int
				Events      []struct{ Seq int }
			}
			if err := json.Unmarshal([]byte(read(fmt.Sprintf("%s?from=%d", strings.Replace(one.URI, "digest", "trace", 1), from))), &page); err != nil ||
				page.ID != one.Session {
				t.Fatalf("%v: %+v", err, page)
			}
			for _, e := range page.Events {
				if events++; e.Seq != events {
					t.Errorf("%s: event %d is %d", one.URI, events, e.Seq)
				}
			}
			if from = page.Next; from == 0 && events != page.Total {
				t.Errorf("%s: %d of %d events", one.URI, events, page.Total)
			}
		}
	}
	if got, want := read("aburn://log/tail"), w.must("tail", "--json"); got != want {
		t.Errorf("log: %s, want %s", got, want)
	}
	for uri, want := range map[string]string{
		"aburn://digest/claude/none": "no session", "aburn://trace/claude/none": "no session", "aburn://trace/claude": "not found",
		list.Data.Sessions[0].URI + "?x": "", "aburn://trace/claude/5b0c2f91-0000-4000-8000-000000000001?from=0": "numbered from 1",
		"aburn://trace/claude/5b0c2f91-0000-4000-8000-000000000001?from=9999": "the last event is",
	} {
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
