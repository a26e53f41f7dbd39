package viewer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/archive"
	"aburn/insight/cost"
	"aburn/insight/cost/spend"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/web/pages"
	"aburn/web/show"
)

// group is what some cells cost.
type group struct {
	name   string
	sum    cost.Sum
	adding summing
	rows   int  // sessions and sub-agents
	last   *row // the cells of a session stand together
}

// groups groups cells by what name says of them, the dearest first.
func groups(list []*cell, name func(*cell) string) (all []*group) {
	byName := map[string]*group{}
	for _, c := range list {
		n := name(c)
		g := byName[n]
		if g == nil {
			g = &group{name: n}
			byName[n] = g
			all = append(all, g)
		}
		g.adding.add(c)
		if g.last != c.row {
			g.rows, g.last = g.rows+1, c.row
		}
	}
	for _, g := range all {
		g.sum = g.adding.sum()
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.sum.Amount, a.sum.Amount), cmp.Compare(b.sum.Tokens.Total(), a.sum.Tokens.Total()), strings.Compare(a.name, b.name))
	})
	return all
}

// costPages are the page Cost.
type costPages struct{ *scope }

func (s *costPages) page(ctx context.Context, v *view, values url.Values, _ *http.Request) (*show.Page, error) {
	f := filterOf(values)
	f.kind = ""
	if f.period == "" && f.day == "" && f.session == "" && f.family == "" && f.key == "" {
		f.period = "month"
	}
	list := v.answers(f)
	all := total(list)
	body := &pages.Cost{Note: "What these answers cost at the vendors' list prices of their day. " + v.billingNote, Tiles: costTiles(v, f, &all),
		Chosen: chosenLinks("/cost", f, "period", "project", "agent", "since")}
	body.Choices = []pages.Choice{choiceOf("Period", "period", periods, f.with("day", ""), "/cost")}
	body.Filters = []pages.Select{projectSelect(v, f), agentSelect(v, f)}
	body.Hidden = hiddenFields(f, "project", "agent")
	models := groups(list, func(c *cell) string { return orDash(c.model) })
	if f.day == "" {
		body.Plot = costPlot(v, f, list, models)
	}
	body.Tables = []pages.CostTable{
		costTable(v, f, list, &all, costBy{"projects", "Projects", "project", "project", func(c *cell) string { return c.row.root },
			func(n string) string { return filepath.Base(n) }, false}),
		costTable(v, f, list, &all, costBy{"models", "Models", "model", "model", func(c *cell) string { return orDash(c.model) }, modelWord, false}),
	}
	if f.day == "" {
		body.Tables = append(body.Tables, costTable(v, f, list, &all,
			costBy{"days", "Days", "day", "day", func(c *cell) string { return orDash(c.day) }, dayWord, true}))
	}
	body.Tables = append(body.Tables,
		costTable(v, f, list, &all, costBy{"agents", "Agents", "agent", "agent", func(c *cell) string { return c.row.Source }, show.Agent, false}),
		costTable(v, f, list, &all, costBy{"branches", "Branches", "branch", "branch", func(c *cell) string { return orDash(c.branch) }, branchWord, false}),
	)
	body.Tables = slices.DeleteFunc(body.Tables, func(t pages.CostTable) bool { return len(t.Rows) == 0 })
	failed := f.with("outcome", "failed")
	bad := total(v.answers(failed))
	if f.outcome == "" && bad.Responses > 0 {
		body.Wrong = []pages.Figure{v.money("", &bad, failed.address("/cost"))}
		body.Wrong[0].Name = "in sessions and sub-agents that failed"
	}
	body.Prices = pricesNotes(v, &all)
	body.Budgets, body.Limits = s.presentNotes(ctx, v)
	frame := &pages.Frame{Title: "Cost", Page: "cost", Heading: "Cost", Sub: s.costSub(v, f), Total: sessionsIn(list), Dollars: all.Amount.Decimal()}
	return &show.Page{Frame: frame, Body: body}, nil
}

func (s *costPages) costSub(v *view, f filter) string {
	zone := s.zone.String()
	if zone == "Local" {
		zone = v.made.Format("UTC-07:00")
	}
	when := ""
	if from, to := v.span(f.period); from != "" {
		when = dayWord(from)
		if from != to {
			when += " to " + dayWord(to)
		}
	}
	if f.day != "" {
		when = dayWord(f.day)
	}
	return units.Join(s.projectsWord(f), plain.Line(when), "days in "+zone+", by when each answer came")
}

func costTiles(v *view, f filter, all *cost.Sum) []pages.Figure {
	chosen := v.money("", all, f.address("/cost"))
	chosen.Small = unpriced(all)
	list := []pages.Figure{chosen}
	if f.day != "" {
		return list
	}
	for _, p := range periods[:3] {
		if p[0] == f.period {
			continue
		}
		of := f.with("period", p[0])
		sum := total(v.answers(of))
		one := v.money("", &sum, of.address("/cost"))
		one.Name = v.amounts + ", " + strings.ToLower(p[1])
		list = append(list, one)
	}
	if n := all.UnpricedTokens(); n > 0 {
		list = append(list, pages.Figure{Name: "tokens without a price", Text: units.Amount(n), Value: fmt.Sprint(n), Class: "held"})
	}
	return list
}

// costBy is a way of grouping: the table's words, and the parameter with which the name of a group chooses it.
type costBy struct {
	id, title, column, parameter string
	name                         func(*cell) string
	word                         func(string) string
	tokens                       bool
}

// costRows is how many groups a table has, and dayRows how many days.
const costRows, dayRows = 10, 31

func costTable(v *view, f filter, list []*cell, all *cost.Sum, by costBy) pages.CostTable {
	t := pages.CostTable{ID: by.id, Title: by.title, Column: by.column, Share: !by.tokens, Tokens: by.tokens}
	found := groups(list, by.name)
	most := costRows
	if by.tokens {
		slices.SortFunc(found, func(a, b *group) int { return strings.Compare(b.name, a.name) })
		most = dayRows
	}
	for i, g := range found {
		if i == most {
			rest := group{}
			for _, o := range found[i:] {
				rest.sum.Add(o.sum)
			}
			t.Rows = append(t.Rows, pages.CostRow{Link: pages.Link{Text: fmt.Sprintf("%d more", len(found)-i)}, Cost: pages.Figure{Text: v.currency.Says(&rest.sum)},
				Sessions: pages.Figure{}, Share: share(&rest.sum, &found[0].sum)})
			break
		}
		t.Rows = append(t.Rows, costRow(v, f, g, by, all, &found[0].sum, i))
	}
	t.All = pages.CostRow{Link: pages.Link{Text: "all"}, Sessions: show.Count("sessions and sub-agents with answers", sessionsIn(list),
		f.with("kind", "all").address("/sessions")), Cost: v.money("", all, f.address("/cost"))}
	t.All.Input, t.All.Read, t.All.Written, t.All.Output = tokenWords(all)
	return t
}

func costRow(v *view, f filter, g *group, by costBy, all, first *cost.Sum, i int) pages.CostRow {
	of := f.with(by.parameter, g.name)
	if by.parameter == "day" {
		of = of.with("period", "")
	}
	row := pages.CostRow{Link: pages.Link{Text: plain.Cut(plain.Line(by.word(g.name)), 60), Href: of.address("/cost")}, Share: share(&g.sum, first), Class: "c-shell",
		Note:     unpriced(&g.sum),
		Sessions: show.Count("sessions and sub-agents with answers", g.rows, of.with("kind", "all").address("/sessions")), Cost: v.money("", &g.sum, of.address("/cost"))}
	if by.parameter == "model" {
		row.Class = modelClass(i)
	}
	switch {
	case g.sum.Amount == 0 && g.sum.UnpricedTokens() > 0:
		row.Percent = "–" // of what has no price nobody knows the share
	case all.Amount > 0:
		row.Percent = fmt.Sprintf("%.0f %%", 100*float64(g.sum.Amount)/float64(all.Amount))
	}
	if by.parameter == "day" && g.name == v.today {
		row.Chip = "today"
	}
	row.Input, row.Read, row.Written, row.Output = tokenWords(&g.sum)
	return row
}

func share(part, first *cost.Sum) int {
	if first.Amount <= 0 {
		return 0
	}
	return int(min(1000*float64(part.Amount)/float64(first.Amount), 1000))
}

func tokenWords(sum *cost.Sum) (input, read, written, output string) {
	t := &sum.Tokens
	return units.Amount(t.Input), units.Amount(t.CacheRead), units.Amount(t.Write + t.Write5m + t.Write1h), units.Amount(t.Output)
}

// sessionsIn is how many sessions and sub-agents have these answers. The cells of each stand together.
func sessionsIn(list []*cell) (n int) {
	for i, c := range list {
		if i == 0 || list[i-1].row != c.row {
			n++
		}
	}
	return n
}

func modelWord(name string) string {
	if name == noModel {
		return "unknown model"
	}
	return name
}

func branchWord(name string) string {
	if name == noBranch {
		return "unknown branch"
	}
	return name
}

func dayWord(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return "unknown time"
	}
	return t.Format("Mon 2 Jan 2006")
}

// presentNotes say how much of budgets and of plans' windows is used up. A budget counts what is not shown here, too.
func (s *costPages) presentNotes(ctx context.Context, v *view) (budgets, limits []pages.Note) {
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return nil, nil // the page's other parts say so
	}
	defer arch.Close()
	state, err := spend.Now(ctx, s.Caller("."), arch)
	if err != nil {
		return nil, []pages.Note{{Text: plain.Line("not known: " + fault.Of(err).Msg)}}
	}
	for i := range state.Budgets {
		budgets = append(budgets, pages.Note{Text: plain.Line(state.Budgets[i].Says())})
	}
	for i := range state.Windows {
		limits = append(limits, pages.Note{Text: plain.Line(state.Windows[i].Says(s.zone, v.currency))})
	}
	return budgets, limits
}

func pricesNotes(v *view, all *cost.Sum) []pages.Note {
	list := []pages.Note{{Text: plain.Plural(int64(len(v.prices.Rows())), "row") + ", as known on " + string(v.prices.Made) + ". The list with its sources:",
		Commands: []string{"aburn prices"}}}
	if all.Uncertain {
		list = append(list, pages.Note{Text: "≈ marks an amount with a price that nobody saw at its vendor."})
	}
	if all.AtLeast {
		list = append(list, pages.Note{Text: "≥ marks an amount that may be higher: the life of a cache write is unknown, or writes are not counted."})
	}
	for i, m := range all.UnpricedModels() {
		if i == fault.MaxListed {
			break
		}
		list = append(list, pages.Note{Text: plain.Line(modelWord(m)) + ": " + units.Amount(all.Unpriced[m]) + " tokens without a price"})
	}
	return list
}
