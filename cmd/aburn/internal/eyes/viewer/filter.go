package viewer

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"aburn/insight"
	"aburn/internal/plain"
)

// filter chooses sessions, or the answers of sessions. Its zero value chooses all sessions that are no sub-agents. It stands in
// addresses, so that every state of a page is one.
type filter struct {
	// period, day, model and branch are about answers: a session is chosen if it, or one of its sub-agents where only heads are
	// listed, has such an answer.
	period, day, model, branch string
	kind                       string // "" for heads, all, subagent
	project, agent, outcome    string
	since, ended               string // by the session's end: in the last so many days; on this day
	key                        string // a main error or a failure group
	solved                     bool
	family, session            string // source/id
	q                          string
}

// The values of filters with few values. The first word is the address's.
var (
	periods  = [][2]string{{"today", "Today"}, {"7d", "7 days"}, {"month", "This month"}, {"year", "This year"}, {"all", "All"}}
	outcomes = [][2]string{{"", "Any end"}, {"failed", "Failed"}, {"completed", "Completed"}, {"interrupted", "Interrupted"}, {"running", "Running"},
		{"unknown", "Unknown end"}}
	sinces = [][2]string{{"", "All time"}, {"7d", "7 days"}, {"30d", "30 days"}, {"90d", "90 days"}}
	kinds  = [][2]string{{"", "Sessions"}, {"subagent", "Sub-agents"}, {"all", "Both"}}
)

// parameters are the filter's fields by the names that they have in addresses, in this order.
func (f *filter) parameters() []struct {
	name  string
	value *string
} {
	return []struct {
		name  string
		value *string
	}{{"period", &f.period}, {"day", &f.day}, {"ended", &f.ended}, {"since", &f.since}, {"kind", &f.kind}, {"project", &f.project}, {"agent", &f.agent},
		{"outcome", &f.outcome},
		{"model", &f.model}, {"branch", &f.branch}, {"key", &f.key}, {"family", &f.family}, {"session", &f.session}, {"q", &f.q}}
}

func filterOf(values url.Values) (f filter) {
	for _, p := range f.parameters() {
		*p.value = values.Get(p.name)
	}
	f.solved = values.Get("solved") != ""
	f.q = plain.Line(f.q)
	return f
}

// values are the parameters that are set.
func (f filter) values() url.Values {
	values := url.Values{}
	for _, p := range f.parameters() {
		if *p.value != "" {
			values.Set(p.name, *p.value)
		}
	}
	if f.solved {
		values.Set("solved", "1")
	}
	return values
}

// address is the address of a page with this filter.
func (f filter) address(page string, more ...string) string {
	values := f.values()
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

// with is the filter with other values: pairs of name and value.
func (f filter) with(pairs ...string) filter {
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, p := range f.parameters() {
			if p.name == pairs[i] {
				*p.value = pairs[i+1]
			}
		}
	}
	return f
}

// ofAnswers reports whether the filter looks at answers.
func (f *filter) ofAnswers() bool {
	return f.period != "" || f.day != "" || f.model != "" || f.branch != ""
}

// noModel stands for answers of an unknown model in addresses, and noBranch for those on an unknown branch.
const noModel, noBranch = "-", "-"

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// span is the first and the last day of a period; both "" for all.
func (v *view) span(period string) (from, to string) {
	today, err := time.Parse(time.DateOnly, v.today)
	if err != nil {
		return "", ""
	}
	switch period {
	case "today":
		return v.today, v.today
	case "7d":
		return today.AddDate(0, 0, -6).Format(time.DateOnly), v.today
	case "month":
		return v.today[:8] + "01", v.today
	case "year":
		return v.today[:5] + "01-01", v.today
	}
	return "", ""
}

// holdsAnswers reports whether the filter, whose period is of these days, chooses the answers of a cell, by what it says about
// answers.
func (f *filter) holdsAnswers(from, to string, c *cell) bool {
	if from != "" && (c.day < from || c.day > to) {
		return false
	}
	return (f.day == "" || orDash(c.day) == f.day) && (f.model == "" || orDash(c.model) == f.model) && (f.branch == "" || orDash(c.branch) == f.branch)
}

// holds reports whether the filter chooses a session, by what it says about sessions. It leaves out kind and answers.
func (v *view) holds(f *filter, r *row) bool {
	switch {
	case f.project != "" && r.root != f.project, f.agent != "" && r.Source != f.agent, f.session != "" && r.name() != f.session, f.family != "" &&
		r.head.name() != f.family,
		f.key != "" && !v.hasKey(r, f.key), f.solved && (r.mainError == nil || r.mainError.Solved == 0), f.ended != "" && (r.Live || v.dayOf(r.End) != f.ended),
		!v.within(f.since, r), !ofOutcome(f.outcome, r):
		return false
	}
	return f.q == "" || mentions(r, f.q)
}

// hasKey reports whether a session belongs to a main error (of those that ended) or a failure group (of those that failed).
func (v *view) hasKey(r *row, key string) bool {
	return r.over() && r.mainError != nil && r.keys.Fine == key || r.failing() && r.keys.Coarse == key
}

func (v *view) dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(v.made.Location()).Format(time.DateOnly)
}

// within reports whether a session ended in the last days that since names.
func (v *view) within(since string, r *row) bool {
	if since == "" {
		return true
	}
	days, err := strconv.Atoi(strings.TrimSuffix(since, "d"))
	if err != nil {
		return true
	}
	today, _ := time.ParseInLocation(time.DateOnly, v.today, v.made.Location())
	return !r.End.Before(today.AddDate(0, 0, 1-days))
}

func ofOutcome(outcome string, r *row) bool {
	switch outcome {
	case "":
		return true
	case "failed":
		return r.failing()
	case "over":
		return r.over()
	}
	return r.verdict.Outcome == insight.Outcome(outcome)
}

// mentions reports whether a session's first prompt, project, id or main error contains every word of a text.
func mentions(r *row, text string) bool {
	said := strings.ToLower(r.Ask + "\n" + r.Project.Path + "\n" + r.Project.Key + "\n" + r.ID + "\n" + r.Source)
	if r.mainError != nil {
		said += "\n" + strings.ToLower(r.mainError.Text+"\n"+r.mainError.Head)
	}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(said, word) {
			return false
		}
	}
	return true
}

// sessions are what a filter chooses, the newest first.
func (v *view) sessions(f filter) []*row {
	answered := map[*row]bool{}
	if f.ofAnswers() {
		from, to := v.span(f.period)
		for i := range v.cells {
			if c := &v.cells[i]; f.holdsAnswers(from, to, c) {
				answered[c.row] = true
				if f.kind == "" {
					answered[c.row.head] = true
				}
			}
		}
	}
	var list []*row
	for _, r := range v.rows {
		if f.kind == "" && r.isSubagent() || f.kind == "subagent" && !r.isSubagent() || f.ofAnswers() && !answered[r] || !v.holds(&f, r) {
			continue
		}
		list = append(list, r)
	}
	return list
}

// answers are the cells that a filter chooses. kind does not matter: an answer has one session.
func (v *view) answers(f filter) (list []*cell) {
	from, to := v.span(f.period)
	for i := range v.cells {
		if c := &v.cells[i]; f.holdsAnswers(from, to, c) && v.holds(&f, c.row) {
			list = append(list, c)
		}
	}
	return list
}
