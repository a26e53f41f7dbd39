package ingest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/archive"
	"aburn/internal/lab/synth/home"
	"aburn/trace"
)

// otherTotal is what another generator's truth.json says of one agent.
type otherTotal struct {
	Sessions    int            `json:"sessions"`
	Subagents   int            `json:"subagents"`
	Background  int            `json:"subagents_background"`
	Forks       int            `json:"forks"`
	Prompts     int            `json:"prompts"`
	Calls       map[string]int `json:"tool_calls"`
	CallsTotal  int            `json:"tool_calls_total"`
	CallsAgents int            `json:"tool_calls_subagents"`
	Failed      map[string]int `json:"failed_calls"`
	FailedTotal int            `json:"failed_calls_total"`
	Denied      int            `json:"denied_calls"`
	NoResult    int            `json:"no_result"`
	Compactions int            `json:"compactions"`
	Responses   int            `json:"responses"`
	Outcomes    map[string]int `json:"outcomes"`
	Usage       otherUsage     `json:"usage"`
}

// otherUsage is tokens as the agents tell them.
type otherUsage struct {
	Input      int64 `json:"input_tokens"`
	Cached     int64 `json:"cached_input_tokens"`
	Write      int64 `json:"cache_write_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Output     int64 `json:"output_tokens"`
	Reasoning  int64 `json:"reasoning_output_tokens"`
}

// normal is the usage as package trace has it: Codex counts what it read from the cache as input.
func (u otherUsage) normal() trace.Usage {
	return trace.Usage{Input: u.Input - u.Cached, CacheRead: u.CacheRead + u.Cached, CacheWrite: u.CacheWrite + u.Write, Output: u.Output, Reasoning: u.Reasoning}
}

// otherSession is a line of its truth-sessions.jsonl.
type otherSession struct {
	Agent, Kind, ID, Of, Session, Outcome string
	Call                                  string `json:"tool_use_id"`
	Parent                                string `json:"parent_agent"`
	Prompts, Calls, Failed                int
	Usage                                 otherUsage
}

// otherOutcomes are its words for outcomes.
var otherOutcomes = map[string]trace.Outcome{"completed": trace.Completed, "api_error": trace.Errored, "interrupted": trace.Interrupted, "killed": trace.Killed}

// A home that an independent generator (not in this repository) made, with ABURN_OTHER_HOME naming its folder: every count
// that its truth has is ours, in total and of each session. docs/evidence/readers.md says what came of it.
func TestAnotherGeneratorsTruth(t *testing.T) {
	dir := os.Getenv("ABURN_OTHER_HOME")
	if dir == "" {
		t.Skip("ABURN_OTHER_HOME names no folder with home, truth.json and truth-sessions.jsonl")
	}
	k := &known{T: t, Truth: &home.Truth{}, dir: t.TempDir(), home: filepath.Join(dir, "home")}
	var totals map[string]json.RawMessage
	readJSON(t, filepath.Join(dir, "truth.json"), &totals)
	sessions := otherSessions(t, filepath.Join(dir, "truth-sessions.jsonl"))
	at := filepath.Join(k.dir, "archive")
	for _, s := range k.ingest(at).Sources {
		t.Logf("%s: %d stores, %d sessions, %d bytes, %d skipped, %d damaged", s.Name, s.Stores, s.New, s.Bytes, len(s.Skipped), s.DamagedAll)
	}
	k.unchanged(at)
	d := differs{}
	got := map[string]*otherTotal{}
	ctx := context.Background()
	a, err := archive.View(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	list, err := a.Sessions(ctx, archive.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		tr, err := a.Trace(ctx, s.Key)
		if err != nil {
			t.Fatal(err)
		}
		id := s.Source + "/" + s.ID
		want, ok := sessions[id]
		if !ok {
			d["sessions that are not there"] = append(d["sessions that are not there"], id)
			continue
		}
		delete(sessions, id)
		d.otherSession(id, s, tr, want)
		if got[s.Source] == nil {
			got[s.Source] = &otherTotal{Calls: map[string]int{}, Failed: map[string]int{}, Outcomes: map[string]int{}}
		}
		got[s.Source].add(s, tr, want)
	}
	for id := range sessions {
		d["sessions that are missing"] = append(d["sessions that are missing"], id)
	}
	d.otherTotals(t, got, totals)
	for _, what := range slices.Sorted(maps.Keys(d)) {
		slices.Sort(d[what])
		t.Errorf("%s: %d sessions differ:\n  %s", what, len(d[what]), strings.Join(d[what][:min(4, len(d[what]))], "\n  "))
	}
}

// otherTotals compares the sums.
func (d differs) otherTotals(t *testing.T, got map[string]*otherTotal, totals map[string]json.RawMessage) {
	t.Helper()
	for agent, g := range got {
		var want otherTotal
		if err := json.Unmarshal(totals[agent], &want); err != nil {
			t.Fatal(err)
		}
		if agent == "codex" {
			want.Background = g.Background // it does not call Codex' sub-agents so; all of them are
		}
		gu, wu := g.Usage, want.Usage.normal()
		g.Usage, want.Usage = otherUsage{}, otherUsage{}
		d.check(agent, "totals", asJSON(g), asJSON(want))
		d.check(agent, "usage in total", gu.trace(), wu)
		t.Logf("%s: %s %+v", agent, asJSON(g), gu.trace())
	}
}

// trace is a sum that was kept in these fields in the words of package trace.
func (u otherUsage) trace() trace.Usage {
	return trace.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning}
}

func (g *otherTotal) add(s archive.Session, t *trace.SessionTrace, want otherSession) {
	h := held(s, t)
	g.Prompts += h.Prompts
	g.CallsTotal += h.Calls
	g.FailedTotal += h.Failed
	g.Denied += h.Denied
	g.NoResult += h.NoResult
	g.Compactions += h.Compacted
	g.Responses += h.Responses
	g.Background += h.Background
	for tool, n := range h.Tools {
		g.Calls[tool] += n
	}
	for tool, n := range h.FailedBy {
		g.Failed[tool] += n
	}
	if want.Kind == "subagent" {
		g.Subagents++
		g.CallsAgents += h.Calls
	} else {
		g.Sessions++
		for name, o := range otherOutcomes {
			if o == s.Stated {
				g.Outcomes[name]++
			}
		}
		if t.Relationships[0].Kind == trace.Fork {
			g.Forks++
		}
	}
	g.Usage.Input += h.Usage.Input
	g.Usage.CacheRead += h.Usage.CacheRead
	g.Usage.CacheWrite += h.Usage.CacheWrite
	g.Usage.Output += h.Usage.Output
	g.Usage.Reasoning += h.Usage.Reasoning
}

func (d differs) otherSession(id string, s archive.Session, t *trace.SessionTrace, want otherSession) {
	u := s.Usage
	if s.Source == "claude" {
		u.Reasoning = 0 // it does not count them
	}
	kind, related, call := trace.Root, "", ""
	switch want.Kind {
	case "fork":
		kind, related = trace.Fork, want.Of
	case "subagent":
		kind, related, call = trace.Subagent, want.Session, want.Call
		if want.Parent != "" {
			related += "/" + want.Parent
		}
	}
	d.check(id, "calls", s.Counts.Calls, want.Calls)
	d.check(id, "failed", s.Counts.Failed, want.Failed)
	d.check(id, "usage", u, want.Usage.normal())
	d.check(id, "relation", t.Relationships[0].Kind, kind)
	d.check(id, "related", t.Relationships[0].Related, related)
	d.check(id, "parent call", t.Relationships[0].ParentCall, call)
	d.check(id, "prompts", s.Counts.Prompts, want.Prompts)
	if want.Kind != "subagent" {
		d.check(id, "outcome", s.Stated, otherOutcomes[want.Outcome])
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// otherSessions are the sessions of a truth-sessions.jsonl, by "source/id" as ours are named.
func otherSessions(t *testing.T, path string) map[string]otherSession {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]otherSession{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s otherSession
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", path, err))
		}
		id := s.ID
		if s.Agent == "claude" && s.Kind == "subagent" {
			id = s.Session + "/" + s.ID
		}
		all[s.Agent+"/"+id] = s
	}
	return all
}
