package costs

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
)

// costView prints an answer: the total, the lines, what else counts, and one footnote.
type costView struct {
	*CostAnswer
	out             *term.Out
	wide, breakdown bool
}

// show prints at most limit lines, 0 for all, and returns how many more there are.
func (v *costView) show(limit int) (hidden int, err error) {
	groups := v.Groups
	if v.By == cost.BySession && !v.apart {
		groups = cost.Merge(groups, func(g *cost.Group) string { return v.sessions[g.Name].Root })
	}
	shown := groups
	switch n := len(groups); {
	case limit == 0 || n <= limit:
	case v.By.InTime():
		shown = groups[n-limit:] // the latest
	default:
		shown = groups[:limit] // the dearest
	}
	table := v.table()
	if len(groups) > 1 {
		v.row(table, v.Total, "total", term.Bold, "")
	}
	for _, g := range shown {
		v.row(table, g, v.label(g), term.Plain, v.current(g))
		if v.breakdown && v.By != cost.ByModel {
			for _, m := range g.Models {
				v.row(table, m, "  "+modelName(m.Name), term.Dim, "")
			}
		}
	}
	if err := table.Print(v.out, 0); err != nil {
		return 0, err
	}
	v.facts()
	v.footnote()
	return len(groups) - len(shown), nil
}

// table has the columns that answer "how much": all others are for --wide.
func (v *costView) table() *term.Table {
	label := term.Column{Title: string(v.By), Flex: !v.wide, Min: 8} // a wide line may be wider than the terminal
	t := &term.Table{Width: term.TableWidth, Columns: []term.Column{label, {Title: "parent"}, {Title: "about", Flex: true, Min: 12}, {Title: "agent"}}}
	if v.wide {
		for _, title := range []string{"sessions", "answers", "input", "cache read", "cache write", "output"} {
			t.Columns = append(t.Columns, term.Column{Title: title, Right: true})
		}
	}
	t.Columns = append(t.Columns, term.Column{Title: "tokens", Right: true}, term.Column{Title: bill.Title, Right: true})
	if v.wide {
		t.Columns = append(t.Columns, term.Column{Title: "sub-agents", Right: true})
	}
	t.Columns = append(t.Columns, term.Column{})
	return t
}

func (v *costView) row(table *term.Table, g *cost.Group, name string, style term.Style, note string) {
	number := func(text string) term.Cell { return term.Cell{Text: text, Style: style} }
	parent := ""
	if v.apart {
		up := v.sessions[g.Name].Parent
		parent = cmp.Or(v.sessions[up].Short, up)
	}
	cells := []term.Cell{{Text: name, Style: style}, {Text: parent}, {Text: v.about(g)}, {Text: v.agentOf(g), Style: style}}
	t := &g.Tokens
	if v.wide {
		cells = append(cells, number(plain.Count(int64(g.Sessions))), number(plain.Count(int64(g.Responses))), number(units.Amount(t.Input)),
			number(units.Amount(t.CacheRead)), number(units.Amount(t.Write5m+t.Write1h+t.Write)), number(units.Amount(t.Output)))
	}
	cells = append(cells, number(units.Amount(t.Total())), number(v.Currency.Says(&g.Sum)))
	if v.wide {
		cells = append(cells, term.Cell{Text: v.ofSubagents(g), Style: term.Dim})
	}
	table.AddCells(append(cells, term.Cell{Text: note, Style: term.Dim})...)
}

// about is the first prompt of a session, or the subject of a commit.
func (v *costView) about(g *cost.Group) string {
	if v.commits != nil {
		return v.commits.subjects[g.Name]
	}
	return v.sessions[g.Name].Ask
}

// agentOf is whose block a group is. With --wide it is whose session it is.
func (v *costView) agentOf(g *cost.Group) string {
	if agent, _, ok := strings.Cut(g.Name, "/"); ok && v.wide && v.By == cost.BySession {
		return agent
	}
	return g.Agent
}

// ofSubagents is the part of a session's cost that its sub-agents have, "" without any.
func (v *costView) ofSubagents(head *cost.Group) string {
	sum := cost.Sum{}
	for _, g := range v.Groups {
		if v.By == cost.BySession && g.Name != head.Name && v.sessions[g.Name].Root == head.Name {
			sum.Add(g.Sum)
		}
	}
	if sum.Responses == 0 {
		return ""
	}
	return v.Currency.Says(&sum)
}

func modelName(name string) string { return cmp.Or(name, "unknown model") }

// label is the first column of a group.
func (v *costView) label(g *cost.Group) string {
	now := v.Now
	switch {
	case v.By == cost.BySession:
		return cmp.Or(v.sessions[g.Name].Short, g.Name)
	case v.By.InTime() && g.From.IsZero():
		return "unknown time"
	case v.By == cost.ByBlock:
		from, until := g.From.In(v.Zone), g.Until.In(v.Zone)
		return units.Date(from, now) + from.Format(" 15:04") + until.Format("–15:04")
	case v.By == cost.ByMonth:
		return g.From.Format("January 2006")
	case v.By.InTime():
		return units.Dates(g.From, g.Until, now)
	case v.By == cost.ByCommit && g.Name == "":
		return "no commit"
	case v.By == cost.ByCommit:
		return g.Name[:min(len(g.Name), 10)]
	case v.By == cost.ByModel:
		return modelName(g.Name)
	case g.Name != "" && v.By == cost.ByProject:
		return filepath.Base(g.Name)
	}
	return cmp.Or(g.Name, "unknown")
}

// current marks the group that is not over.
func (v *costView) current(g *cost.Group) string {
	if g.From.IsZero() || v.Now.Before(g.From) || !v.Now.Before(g.Until) {
		return ""
	}
	switch v.By {
	case cost.ByDay:
		return "today"
	case cost.ByBlock:
		return "now"
	}
	return "this " + string(v.By)
}

// facts says what of today's was lost, and how much of budgets and plans is used up.
func (v *costView) facts() {
	var lines []string
	if f := &v.Failed; f.Sessions > 0 {
		verb := plain.Plural(int64(f.Sessions), "session that failed today", "sessions that failed today")
		lines = append(lines, fmt.Sprintf("%s cost %s.", verb, v.Currency.Says(&f.Sum)))
	}
	for i := range v.Present.Budgets {
		lines = append(lines, "Budget: "+v.Present.Budgets[i].Says()+".")
	}
	var windows []string
	for i := range v.Present.Windows {
		windows = append(windows, v.Present.Windows[i].Says(v.Zone, v.Currency))
	}
	if len(windows) > 0 {
		lines = append(lines, "Limits: "+strings.Join(windows, ", ")+".")
	}
	if len(lines) > 0 {
		fmt.Fprintln(v.out)
		term.Paragraph(v.out, 0, "", strings.Join(lines, " "))
	}
}

// footnote says once what the amounts are, and why some are not exact.
func (v *costView) footnote() {
	lines := []string{v.Billing.Note(v.Prices.Made, v.Agents...) + "."}
	unpriced := v.unpriced()
	switch {
	case unpriced != "" && v.Total.Amount > 0:
		lines = append(lines, bill.Inexact+" isn't exact: "+unpriced)
	case unpriced != "":
		lines = append(lines, unpriced)
	case v.Total.Uncertain || v.Total.Lower():
		lines = append(lines, bill.Inexact+" isn't exact: `aburn cost prices` says why.")
	}
	if v.By == cost.ByBlock {
		lines = append(lines, "Blocks are estimated, because agents don't say when a past window of a plan began.")
	}
	if note := v.Currency.Note(); note != "" {
		lines = append(lines, note+".")
	}
	fmt.Fprintln(v.out)
	term.Paragraph(v.out, 0, "", strings.Join(lines, " "))
}

// unpriced is a sentence on the tokens without a price, "" if there are none.
func (v *costView) unpriced() string {
	models, of := v.Total.UnpricedModels(), v.Total.Unpriced
	if len(models) == 0 {
		return ""
	}
	for i, m := range models {
		models[i] = modelName(m)
		if len(models) > 1 {
			models[i] += " " + units.Amount(of[m])
		}
	}
	if more := len(models) - fault.MaxListed; more > 0 {
		models = append(models[:fault.MaxListed], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s tokens have no price (%s).", units.Amount(v.Total.UnpricedTokens()), strings.Join(models, ", "))
}

// zoneName is the zone's IANA name; the computer's own zone may have none, and then it is its offset now.
func (answer *CostAnswer) zoneName() string {
	if name := answer.Zone.String(); name != "Local" {
		return name
	}
	return answer.Now.Format("UTC-07:00")
}
