package site

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
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
	"aburn/web/site/snapshot"
)

// group is what some cells cost.
type group struct {
	name   string
	sum    cost.Sum
	adding snapshot.Summing
	rows   int           // sessions and sub-agents
	rank   int           // among the groups, by what they cost
	last   *snapshot.Row // the cells of a session stand together
}

// groups groups cells by what name says of them, the dearest first.
func groups(list []*snapshot.Cell, name func(*snapshot.Cell) string) (all []*group) {
	byName := map[string]*group{}
	for _, c := range list {
		n := name(c)
		g := byName[n]
		if g == nil {
			g = &group{name: n}
			byName[n] = g
			all = append(all, g)
		}
		g.adding.Add(c)
		if g.last != c.Row {
			g.rows, g.last = g.rows+1, c.Row
		}
	}
	for _, g := range all {
		g.sum = g.adding.Sum()
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.sum.Amount, a.sum.Amount), cmp.Compare(b.sum.Tokens.Total(), a.sum.Tokens.Total()), strings.Compare(a.name, b.name))
	})
	for i, g := range all {
		g.rank = i
	}
	return all
}

// costPages are the page Cost.
type costPages struct{ *snapshot.Scope }

func (s *costPages) page(ctx context.Context, v *snapshot.View, values url.Values, _ *http.Request) (*show.Page, error) {
	f := snapshot.FilterOf(values)
	order := f.Sort
	f.Kind, f.Sort = "", ""
	if f.Period == "" && f.Day == "" && f.Session == "" && f.Family == "" && f.Key == "" {
		f.Period = "month"
	}
	page := f.With("sort", order)
	list := v.Answers(f)
	all := snapshot.Total(list)
	body := &pages.Cost{Note: "What these answers cost at the vendors' list prices of their day. " + v.BillingNote, Tiles: costTiles(v, f, &all),
		Chosen: snapshot.ChosenLinks("/cost", page, "period", "project", "agent", "since")}
	body.Choices = []pages.Choice{snapshot.ChoiceOf("Period", "period", snapshot.Periods, page.With("day", ""), "/cost")}
	body.Filters = []pages.Select{snapshot.ProjectSelect(v, f), snapshot.AgentSelect(v, f)}
	body.Hidden = snapshot.HiddenFields(page, "project", "agent")
	models := groups(list, func(c *snapshot.Cell) string { return snapshot.OrDash(c.Model) })
	if f.Day == "" {
		body.Plot = costPlot(v, f, list, models)
	}
	for _, by := range waysOfGrouping(v) {
		if f.Day == "" || by.parameter != "day" {
			body.Tables = append(body.Tables, costTable(v, f, list, &all, by, order))
		}
	}
	body.Tables = slices.DeleteFunc(body.Tables, func(t pages.CostTable) bool { return len(t.Rows) == 0 })
	failed := f.With("outcome", "failed")
	bad := snapshot.Total(v.Answers(failed))
	if f.Outcome == "" && bad.Responses > 0 {
		body.Wrong = []pages.Figure{v.Money("", &bad, failed.Address("/cost"))}
		body.Wrong[0].Name = "in sessions and sub-agents that failed"
	}
	body.Prices = pricesNotes(v, &all)
	body.Budgets, body.Limits = s.presentNotes(ctx, v)
	frame := &pages.Frame{Title: "Cost", Page: "cost", Heading: "Cost", Sub: s.costSub(v, f), Total: sessionsIn(list), Dollars: all.Amount.Decimal()}
	return &show.Page{Frame: frame, Body: body}, nil
}

func (s *costPages) costSub(v *snapshot.View, f snapshot.Filter) string {
	zone := s.Zone.String()
	if zone == "Local" {
		zone = v.Made.Format("UTC-07:00")
	}
	when := ""
	if from, to := v.Span(f.Period); from != "" {
		when = dayWord(from)
		if from != to {
			when += " to " + dayWord(to)
		}
	}
	if f.Day != "" {
		when = dayWord(f.Day)
	}
	return units.Join(s.ProjectsWord(f), plain.Line(when), "days in "+zone+", by when each answer came")
}

func costTiles(v *snapshot.View, f snapshot.Filter, all *cost.Sum) []pages.Figure {
	chosen := v.Money("", all, f.Address("/cost"))
	chosen.Small = snapshot.Unpriced(all)
	list := []pages.Figure{chosen}
	if f.Day != "" {
		return list
	}
	for _, p := range snapshot.Periods[:3] {
		if p[0] == f.Period {
			continue
		}
		of := f.With("period", p[0])
		sum := snapshot.Total(v.Answers(of))
		one := v.Money("", &sum, of.Address("/cost"))
		one.Name = v.Amounts + ", " + strings.ToLower(p[1])
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
	name                         func(*snapshot.Cell) string
	word                         func(string) string
	tokens                       bool
}

func waysOfGrouping(v *snapshot.View) []costBy {
	return []costBy{
		{"projects", "Projects", "project", "project", func(c *snapshot.Cell) string { return c.Row.Root }, snapshot.NameOf, false},
		{"models", "Models", "model", "model", func(c *snapshot.Cell) string { return snapshot.OrDash(c.Model) }, modelWord, false},
		{"agents", "Agents", "agent", "agent", func(c *snapshot.Cell) string { return c.Row.Source }, show.Agent, false},
		{"branches", "Branches", "branch", "branch", func(c *snapshot.Cell) string { return snapshot.OrDash(c.Branch) }, branchWord, false},
		{"sessions", "Sessions", "first prompt", "family", func(c *snapshot.Cell) string { return c.Row.Head.Name() },
			func(name string) string { return v.ByName[name].Title() }, true},
		{"days", "Days", "day", "day", func(c *snapshot.Cell) string { return snapshot.OrDash(c.Day) }, dayWord, true},
	}
}

// costRows is how many groups a table has, and dayRows how many days.
const costRows, dayRows = 10, 31

// costColumns are those of a table.
func costColumns(v *snapshot.View, by costBy) []column[*group] {
	amount := func(g *group) (float64, bool) {
		return float64(g.sum.Amount), g.sum.Amount > 0 || g.sum.UnpricedTokens() == 0
	}
	of := func(n func(g *group) int64) func(*group) (float64, bool) {
		return func(g *group) (float64, bool) { return float64(n(g)), true }
	}
	first := column[*group]{name: by.column, head: by.column, class: "short", text: func(g *group) string { return by.word(g.name) }}
	switch by.parameter {
	case "day":
		first.text = nil
		first.number = func(g *group) (float64, bool) {
			t, err := time.Parse(time.DateOnly, g.name)
			return float64(t.Unix()), err == nil
		}
	case "family":
		first.name, first.class = "prompt", "wide"
	}
	sessions := column[*group]{name: "sessions", head: "sessions and sub-agents", class: "n some long", number: of(func(g *group) int64 { return int64(g.rows) })}
	money := column[*group]{name: "cost", head: v.Amounts, class: "n", number: amount}
	if !by.tokens {
		return []column[*group]{first, {bars: true}, sessions, money, {head: "share", class: "n some"}}
	}
	return []column[*group]{first, sessions,
		{name: "input", head: "input", class: "n some", number: of(func(g *group) int64 { return g.sum.Tokens.Input })},
		{name: "read", head: "cache read", class: "n some", number: of(func(g *group) int64 { return g.sum.Tokens.CacheRead })},
		{name: "write", head: "cache write", class: "n some", number: of(func(g *group) int64 { return writes(&g.sum) })},
		{name: "output", head: "output", class: "n some", number: of(func(g *group) int64 { return g.sum.Tokens.Output })}, money}
}

func costTable(v *snapshot.View, f snapshot.Filter, list []*snapshot.Cell, all *cost.Sum, by costBy, order string) pages.CostTable {
	t := pages.CostTable{ID: by.id, Title: by.title, Share: !by.tokens, Tokens: by.tokens, Wide: by.parameter == "family"}
	found := groups(list, by.name)
	most, usual := costRows, "cost"
	if by.parameter == "day" {
		slices.SortFunc(found, func(a, b *group) int { return strings.Compare(b.name, a.name) })
		most, usual = dayRows, "day"
	}
	var first cost.Sum
	for _, g := range found {
		if g.sum.Amount > first.Amount {
			first = g.sum
		}
	}
	t.Heads = arrange(found, costColumns(v, by), sortOf(order, by.id), usual, func(sort string) string {
		return f.With("sort", sortIn(by.id, sort)).Address("/cost") + "#h-" + by.id
	})
	for i, g := range found {
		if i == most {
			rest := group{}
			for _, o := range found[i:] {
				rest.sum.Add(o.sum)
			}
			t.Rows = append(t.Rows, pages.CostRow{Link: pages.Link{Text: fmt.Sprintf("%d more", len(found)-i)}, Cost: pages.Figure{Text: v.Currency.Says(&rest.sum)},
				Sessions: pages.Figure{}, Share: share(&rest.sum, &first), Class: "c-quiet"})
			break
		}
		t.Rows = append(t.Rows, costRow(v, f, g, by, all, &first))
	}
	if by.parameter == "family" {
		t.More = pages.Link{Text: "all sessions, the dearest first", Href: f.With("sort", "cost").Address("/sessions")}
	}
	t.All = pages.CostRow{Link: pages.Link{Text: "all"}, Sessions: show.Count("sessions and sub-agents with answers", sessionsIn(list),
		f.With("kind", "all").Address("/sessions")), Cost: v.Money("", all, f.Address("/cost"))}
	t.All.Input, t.All.Read, t.All.Written, t.All.Output = tokenWords(all)
	return t
}

func costRow(v *snapshot.View, f snapshot.Filter, g *group, by costBy, all, first *cost.Sum) pages.CostRow {
	of := f.With(by.parameter, g.name)
	if by.parameter == "day" {
		of = of.With("period", "")
	}
	row := pages.CostRow{Link: pages.Link{Text: plain.Cut(plain.Line(by.word(g.name)), 60), Href: of.Address("/cost")}, Share: share(&g.sum, first),
		Class:    "c-shell",
		Note:     snapshot.Unpriced(&g.sum),
		Sessions: show.Count("sessions and sub-agents with answers", g.rows, of.With("kind", "all").Address("/sessions")),
		Cost:     v.Money("", &g.sum, of.Address("/cost"))}
	switch by.parameter {
	case "model":
		row.Class = modelClass(g.rank)
	case "family":
		row.Link.Text, row.Link.Href = v.ByName[g.name].Title(), v.ByName[g.name].Address()
	}
	switch {
	case g.sum.Amount == 0 && g.sum.UnpricedTokens() > 0:
		row.Percent = "–" // of what has no price nobody knows the share
	case all.Amount > 0:
		row.Percent = fmt.Sprintf("%.0f %%", 100*float64(g.sum.Amount)/float64(all.Amount))
	}
	if by.parameter == "day" && g.name == v.Today {
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
	return units.Amount(t.Input), units.Amount(t.CacheRead), units.Amount(writes(sum)), units.Amount(t.Output)
}

// writes are the tokens that were written into a cache.
func writes(sum *cost.Sum) int64 { return sum.Tokens.Write + sum.Tokens.Write5m + sum.Tokens.Write1h }

// sessionsIn is how many sessions and sub-agents have these answers. The cells of each stand together.
func sessionsIn(list []*snapshot.Cell) (n int) {
	for i, c := range list {
		if i == 0 || list[i-1].Row != c.Row {
			n++
		}
	}
	return n
}

func modelWord(name string) string {
	if name == snapshot.NoModel {
		return "unknown model"
	}
	return name
}

func branchWord(name string) string {
	if name == snapshot.NoBranch {
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
func (s *costPages) presentNotes(ctx context.Context, v *snapshot.View) (budgets, limits []pages.Note) {
	arch, err := archive.View(ctx, s.Dir)
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
		limits = append(limits, pages.Note{Text: plain.Line(state.Windows[i].Says(s.Zone, v.Currency))})
	}
	return budgets, limits
}

func pricesNotes(v *snapshot.View, all *cost.Sum) []pages.Note {
	list := []pages.Note{{Text: plain.Plural(int64(len(v.Prices.Rows())), "row") + ", as known on " + string(v.Prices.Made) + ". The list with its sources:",
		Commands: []string{"aburn cost prices"}}}
	if all.Uncertain || all.AtLeast {
		list = append(list, pages.Note{Text: "~ marks an amount that isn't exact: " +
			"the vendor's own price isn't confirmed, or some tokens or cache writes aren't counted."})
	}
	for i, m := range all.UnpricedModels() {
		if i == fault.MaxListed {
			break
		}
		list = append(list, pages.Note{Text: plain.Line(modelWord(m)) + ": " + units.Amount(all.Unpriced[m]) + " tokens without a price"})
	}
	return list
}
