// Package toolcalls adds up the tool calls of archived sessions: which failed, were retried, never ended, or took longest.
package toolcalls

import (
	"context"
	"maps"
	"slices"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/internal/agentcli"
	"aburn/internal/term"
	"aburn/trace"
)

// Rows is the default of Query.Limit.
const Rows = 10

// Query asks for calls.
type Query struct {
	Type, Tool      string // only of this type and tool; empty for all
	Limit           int    // lines of each part; 0 for all
	Failed, Retries bool   // what Print prints
}

// tallyCalls counts the calls of the sessions that the filter chooses, of one type and tool if they are not empty.
func tallyCalls(ctx context.Context, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, q Query) (*tally, error) {
	t := newTally(q.Limit)
	for row, err := range arch.Calls(ctx, archive.CallFilter{Filter: filter}) {
		if err != nil {
			return nil, err
		}
		if (q.Type == "" || string(row.Type) == q.Type) && (q.Tool == "" || row.Tool == q.Tool || agentcli.ToolWord(row.Tool) == q.Tool) {
			t.add(&row)
		}
	}
	t.finish()
	var judged []lookup.Judged
	if (q.Type == "" || q.Type == string(trace.AgentTool)) && q.Tool == "" {
		filter.Relation = trace.Subagent
		agents, err := arch.Sessions(ctx, filter)
		if err != nil {
			return nil, err
		}
		if judged, err = c.Judge(ctx, agents); err != nil {
			return nil, err
		}
		t.addOutcomes(judged)
	}
	t.judgeAgents(judged)
	return t, nil
}

// Answer is the calls that a query chose, added up.
type Answer struct {
	tally *tally
	names *names.Sessions
	Query
}

// Of answers a query about the sessions that the filter chooses.
func Of(ctx context.Context, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, q Query) (*Answer, error) {
	t, err := tallyCalls(ctx, c, arch, filter, q)
	return &Answer{tally: t, Query: q}, err
}

// Calls is how many calls were chosen.
func (v *Answer) Calls() int { return v.tally.sum.calls }

// Tools are the names of the tools that were called, in order.
func (v *Answer) Tools() []string {
	names := map[string]bool{} // agents may have tools of the same name
	for _, s := range v.tally.ordered {
		names[agentcli.ToolWord(s.tool)] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Print prints the parts that the query asks for.
func (v *Answer) Print(out *term.Out, short *names.Sessions) (err error) {
	v.names = short
	switch {
	case v.Failed:
		err = v.showFailures(out)
	case !v.Retries:
		if err = v.showTools(out); err == nil {
			err = v.showLongest(out)
		}
	}
	if err == nil && (v.Retries || !v.Failed) {
		if err = v.showRetries(out); err == nil {
			err = v.showAgents(out)
		}
	}
	return err
}

func (v *Answer) rows(n int) int {
	if v.Limit > 0 {
		return min(n, v.Limit)
	}
	return n
}
