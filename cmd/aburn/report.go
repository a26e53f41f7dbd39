package main

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
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/plain"
	"aburn/web/reportpage"
)

// reportRows is how many lines each part of a report has for people who do not say how many.
const reportRows = 10

func (a *app) reportCommand() *cli.Command {
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
		Flags: append(chooseFlags(),
			&cli.StringFlag{Name: "html", Usage: "write a page with plots into `FILE`; it needs no network", TakesFile: true},
			&cli.IntFlag{Name: "limit", Usage: "only `N` lines a part; 0 for all (default " + strconv.Itoa(reportRows) + ", with --json and --html all)"},
			jsonFlag(),
		),
		ArgValidator: reportArguments,
		Metadata: examples(
			"aburn report --since 30d",
			"aburn report --project . --source claude",
			"aburn report --html report.html",
			"aburn report --json | jq '.failures[0]'",
		),
		Action: a.report,
	}
}

func reportArguments(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("html") && cmd.Bool("json"):
		return usageError("only one of --html and --json")
	case cmd.Int("limit") < 0:
		return usageError("--limit: a number of lines is not negative")
	}
	return noArguments(ctx, cmd)
}

func (a *app) report(ctx context.Context, cmd *cli.Command) error {
	c := a.caller(cmd)
	toTerminal := !cmd.IsSet("html") && !cmd.Bool("json")
	answer, err := reportOf(ctx, c, reportQuery{choice: choiceOf(cmd), Limit: reportLimit(cmd), Names: toTerminal})
	switch {
	case err != nil:
		return err
	case cmd.IsSet("html"):
		return a.writePage(cmd, func(w io.Writer) error { return reportpage.HTML(w, answer.Report) }, unitsText(answer.Report))
	case cmd.Bool("json"):
		return a.printJSON(answer.Report)
	case answer.none:
		a.noneOf(answer.archived, "session")
		return nil
	}
	v := reportView{r: answer.Report, out: a.screen(cmd), names: answer.names, now: c.Now}
	return v.show()
}

// reportLimit is how many lines each part is to have, 0 for all.
func reportLimit(cmd *cli.Command) int {
	if cmd.IsSet("limit") || cmd.Bool("json") || cmd.IsSet("html") {
		return cmd.Int("limit")
	}
	return reportRows
}

// reportQuery is what a report is asked for.
type reportQuery struct {
	choice
	Limit int  // lines of each part, 0 for all
	Names bool // short names of the sessions, too, which only tables need
}

// reportAnswer is a report of the sessions that were chosen.
type reportAnswer struct {
	*report.Report
	names    *sessionNames
	none     bool // no session was chosen
	archived int  // all that could have been; counted where none was chosen
}

// reportOf counts what keeps going wrong.
func reportOf(ctx context.Context, c *caller, q reportQuery) (*reportAnswer, error) {
	arch, filter, err := viewChosen(ctx, c, q.choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	list, err := c.digests(ctx, filter)
	if err != nil {
		return nil, err
	}
	o := report.Options{Now: c.Now.UTC().Truncate(time.Second), Chosen: report.Chosen{Since: filter.Since, Until: filter.Until, Source: filter.Source, Project: filter.Project}}
	if o.Remedies, err = measured(ctx, c, filter, list); err != nil {
		return nil, err
	}
	answer := &reportAnswer{Report: report.Make(digestsOnly(list), o)}
	answer.none = answer.Units.All == 0
	if q.Limit > 0 {
		answer.Report = answer.Top(q.Limit)
	}
	switch {
	case answer.none:
		answer.archived, err = countArchived(ctx, arch)
	case q.Names:
		answer.names, err = reportNames(ctx, arch, filter, list)
	}
	return answer, err
}

// measured is what became of the failures that remedies were tried against, in all sessions of the source and project, however old.
func measured(ctx context.Context, c *caller, filter archive.Filter, list []digests.Session) ([]remedy.Measured, error) {
	dir := archive.Dir(c.Env)
	notes, skipped, err := tried.Read(dir)
	if skipped > 0 {
		c.Warn(plain.Plural(int64(skipped), "line") + " of " + filepath.Join(dir, tried.Name) + " could not be read")
	}
	if err != nil { // it is the least part of a report
		f := failureOf(err)
		c.Warn("what was tried is left out: "+f.msg, f.hints...)
	}
	if len(notes) == 0 {
		return nil, nil
	}
	if !filter.Since.IsZero() || !filter.Until.IsZero() {
		filter.Since, filter.Until = time.Time{}, time.Time{}
		if list, err = c.digests(ctx, filter); err != nil {
			return nil, err
		}
	}
	return remedy.Measure(digestsOnly(list), notes), nil
}

// reportNames names the sessions of a report shortly.
func reportNames(ctx context.Context, arch *archive.Archive, filter archive.Filter, list []digests.Session) (*sessionNames, error) {
	if filter != (archive.Filter{}) {
		return namesOf(ctx, arch)
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return namesAmong(ids), nil
}

// unitsText is "412 sessions and 88 sub-agents".
func unitsText(r *report.Report) string {
	return plain.Plural(int64(r.Units.Sessions), "session") + " and " + plain.Plural(int64(r.Units.Subagents), "sub-agent")
}
