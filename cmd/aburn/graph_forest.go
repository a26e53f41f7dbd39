package main

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"aburn/internal/archive"
	"aburn/internal/graphpage"
	"aburn/trace"
	"aburn/trace/graph"
)

// forest is all sessions of the archive as trees.
type forest struct {
	sessions map[int64]*archive.Session
	names    *sessionNames
	roots    []*graph.Node
	nodes    map[int64]*graph.Node
}

// plant reads the archive's sessions and relationships.
func plant(ctx context.Context, arch *archive.Archive) (*forest, error) {
	all, relations, err := readAll(ctx, arch)
	if err != nil {
		return nil, err
	}
	f := &forest{sessions: map[int64]*archive.Session{}, names: newNames(all), nodes: map[int64]*graph.Node{}}
	sessions, links := make([]graph.Session, len(all)), make([]graph.Link, len(relations))
	for i := range all {
		s := &all[i]
		f.sessions[s.Key] = s
		sessions[i] = graph.Session{Key: s.Key, Source: s.Source, ID: s.ID, Start: s.Start, End: s.End, Counts: s.Counts, Usage: s.Usage, ActiveMS: s.ActiveMS}
	}
	for i, r := range relations {
		links[i] = graph.Link{Key: r.Key, Related: r.RelatedKey, SessionRelationship: r.SessionRelationship}
	}
	f.roots = graph.Build(sessions, links)
	for _, root := range f.roots {
		for n := range root.All() {
			f.nodes[n.Key] = n
		}
	}
	return f, nil
}

// readAll reads the sessions and, beside them, the relationships.
func readAll(ctx context.Context, arch *archive.Archive) (all []archive.Session, relations []archive.Relation, err error) {
	beside, err := arch.Reader(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer beside.Close()
	var wait sync.WaitGroup
	var failed error
	wait.Go(func() { relations, failed = beside.Relations(ctx) })
	all, err = arch.Sessions(ctx, archive.Filter{})
	wait.Wait()
	return all, relations, cmp.Or(err, failed)
}

// grown is the part of the forest that is shown.
type grown struct {
	*forest
	one     *graph.Node // the session that was named
	trees   []*graph.Node
	total   int // trees or ranked nodes, before some were cut off
	measure graph.Measure
	ranked  []*graph.Node
	sum     int64 // of the measure, over all that was ranked
}

// graphOf chooses the tree of one session.
func (a *app) graphOf(ctx context.Context, g *grown, arch *archive.Archive, name string) error {
	s, err := a.oneSession(ctx, arch, name)
	if err != nil {
		return err
	}
	if g.one = g.nodes[s.Key]; g.one == nil { // what hooks recorded of a session that is listed as its agent's
		return badNews(name+" is in no tree", "aburn show "+name)
	}
	g.trees, g.total = []*graph.Node{g.one.Root()}, 1
	if g.measure != "" {
		var nodes []*graph.Node
		for n := range g.trees[0].All() {
			nodes = append(nodes, n)
		}
		g.sum = g.measure.Of(g.trees[0].Whole)
		g.ranked = graph.Top(nodes, g.measure, false)
		g.total = len(g.ranked)
	}
	return nil
}

// choose takes the trees that hold a session which the filter chooses.
func (g *grown) choose(arch *archive.Archive, filter archive.Filter) error {
	g.trees = slices.Clone(g.roots)
	if filter != (archive.Filter{}) {
		keys, err := arch.Keys(filter)
		if err != nil {
			return err
		}
		wanted := map[*graph.Node]bool{}
		for _, key := range keys {
			if n := g.nodes[key]; n != nil {
				wanted[n.Root()] = true
			}
		}
		g.trees = slices.DeleteFunc(g.trees, func(root *graph.Node) bool { return !wanted[root] })
	}
	if g.measure != "" {
		for _, root := range g.trees {
			g.sum += g.measure.Of(root.Whole)
		}
		g.ranked = graph.Top(g.trees, g.measure, true)
		g.trees = nil
	}
	g.total = max(len(g.trees), len(g.ranked))
	return nil
}

func (g *grown) cut(limit int) {
	if limit == 0 {
		return
	}
	g.trees = g.trees[:min(limit, len(g.trees))]
	g.ranked = g.ranked[:min(limit, len(g.ranked))]
}

// list is the nodes of the trees, or the ranked ones, as programs get them.
func (g *grown) list() []graphpage.Node {
	list := []graphpage.Node{}
	numbers := map[*graph.Node]int{}
	add := func(n *graph.Node, depth int) {
		numbers[n] = len(list) + 1
		node := g.facts(n)
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

// facts is what is known of a node.
func (g *grown) facts(n *graph.Node) graphpage.Node {
	r := n.Relation
	node := graphpage.Node{
		Name: g.names.of(n.Source, n.ID), Source: n.Source, Session: n.ID, Relation: trace.Root, Missing: n.Missing, Loop: n.Loop,
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
	if s := g.sessions[n.Key]; s != nil && !n.Missing {
		node.Agent, node.Project, node.Outcome, node.OutcomeFrom, node.Ask = s.Agent, s.Project.Path, s.Outcome, s.OutcomeFrom, s.Ask
		node.Start, node.End = optionalTime(s.Start), optionalTime(s.End)
	}
	return node
}

// graphReport is what --json prints.
type graphReport struct {
	Total int              `json:"total"`
	Top   graph.Measure    `json:"top,omitempty"`
	Nodes []graphpage.Node `json:"nodes"`
}

func (g *grown) report() graphReport {
	return graphReport{Total: g.total, Top: g.measure, Nodes: g.list()}
}
