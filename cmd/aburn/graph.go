package main

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/internal/term"
	"aburn/trace/graph"
	"aburn/web/graphpage"
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
			"that was inferred. A narrow terminal says bad for failed, tok for tokens, and Σ for the calls.\n\n" +
			"--top ranks trees, or with SESSION the sessions of its tree; share is of all that are ranked, and sessions (in, on a narrow terminal) is how many a tree has. --html writes a page that needs no network: a picture of the tree and a timeline of all calls.",
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
	case cmd.NArg() == 1 && (cmd.IsSet("since") || cmd.IsSet("until") || cmd.IsSet("source") || cmd.IsSet("project")):
		return usageError("--since, --until, --source and --project choose trees, and SESSION has chosen one")
	case cmd.Int("limit") < 0:
		return usageError("--limit: a number of trees is not negative")
	}
	_, err := oneWord(cmd, "top", asWords(graph.Measures()...))
	return err
}

func (a *app) graph(ctx context.Context, cmd *cli.Command) error {
	now := time.Now()
	arch, filter, err := a.viewChosen(ctx, cmd, now)
	if err != nil {
		return err
	}
	defer arch.Close()
	f, err := a.forest(ctx, arch)
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
	if err := g.know(ctx, arch, g.trees); err != nil {
		return err
	}
	switch {
	case cmd.IsSet("html"):
		return a.graphPage(ctx, cmd, g, arch, now)
	case cmd.Bool("mermaid"):
		return graphpage.Mermaid(a.out, g.list())
	}
	if done, err := a.asJSON(cmd, g.report()); done || err != nil {
		return err
	}
	if g.total == 0 {
		return a.noneChosen(ctx, arch, "session")
	}
	return a.showGraph(cmd, g, now)
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
				return err
			}
			p.Calls[number] = append(p.Calls[number], graphpage.Call{
				Index: row.Index, Tool: row.Tool, Type: row.Type, Status: row.Status, Failed: row.Failed, Denied: row.Denied, ExitCode: row.ExitCode,
				Text: subject(&row), Start: row.Start, DurationMS: row.DurationMS, Length: row.Length,
			})
		}
	}
	return a.writePage(cmd, p.HTML, join(term.Plural(int64(p.Nodes[0].Whole.Sessions), "session"), term.Plural(int64(p.Nodes[0].Whole.Calls), "call")))
}
