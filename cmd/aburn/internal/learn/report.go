// Package learn is the commands that say what keeps going wrong and what once helped. They read archived sessions and never
// the workflow log, so it imports neither journal nor supervisor.
package learn

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/archive/tried"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/web/reportpage"
)

// ReportRows is the default of --limit: how many lines each part of a report has.
const ReportRows = 10

func ReportCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "show what keeps going wrong, over the sessions of all agents",
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
			&cli.IntFlag{Name: "limit", Usage: "only `N` lines a part; 0 for all (default " + strconv.Itoa(ReportRows) + ", with --json and --html all)"},
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
	answer, err := ReportOf(ctx, c, ReportQuery{Choice: chosen.ChoiceOf(cmd), Limit: reportLimit(cmd), Names: toTerminal || cmd.IsSet("html")})
	switch {
	case err != nil:
		return err
	case cmd.IsSet("html"):
		return a.WritePage(cmd, func(w io.Writer) error { return reportpage.HTML(w, answer.Report, answer.Digests, answer.Name) }, unitsText(answer.Report))
	case cmd.Bool("json"):
		return a.PrintJSON(answer.Report)
	case answer.None:
		chosen.NoteNone(a, answer.Archived, "session")
		return nil
	}
	v := reportView{r: answer.Report, out: a.Screen(cmd), names: answer.ShortNames, now: c.Now}
	return v.show()
}

func reportLimit(cmd *cli.Command) int {
	if cmd.IsSet("limit") || cmd.Bool("json") || cmd.IsSet("html") {
		return cmd.Int("limit")
	}
	return ReportRows
}

// ReportQuery asks for a report.
type ReportQuery struct {
	lookup.Choice
	Limit int  // lines of each part, 0 for all
	Names bool // also short names of the sessions, which only tables need
}

// ReportAnswer is a report of the chosen sessions.
type ReportAnswer struct {
	*report.Report
	Digests    []*insight.Digest // the chosen sessions
	ShortNames *names.Sessions
	None       bool // no session was chosen
	Archived   int  // sessions in the archive; counted only if None
}

// ReportOf answers a query.
func ReportOf(ctx context.Context, c *lookup.Caller, q ReportQuery) (*ReportAnswer, error) {
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, q.Choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	list, err := c.Digests(ctx, filter)
	if err != nil {
		return nil, err
	}
	o := report.Options{Now: c.Now.UTC().Truncate(time.Second),
		Chosen: report.Chosen{Since: filter.Since, Until: filter.Until, Source: filter.Source, Project: filter.Project}}
	if o.Remedies, err = measureRemedies(ctx, c, filter, list); err != nil {
		return nil, err
	}
	answer := &ReportAnswer{Digests: lookup.DigestsOnly(list)}
	answer.Report = report.Make(answer.Digests, o)
	answer.None = answer.Units.All == 0
	if q.Limit > 0 {
		answer.Report = answer.Top(q.Limit)
	}
	switch {
	case answer.None:
		answer.Archived, err = lookup.CountArchived(ctx, arch)
	case q.Names:
		answer.ShortNames, err = reportNames(ctx, arch, filter, list)
	}
	return answer, err
}

// Name is the short name of a session.
func (a *ReportAnswer) Name(source, id string) string {
	if a.ShortNames == nil { // there is none to name
		return source + "/" + id
	}
	return a.ShortNames.Of(source, id)
}

// measureRemedies counts the failures that remedies were tried against, before and after, in sessions of any age.
func measureRemedies(ctx context.Context, c *lookup.Caller, filter archive.Filter, list []digests.Session) ([]remedy.Measured, error) {
	dir := archive.Dir(c.Env)
	notes, skipped, err := tried.Read(dir)
	if skipped > 0 {
		c.Warn(plain.Plural(int64(skipped), "line") + " of " + filepath.Join(dir, tried.Name) + " could not be read")
	}
	if err != nil { // a report is useful without it
		f := fault.Of(err)
		c.Warn("what was tried is left out: "+f.Msg, f.Hints...)
	}
	if len(notes) == 0 {
		return nil, nil
	}
	if !filter.Since.IsZero() || !filter.Until.IsZero() {
		filter.Since, filter.Until = time.Time{}, time.Time{}
		if list, err = c.Digests(ctx, filter); err != nil {
			return nil, err
		}
	}
	return remedy.Measure(lookup.DigestsOnly(list), notes), nil
}

func reportNames(ctx context.Context, arch *archive.Archive, filter archive.Filter, list []digests.Session) (*names.Sessions, error) {
	if filter != (archive.Filter{}) {
		return names.Read(ctx, arch)
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return names.Among(ids), nil
}

// unitsText is "412 sessions and 88 sub-agents".
func unitsText(r *report.Report) string {
	return plain.Plural(int64(r.Units.Sessions), "session") + " and " + plain.Plural(int64(r.Units.Subagents), "sub-agent")
}
