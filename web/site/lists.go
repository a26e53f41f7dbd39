package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"aburn/archive"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// rowsPerPage is how many rows a list has.
const rowsPerPage = 100

// signOf is how a session came to be, or that its file is gone.
func signOf(r *snapshot.Row) (sign, word string) {
	switch r.Relation {
	case trace.Subagent:
		sign, word = "↳", "sub-agent"
	case trace.Fork:
		sign, word = "↗", "fork"
	case trace.Continuation:
		sign, word = "→", "continuation"
	}
	if r.Gone {
		return strings.TrimSpace("- " + sign), strings.TrimSpace("no longer on the agent's disk, " + word)
	}
	return sign, word
}

// lists writes rows of sessions, as lists on several pages have them.
type lists struct {
	*snapshot.Scope
	seen   *seenMarks
	living func(v *snapshot.View) map[string]bool // by root, a NUL and id
}

// running is the verdict on a session that hooks see alive.
var running = insight.Verdict{Outcome: insight.Running}

// stillRuns reports whether a session looks to the archive like one that crashed, and isn't over: its agent is silent, waits for its user or works
// on a long call.
func stillRuns(r *snapshot.Row, living map[string]bool) bool {
	return r.Verdict.Outcome == insight.Crashed && living[r.Root+"\x00"+r.ID]
}

func (s *lists) rowOf(v *snapshot.View, r *snapshot.Row) pages.Row {
	one := pages.Row{Href: r.Address(), Ended: show.Time(r.End, v.Made), Outcome: snapshot.OutcomeOf(r.Verdict), Ask: r.Title(), Project: snapshot.ProjectLink(r),
		Agent: r.AgentTitle(), Failed: pages.Figure{Text: "–"}}
	one.Sign, one.SignWord = signOf(r)
	one.Unseen = s.seen.grown(r)
	if r.ActiveMS > 0 {
		one.Active = units.Milliseconds(r.ActiveMS)
	}
	if r.EndedCalls > 0 {
		one.Failed = failedCalls(r)
	}
	if n := len(r.Subagents); n > 0 {
		one.Subagents = show.Count("sub-agents", n, snapshot.Filter{Kind: "subagent", Family: r.Name()}.Address("/sessions"))
	}
	if !r.IsSubagent() {
		one.Cost = v.SessionsMoney(" with sub-agents", r.FamilyCost, 1, snapshot.Filter{Family: r.Name()}.Address("/cost"))
	} else {
		one.Cost = v.SessionsMoney(" of the sub-agent", &r.Cost, 1, snapshot.Filter{Session: r.Name()}.Address("/cost"))
	}
	return one
}

// failedCalls is how many of a session's ended calls failed.
func failedCalls(r *snapshot.Row) pages.Figure {
	f := pages.Figure{Name: "failed calls", Text: strconv.Itoa(r.FailedCalls) + " of " + strconv.Itoa(r.EndedCalls), Value: strconv.Itoa(r.FailedCalls),
		Href: r.Address() + "?only=failed"}
	if r.FailedCalls > 0 {
		f.Class = "bad"
	}
	return f
}

// columns are those of a table of sessions.
func (s *lists) columns(v *snapshot.View, living map[string]bool) []column[*snapshot.Row] {
	return []column[*snapshot.Row]{
		{name: "last", head: "last active", number: func(r *snapshot.Row) (float64, bool) { return float64(snapshot.MillisOf(r)), !r.End.IsZero() }},
		{name: "result", head: "result", text: func(r *snapshot.Row) string { return outcomeOf(r, living).Word }},
		{name: "prompt", head: "first prompt", class: "wide", text: (*snapshot.Row).Title},
		{name: "project", head: "project", class: "some", text: func(r *snapshot.Row) string { return snapshot.ProjectLink(r).Text }},
		{name: "agent", head: "agent", class: "some few", text: (*snapshot.Row).AgentTitle},
		{name: "active", head: "active", class: "n some few", number: func(r *snapshot.Row) (float64, bool) { return float64(r.ActiveMS), r.ActiveMS > 0 }},
		{name: "failed", head: "failed calls", class: "n some", number: func(r *snapshot.Row) (float64, bool) { return float64(r.FailedCalls), r.EndedCalls > 0 }},
		{name: "subagents", head: "sub-agents", class: "n some few", number: func(r *snapshot.Row) (float64, bool) {
			return float64(len(r.Subagents)), len(r.Subagents) > 0
		}},
		{name: "cost", head: v.Amounts + " with sub-agents", class: "n long", number: func(r *snapshot.Row) (float64, bool) {
			sum := familySum(r)
			return float64(sum.Amount), sum.Tokens.Total() > 0
		}},
	}
}

// familySum is what a session cost with its sub-agents.
func familySum(r *snapshot.Row) *cost.Sum {
	if r.IsSubagent() || r.FamilyCost == nil {
		return &r.Cost
	}
	return r.FamilyCost
}

func outcomeOf(r *snapshot.Row, living map[string]bool) pages.Outcome {
	if stillRuns(r, living) {
		return snapshot.OutcomeOf(running)
	}
	return snapshot.OutcomeOf(r.Verdict)
}

// few are the first sessions of a list. Their heads lead to a page with all of it, sorted.
func (s *lists) few(v *snapshot.View, list []*snapshot.Row, most int, f snapshot.Filter) (table pages.Rows) {
	table.Heads = arrange(list, s.columns(v, nil), "", "last", func(sort string) string {
		return f.With("sort", strings.TrimPrefix(sort, "-")).Address("/sessions")
	})
	for _, r := range list[:min(len(list), most)] {
		table.List = append(table.List, s.rowOf(v, r))
	}
	return table
}

// part is one page of a list, sorted as the filter says, with the addresses of its neighbours.
func (s *lists) part(v *snapshot.View, list []*snapshot.Row, page string, f snapshot.Filter, at string) (table pages.Rows, newer, older string) {
	living := s.living(v)
	list = slices.Clone(list)
	table.Heads = arrange(list, s.columns(v, living), f.Sort, "last", func(sort string) string { return f.With("sort", sort).Address(page) })
	rest := snapshot.After(list, at)
	for _, r := range rest[:min(len(rest), rowsPerPage)] {
		one := s.rowOf(v, r)
		one.Outcome = outcomeOf(r, living)
		table.List = append(table.List, one)
	}
	if len(rest) > rowsPerPage {
		older = f.Address(page, "before", snapshot.Cursor(rest[rowsPerPage-1]))
	}
	if len(rest) < len(list) {
		newer = f.Address(page)
	}
	return table, newer, older
}

// kindWord is what a list of this kind counts.
func kindWord(kind string) string {
	switch kind {
	case "all":
		return "sessions and sub-agents"
	case "subagent":
		return "sub-agents"
	}
	return "sessions"
}

func (s *lists) sessionsPage(_ context.Context, v *snapshot.View, values url.Values, _ *http.Request) (*show.Page, error) {
	page := snapshot.FilterOf(values)
	f := page.With("sort", "")
	list := v.Sessions(f)
	body := &pages.Sessions{Kind: kindWord(f.Kind), Others: len(v.Rows) > 0, Count: show.Count(countName(f), len(list), f.Address("/sessions")),
		Chosen: snapshot.ChosenLinks("/sessions", page, "project", "agent", "outcome", "since")}
	body.Choices = []pages.Choice{snapshot.ChoiceOf("What", "kind", snapshot.Kinds, page, "/sessions")}
	body.Filters = []pages.Select{snapshot.ProjectSelect(v, f), snapshot.AgentSelect(v, f), snapshot.SelectOf("outcome", "Outcome", snapshot.Outcomes, f.Outcome),
		snapshot.SelectOf("since", "Since", snapshot.Sinces, f.Since)}
	body.Hidden = snapshot.HiddenFields(page, "project", "agent", "outcome", "since")
	if f.Outcome == "" {
		failed, over := f.With("outcome", "failed"), f.With("outcome", "over")
		body.Figures = []pages.Figure{
			small(show.Count(countName(failed), len(v.Sessions(failed)), failed.Address("/sessions")), "failed"),
			small(show.Count(countName(over), len(v.Sessions(over)), over.Address("/sessions")), "ended"),
		}
	}
	body.Rows, body.Newer, body.Older = s.part(v, list, "/sessions", page, values.Get("before"))
	return &show.Page{Frame: &pages.Frame{Title: "Sessions", Page: "sessions", Heading: "Sessions", Sub: s.ProjectsWord(f), Query: f.Q, Total: len(list)},
		Body: body}, nil
}

// countName names a number of sessions by what is counted.
func countName(f snapshot.Filter) string {
	name := kindWord(f.Kind)
	switch f.Outcome {
	case "failed":
		name = "failed " + name
	case "over":
		name = "ended " + name
	}
	return name
}

func small(f pages.Figure, text string) pages.Figure {
	f.Small = text
	return f
}

// namedPage leads from a short name to the session.
func (s *lists) namedPage(ctx context.Context, v *snapshot.View, _ url.Values, r *http.Request) (*show.Page, error) {
	name := r.PathValue("name")
	arch, err := archive.View(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	list, err := arch.Lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	var found []*snapshot.Row
	for i := range list {
		if r := v.ByName[list[i].Source+"/"+list[i].ID]; r != nil {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return nil, show.NotFound("no session, or more than one, is called " + fault.Quote(name))
	}
	return &show.Page{Elsewhere: found[0].Address()}, nil
}
