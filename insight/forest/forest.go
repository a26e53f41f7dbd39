// Package forest answers how archived sessions hang together: it reads them as trees of continuations, forks and sub-agents,
// chooses or ranks trees, and prints them as text. Commands and the MCP server share it.
package forest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/internal/fault"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/trace/graph"
	"aburn/web/graphpage"
)

// Forest is all sessions of the archive as trees. The counts of sessions are read later, for the trees that need them
// (readTotals).
type Forest struct {
	names *names.Sessions
	roots []*graph.Node
	nodes map[int64]*graph.Node // nil until node is called
	known map[int64]*lookup.Judged
}

// ReadForest reads the trees of the archive.
func ReadForest(ctx context.Context, arch *archive.Archive) (*Forest, error) {
	all, ties, err := readAll(ctx, arch)
	if err != nil {
		return nil, err
	}
	ids, sessions, links := make([]string, len(all)), make([]graph.Session, len(all)), make([]graph.Link, len(ties))
	for i := range all {
		s := &all[i]
		ids[i] = s.ID
		sessions[i] = graph.Session{Key: s.Key, Source: s.Source, ID: s.ID, Start: s.Start, End: s.End}
	}
	for i, r := range ties {
		links[i] = graph.Link{Key: r.Key, Related: r.RelatedKey, SessionRelationship: r.SessionRelationship}
	}
	return &Forest{names: names.Among(ids), roots: graph.Build(sessions, links), known: map[int64]*lookup.Judged{}}, nil
}

// readAll reads sessions and ties at the same time.
func readAll(ctx context.Context, arch *archive.Archive) (all []archive.Outline, ties []archive.Relation, err error) {
	beside, err := arch.Reader(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer beside.Close()
	var wait sync.WaitGroup
	var failed error
	wait.Go(func() { ties, failed = beside.Ties(ctx) })
	all, err = arch.Outlines(ctx, archive.Filter{})
	wait.Wait()
	return all, ties, cmp.Or(err, failed)
}

func (f *Forest) node(key int64) *graph.Node {
	if f.nodes == nil {
		f.nodes = make(map[int64]*graph.Node, f.names.Len())
		for _, root := range f.roots {
			for n := range root.All() {
				f.nodes[n.Key] = n
			}
		}
	}
	return f.nodes[key]
}

// Running reports whether a session of the trees that were read was running then.
func (f *Forest) Running() bool {
	for _, s := range f.known {
		if s.Live {
			return true
		}
	}
	return false
}

// fewSessions is up to how many sessions reading each by its key is faster than reading all.
const fewSessions = 400

// readTotals reads the missing counts and verdicts of the sessions of some trees, and adds the counts up.
func (f *Forest) readTotals(ctx context.Context, c *lookup.Caller, arch *archive.Archive, trees []*graph.Node) error {
	var unknown []int64
	of := map[int64]*graph.Node{}
	for _, root := range trees {
		for n := range root.All() {
			if !n.Missing && f.known[n.Key] == nil {
				unknown = append(unknown, n.Key)
				of[n.Key] = n
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	read := func() ([]archive.Session, error) { return arch.SessionsOf(ctx, unknown) }
	if len(unknown) > fewSessions {
		read = func() ([]archive.Session, error) { return arch.Sessions(ctx, archive.Filter{}) }
	}
	some, err := read()
	if err != nil {
		return err
	}
	some = slices.DeleteFunc(some, func(s archive.Session) bool { return of[s.Key] == nil })
	list, err := c.Judge(ctx, some)
	if err != nil {
		return err
	}
	for i := range list {
		s := &list[i]
		n := of[s.Key]
		n.Counts, n.Usage, n.ActiveMS = s.Counts, s.Usage, s.ActiveMS
		f.known[s.Key] = s
	}
	for _, root := range trees {
		root.Sum()
	}
	return nil
}

// GraphAnswer is the part of a forest that a query chose.
type GraphAnswer struct {
	*Forest
	one      *graph.Node // the session that was named
	trees    []*graph.Node
	Total    int // trees or ranked nodes, before some were cut off
	measure  graph.Measure
	ranked   []*graph.Node
	sum      int64                    // of the measure, over all that was ranked
	calls    map[int][]graphpage.Call // of each node by its number; nil if they were not asked for
	Archived int                      // all sessions of the archive; counted where no tree was chosen
}

func (g *GraphAnswer) chooseOne(ctx context.Context, c *lookup.Caller, arch *archive.Archive, name string) error {
	s, err := lookup.NamedSession(ctx, c.Caller, arch, name)
	if err != nil {
		return err
	}
	if g.one = g.node(s.Key); g.one == nil { // what hooks recorded of a session that is listed as its agent's
		return fault.Failed(name+" is in no tree", "aburn show "+name)
	}
	g.trees, g.Total = []*graph.Node{g.one.Root()}, 1
	if err := g.readTotals(ctx, c, arch, g.trees); err != nil {
		return err
	}
	if g.measure != "" {
		var nodes []*graph.Node
		for n := range g.trees[0].All() {
			nodes = append(nodes, n)
		}
		g.sum = g.measure.Of(g.trees[0].Whole)
		g.ranked = graph.Top(nodes, g.measure, false)
		g.Total = len(g.ranked)
	}
	return nil
}

// choose chooses the trees with a session that the filter chooses.
func (g *GraphAnswer) choose(ctx context.Context, c *lookup.Caller, arch *archive.Archive, filter archive.Filter) error {
	g.trees = slices.Clone(g.roots)
	if filter != (archive.Filter{}) {
		keys, err := arch.Keys(filter)
		if err != nil {
			return err
		}
		wanted := map[*graph.Node]bool{}
		for _, key := range keys {
			if n := g.node(key); n != nil {
				wanted[n.Root()] = true
			}
		}
		g.trees = slices.DeleteFunc(g.trees, func(root *graph.Node) bool { return !wanted[root] })
	}
	if g.measure != "" {
		if err := g.readTotals(ctx, c, arch, g.trees); err != nil {
			return err
		}
		for _, root := range g.trees {
			g.sum += g.measure.Of(root.Whole)
		}
		g.ranked = graph.Top(g.trees, g.measure, true)
		g.trees = nil
	}
	g.Total = max(len(g.trees), len(g.ranked))
	return nil
}

func (g *GraphAnswer) cut(limit int) {
	if limit == 0 {
		return
	}
	g.trees = g.trees[:min(limit, len(g.trees))]
	g.ranked = g.ranked[:min(limit, len(g.ranked))]
}

// List is the nodes of the trees, or the ranked nodes, for --json and pages.
func (g *GraphAnswer) List() []graphpage.Node {
	list := []graphpage.Node{}
	numbers := map[*graph.Node]int{}
	add := func(n *graph.Node, depth int) {
		numbers[n] = len(list) + 1
		node := g.nodeFacts(n)
		node.Node, node.Parent, node.Depth = len(list)+1, numbers[n.Parent], depth
		list = append(list, node)
	}
	if g.measure != "" {
		for _, n := range g.ranked {
			add(n, 0)
		}
		for i := range list { // a rank is no tree
			list[i].Parent = 0
		}
		return list
	}
	for _, root := range g.trees {
		for n, depth := range root.All() {
			add(n, depth)
		}
	}
	return list
}

func (g *GraphAnswer) nodeFacts(n *graph.Node) graphpage.Node {
	r := n.Relation
	node := graphpage.Node{
		Name: g.names.Of(n.Source, n.ID), Source: n.Source, Session: n.ID, Relation: trace.Root, Missing: n.Missing, Loop: n.Loop,
		Own: graphpage.SumsOf(n.Own), Whole: graphpage.SumsOf(n.Whole),
	}
	if r.Kind != "" && r.Kind != trace.Root {
		node.Relation, node.Related, node.Provenance, node.Evidence = r.Kind, r.Related, r.Provenance, r.Evidence
		node.AgentType, node.Description, node.ParentCall = r.AgentType, r.Description, r.ParentCall
	}
	for _, o := range n.Others {
		if o.Kind != trace.Root {
			node.Others = append(node.Others, graphpage.Other{Relation: o.Kind, Related: o.Related, Provenance: o.Provenance})
		}
	}
	if s := g.known[n.Key]; s != nil && !n.Missing {
		node.Agent, node.Project, node.Outcome, node.Rule, node.Reason, node.Ask = s.Agent, s.Project.Path, string(s.Outcome), s.Rule, s.Reason, s.Ask
		node.Start, node.End = units.OptionalTime(s.Start), units.OptionalTime(s.End)
	}
	return node
}

// GraphReport is `aburn graph --json`.
type GraphReport struct {
	Total int              `json:"total"`
	Top   graph.Measure    `json:"top,omitempty"`
	Nodes []graphpage.Node `json:"nodes"`
}

// Report is the answer as --json prints it.
func (g *GraphAnswer) Report() GraphReport {
	return GraphReport{Total: g.Total, Top: g.measure, Nodes: g.List()}
}
