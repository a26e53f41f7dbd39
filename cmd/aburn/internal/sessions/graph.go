package sessions

import (
	"context"
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/forest"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace/graph"
	"aburn/web/graphpage"
)

func GraphCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "graph",
		Usage:     "show how sessions are connected: forks, sub-agents",
		ArgsUsage: "[SESSION]",
		Description: "Shows the tree that SESSION is part of, or the trees that were last active. Each line has the session's own calls, failed calls,\n" +
			"tokens and active time, and behind Σ the same with all sessions below it. Nothing counts twice; active times are added up. ↳ is\n" +
			"a sub-agent, ↗ a fork, → a continuation, with a ? if that was inferred. A narrow terminal shortens failed to bad, tokens to tok\n" +
			"and calls to Σ.\n\n" +
			"--top ranks trees, or with SESSION the sessions of its tree. share is the part of all that are ranked. sessions (in, on a narrow\n" +
			"terminal) is the size of a tree. --html writes a page that needs no network: a picture of the tree and a timeline of all calls.",
		Flags: slices.Concat(chosen.ChoiceFlags(), []cli.Flag{
			&cli.StringFlag{Name: "top", Usage: "rank by `MEASURE`: tokens, failures or duration"},
			&cli.BoolFlag{Name: "mermaid", Usage: "print a Mermaid flowchart"},
		}, kit.PageFlags("write a page with the tree and its calls into `FILE`; needs SESSION"), []cli.Flag{
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
				Usage: "only `N` trees, or lines of --top; 0 for all (default " + strconv.Itoa(forest.TreeLimit) + ", with --json all)"},
			kit.JSONFlag(),
		}),
		ArgValidator:  graphArguments,
		ShellComplete: a.Completion(chosen.CompleteSessions),
		Metadata: kit.Examples(
			"aburn graph --since 7d",
			"aburn graph 5b0c2f91 --top failures",
			"aburn graph 5b0c2f91 --html tree.html",
			"aburn graph --top tokens --json | jq '.nodes[0].whole'",
		),
		Action: a.Action(runGraph),
	}
}

func graphArguments(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() > 1 {
		return fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(1)), cmd.FullName()+" --help")
	}
	forms := 0
	for _, flag := range []string{"mermaid", "html", "json"} {
		if cmd.IsSet(flag) {
			forms++
		}
	}
	switch {
	case forms > 1:
		return fault.Usage("only one of --mermaid, --html and --json")
	case cmd.IsSet("top") && (cmd.IsSet("mermaid") || cmd.IsSet("html")):
		return fault.Usage("--top is a list, and neither a diagram nor a page")
	case cmd.IsSet("html") && cmd.Args().First() == "":
		return fault.Usage("--html shows one tree: name a session of it", "aburn graph")
	}
	if err := kit.CheckPageFlags(cmd); err != nil {
		return err
	}
	q := graphQueryOf(cmd)
	return q.Check()
}

func graphQueryOf(cmd *cli.Command) forest.GraphQuery {
	q := forest.GraphQuery{Choice: chosen.ChoiceOf(cmd), Session: cmd.Args().First(), Top: graph.Measure(cmd.String("top")), Limit: cmd.Int("limit"),
		Calls: cmd.IsSet("html")}
	if !cmd.IsSet("limit") && !cmd.Bool("json") {
		q.Limit = forest.TreeLimit
	}
	return q
}

func runGraph(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := chosen.CallerOf(a, cmd)
	if err := chosen.CatchUp(ctx, a, cmd, chosen.ChoiceOf(cmd)); err != nil {
		return err
	}
	a.PauseGC()
	answer, err := forest.GraphOf(ctx, c, graphQueryOf(cmd), forest.ReadForest)
	switch {
	case err != nil:
		return err
	case cmd.IsSet("html"):
		p := answer.Page(c.Now)
		whole := p.Nodes[0].Whole
		return a.WritePage(cmd, p.HTML, units.Join(plain.Plural(int64(whole.Sessions), "session"), plain.Plural(int64(whole.Calls), "call")))
	case cmd.Bool("mermaid"):
		return graphpage.Mermaid(a.Stdout, answer.List())
	case cmd.Bool("json"):
		return a.PrintJSON(answer.Report())
	case answer.Total == 0:
		chosen.NoteNone(ctx, a, answer.Archived, "session")
		return nil
	}
	if err := answer.Print(a.Screen(cmd), c.Now); err != nil {
		return err
	}
	if text := answer.CutText(); text != "" {
		a.Note(text)
	}
	return nil
}
