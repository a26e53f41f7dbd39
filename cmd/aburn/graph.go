package main

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/internal/plain"
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
	}
	q := graphQueryOf(cmd)
	return q.check()
}

func graphQueryOf(cmd *cli.Command) graphQuery {
	q := graphQuery{choice: choiceOf(cmd), Session: cmd.Args().First(), Top: graph.Measure(cmd.String("top")), Limit: cmd.Int("limit"), Calls: cmd.IsSet("html")}
	if !cmd.IsSet("limit") && !cmd.Bool("json") {
		q.Limit = treeLimit
	}
	return q
}

func (a *app) graph(ctx context.Context, cmd *cli.Command) error {
	c := a.caller(cmd)
	a.leaveGarbage()
	answer, err := graphOf(ctx, c, graphQueryOf(cmd), readForest)
	switch {
	case err != nil:
		return err
	case cmd.IsSet("html"):
		p := answer.page(c.Now)
		whole := p.Nodes[0].Whole
		return a.writePage(cmd, p.HTML, join(plain.Plural(int64(whole.Sessions), "session"), plain.Plural(int64(whole.Calls), "call")))
	case cmd.Bool("mermaid"):
		return graphpage.Mermaid(a.out, answer.list())
	case cmd.Bool("json"):
		return a.printJSON(answer.report())
	case answer.total == 0:
		a.noneOf(answer.archived, "session")
		return nil
	}
	if err := answer.print(a.screen(cmd), c.Now); err != nil {
		return err
	}
	if text := answer.cutText(); text != "" {
		a.note(text)
	}
	return nil
}

// graphQuery is which trees are asked for.
type graphQuery struct {
	choice
	Session string        // the tree of this one, and no choice
	Top     graph.Measure // rank by it instead
	Limit   int           // trees, or lines of a rank; 0 for all
	Calls   bool          // the calls of each session, too, which only a page needs
}

// check refuses what cannot be answered.
func (q *graphQuery) check() error {
	switch {
	case q.Session != "" && q.choice != choice{}:
		return usageError("--since, --until, --source and --project choose trees, and SESSION has chosen one")
	case q.Limit < 0:
		return usageError("--limit: a number of trees is not negative")
	}
	_, err := oneWord("top", string(q.Top), asWords(graph.Measures()...))
	return err
}

// graphOf reads how sessions hang together. all reads the trees of the whole archive, or remembers them.
func graphOf(ctx context.Context, c *caller, q graphQuery, all func(context.Context, *archive.Archive) (*forest, error)) (*graphAnswer, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	arch, filter, err := viewChosen(ctx, c, q.choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	f, err := all(ctx, arch)
	if err != nil {
		return nil, err
	}
	g := &graphAnswer{forest: f, measure: q.Top}
	if q.Session != "" {
		err = g.chooseOne(ctx, arch, q.Session)
	} else {
		err = g.choose(ctx, arch, filter)
	}
	if err != nil {
		return nil, err
	}
	g.cut(q.Limit)
	if err := g.readTotals(ctx, arch, g.trees); err != nil {
		return nil, err
	}
	if q.Calls {
		err = g.readCalls(ctx, arch)
	}
	if err == nil && g.total == 0 {
		g.archived, err = countArchived(ctx, arch)
	}
	return g, err
}

// readCalls reads the calls of the sessions of the first tree.
func (g *graphAnswer) readCalls(ctx context.Context, arch *archive.Archive) error {
	g.calls = map[int][]graphpage.Call{}
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
			g.calls[number] = append(g.calls[number], graphpage.Call{
				Index: row.Index, Tool: row.Tool, Type: row.Type, Status: row.Status, Failed: row.Failed, Denied: row.Denied, ExitCode: row.ExitCode,
				Text: subject(&row), Start: row.Start, DurationMS: row.DurationMS, Length: row.Length,
			})
		}
	}
	return nil
}

// page is the page of one tree.
func (g *graphAnswer) page(now time.Time) *graphpage.Page {
	p := &graphpage.Page{Nodes: g.list(), Made: now, Calls: g.calls}
	p.Title = cmp.Or(p.Nodes[0].Label(), p.Nodes[0].Source+" "+p.Nodes[0].Name)
	return p
}
