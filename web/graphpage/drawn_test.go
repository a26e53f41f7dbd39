package graphpage

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"aburn/trace"
	"aburn/trace/graph"
)

// drawn is a page of n sessions with calls: a root, sub-agents, sub-agents of theirs, forks and continuations, pauses of
// hours, and texts that would like to be markup.
func drawn(n int) *Page {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var sessions []graph.Session
	var links []graph.Link
	calls := map[int64][]Call{}
	kinds := []trace.Relation{trace.Subagent, trace.Subagent, trace.Subagent, trace.Subagent, trace.Subagent, trace.Subagent, trace.Fork, trace.Continuation}
	for key := int64(1); key <= int64(n); key++ {
		at := start.Add(time.Duration(key-1) * 40 * time.Second)
		if key > 1 {
			parent := rng.Int64N(min(key-1, 8)) + 1
			if key%10 == 0 {
				parent = key - 1
			}
			l := graph.Link{Key: key, Related: parent}
			l.Kind, l.Provenance = kinds[rng.IntN(len(kinds))], trace.Explicit
			if l.Kind == trace.Subagent {
				l.AgentType, l.Description = "explore", "look for <b>the reason</b> of failure "+strconv.FormatInt(key, 10)
			}
			if l.Kind == trace.Fork {
				l.Provenance, l.Evidence = trace.Inferred, "42 shared records"
			}
			if l.Kind == trace.Continuation {
				at = at.Add(9 * time.Hour)
			}
			links = append(links, l)
		}
		s := graph.Session{Key: key, Source: "claude", ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", key*2654435761%(1<<32)), Start: at}
		list, end := drawnCalls(rng, at)
		for _, c := range list {
			s.Counts.Calls++
			if c.Failed {
				s.Counts.Failed++
			} else if c.Status == "" {
				s.Counts.NoResult++
			}
		}
		s.End, s.ActiveMS = end, end.Sub(at).Milliseconds()
		s.Counts.Prompts = 1 + rng.IntN(3)
		s.Usage = trace.Usage{Input: rng.Int64N(4000), CacheRead: rng.Int64N(900_000), CacheWrite: rng.Int64N(30_000), Output: rng.Int64N(9000)}
		sessions, calls[key] = append(sessions, s), list
	}
	return pageOf(graph.Build(sessions, links)[0], calls)
}

func drawnCalls(rng *rand.Rand, at time.Time) (list []Call, end time.Time) {
	tools := []struct {
		name string
		kind trace.ToolType
		text string
	}{
		{"Bash", trace.ShellTool, "go test ./... && echo '</script><script>alert(1)</script>'"}, {"Read", trace.ReadTool, "web/page.go"},
		{"Edit", trace.EditTool, "cmd/aburn/graph.go"}, {"Grep", trace.SearchTool, "func .*"}, {"WebFetch", trace.WebTool, ""}, {"mcp__db__query", trace.MCPTool, ""},
		{"Task", trace.AgentTool, ""}, {"TodoWrite", trace.OtherTool, ""},
	}
	for i := range 3 + rng.IntN(60) {
		at = at.Add(time.Duration(rng.IntN(9000)) * time.Millisecond)
		if rng.IntN(90) == 0 {
			at = at.Add(time.Hour)
		}
		tool := tools[min(rng.IntN(len(tools)+4), len(tools)+3)%len(tools)]
		c := Call{Index: i + 1, Tool: tool.name, Type: tool.kind, Text: tool.text, Status: trace.StatusCompleted, Start: at, DurationMS: rng.Int64N(20_000),
			Length: rng.Int64N(60_000)}
		switch rng.IntN(18) {
		case 0:
			code := 1
			c.Status, c.Failed, c.ExitCode = trace.StatusErrored, true, &code
		case 1:
			c.Status, c.DurationMS, c.Length = "", 0, 0
		case 2:
			c.Status = trace.StatusCancelled
		}
		list = append(list, c)
		if rng.IntN(3) > 0 {
			at = at.Add(time.Duration(c.DurationMS) * time.Millisecond)
		}
		end = at.Add(time.Duration(c.DurationMS) * time.Millisecond)
	}
	return list, end
}

// pageOf is the page of a tree.
func pageOf(root *graph.Node, calls map[int64][]Call) *Page {
	p := &Page{Title: "Fix the <parser> & \"test\" it", Made: time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC), Calls: map[int][]Call{}}
	numbers := map[*graph.Node]int{}
	outcomes := []string{"completed", "completed", "running", "killed", "errored", "interrupted", "gave_up"}
	for n, depth := range root.All() {
		i := len(p.Nodes) + 1
		numbers[n] = i
		node := Node{
			Node: i, Parent: numbers[n.Parent], Depth: depth, Name: n.ID[:8], Source: n.Source, Session: n.ID,
			Agent: trace.Agent{Name: "Claude Code", Version: "2.1.329"}, Missing: n.Missing,
			Relation: trace.Root, Outcome: outcomes[int(n.Key)%len(outcomes)], Reason: "the last turn", Own: SumsOf(n.Own), Whole: SumsOf(n.Whole),
			Ask: "please fix the parser so that it takes <angle brackets>", Start: &n.Start, End: &n.End,
		}
		if n.Parent != nil {
			r := n.Relation
			node.Relation, node.Provenance, node.Evidence, node.AgentType, node.Description = r.Kind, r.Provenance, r.Evidence, r.AgentType, r.Description
		}
		p.Nodes = append(p.Nodes, node)
		p.Calls[i] = calls[n.Key]
	}
	return p
}
