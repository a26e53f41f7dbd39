// Package queries answers questions about archived sessions: what keeps going wrong, what one failure looks like, what once
// helped, what recurs. Commands and the MCP server print the same answers. It reads the archive and never the workflow log.
package queries

import (
	"context"
	"path/filepath"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/archive/tried"
	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

// ReportRows is the default of --limit: how many lines each part of a report has.
const ReportRows = 10

// ReportQuery asks for a report.
type ReportQuery struct {
	lookup.Choice
	Limit int  // lines of each part, 0 for all
	Names bool // also short names of the sessions, which only tables need
}

// ReportAnswer is a report of the chosen sessions.
type ReportAnswer struct {
	*report.Report
	Sessions   []digests.Session // the chosen sessions
	Digests    []*insight.Digest // the same
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
	answer := &ReportAnswer{Sessions: list, Digests: lookup.DigestsOnly(list)}
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
