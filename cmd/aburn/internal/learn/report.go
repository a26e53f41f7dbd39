// Package learn is the commands that say what keeps going wrong and what once helped. They read archived sessions and never
// the workflow log, so it imports neither journal nor supervisor.
package learn

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

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
		Description: "Shows how sessions and sub-agents ended, the shapes of failure, the errors, files that were changed again and again, tools that failed or " +
			"took longest, the tokens\n" +
			"that failed and repeated calls cost, the phases of the workflow, and all that week by week. Fixed rules infer outcomes from the records, never from an " +
			"exit code.\n" +
			"Each rate stands with its denominator. Sessions that are still going on have no outcome and count in no rate of outcomes.\n\n" +
			"solved counts sessions in which the failed call, or one about the same, succeeded later. again counts calls that repeat a failed one. back counts " +
			"edits that gave a\n" +
			"file an earlier content. ≤ marks a time that the agent did not measure: it runs from call to end and includes the wait for a permission. The calls of " +
			"a response\n" +
			"share its tokens equally; - means that no record has tokens.\n\n" +
			"`aburn replay KEY` opens the sessions behind a line. `aburn remedy KEY` says what once helped, or that nothing is comparable. Remedies that were " +
			"noted with\n" +
			"`aburn remedy --applied` stand at the end, with the rate of their failure before and after.\n\n" +
			"This is about the sessions in the archive. `aburn supervisor report` counts the supervisor's advice about the workflow log, and `aburn supervisor " +
			"backtest` replays\n" +
			"old logs.",
		Flags: slices.Concat(chosen.ChoiceFlags(), kit.PageFlags("write a page with plots into `FILE`; it needs no network"), []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "only `N` lines a part; 0 for all (default " + strconv.Itoa(queries.ReportRows) + ", with --json and --html all)"},
			kit.JSONFlag(),
		}),
		ArgValidator: reportArguments,
		Metadata: kit.Examples(
			"aburn report --since 30d",
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
	answer, err := queries.ReportOf(ctx, c, queries.ReportQuery{Choice: chosen.ChoiceOf(cmd), Limit: reportLimit(cmd), Names: toTerminal || cmd.IsSet("html")})
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
	return v.show()
}

func reportLimit(cmd *cli.Command) int {
	if cmd.IsSet("limit") || cmd.Bool("json") || cmd.IsSet("html") {
		return cmd.Int("limit")
	}
	return queries.ReportRows
}

// unitsText is "412 sessions and 88 sub-agents".
func unitsText(r *report.Report) string {
	return plain.Plural(int64(r.Units.Sessions), "session") + " and " + plain.Plural(int64(r.Units.Subagents), "sub-agent")
}
