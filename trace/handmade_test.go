package trace

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden file")

const golden = "testdata/golden/handmade.json"

// handmade is a small session with all kinds of events and every member set somewhere.
func handmade() *SessionTrace {
	at := func(s int) time.Time { return time.Date(2026, 11, 21, 10, 0, s, 250e6, time.UTC) }
	line := func(n int64) Ref { return Ref{Line: n, Offset: (n - 1) * 100} }
	content := Digest{Length: 12, Hash: "0123456789abcdef"}
	t := &SessionTrace{
		V: 1, Source: "toy", ID: "s1/a1", Agent: Agent{Name: "toy-agent", Version: "1.2.3"},
		Project: Project{Path: "/home/me/shop", Key: "/home/me/shop"}, Outcome: Interrupted, OutcomeFrom: "interrupted",
		Events: []Event{
			{Time: at(0), Ref: line(1), Record: "u0", Copied: "s0", Body: &UserMessage{Digest: content, Head: "look at <it> & tell", Command: "build"}},
			{Time: at(1), Ref: line(2), Record: "u1", Turn: "p1", Body: &Session{Marker: Started, Detail: "startup", Model: "m-1"}},
			{Time: at(2), Ref: line(3), Turn: "p1", By: "client", Body: &UserMessage{Digest: content, Machine: "task_notification"}},
			{Time: at(3), Ref: line(4), Body: &AgentMessage{Digest: content, Thought: true, Response: "r1"}},
			{Time: at(4), Ref: line(4), Abandoned: true, Body: &ToolCall{Call: "c1", Index: 1, Tool: "exec", Type: OtherTool, Input: content, Container: true}},
			{Time: at(5), Ref: line(5), Body: &ToolCall{Call: "c2", Index: 2, Tool: "Bash", Type: ShellTool, Input: content, Key: "01234567", Path: "a.go",
				Head: "go test ./...", Response: "r1", Parent: "c1"}},
			{Time: at(6), Ref: line(6), Body: &ToolResult{Call: "c2", Result: 0}},
			{Time: at(7), Ref: Ref{File: 1, Table: "part", Key: "m1/2"}, Body: &ToolResult{Call: "c9", Result: 1}},
			{Time: at(8), Ref: line(7), Body: &FileChange{Path: "b.go", From: "a.go", Action: "renamed", Added: new(3), Removed: new(0), Hash: strings.Repeat("0f", 32),
				Call: "c2"}},
			{Time: at(9), Ref: line(8), Body: &Error{Code: "rate_limit", Status: 429, Fatal: true, Head: "slow down", Digest: content}},
			{Time: at(10), Ref: line(8), Inferred: "the file ends in a call", Body: &Interrupt{Call: "c2", Reason: "user"}},
			{Time: at(11), Ref: line(9), By: "user", Body: &SubagentSpawn{Session: "s1/a2", Call: "c2", AgentID: "a2", AgentType: "Explore", Description: "find it",
				Background: true}},
			{Ref: line(10), Body: &Session{Marker: PhaseFailed, Command: "build", Phase: "RED"}},
		},
		Results: []ToolResultEvent{
			{V: 1, Source: "toy", Session: "s1/a1", Message: "m1", Call: "c2", CallIndex: 2, EventIndex: 7, AgentID: "a1", Time: at(6), Status: StatusErrored,
				From: FromToolResult, Content: content,
				Head: "exit status 3", ExitCode: new(3), IsError: new(true), Denied: "rule", DurationMS: 15, Spawned: "s1/a2"},
			{V: 1, Source: "toy", Session: "s1/a1", Call: "c9", EventIndex: 8, Time: at(7), Status: StatusRunning, From: FromQueue},
		},
		Responses: []Response{
			{ID: "r1", Model: "m-1", Event: 4, Time: at(3), Usage: Usage{Input: 10, CacheRead: 20, CacheWrite: 5, Output: 7, Reasoning: 2, CostUSD: 0.25},
				Stop: "tool_use", Ref: line(4)},
			{ID: "r0", Event: 1, Usage: Usage{Input: 1}, Ref: line(1), Copied: "s0"},
		},
		Relationships: []SessionRelationship{{V: 1, Kind: Subagent, Source: "toy", Session: "s1/a1", Related: "s1", Time: at(0), SourceSession: "s1",
			SourceVersion: "1.2.3", ParentCall: "c0",
			AgentID: "a1", AgentType: "Explore", Description: "look around", Provenance: Inferred, Evidence: "folder"}},
		Sources: []File{{Path: "/home/me/.toy/s1/a1.jsonl"}, {Path: "/home/me/.toy/toy.db", How: "mode=ro"}},
		Scrub:   Scrub{Version: 1, Redacted: 0},
		Damaged: []Damage{{Ref: line(11), Reason: "not JSON"}},
		Lineage: Lineage{Root: "u0", MayCopy: 1},
		Extra:   json.RawMessage(`{"mode":"plan"}`),
	}
	for i := range t.Events {
		t.Events[i].Seq = i + 1
	}
	t.Settle()
	return t
}

func TestHandmade(t *testing.T) {
	tr := handmade()
	if err := tr.Validate(); err != nil {
		t.Fatal(err)
	}
	if tr.ActiveMS != 10_000 || tr.Usage.Total() != 42 || !tr.Start.Equal(tr.Events[1].Time) {
		t.Errorf("%d ms from %v, %+v", tr.ActiveMS, tr.Start, tr.Usage)
	}
	data, err := json.MarshalIndent(tr, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	if *update {
		if err := os.WriteFile(golden, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("%s (-update writes it) is not\n%s", golden, data)
	}
}

// What counts is what was not copied, was made by the agent, and is no container.
func TestCount(t *testing.T) {
	want := Counts{Events: 12, Responses: 1, Calls: 1, Failed: 1, Denied: 1, Subagents: 1, Changes: 1, Errors: 1, Interrupts: 1}
	if got := handmade().Count(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	refused := handmade()
	refused.Events[11].Body.(*SubagentSpawn).NotStarted = true
	if n := refused.Count().Subagents; n != 0 {
		t.Errorf("%d sub-agents, and the only one was refused", n)
	}
	twice := want
	twice.Add(want)
	if twice.Calls != 2 || twice.Events != 24 || twice.Denied != 2 {
		t.Errorf("twice %+v", twice)
	}
}

// The sum is closed: what is sealed here is what can be written, and it is the nine.
func TestNineKinds(t *testing.T) {
	var sealed []string
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "sealed" {
				sealed = append(sealed, fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	if len(sealed) != 9 || len(bodies()) != 9 {
		t.Errorf("sealed are %q", sealed)
	}
	var kinds []string
	for _, b := range bodies() {
		data, err := json.Marshal(Event{Body: b})
		if err != nil || !strings.Contains(string(data), `"kind":"`+b.Kind()+`","`+b.Kind()+`":{`) {
			t.Errorf("%s, %v", data, err)
		}
		kinds = append(kinds, b.Kind())
	}
	seen := map[string]bool{}
	for _, e := range handmade().Events {
		seen[e.Body.Kind()] = true
	}
	slices.Sort(kinds)
	if len(slices.Compact(kinds)) != 9 || len(seen) != 9 {
		t.Errorf("kinds are %q, in the handmade trace %v", kinds, seen)
	}
}
