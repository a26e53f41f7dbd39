package trace_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
)

// drawn is a session drawn as its records, a letter each, in the order of the file: "abc" has a, b and c. A capital letter
// is a response of the same record id. mayCopy is how many of them its source lets be copies.
func drawn(id, records string, mayCopy int, at time.Time) *trace.SessionTrace {
	b := draft.New("claude", id, "claude", id+".jsonl")
	for i, r := range strings.Split(records, "") {
		e := trace.Event{Ref: trace.Ref{Line: int64(i + 1)}, Record: strings.ToLower(r), Time: at.Add(time.Duration(r[0]|0x20) * time.Second)}
		if r == strings.ToUpper(r) {
			e.Body = &trace.AgentMessage{Response: "msg_" + r}
			b.Response(trace.Response{ID: "msg_" + r, Event: b.Add(e), Time: e.Time, Ref: e.Ref, Usage: trace.Usage{Input: 1}})
			continue
		}
		e.Body = &trace.UserMessage{}
		b.Add(e)
	}
	b.Trace().Lineage = trace.Lineage{Root: strings.ToLower(records[:1]), MayCopy: mayCopy}
	t, err := b.Finish()
	if err != nil {
		panic(err)
	}
	return t
}

// said is "ID<ORIGIN:copies/own responses" of each session, copies as the letters of the sessions that they are from.
func said(family []*trace.SessionTrace) string {
	var all []string
	for _, t := range family {
		s := t.ID
		if r := t.Relationships[0]; r.Kind != trace.Root {
			s += "<" + r.Related
		}
		s += ":"
		for _, e := range t.Events {
			if e.Copied == "" {
				s += "."
			}
			s += e.Copied
		}
		all = append(all, fmt.Sprintf("%s/%d", s, t.Usage.Input))
	}
	return strings.Join(all, " ")
}

func TestLinkForks(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		family []*trace.SessionTrace
		want   string
	}{
		"the bookkeeping shows the direction": {
			[]*trace.SessionTrace{drawn("F", "aBcDeF", 6, noon), drawn("A", "aBcDgH", 1, noon)},
			"F<A:AAAA../1 A:....../3"},
		"the original went on before the fork did": {
			[]*trace.SessionTrace{drawn("F", "aBcDyZ", 6, noon), drawn("A", "aBcDeF", 6, noon)},
			"F<A:AAAA../1 A:....../3"},
		"a beginning is the original of what goes on": {
			[]*trace.SessionTrace{drawn("F", "aBcDeF", 6, noon), drawn("A", "aBcD", 4, noon)},
			"F<A:AAAA../1 A:..../2"},
		"two forks of one session": {
			[]*trace.SessionTrace{drawn("A", "aBcD", 1, noon), drawn("F", "aBcDxX", 6, noon), drawn("G", "aBcDyY", 6, noon)},
			"A:..../2 F<A:AAAA../1 G<A:AAAA../1"},
		"a fork of a fork": {
			[]*trace.SessionTrace{drawn("G", "aBcDeFgH", 8, noon), drawn("F", "aBcDeF", 6, noon), drawn("A", "aBcD", 1, noon)},
			"G<F:AAAAFF../1 F<A:AAAA../1 A:..../2"},
		"a fork of the beginning": {
			[]*trace.SessionTrace{drawn("A", "aBcDeF", 1, noon), drawn("F", "aBxY", 4, noon)},
			"A:....../3 F<A:AA../1"},
		"alone": {[]*trace.SessionTrace{drawn("F", "aBcD", 4, noon)}, "F:..../2"},
	} {
		t.Run(name, func(t *testing.T) {
			trace.Link(c.family)
			if got := said(c.family); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
			for _, x := range c.family {
				if err := x.Validate(); err != nil {
					t.Error(err)
				}
			}
			if again := trace.Link(c.family); len(again) != 0 {
				t.Errorf("again, %d change", len(again))
			}
		})
	}
}

// What is linked before the original is known is linked right afterwards, and a trace that is read on starts anew.
func TestLinkLater(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a, f, g := drawn("A", "aBcD", 1, noon), drawn("F", "aBcDxX", 6, noon), drawn("G", "aBcDyY", 6, noon)
	trace.Link([]*trace.SessionTrace{f, g})
	if got := said([]*trace.SessionTrace{f, g}); got != "F:....../3 G<F:FFFF../1" {
		t.Errorf("without the original: %s", got)
	}
	if changed := trace.Link([]*trace.SessionTrace{f, g, a}); len(changed) != 2 {
		t.Errorf("%d changed, not the two forks", len(changed))
	}
	if got := said([]*trace.SessionTrace{a, f, g}); got != "A:..../2 F<A:AAAA../1 G<A:AAAA../1" {
		t.Errorf("with it: %s", got)
	}
	plain, _ := json.Marshal(drawn("F", "aBcDxX", 6, noon))
	f.Unlink()
	if back, _ := json.Marshal(f); string(back) != string(plain) {
		t.Errorf("unlinked it is\n%s\nand was\n%s", back, plain)
	}
}

// What the source says stays, and what is copied beside it is found.
func TestLinkTold(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a, f := drawn("A", "aBcD", 4, noon.Add(time.Hour)), drawn("F", "aBcDxX", 1, noon)
	f.Relationships[0] = trace.SessionRelationship{V: 1, Kind: trace.Fork, Source: "claude", Session: "F", Related: "A", Provenance: trace.Explicit}
	f.Events[0].Copied, f.Events[1].Copied, f.Responses[0].Copied = "A", "A", "A"
	trace.Link([]*trace.SessionTrace{f, a})
	if got := said([]*trace.SessionTrace{a, f}); got != "A:..../2 F<A:AAAA../1" {
		t.Error(got)
	}
	if r := f.Relationships[0]; r.Provenance != trace.Explicit || len(f.Relationships) != 1 {
		t.Errorf("%+v", f.Relationships)
	}
}

// spawner is a session that starts a sub-agent in the call c1, and sub one of its sub-agents.
func spawner(id, agent string) *trace.SessionTrace {
	b := draft.New("claude", id, "claude", id)
	b.Call(trace.Event{Ref: trace.Ref{Line: 1}, Record: "r1"}, &trace.ToolCall{Call: "c1", Tool: "Agent", Type: trace.AgentTool})
	s := &trace.SubagentSpawn{Call: "c1", AgentType: "Explore", Description: "look"}
	if agent != "" {
		s.AgentID, s.Session = agent, id+"/"+agent
	}
	b.Add(trace.Event{Ref: trace.Ref{Line: 1}, Record: "r1", Body: s})
	b.Result(trace.Event{Ref: trace.Ref{Line: 2}, Record: "r2"}, trace.ToolResultEvent{Call: "c1", Status: trace.StatusCompleted, From: trace.FromToolResult})
	t, err := b.Finish()
	if err != nil {
		panic(err)
	}
	return t
}

func sub(id, related, agent, call string) *trace.SessionTrace {
	b := draft.New("claude", id, "claude", id)
	b.Add(trace.Event{Ref: trace.Ref{Line: 1}, Body: &trace.AgentMessage{}})
	b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: related, AgentID: agent, ParentCall: call, Provenance: trace.Explicit})
	t, err := b.Finish()
	if err != nil {
		panic(err)
	}
	return t
}

func TestLinkAgents(t *testing.T) {
	parent, child := spawner("S", "x"), sub("S/x", "S", "x", "")
	if changed := trace.Link([]*trace.SessionTrace{child, parent}); len(changed) != 2 {
		t.Errorf("%d changed", len(changed))
	}
	r := child.Relationships[0]
	if r.ParentCall != "c1" || r.Related != "S" || r.AgentType != "Explore" || r.Description != "look" || r.Evidence == "" {
		t.Errorf("without a meta file: %+v", r)
	}
	if parent.Results[0].Spawned != "S/x" {
		t.Errorf("the result names %q", parent.Results[0].Spawned)
	}
	if again := trace.Link([]*trace.SessionTrace{child, parent}); len(again) != 0 {
		t.Errorf("again, %d change", len(again))
	}

	nested, below := spawner("S/x", ""), sub("S/y", "S/x", "y", "c1")
	trace.Link([]*trace.SessionTrace{nested, below})
	if s := nested.Events[1].Body.(*trace.SubagentSpawn); s.Session != "S/y" || s.AgentID != "y" || nested.Results[0].Spawned != "S/y" {
		t.Errorf("the spawn that did not know it: %+v, %+v", s, nested.Results[0])
	}

	codex, thread := spawner("C", ""), sub("D", "C", "", "")
	codex.Events[1].Body.(*trace.SubagentSpawn).Session = "D"
	trace.Link([]*trace.SessionTrace{thread, codex})
	if r := thread.Relationships[0]; r.ParentCall != "c1" {
		t.Errorf("a sub-agent whose session the spawn names: %+v", r)
	}

	other := sub("T/x", "T", "x", "")
	if changed := trace.Link([]*trace.SessionTrace{other, spawner("S", "x")}); len(changed) != 0 || other.Relationships[0].ParentCall != "" {
		t.Errorf("another session's agent of the same id: %+v", other.Relationships[0])
	}
}

// The sub-agent of a copied call is the original's.
func TestLinkCopiedSpawn(t *testing.T) {
	a, f := spawner("A", "x"), spawner("F", "x")
	a.Lineage, f.Lineage = trace.Lineage{Root: "r1", MayCopy: 1}, trace.Lineage{Root: "r1", MayCopy: 3}
	child := sub("A/x", "A", "x", "c1")
	trace.Link([]*trace.SessionTrace{f, a, child})
	if s := f.Events[1].Body.(*trace.SubagentSpawn); s.Session != "A/x" || f.Results[0].Spawned != "A/x" {
		t.Errorf("the fork's spawn: %+v", s)
	}
	if n := f.Count(); n.Calls != 0 || n.Subagents != 0 {
		t.Errorf("the fork counts %+v", n)
	}
	if n := a.Count(); n.Calls != 1 || n.Subagents != 1 {
		t.Errorf("the original counts %+v", n)
	}
}
