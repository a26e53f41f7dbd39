package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/cmd/internal/kit"
	"aburn/insight/forest"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
	"aburn/internal/scrub"
	"aburn/trace"
)

// given is a reader of nothing: it gives the traces that a test made.
type given struct {
	path   string
	traces []*trace.SessionTrace
}

func (g given) Name() string { return "claude" }

func (g given) Find(_ context.Context, _ trace.Places, found func(trace.Store) error) error {
	return found(trace.Store{Reader: g.Name(), Path: g.path, Layout: "given", Size: 1, ModTime: time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)})
}

func (g given) Read(_ context.Context, _ trace.Store, sink trace.Sink) error {
	for _, t := range g.traces {
		if err := sink.Trace(t); err != nil {
			return err
		}
	}
	sink.Done(trace.Cursor{}, false)
	return nil
}

// runner runs aburn on an archive: it gives the exit code, what was printed, and what was said.
type runner func(args ...string) (int, string, string)

// archived makes an archive of traces.
func archived(t *testing.T, traces ...*trace.SessionTrace) runner {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range traces {
		s.Sources = []trace.File{{Path: path}}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	return ingested(t, []trace.Reader{given{path, traces}})
}

// ingested makes an archive of what the readers find in the paths.
func ingested(t *testing.T, readers []trace.Reader, paths ...string) runner {
	t.Helper()
	dir := t.TempDir()
	env := func(key string) string {
		return map[string]string{"HOME": dir, "ABURN_HOME": filepath.Join(dir, "archive")}[key]
	}
	arch, err := archive.Open(context.Background(), archive.Dir(env))
	if err != nil {
		t.Fatal(err)
	}
	defer arch.Close()
	report, err := ingest.Run(context.Background(), ingest.Options{Archive: arch, Readers: readers, Places: trace.Places{Home: dir, Getenv: env, Paths: paths}})
	if err != nil {
		t.Fatalf("%v %+v", err, report)
	}
	return func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		a := &kit.App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: env}
		code := run(context.Background(), a, append([]string{"aburn", "-C", dir}, args...))
		return code, out.String(), errs.String()
	}
}

// session is a valid trace with two events and a relationship: "fork other", "subagent other", "continuation other" or "root".
func session(id, relation string) *trace.SessionTrace {
	kind, related, _ := strings.Cut(relation, " ")
	at := time.Date(2025, 11, 20, 10, 0, 0, 0, time.UTC)
	ref := trace.Ref{Line: 1}
	t := &trace.SessionTrace{
		V: trace.Version, Source: "claude", ID: id, Agent: trace.Agent{Name: "claude"}, Outcome: trace.Unknown, Scrub: trace.Scrub{Version: scrub.Version},
		Sources: []trace.File{{Path: "store.jsonl"}},
		Events: []trace.Event{
			{Seq: 1, Time: at, Ref: ref, Body: &trace.UserMessage{Head: "do it"}},
			{Seq: 2, Time: at.Add(time.Second), Ref: ref, Body: &trace.ToolCall{Call: "c1", Index: 1, Tool: "Bash", Type: trace.ShellTool,
				Input: trace.Digest{Length: 2, Hash: "0123456789abcdef"}, Head: "make"}},
			{Seq: 3, Time: at.Add(2 * time.Second), Ref: ref, Body: &trace.ToolResult{Call: "c1"}},
		},
		Results: []trace.ToolResultEvent{{
			V: trace.Version, Source: "claude", Session: id, Call: "c1", CallIndex: 1, EventIndex: 3, Time: at.Add(2 * time.Second), Status: trace.StatusErrored,
			From: trace.FromToolResult, Head: "it failed",
		}},
		Responses: []trace.Response{},
		Relationships: []trace.SessionRelationship{{V: trace.Version, Kind: trace.Relation(kind), Source: "claude", Session: id, Related: related,
			Provenance: trace.Explicit}},
	}
	t.Settle()
	return t
}

// Relationships in a circle, into it, and to nobody: everything is shown once, and nothing hangs.
func TestGraphOfAnything(t *testing.T) {
	world.Unshared(t)
	run := archived(t, session("aaaaaaaa-1", "fork bbbbbbbb-2"), session("bbbbbbbb-2", "continuation cccccccc-3"), session("cccccccc-3", "fork aaaaaaaa-1"),
		session("dddddddd-4", "continuation aaaaaaaa-1"), session("eeeeeeee-5", "subagent ffffffff-9"))
	for _, args := range [][]string{{"graph", "--json"}, {"graph", "bbbb", "--json"}} {
		code, out, errs := run(args...)
		var r forest.GraphReport
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != fault.ExitOK {
			t.Fatalf("%v: exit %d %v\n%s%s", args, code, err, out, errs)
		}
		calls, seen := 0, map[string]bool{}
		for _, n := range r.Nodes {
			calls += n.Own.Calls
			if seen[n.Session] {
				t.Errorf("%v: %s is there twice", args, n.Session)
			}
			seen[n.Session] = true
			if n.Missing != (n.Session == "ffffffff-9") {
				t.Errorf("%v: %s missing: %v", args, n.Session, n.Missing)
			}
		}
		if want := map[int]int{2: 5, 3: 4}[len(args)]; calls != want {
			t.Errorf("%v: %d calls, want %d", args, calls, want)
		}
	}
	if code, out, _ := run("graph"); code != fault.ExitOK || !strings.Contains(out, "(a circle of relationships is cut here)") ||
		!strings.Contains(out, "not in the archive") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// softly is what of hostile a valid trace can hold: characters that turn or hide text, and no control characters.
const softly = "b\u202ec\u200bd\u2066e"

// hostileTrace has softly wherever a trace can have a text.
func hostileTrace() *trace.SessionTrace {
	t := session("aaaaaaaa-1", "root")
	t.Agent, t.Project = trace.Agent{Name: softly, Version: softly}, trace.Project{Path: "/" + softly, Key: "/" + softly}
	t.Outcome, t.OutcomeFrom = trace.Errored, softly
	t.Relationships = []trace.SessionRelationship{{
		V: trace.Version, Kind: trace.Subagent, Source: "claude", Session: t.ID, Related: softly, AgentType: softly, Description: softly, Provenance: trace.Inferred,
		Evidence: softly,
	}}
	at, ref := t.Events[2].Time, trace.Ref{Line: 1}
	for _, body := range []trace.Body{
		&trace.UserMessage{Head: softly, Command: softly}, &trace.Error{Code: softly, Head: softly}, &trace.Interrupt{Reason: softly},
		&trace.FileChange{Path: softly, From: softly, Action: "renamed"}, &trace.SubagentSpawn{Session: softly, AgentType: softly, Description: softly},
		&trace.Session{Marker: trace.Stopped, Detail: softly, Model: softly},
		&trace.ToolCall{Call: softly, Index: 2, Tool: softly, Type: trace.OtherTool, Path: softly},
		&trace.ToolCall{Call: "c3", Index: 3, Tool: "mcp__" + softly, Type: trace.AgentTool, Head: softly}, &trace.ToolResult{Call: "c3", Result: 1},
	} {
		t.Events = append(t.Events, trace.Event{Seq: len(t.Events) + 1, Time: at, Ref: ref, Body: body, Inferred: softly})
	}
	t.Results = append(t.Results, trace.ToolResultEvent{
		V: trace.Version, Source: "claude", Session: t.ID, Call: "c3", CallIndex: 3, EventIndex: len(t.Events), Time: at, Status: trace.StatusErrored,
		From: trace.FromToolResult, Head: softly, Spawned: softly,
	})
	return t
}

// Whatever stands in a trace, no command lets it turn or hide what else is shown.
func TestHostileTracesStayText(t *testing.T) {
	world.Unshared(t)
	run := archived(t, hostileTrace())
	for _, line := range []string{
		"sessions", "sessions --json", "show aaaa", "show aaaa --json", "show aaaa --raw 1", "graph", "graph --json", "graph aaaa --top failures", "graph --mermaid",
		"tools", "tools --json", "tools --failed", "tools --retries",
		"show b", "sessions --project b", "aburn tools --tool b", "report", "report --full", "report --json",
		"report --project b",
	} {
		code, out, errs := run(strings.Fields(line)...)
		if out+errs == "" {
			t.Errorf("%s: exit %d, and says nothing", line, code)
		}
		if i := strings.IndexFunc(out+errs, func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }); i >= 0 {
			t.Errorf("%s prints %q", line, (out + errs)[max(0, i-40):min(len(out+errs), i+20)])
		}
	}
}
