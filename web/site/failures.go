package site

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"aburn/insight/cost"
	"aburn/insight/failure"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/units"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// failureGroup is the sessions and sub-agents with one main error, or of one failure group. The newest is first.
type failureGroup struct {
	key  string
	rows []*snapshot.Row
	sum  cost.Sum
}

func failureGroups(list []*snapshot.Row, key func(*snapshot.Row) string) (all []*failureGroup) {
	byKey := map[string]*failureGroup{}
	for _, r := range list {
		k := key(r)
		if k == "" {
			continue
		}
		g := byKey[k]
		if g == nil {
			g = &failureGroup{key: k}
			byKey[k] = g
			all = append(all, g)
		}
		g.rows = append(g.rows, r)
		g.sum.Add(r.Cost)
	}
	slices.SortStableFunc(all, func(a, b *failureGroup) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), strings.Compare(a.key, b.key))
	})
	return all
}

// failuresShown is how many rows each table has, without ?all=.
const failuresShown = 50

// failurePages are the page Failures, and that of one failure group or main error.
type failurePages struct {
	*snapshot.Scope
	lists *lists
}

func (s *failurePages) page(_ context.Context, v *snapshot.View, values url.Values, _ *http.Request) (*show.Page, error) {
	f := snapshot.FilterOf(values)
	order := f.Sort
	f.Kind, f.Outcome, f.Key, f.Sort = "all", "", "", ""
	over := v.Sessions(f.With("outcome", "over"))
	body := &pages.Failures{Chosen: snapshot.ChosenLinks("/failures", f, "since", "project", "agent")}
	page := f.With("kind", "", "sort", order)
	body.Choices = []pages.Choice{snapshot.ChoiceOf("Ended in the last", "since", snapshot.Sinces, page, "/failures")}
	body.Filters = []pages.Select{snapshot.ProjectSelect(v, f), snapshot.AgentSelect(v, f)}
	body.Hidden = snapshot.HiddenFields(page, "project", "agent")
	body.Tiles = failureTiles(v, f, over)
	body.Weeks = weeksPlot(v, "weeks", "Failed per week, of those that ended", over, (*snapshot.Row).Failing)
	errors := failureGroups(over, func(r *snapshot.Row) string {
		if r.MainError == nil {
			return ""
		}
		return r.Keys.Fine
	})
	shapes := failureGroups(over, func(r *snapshot.Row) string {
		if !r.Failing() {
			return ""
		}
		return r.Keys.Coarse
	})
	most := failuresShown
	if values.Get("all") != "" {
		most = 4 * failuresShown
	}
	body.Errors = failureTable(v, f, errors, most, "errors", order)
	body.Groups = failureTable(v, f, shapes, most, "groups", order)
	return &show.Page{Frame: &pages.Frame{Title: "Failures", Page: "failures", Heading: "Failures", Sub: s.ProjectsWord(f), Total: len(over)}, Body: body}, nil
}

func failureTiles(v *snapshot.View, f snapshot.Filter, over []*snapshot.Row) []pages.Figure {
	failed, ended, calls, endedCalls := 0, len(over), 0, 0
	for _, r := range over {
		if r.Failing() {
			failed++
		}
		calls, endedCalls = calls+r.FailedCalls, endedCalls+r.EndedCalls
	}
	bad, all := f.With("outcome", "failed"), f.With("outcome", "over")
	first := show.Count(countName(bad), failed, bad.Address("/sessions"))
	if failed > 0 {
		first.Class = "bad"
	}
	list := []pages.Figure{first, show.Count(countName(all), ended, all.Address("/sessions")),
		{Name: "failed calls in them", Text: plain.Count(int64(calls)) + " of " + plain.Count(int64(endedCalls)), Value: fmt.Sprint(calls)}}
	if f.Since == "" {
		sum := snapshot.Total(v.Answers(snapshot.Filter{Project: f.Project, Agent: f.Agent, Outcome: "failed", Period: "all"}))
		one := v.SessionsMoney("", &sum, failed, snapshot.Filter{Project: f.Project, Agent: f.Agent, Outcome: "failed", Period: "all"}.Address("/cost"))
		one.Name = "in sessions and sub-agents that failed"
		list = append(list, one)
	}
	return list
}

// failureColumns are those of main errors, or of failure groups.
func failureColumns(amounts string, errors bool) []column[*failureGroup] {
	number := func(of func(g *failureGroup) int) func(*failureGroup) (float64, bool) {
		return func(g *failureGroup) (float64, bool) { return float64(of(g)), true }
	}
	list := []column[*failureGroup]{
		{name: "what", head: "what", class: "wide", text: func(g *failureGroup) string { return g.text(errors) }},
		{name: "kind", head: "kind", class: "some few", text: func(g *failureGroup) string { return g.class(errors) }},
		{name: "count", head: "sessions and sub-agents", class: "n long", number: number(func(g *failureGroup) int { return len(g.rows) })},
		{name: "failed", head: "failed", class: "n some", number: number(func(g *failureGroup) int { return countIf(g.rows, (*snapshot.Row).Failing) })},
	}
	if errors {
		list = append(list, column[*failureGroup]{name: "solved", head: "solved later", class: "n some",
			number: number(func(g *failureGroup) int { return countIf(g.rows, wasSolved) })})
	}
	return append(list, column[*failureGroup]{head: "last 12 weeks", class: "some"},
		column[*failureGroup]{name: "last", head: "last active", class: "n some", number: number(func(g *failureGroup) int {
			return int(snapshot.MillisOf(g.rows[0]))
		})},
		column[*failureGroup]{name: "cost", head: amounts, class: "n some few", number: func(g *failureGroup) (float64, bool) {
			return float64(g.sum.Amount), g.sum.Tokens.Total() > 0
		}})
}

// text is what a main error says, or a failure group is.
func (g *failureGroup) text(errors bool) string {
	if errors {
		return plain.Cut(failure.Unwrap(plain.Line(g.rows[0].MainError.Text)), 140)
	}
	return g.rows[0].Shape
}

func (g *failureGroup) class(errors bool) string {
	if main := g.rows[0].MainError; errors {
		return plain.Line(units.Join(strings.ReplaceAll(string(main.Class), "_", " "), main.Tool))
	}
	return snapshot.OutcomeOf(g.rows[0].Verdict).Word
}

func failureTable(v *snapshot.View, f snapshot.Filter, all []*failureGroup, most int, id, order string) (t pages.FailureTable) {
	errors := id == "errors"
	t.ID, t.Solved = id, errors
	t.Heads = arrange(all, failureColumns(v.Amounts, errors), sortOf(order, id), "count", func(sort string) string {
		return f.With("kind", "", "sort", sortIn(id, sort)).Address("/failures") + "#h-" + id
	})
	for i, g := range all {
		if i == most {
			t.More = pages.Link{Text: fmt.Sprintf("%d more", len(all)-i), Href: f.With("kind", "", "sort", order).Address("/failures", "all", "1")}
			break
		}
		of := f.With("key", g.key)
		one := pages.FailureRow{Href: "/failures/" + g.key, Key: g.key, Text: g.text(errors), Class: g.class(errors), Verbatim: errors,
			Count: show.Count("sessions and sub-agents", len(g.rows), of.Address("/sessions")),
			Last:  show.Time(g.rows[0].End, v.Made),
			Cost:  v.SessionsMoney("", &g.sum, len(g.rows), f.With("key", g.key, "kind", "").Address("/cost")), Spark: spark(v, g.rows)}
		bad := of.With("outcome", "failed")
		one.Failed = show.Count(countName(bad), countIf(g.rows, (*snapshot.Row).Failing), bad.Address("/sessions"))
		if errors {
			solved := of
			solved.Solved = true
			one.Solved = show.Count("solved later", countIf(g.rows, wasSolved), solved.Address("/sessions"))
		}
		t.Rows = append(t.Rows, one)
	}
	return t
}

func wasSolved(r *snapshot.Row) bool { return r.MainError != nil && r.MainError.Solved > 0 }

func countIf(list []*snapshot.Row, is func(*snapshot.Row) bool) (n int) {
	for _, r := range list {
		if is(r) {
			n++
		}
	}
	return n
}

// weeksPlot counts sessions by the week in which they ended: those that are bad, and the others.
func weeksPlot(v *snapshot.View, id, label string, list []*snapshot.Row, bad func(*snapshot.Row) bool) *pages.Plot {
	if len(list) == 0 {
		return nil
	}
	p := &pages.Plot{ID: id, Label: label, Legend: []pages.Part{{Class: "c-bad", Name: "failed"}, {Class: "c-soft", Name: "others that ended"}}}
	high := 0
	for i, week := range v.WeekSpans {
		n, of := 0, 0
		for _, r := range list {
			if !r.End.Before(week.From) && r.End.Before(week.Until) {
				of++
				if bad(r) {
					n++
				}
			}
		}
		high = max(high, of)
		monday := week.From.Format("2 Jan")
		p.Bars = append(p.Bars, pages.Bar{Says: fmt.Sprintf("week from %s: %d failed of %d that ended", monday, n, of),
			Parts: []pages.Part{{Class: "c-bad", Value: float64(n)}, {Class: "c-quiet", Value: float64(of - n)}}})
		if i == 0 || i == snapshot.WeeksShown/2 || i == snapshot.WeeksShown-1 {
			p.Ends = append(p.Ends, monday)
		}
	}
	p.Legend[1].Class = "c-quiet"
	top := niceTop(float64(max(high+high%2, 2))) // so that its half is a number of sessions, too
	if int(top)%2 == 1 {
		top++
	}
	p.Marks = []string{fmt.Sprint(top), fmt.Sprint(top / 2), "0"}
	return p.Lay(top)
}

// spark draws how many of some sessions ended in each of the last weeks.
func spark(v *snapshot.View, list []*snapshot.Row) *pages.Plot {
	p := &pages.Plot{}
	high, all := 0, 0
	for _, week := range v.WeekSpans {
		// The list is in the order of ends, the latest first.
		from := sort.Search(len(list), func(i int) bool { return list[i].End.Before(week.Until) })
		n := sort.Search(len(list), func(i int) bool { return list[i].End.Before(week.From) }) - from
		high, all = max(high, n), all+n
		p.Bars = append(p.Bars, pages.Bar{Parts: []pages.Part{{Class: "c-bad", Value: float64(n)}}})
	}
	p.Label = fmt.Sprintf("%d in the last %d weeks", all, snapshot.WeeksShown)
	return p.Lay(float64(high))
}

func (s *failurePages) groupPage(_ context.Context, v *snapshot.View, values url.Values, r *http.Request) (*show.Page, error) {
	key := r.PathValue("key")
	f := snapshot.Filter{Kind: "all", Key: key}
	list := v.Sessions(f)
	if len(list) == 0 {
		return nil, show.NotFound("no session has the key " + fault.Quote(key))
	}
	body := &pages.Failure{Kind: "failure group", Key: plain.Line(key)}
	heading := list[0].Shape
	if main := list[0].MainError; main != nil && list[0].Keys.Fine == key {
		body.Kind = "main error"
		text := failure.Unwrap(plain.Line(main.Text))
		if heading = plain.Cut(text, 120); heading != text {
			body.Quoted = text
		}
	}
	failed := f.With("outcome", "failed")
	sum := snapshot.SumOf(list)
	body.Tiles = []pages.Figure{
		show.Count("sessions and sub-agents", len(list), f.Address("/sessions")),
		show.Count(countName(failed), countIf(list, (*snapshot.Row).Failing), failed.Address("/sessions")),
		v.SessionsMoney("", &sum, len(list), snapshot.Filter{Key: key}.Address("/cost")),
		{Name: "first seen", Text: show.Time(oldest(list), v.Made).Text},
		{Name: "last seen", Text: show.Time(list[0].End, v.Made).Text},
	}
	body.Weeks = weeksPlot(v, "weeks", "Per week", list, (*snapshot.Row).Failing)
	body.Rows, body.Newer, body.Older = s.lists.part(v, list, "/failures/"+url.PathEscape(key), snapshot.Filter{Sort: values.Get("sort")}, values.Get("before"))
	solved := f
	solved.Solved = true
	if body.Kind == "main error" {
		found := v.Sessions(solved)
		body.Tiles = slices.Insert(body.Tiles, 2, show.Count("solved later", len(found), solved.Address("/sessions")))
		body.Solved = s.lists.few(v, found, 5, solved)
	}
	body.Copy = []pages.Copy{{Label: "Copy remedy command", Text: "aburn remedy " + shell.Quote(key)},
		{Label: "Copy replay command", Text: "aburn replay " + shell.Quote(key)}}
	return &show.Page{Frame: &pages.Frame{Title: heading, Page: "failures", Heading: heading, Total: len(list)}, Body: body}, nil
}

func oldest(list []*snapshot.Row) (first time.Time) {
	for _, r := range list {
		if !r.End.IsZero() && (first.IsZero() || r.End.Before(first)) {
			first = r.End
		}
	}
	return first
}
