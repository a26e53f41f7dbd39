package snapshot

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"aburn/insight"
	"aburn/internal/plain"
)

// Filter chooses sessions, or the answers of sessions. Its zero value chooses all sessions that are no sub-agents. It stands in
// addresses, so that every state of a page is one.
type Filter struct {
	// Period, Day, Model and Branch are about answers: a session is chosen if it, or one of its sub-agents where only heads are
	// listed, has such an answer.
	Period, Day, Model, Branch string
	Kind                       string // "" for heads, all, subagent
	Project, Agent, Outcome    string
	Since, Ended               string // by the session's end: in the last so many days; on this day
	Key                        string // a main error or a failure group
	Solved                     bool
	Family, Session            string // source/id
	Q                          string
	Sort                       string // the column by which a table of the page is sorted, "-" before it for the other way round
}

// The values of filters with few values. The first word is the address's.
var (
	Periods  = [][2]string{{"today", "Today"}, {"7d", "7 days"}, {"month", "This month"}, {"year", "This year"}, {"all", "All"}}
	Outcomes = [][2]string{{"", "Any end"}, {"failed", "Failed"}, {"completed", "Completed"}, {"interrupted", "Interrupted"}, {"running", "Running"},
		{"unknown", "Unknown end"}}
	Sinces = [][2]string{{"", "All time"}, {"7d", "7 days"}, {"30d", "30 days"}, {"90d", "90 days"}}
	Kinds  = [][2]string{{"", "Sessions"}, {"subagent", "Sub-agents"}, {"all", "Both"}}
)

// Parameter is a field of a filter by the name that it has in addresses.
type Parameter struct {
	Name  string
	Value *string
}

// Parameters are the filter's fields, in this order.
func (f *Filter) Parameters() []Parameter {
	return []Parameter{{"period", &f.Period}, {"day", &f.Day}, {"ended", &f.Ended}, {"since", &f.Since}, {"kind", &f.Kind}, {"project", &f.Project},
		{"agent", &f.Agent}, {"outcome", &f.Outcome}, {"model", &f.Model}, {"branch", &f.Branch}, {"key", &f.Key}, {"family", &f.Family},
		{"session", &f.Session}, {"q", &f.Q}, {"sort", &f.Sort}}
}

func FilterOf(values url.Values) (f Filter) {
	for _, p := range f.Parameters() {
		*p.Value = values.Get(p.Name)
	}
	f.Solved = values.Get("solved") != ""
	f.Q = plain.Line(f.Q)
	return f
}

// Values are the parameters that are set.
func (f Filter) Values() url.Values {
	values := url.Values{}
	for _, p := range f.Parameters() {
		if *p.Value != "" {
			values.Set(p.Name, *p.Value)
		}
	}
	if f.Solved {
		values.Set("solved", "1")
	}
	return values
}

// Address is the address of a page with this filter.
func (f Filter) Address(page string, more ...string) string {
	values := f.Values()
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			values.Set(more[i], more[i+1])
		}
	}
	if len(values) == 0 {
		return page
	}
	return page + "?" + values.Encode()
}

// With is the filter with other values: pairs of name and value.
func (f Filter) With(pairs ...string) Filter {
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, p := range f.Parameters() {
			if p.Name == pairs[i] {
				*p.Value = pairs[i+1]
			}
		}
	}
	return f
}

// ofAnswers reports whether the filter looks at answers.
func (f *Filter) ofAnswers() bool {
	return f.Period != "" || f.Day != "" || f.Model != "" || f.Branch != ""
}

// NoModel stands for answers of an unknown model in addresses, and noBranch for those on an unknown branch.
const NoModel, NoBranch = "-", "-"

func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Span is the first and the last day of a period; both "" for all.
func (v *View) Span(period string) (from, to string) {
	today, err := time.Parse(time.DateOnly, v.Today)
	if err != nil {
		return "", ""
	}
	switch period {
	case "today":
		return v.Today, v.Today
	case "7d":
		return today.AddDate(0, 0, -6).Format(time.DateOnly), v.Today
	case "month":
		return v.Today[:8] + "01", v.Today
	case "year":
		return v.Today[:5] + "01-01", v.Today
	}
	return "", ""
}

// holdsAnswers reports whether the filter, whose period is of these days, chooses the answers of a cell, by what it says about
// answers.
func (f *Filter) holdsAnswers(from, to string, c *Cell) bool {
	if from != "" && (c.Day < from || c.Day > to) {
		return false
	}
	return (f.Day == "" || OrDash(c.Day) == f.Day) && (f.Model == "" || OrDash(c.Model) == f.Model) && (f.Branch == "" || OrDash(c.Branch) == f.Branch)
}

// holds reports whether the filter chooses a session, by what it says about sessions. It leaves out kind and answers.
func (v *View) holds(f *Filter, r *Row) bool {
	switch {
	case f.Project != "" && r.Root != f.Project, f.Agent != "" && r.Source != f.Agent, f.Session != "" && r.Name() != f.Session, f.Family != "" &&
		r.Head.Name() != f.Family,
		f.Key != "" && !v.hasKey(r, f.Key), f.Solved && (r.MainError == nil || r.MainError.Solved == 0), f.Ended != "" && (r.Live || v.dayOf(r.End) != f.Ended),
		!v.within(f.Since, r), !ofOutcome(f.Outcome, r):
		return false
	}
	return f.Q == "" || mentions(r, f.Q)
}

// hasKey reports whether a session belongs to a main error (of those that ended) or a failure group (of those that failed).
func (v *View) hasKey(r *Row, key string) bool {
	return r.Over() && r.MainError != nil && r.Keys.Fine == key || r.Failing() && r.Keys.Coarse == key
}

func (v *View) dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(v.Made.Location()).Format(time.DateOnly)
}

// within reports whether a session ended in the last days that since names.
func (v *View) within(since string, r *Row) bool {
	if since == "" {
		return true
	}
	days, err := strconv.Atoi(strings.TrimSuffix(since, "d"))
	if err != nil {
		return true
	}
	today, _ := time.ParseInLocation(time.DateOnly, v.Today, v.Made.Location())
	return !r.End.Before(today.AddDate(0, 0, 1-days))
}

func ofOutcome(outcome string, r *Row) bool {
	switch outcome {
	case "":
		return true
	case "failed":
		return r.Failing()
	case "over":
		return r.Over()
	}
	return r.Verdict.Outcome == insight.Outcome(outcome)
}

// mentions reports whether a session's first prompt, project, id or main error contains every word of a text.
func mentions(r *Row, text string) bool {
	said := strings.ToLower(r.Ask + "\n" + r.Project.Path + "\n" + r.Project.Key + "\n" + r.ID + "\n" + r.Source)
	if r.MainError != nil {
		said += "\n" + strings.ToLower(r.MainError.Text+"\n"+r.MainError.Head)
	}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(said, word) {
			return false
		}
	}
	return true
}

// Sessions are what a filter chooses, the newest first.
func (v *View) Sessions(f Filter) []*Row {
	answered := map[*Row]bool{}
	if f.ofAnswers() {
		from, to := v.Span(f.Period)
		for i := range v.Cells {
			if c := &v.Cells[i]; f.holdsAnswers(from, to, c) {
				answered[c.Row] = true
				if f.Kind == "" {
					answered[c.Row.Head] = true
				}
			}
		}
	}
	var list []*Row
	for _, r := range v.Rows {
		if f.Kind == "" && r.IsSubagent() || f.Kind == "subagent" && !r.IsSubagent() || f.ofAnswers() && !answered[r] || !v.holds(&f, r) {
			continue
		}
		list = append(list, r)
	}
	return list
}

// Answers are the cells that a filter chooses. kind does not matter: an answer has one session.
func (v *View) Answers(f Filter) (list []*Cell) {
	from, to := v.Span(f.Period)
	for i := range v.Cells {
		if c := &v.Cells[i]; f.holdsAnswers(from, to, c) && v.holds(&f, c.Row) {
			list = append(list, c)
		}
	}
	return list
}
