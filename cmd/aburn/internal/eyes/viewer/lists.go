package viewer

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/archive"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/web/pages"
	"aburn/web/show"
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
func signOf(r *row) (sign, word string) {
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
	*scope
	seen *seenMarks
}

func (s *lists) rowOf(v *view, r *row) pages.Row {
	one := pages.Row{Href: r.address(), Ended: show.Time(r.End, v.made), Outcome: outcomeOf(r.verdict), Ask: r.title(), Project: projectLink(r), Agent: r.agentTitle(),
		Amounts: v.amounts,
		Failed:  pages.Figure{Text: "–"}}
	one.Sign, one.SignWord = signOf(r)
	one.Unseen = s.seen.grown(r)
	if r.ActiveMS > 0 {
		one.Active = units.Milliseconds(r.ActiveMS)
	}
	if r.endedCalls > 0 {
		one.Failed = failedCalls(r)
	}
	if n := len(r.subagents); n > 0 {
		one.Subagents = show.Count("sub-agents", n, filter{kind: "subagent", family: r.name()}.address("/sessions"))
	}
	if !r.isSubagent() {
		one.Cost = v.money(" with sub-agents", r.familyCost, filter{family: r.name()}.address("/cost"))
	} else {
		one.Cost = v.money(" of the sub-agent", &r.cost, filter{session: r.name()}.address("/cost"))
	}
	if r.familyCost.Responses == 0 {
		one.Cost = pages.Figure{Text: "–"}
	}
	return one
}

// failedCalls is how many of a session's ended calls failed.
func failedCalls(r *row) pages.Figure {
	f := pages.Figure{Name: "failed of ended calls", Text: strconv.Itoa(r.failedCalls) + " of " + strconv.Itoa(r.endedCalls), Value: strconv.Itoa(r.failedCalls),
		Href: r.address() + "?only=failed"}
	if r.failedCalls > 0 {
		f.Class = "bad"
	}
	return f
}

// cursor is a place in a list: the row after which it goes on. It stays where it is when newer rows come.
func cursor(r *row) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(millisOf(r), 10) + " " + r.Source + " " + r.ID))
}

func millisOf(r *row) int64 {
	if r.End.IsZero() {
		return 0
	}
	return r.End.UnixMilli()
}

// after are the rows of a list behind a cursor. One that means nothing begins at the start.
func after(list []*row, at string) []*row {
	text, err := base64.RawURLEncoding.DecodeString(at)
	parts := strings.SplitN(string(text), " ", 3)
	if at == "" || err != nil || len(parts) != 3 {
		return list
	}
	end, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return list
	}
	i := slices.IndexFunc(list, func(r *row) bool {
		if n := millisOf(r); n != end {
			return n < end
		}
		if r.Source != parts[1] {
			return r.Source > parts[1]
		}
		return r.ID > parts[2]
	})
	if i < 0 {
		return nil
	}
	return list[i:]
}

// part is one page of a list, with the addresses of its neighbours.
func (s *lists) part(v *view, list []*row, page string, f filter, at string) (rows []pages.Row, newer, older string) {
	rest := after(list, at)
	for _, r := range rest[:min(len(rest), rowsPerPage)] {
		rows = append(rows, s.rowOf(v, r))
	}
	if len(rest) > rowsPerPage {
		older = f.address(page, "before", cursor(rest[rowsPerPage-1]))
	}
	if len(rest) < len(list) {
		newer = f.address(page)
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

func (s *lists) sessionsPage(_ context.Context, v *view, values url.Values, _ *http.Request) (*show.Page, error) {
	f := filterOf(values)
	list := v.sessions(f)
	body := &pages.Sessions{Kind: kindWord(f.kind), Others: len(v.rows) > 0, Count: show.Count(countName(f), len(list), f.address("/sessions")),
		Chosen: chosenLinks("/sessions", f, "project", "agent", "outcome", "since")}
	body.Choices = []pages.Choice{choiceOf("What", "kind", kinds, f, "/sessions")}
	body.Filters = []pages.Select{projectSelect(v, f), agentSelect(v, f), selectOf("outcome", "Outcome", outcomes, f.outcome),
		selectOf("since", "Since", sinces, f.since)}
	body.Hidden = hiddenFields(f, "project", "agent", "outcome", "since")
	if f.outcome == "" {
		failed, over := f.with("outcome", "failed"), f.with("outcome", "over")
		body.Figures = []pages.Figure{
			small(show.Count(countName(failed), len(v.sessions(failed)), failed.address("/sessions")), "failed"),
			small(show.Count(countName(over), len(v.sessions(over)), over.address("/sessions")), "ended"),
		}
	}
	body.Rows, body.Newer, body.Older = s.part(v, list, "/sessions", f, values.Get("before"))
	return &show.Page{Frame: &pages.Frame{Title: "Sessions", Page: "sessions", Heading: "Sessions", Sub: s.projectsWord(f), Query: f.q, Total: len(list)},
		Body: body}, nil
}

// countName names a number of sessions by what is counted.
func countName(f filter) string {
	name := kindWord(f.kind)
	switch f.outcome {
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
func chosenLinks(page string, f filter, shown ...string) (list []pages.Link) {
	words := map[string]string{"day": "answers on ", "ended": "ended on ", "model": "model ", "branch": "branch ", "key": "failure ",
		"family": "with its sub-agents: ", "session": "session ", "q": "search: ",
		"period": "answers in period: ", "since": "ended in the last ", "project": "project ", "agent": "agent ", "outcome": "outcome "}
	for _, p := range f.parameters() {
		if *p.value == "" || slices.Contains(shown, p.name) || words[p.name] == "" {
			continue
		}
		value := *p.value
		if p.name == "project" {
			value = filepath.Base(value)
		}
		list = append(list, pages.Link{Text: plain.Cut(plain.Line(words[p.name]+value), 80), Href: f.with(p.name, "").address(page)})
	}
	if f.solved {
		without := f
		without.solved = false
		list = append(list, pages.Link{Text: "solved later", Href: without.address(page)})
	}
	return list
}

func choiceOf(label, name string, words [][2]string, f filter, page string) pages.Choice {
	c := pages.Choice{Label: label}
	now := f.values().Get(name)
	for _, w := range words {
		c.Links = append(c.Links, pages.Link{Text: w[1], Href: f.with(name, w[0]).address(page), Current: now == w[0]})
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

func projectSelect(v *view, f filter) pages.Select {
	words := [][2]string{{"", "All projects"}}
	for _, root := range v.roots {
		words = append(words, [2]string{root, plain.Line(filepath.Base(root))})
	}
	return selectOf("project", "Project", words, f.project)
}

func agentSelect(v *view, f filter) pages.Select {
	words := [][2]string{{"", "All agents"}}
	for _, source := range v.sources() {
		words = append(words, [2]string{source, show.Agent(source)})
	}
	return selectOf("agent", "Agent", words, f.agent)
}

// sources are the agents of the sessions.
func (v *view) sources() (list []string) {
	for source := range v.bySource {
		list = append(list, source)
	}
	slices.Sort(list)
	return list
}

// hiddenFields are the parameters that a form has to carry on, as it has no control for them.
func hiddenFields(f filter, shown ...string) (list []pages.Field) {
	for _, p := range f.parameters() {
		// A value that cannot be shown as it is stands in addresses only.
		if *p.value != "" && plain.Line(*p.value) == *p.value && !slices.Contains(shown, p.name) {
			list = append(list, pages.Field{Name: p.name, Value: *p.value})
		}
	}
	if f.solved {
		list = append(list, pages.Field{Name: "solved", Value: "1"})
	}
	return list
}

// namedPage leads from a short name to the session.
func (s *lists) namedPage(ctx context.Context, v *view, _ url.Values, r *http.Request) (*show.Page, error) {
	name := r.PathValue("name")
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	list, err := arch.Lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	var found []*row
	for i := range list {
		if r := v.byName[list[i].Source+"/"+list[i].ID]; r != nil {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return nil, show.NotFound("no session, or more than one, is called " + fault.Quote(name))
	}
	return &show.Page{Elsewhere: found[0].address()}, nil
}

// sumOf is what some sessions' own answers cost.
func sumOf(list []*row) (sum cost.Sum) {
	for _, r := range list {
		sum.Add(r.cost)
	}
	return sum
}
