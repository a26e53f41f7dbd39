package site

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// rowsPerPage is how many rows a list has.
const rowsPerPage = 100

// outcomeOf is how a session ended, for people.
func outcomeOf(v insight.Verdict) pages.Outcome {
	o := pages.Outcome{Mark: "?", Word: v.Outcome.Word(), Class: "open"}
	switch v.Outcome {
	case insight.Completed:
		o.Mark, o.Class = "✔", "good"
	case insight.Interrupted:
		o.Mark, o.Class = "‖", "held"
	case insight.Errored:
		o.Mark, o.Class = "✖", "bad"
	case insight.GaveUp:
		o.Mark, o.Class = "…", "bad"
	case insight.Killed:
		o.Mark, o.Class = "†", "cut"
	case insight.Running:
		o.Mark, o.Class = "▶", "live"
	default:
		o.Word = "unknown"
	}
	return o
}

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
	seen *seenMarks
}

func (s *lists) rowOf(v *snapshot.View, r *snapshot.Row) pages.Row {
	one := pages.Row{Href: r.Address(), Ended: show.Time(r.End, v.Made), Outcome: outcomeOf(r.Verdict), Ask: r.Title(), Project: snapshot.ProjectLink(r),
		Agent:   r.AgentTitle(),
		Amounts: v.Amounts,
		Failed:  pages.Figure{Text: "–"}}
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
		one.Cost = v.Money(" with sub-agents", r.FamilyCost, snapshot.Filter{Family: r.Name()}.Address("/cost"))
	} else {
		one.Cost = v.Money(" of the sub-agent", &r.Cost, snapshot.Filter{Session: r.Name()}.Address("/cost"))
	}
	if r.FamilyCost.Responses == 0 {
		one.Cost = pages.Figure{Text: "–"}
	}
	return one
}

// failedCalls is how many of a session's ended calls failed.
func failedCalls(r *snapshot.Row) pages.Figure {
	f := pages.Figure{Name: "failed of ended calls", Text: strconv.Itoa(r.FailedCalls) + " of " + strconv.Itoa(r.EndedCalls), Value: strconv.Itoa(r.FailedCalls),
		Href: r.Address() + "?only=failed"}
	if r.FailedCalls > 0 {
		f.Class = "bad"
	}
	return f
}

// part is one page of a list, with the addresses of its neighbours.
func (s *lists) part(v *snapshot.View, list []*snapshot.Row, page string, f snapshot.Filter, at string) (rows []pages.Row, newer, older string) {
	rest := snapshot.After(list, at)
	for _, r := range rest[:min(len(rest), rowsPerPage)] {
		rows = append(rows, s.rowOf(v, r))
	}
	if len(rest) > rowsPerPage {
		older = f.Address(page, "before", snapshot.Cursor(rest[rowsPerPage-1]))
	}
	if len(rest) < len(list) {
		newer = f.Address(page)
	}
	return rows, newer, older
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
	f := snapshot.FilterOf(values)
	list := v.Sessions(f)
	body := &pages.Sessions{Kind: kindWord(f.Kind), Others: len(v.Rows) > 0, Count: show.Count(countName(f), len(list), f.Address("/sessions")),
		Chosen: chosenLinks("/sessions", f, "project", "agent", "outcome", "since")}
	body.Choices = []pages.Choice{choiceOf("What", "kind", snapshot.Kinds, f, "/sessions")}
	body.Filters = []pages.Select{projectSelect(v, f), agentSelect(v, f), selectOf("outcome", "Outcome", snapshot.Outcomes, f.Outcome),
		selectOf("since", "Since", snapshot.Sinces, f.Since)}
	body.Hidden = hiddenFields(f, "project", "agent", "outcome", "since")
	if f.Outcome == "" {
		failed, over := f.With("outcome", "failed"), f.With("outcome", "over")
		body.Figures = []pages.Figure{
			small(show.Count(countName(failed), len(v.Sessions(failed)), failed.Address("/sessions")), "failed"),
			small(show.Count(countName(over), len(v.Sessions(over)), over.Address("/sessions")), "ended"),
		}
	}
	body.Rows, body.Newer, body.Older = s.part(v, list, "/sessions", f, values.Get("before"))
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

// chosenLinks are the filters that are set and that no other control shows, each with an address without it.
func chosenLinks(page string, f snapshot.Filter, shown ...string) (list []pages.Link) {
	words := map[string]string{"day": "answers on ", "ended": "ended on ", "model": "model ", "branch": "branch ", "key": "failure ",
		"family": "with its sub-agents: ", "session": "session ", "q": "search: ",
		"period": "answers in period: ", "since": "ended in the last ", "project": "project ", "agent": "agent ", "outcome": "outcome "}
	for _, p := range f.Parameters() {
		if *p.Value == "" || slices.Contains(shown, p.Name) || words[p.Name] == "" {
			continue
		}
		value := *p.Value
		if p.Name == "project" {
			value = filepath.Base(value)
		}
		list = append(list, pages.Link{Text: plain.Cut(plain.Line(words[p.Name]+value), 80), Href: f.With(p.Name, "").Address(page)})
	}
	if f.Solved {
		without := f
		without.Solved = false
		list = append(list, pages.Link{Text: "solved later", Href: without.Address(page)})
	}
	return list
}

func choiceOf(label, name string, words [][2]string, f snapshot.Filter, page string) pages.Choice {
	c := pages.Choice{Label: label}
	now := f.Values().Get(name)
	for _, w := range words {
		c.Links = append(c.Links, pages.Link{Text: w[1], Href: f.With(name, w[0]).Address(page), Current: now == w[0]})
	}
	return c
}

func selectOf(name, label string, words [][2]string, now string) pages.Select {
	one := pages.Select{Name: name, Label: label}
	for _, w := range words {
		one.Options = append(one.Options, pages.Option{Value: w[0], Text: w[1], Current: now == w[0]})
	}
	return one
}

func projectSelect(v *snapshot.View, f snapshot.Filter) pages.Select {
	words := [][2]string{{"", "All projects"}}
	for _, root := range v.Roots {
		words = append(words, [2]string{root, plain.Line(filepath.Base(root))})
	}
	return selectOf("project", "Project", words, f.Project)
}

func agentSelect(v *snapshot.View, f snapshot.Filter) pages.Select {
	words := [][2]string{{"", "All agents"}}
	for _, source := range v.Sources() {
		words = append(words, [2]string{source, show.Agent(source)})
	}
	return selectOf("agent", "Agent", words, f.Agent)
}

// hiddenFields are the parameters that a form has to carry on, as it has no control for them.
func hiddenFields(f snapshot.Filter, shown ...string) (list []pages.Field) {
	for _, p := range f.Parameters() {
		// A value that cannot be shown as it is stands in addresses only.
		if *p.Value != "" && plain.Line(*p.Value) == *p.Value && !slices.Contains(shown, p.Name) {
			list = append(list, pages.Field{Name: p.Name, Value: *p.Value})
		}
	}
	if f.Solved {
		list = append(list, pages.Field{Name: "solved", Value: "1"})
	}
	return list
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
