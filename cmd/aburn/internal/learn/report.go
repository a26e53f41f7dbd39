// Package learn is the commands that say what keeps going wrong and what once helped. They read archived sessions and never
// the workflow log, so it imports neither journal nor supervisor.
package learn

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/queries"
	"aburn/insight/report"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/web/reportpage"
)

func ReportCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "show what goes wrong most, across all sessions",
		Description: "Says in five sentences what went wrong most, how often, what it cost, what is new since your last report, and what to do first. Each\n" +
			"sentence has the command that shows more. --full prints all tables: results, shapes of failure, errors, files that changed again and again,\n" +
			"tools, tokens, phases and weeks.\n\n" +
			"Fixed rules infer results from the records, never from an exit code. Each rate has its denominator. A session that is still running has no\n" +
			"result and counts in no rate of results.\n\n" +
			"In the tables, solved counts sessions in which the failed call, or one about the same, succeeded later. again counts calls that repeat a failed\n" +
			"one. back counts edits that gave a file an earlier content. ≤ marks a time that the agent did not measure: it includes the wait for a\n" +
			"permission. The calls of a response share its tokens equally. - means that no record has tokens.\n\n" +
			"`aburn replay KEY` opens the sessions behind a line. `aburn remedy KEY` shows what once helped. `aburn supervisor report` is about the\n" +
			"supervisor's advice.",
		Flags: slices.Concat(chosen.ChoiceFlags(), kit.PageFlags("write a page with plots into `FILE`; it needs no network"), []cli.Flag{
			&cli.BoolFlag{Name: "full", Usage: "all tables: results, errors, files, tools, tokens, phases, weeks"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
				Usage: "only `N` lines of each table; 0 for all (default " + strconv.Itoa(queries.ReportRows) + ", with --json and --html all)"},
			kit.JSONFlag(),
		}),
		ArgValidator: reportArguments,
		Metadata: kit.Examples(
			"aburn report",
			"aburn report --full --since 30d",
			"aburn report --project . --source claude",
			"aburn report --html report.html",
			"aburn report --json | jq '.failures[0]'",
		),
		Action: a.Action(runReport),
	}
}

func reportArguments(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("html") && cmd.Bool("json"):
		return fault.Usage("only one of --html and --json")
	case cmd.Int("limit") < 0:
		return fault.Usage("--limit: must not be negative")
	}
	if err := kit.CheckPageFlags(cmd); err != nil {
		return err
	}
	return kit.NoArguments(ctx, cmd)
}

func runReport(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := chosen.CallerOf(a, cmd)
	if err := chosen.CatchUp(ctx, a, cmd, chosen.ChoiceOf(cmd)); err != nil {
		return err
	}
	toTerminal := !cmd.IsSet("html") && !cmd.Bool("json")
	full := cmd.Bool("full") || cmd.IsSet("limit") || !toTerminal
	answer, err := queries.ReportOf(ctx, c, queries.ReportQuery{Choice: chosen.ChoiceOf(cmd), Limit: reportLimit(cmd, full), Names: toTerminal ||
		cmd.IsSet("html")})
	switch {
	case err != nil:
		return err
	case cmd.IsSet("html"):
		return a.WritePage(cmd, func(w io.Writer) error { return reportpage.HTML(w, answer.Report, answer.Digests, answer.Name) }, unitsText(answer.Report))
	case cmd.Bool("json"):
		return a.PrintJSON(answer.Report)
	case answer.None:
		chosen.NoteNone(ctx, a, answer.Archived, "session")
		return nil
	}
	v := reportView{r: answer.Report, out: a.Screen(cmd), names: answer.ShortNames, now: c.Now}
	if full {
		return v.show()
	}
	facts, err := queries.Summarize(ctx, c, answer)
	if err != nil {
		return err
	}
	(&summary{&v, facts}).print()
	if chosen.ChoiceOf(cmd) == (lookup.Choice{}) {
		queries.NoteReport(archive.Dir(c.Env), c.Now)
	}
	return nil
}

// reportLimit is how many lines each part has. The summary needs all.
func reportLimit(cmd *cli.Command, full bool) int {
	if !full {
		return 0
	}
	if cmd.IsSet("limit") || cmd.Bool("json") || cmd.IsSet("html") {
		return cmd.Int("limit")
	}
	return queries.ReportRows
}

// unitsText is "412 sessions and 88 sub-agents".
func unitsText(r *report.Report) string {
	return plain.Plural(int64(r.Units.Sessions), "session") + " and " + plain.Plural(int64(r.Units.Subagents), "sub-agent")
}
