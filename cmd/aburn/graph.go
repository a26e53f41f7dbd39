package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/archive"
	"aburn/internal/graphpage"
	"aburn/internal/term"
	"aburn/trace"
	"aburn/trace/graph"
)

// treeLimit is how many trees, or lines of --top, people are shown who do not say how many.
const treeLimit = 10

func (a *app) graphCommand() *cli.Command {
	return &cli.Command{
		Name:      "graph",
		Usage:     "show how sessions hang together: continuations, forks, sub-agents",
		ArgsUsage: "[SESSION]",
		Description: "The tree that SESSION is part of, or the trees that were last active. Each line has what the session did itself, and behind Σ what it did with all below it,\n" +
			"each thing counted once: calls, failed calls, tokens, active time (the times of all sessions added up). ↳ is a sub-agent, ↗ a fork, → a continuation, with a ? if\n" +
			"that was inferred.\n\n" +
			"--top ranks trees, or with SESSION the sessions of its tree. --html writes a page that needs no network: a picture of the tree and a timeline of all calls.",
		Flags: append(chooseFlags(),
			&cli.StringFlag{Name: "top", Usage: "rank by `MEASURE`: tokens, failures or duration"},
			&cli.BoolFlag{Name: "mermaid", Usage: "print a Mermaid flowchart"},
			&cli.StringFlag{Name: "html", Usage: "write a page with the tree and its calls into `FILE`; needs SESSION", TakesFile: true},
			&cli.IntFlag{Name: "limit", Usage: "only so many trees, or lines of --top: `N`; 0 for all (default " + strconv.Itoa(treeLimit) + ", with --json all)"},
			jsonFlag(),
		),
		ArgValidator:  graphArguments,
		ShellComplete: a.completeSessions,
		Metadata: examples(
			"aburn graph --since 7d",
			"aburn graph 5b0c2f91 --top failures",
			"aburn graph 5b0c2f91 --html tree.html",
			"aburn graph --top tokens --json | jq '.nodes[0].whole'",
		),
		Action: a.graph,
	}
}

func graphArguments(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() > 1 {
		return usageError("unexpected argument "+quote(cmd.Args().Get(1)), cmd.FullName()+" --help")
	}
	forms := 0
	for _, flag := range []string{"mermaid", "html", "json"} {
		if cmd.IsSet(flag) {
			forms++
		}
	}
	switch {
	case forms > 1:
		return usageError("only one of --mermaid, --html and --json")
	case cmd.IsSet("top") && (cmd.IsSet("mermaid") || cmd.IsSet("html")):
		return usageError("--top is a list, and neither a diagram nor a page")
	case cmd.IsSet("html") && cmd.Args().First() == "":
		return usageError("--html shows one tree: name a session of it", "aburn graph")
	case cmd.Int("limit") < 0:
		return usageError("--limit: a number of trees is not negative")
	}
	_, err := oneWord(cmd, "top", asWords(graph.Measures()...))
	return err
}

// forest is all sessions of the archive as trees.
type forest struct {
	sessions map[int64]*archive.Session
	names    *sessionNames
	roots    []*graph.Node
	nodes    map[int64]*graph.Node
}

// plant reads the archive's sessions and relationships.
func plant(ctx context.Context, arch *archive.Archive) (*forest, error) {
	all, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return nil, badNews(err.Error())
	}
	relations, err := arch.Relations(ctx)
	if err != nil {
		return nil, badNews(err.Error())
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

func (a *app) graph(ctx context.Context, cmd *cli.Command) error {
	arch, err := a.viewArchive(ctx)
	if err != nil {
		return err
	}
	defer arch.Close()
	now := time.Now()
	filter, err := chosen(ctx, cmd, arch, now)
	if err != nil {
		return err
	}
	f, err := plant(ctx, arch)
	if err != nil {
		return err
	}
	g := &grown{forest: f, measure: graph.Measure(cmd.String("top"))}
	if name := cmd.Args().First(); name != "" {
		err = a.graphOf(ctx, g, arch, name)
	} else {
		err = g.choose(ctx, arch, filter)
	}
	if err != nil {
		return err
	}
	limit := cmd.Int("limit")
	if !cmd.IsSet("limit") && !cmd.Bool("json") {
		limit = treeLimit
	}
	g.cut(limit)
	switch {
	case cmd.IsSet("html"):
		return a.graphPage(ctx, cmd, g, arch, now)
	case cmd.Bool("mermaid"):
		return graphpage.Mermaid(a.out, g.list())
	case cmd.Bool("json"):
		return a.printJSON(g.report())
	}
	return a.showGraph(cmd, g, now)
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
func (g *grown) choose(ctx context.Context, arch *archive.Archive, filter archive.Filter) error {
	list, err := arch.Sessions(ctx, filter)
	if err != nil {
		return badNews(err.Error())
	}
	wanted := map[*graph.Node]bool{}
	for i := range list {
		if n := g.nodes[list[i].Key]; n != nil {
			wanted[n.Root()] = true
		}
	}
	for _, root := range g.roots {
		if wanted[root] {
			g.trees = append(g.trees, root)
		}
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

// graphPage writes the page of one tree.
func (a *app) graphPage(ctx context.Context, cmd *cli.Command, g *grown, arch *archive.Archive, now time.Time) error {
	p := graphpage.Page{Nodes: g.list(), Made: now, Calls: map[int][]graphpage.Call{}}
	p.Title = cmp.Or(p.Nodes[0].Label(), p.Nodes[0].Source+" "+p.Nodes[0].Name)
	number := 0
	for n := range g.trees[0].All() {
		number++
		if n.Missing {
			continue
		}
		for row, err := range arch.Calls(ctx, archive.CallFilter{Key: n.Key}) {
			if err != nil {
				return badNews(err.Error())
			}
			p.Calls[number] = append(p.Calls[number], graphpage.Call{
				Index: row.Index, Tool: row.Tool, Type: row.Type, Status: row.Status, Failed: row.Failed, Denied: row.Denied, ExitCode: row.ExitCode,
				Text: cmp.Or(row.Path, row.Head), Start: row.Start, DurationMS: row.DurationMS, Length: row.Length,
			})
		}
	}
	dir, err := folder(cmd)
	if err != nil {
		return err
	}
	path := cmd.String("html")
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if err := writePage(path, &p); err != nil {
		return badNews(err.Error())
	}
	a.note(fmt.Sprintf("%s shows %s", path, join(term.Plural(int64(p.Nodes[0].Whole.Sessions), "session"), term.Plural(int64(p.Nodes[0].Whole.Calls), "call"))))
	return nil
}

// writePage writes the page for its owner alone: it names files and commands.
func writePage(path string, p *graphpage.Page) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 64<<10)
	err = p.HTML(b)
	if flushed := b.Flush(); err == nil {
		err = flushed
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
