// Package learn is the commands that say what keeps going wrong and what once helped.
package learn

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/tried"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/plain"
	"aburn/web/reportpage"
)

// ReportRows is how many lines each part of a report has for people who do not say how many.
const ReportRows = 10

func ReportCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "say what keeps going wrong, over the sessions of all agents",
		Description: "How sessions and sub-agents ended (inferred from their records by fixed rules, never from an exit code), in which shapes they failed and over which errors, which\n" +
			"files were changed again and again, which tools failed and took longest, what failed calls and repeating them cost in tokens, what the phases of the workflow took,\n" +
			"and how that went week by week. Every rate stands with what it is a rate of. Sessions that are still going on have no outcome yet and are in no rate of outcomes.\n\n" +
			"Solved counts the sessions in which the call that failed, or one about the same, succeeded later; again the calls that repeat a failed one; back the edits that gave a\n" +
			"file a content that it had had before. ≤ stands where the agent measured nothing: the time between the records of call and end holds the wait for a permission.\n" +
			"The tokens of a response are shared equally among the calls that it made; - stands where no record tells of any.\n\n" +
			"The keys are for `aburn replay KEY`, which opens the sessions behind a line, and `aburn remedy KEY`, which says what once helped, or that nothing is comparable. Remedies\n" +
			"that were noted with `aburn remedy --applied` stand below, with the rate of their failure before and after.\n\n" +
			"This is about the sessions in the archive. How often the supervisor's advice about the workflow log was heeded is `aburn supervisor report`, and what it would have\n" +
			"said about old logs `aburn supervisor backtest`.",
		Flags: append(scope.ChoiceFlags(),
			&cli.StringFlag{Name: "html", Usage: "write a page with plots into `FILE`; it needs no network", TakesFile: true},
			&cli.IntFlag{Name: "limit", Usage: "only `N` lines a part; 0 for all (default " + strconv.Itoa(ReportRows) + ", with --json and --html all)"},
			kit.JSONFlag(),
		),
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
		return kit.UsageError("only one of --html and --json")
	case cmd.Int("limit") < 0:
		return kit.UsageError("--limit: a number of lines is not negative")
	}
	return kit.NoArguments(ctx, cmd)
}

func runReport(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := scope.CallerOf(a, cmd)
	toTerminal := !cmd.IsSet("html") && !cmd.Bool("json")
	answer, err := ReportOf(ctx, c, ReportQuery{Choice: scope.ChoiceOf(cmd), Limit: reportLimit(cmd), Names: toTerminal})
	switch {
	case err != nil:
		return err
	case cmd.IsSet("html"):
		return a.WritePage(cmd, func(w io.Writer) error { return reportpage.HTML(w, answer.Report) }, unitsText(answer.Report))
	case cmd.Bool("json"):
		return a.PrintJSON(answer.Report)
	case answer.None:
		scope.NoteNone(a, answer.Archived, "session")
		return nil
	}
	v := reportView{r: answer.Report, out: a.Screen(cmd), names: answer.names, now: c.Now}
	return v.show()
}

// reportLimit is how many lines each part is to have, 0 for all.
func reportLimit(cmd *cli.Command) int {
	if cmd.IsSet("limit") || cmd.Bool("json") || cmd.IsSet("html") {
		return cmd.Int("limit")
	}
	return ReportRows
}

// ReportQuery is what a report is asked for.
type ReportQuery struct {
	scope.Choice
	Limit int  // lines of each part, 0 for all
	Names bool // short names of the sessions, too, which only tables need
}

// ReportAnswer is a report of the sessions that were chosen.
type ReportAnswer struct {
	*report.Report
	names    *scope.SessionNames
	None     bool // no session was chosen
	Archived int  // all that could have been; counted where none was chosen
}

// ReportOf counts what keeps going wrong.
func ReportOf(ctx context.Context, c *scope.Caller, q ReportQuery) (*ReportAnswer, error) {
	arch, filter, err := scope.ViewChosen(ctx, c, q.Choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	list, err := c.Digests(ctx, filter)
	if err != nil {
		return nil, err
	}
	o := report.Options{Now: c.Now.UTC().Truncate(time.Second), Chosen: report.Chosen{Since: filter.Since, Until: filter.Until, Source: filter.Source, Project: filter.Project}}
	if o.Remedies, err = measureRemedies(ctx, c, filter, list); err != nil {
		return nil, err
	}
	answer := &ReportAnswer{Report: report.Make(scope.DigestsOnly(list), o)}
	answer.None = answer.Units.All == 0
	if q.Limit > 0 {
		answer.Report = answer.Top(q.Limit)
	}
	switch {
	case answer.None:
		answer.Archived, err = scope.CountArchived(ctx, arch)
	case q.Names:
		answer.names, err = reportNames(ctx, arch, filter, list)
	}
	return answer, err
}

// measureRemedies is what became of the failures that remedies were tried against, in all sessions of the source and project, however old.
func measureRemedies(ctx context.Context, c *scope.Caller, filter archive.Filter, list []digests.Session) ([]remedy.Measured, error) {
	dir := archive.Dir(c.Env)
	notes, skipped, err := tried.Read(dir)
	if skipped > 0 {
		c.Warn(plain.Plural(int64(skipped), "line") + " of " + filepath.Join(dir, tried.Name) + " could not be read")
	}
	if err != nil { // it is the least part of a report
		f := kit.FailureOf(err)
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
	return remedy.Measure(scope.DigestsOnly(list), notes), nil
}

// reportNames names the sessions of a report shortly.
func reportNames(ctx context.Context, arch *archive.Archive, filter archive.Filter, list []digests.Session) (*scope.SessionNames, error) {
	if filter != (archive.Filter{}) {
		return scope.ReadNames(ctx, arch)
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return scope.NamesAmong(ids), nil
}

// unitsText is "412 sessions and 88 sub-agents".
func unitsText(r *report.Report) string {
	return plain.Plural(int64(r.Units.Sessions), "session") + " and " + plain.Plural(int64(r.Units.Subagents), "sub-agent")
}
