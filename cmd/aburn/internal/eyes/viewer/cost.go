package viewer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/archive"
	"aburn/cmd/aburn/internal/bill"
	"aburn/cmd/aburn/internal/spend"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/internal/plain"
	"aburn/web/pages"
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

// costNote is said once on each page with amounts.
const costNote = "What these answers cost at the vendors' list prices of their day. It is not your bill: a subscription costs what it costs."

func (s *Site) costPage(ctx context.Context, v *view, values url.Values, _ *http.Request) (*shown, error) {
	f := filterOf(values)
	f.kind = ""
	if f.period == "" && f.day == "" && f.session == "" && f.family == "" && f.key == "" {
		f.period = "month"
	}
	list := v.answers(f)
	all := total(list)
	body := &pages.Cost{Note: costNote, Tiles: v.costTiles(f, &all), Chosen: links(v.chosenLinks("/cost", f, "period", "project", "agent", "since"))}
	body.Choices = []pages.Choice{choiceOf("Period", "period", periods, f.with("day", ""), "/cost")}
	body.Filters = []pages.Select{v.projectSelect(f), v.agentSelect(f)}
	body.Hidden = hiddenFields(f, "project", "agent")
	models := groups(list, func(c *cell) string { return orDash(c.model) })
	if f.day == "" {
		body.Plot = v.costPlot(f, list, models)
	}
	body.Tables = []pages.CostTable{
		s.costTable(v, f, list, &all, costBy{"projects", "Projects", "project", "project", func(c *cell) string { return c.row.root }, func(n string) string { return filepath.Base(n) }, false}),
		s.costTable(v, f, list, &all, costBy{"models", "Models", "model", "model", func(c *cell) string { return orDash(c.model) }, modelWord, false}),
	}
	if f.day == "" {
		body.Tables = append(body.Tables, s.costTable(v, f, list, &all, costBy{"days", "Days", "day", "day", func(c *cell) string { return orDash(c.day) }, dayWord, true}))
	}
	body.Tables = append(body.Tables,
		s.costTable(v, f, list, &all, costBy{"agents", "Agents", "agent", "agent", func(c *cell) string { return c.row.Source }, agentTitle, false}),
		s.costTable(v, f, list, &all, costBy{"branches", "Branches", "branch", "branch", func(c *cell) string { return orDash(c.branch) }, branchWord, false}),
	)
	failed := f.with("outcome", "failed")
	bad := total(v.answers(failed))
	if f.outcome == "" && bad.Responses > 0 {
		body.Wrong = []pages.Figure{money("list price", &bad, failed.at("/cost"))}
		body.Wrong[0].Name = "in sessions and sub-agents that failed"
	}
	body.Prices = v.pricesNotes(&all)
	body.Budgets, body.Limits = s.presentNotes(ctx)
	frame := &pages.Frame{Title: "Cost", Page: "cost", Heading: "Cost", Sub: s.costSub(v, f), Total: sessionsIn(list), Dollars: all.Amount.Decimal()}
	return &shown{frame: frame, body: body}, nil
}

func (s *Site) costSub(v *view, f filter) string {
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
	return kit.Join(s.projectsWord(f), plain.Line(when), "days in "+zone+", by when each answer came")
}

func (v *view) costTiles(f filter, all *cost.Sum) []pages.Figure {
	chosen := money("list price", all, f.at("/cost"))
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
		one := money("list price", &sum, of.at("/cost"))
		one.Name = "list price, " + strings.ToLower(p[1])
		list = append(list, one)
	}
	if n := all.UnpricedTokens(); n > 0 {
		list = append(list, pages.Figure{Name: "tokens without a price", Text: kit.Amount(n), Value: fmt.Sprint(n), Class: "held"})
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

func (s *Site) costTable(v *view, f filter, list []*cell, all *cost.Sum, by costBy) pages.CostTable {
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
			t.Rows = append(t.Rows, pages.CostRow{Link: pages.Link{Text: fmt.Sprintf("%d more", len(found)-i)}, Cost: pages.Figure{Text: bill.Dollars(&rest.sum)}, Sessions: pages.Figure{}, Share: share(&rest.sum, &found[0].sum)})
			break
		}
		t.Rows = append(t.Rows, v.costRow(f, g, by, all, &found[0].sum, i))
	}
	t.All = pages.CostRow{Link: pages.Link{Text: "all"}, Sessions: count("sessions and sub-agents with answers", sessionsIn(list), f.with("kind", "all").at("/sessions")), Cost: money("list price", all, f.at("/cost"))}
	t.All.Input, t.All.Read, t.All.Written, t.All.Output = tokenWords(all)
	return t
}

func (v *view) costRow(f filter, g *group, by costBy, all, first *cost.Sum, i int) pages.CostRow {
	of := f.with(by.parameter, g.name)
	if by.parameter == "day" {
		of = of.with("period", "")
	}
	row := pages.CostRow{Link: pages.Link{Text: plain.Cut(plain.Line(by.word(g.name)), 60), Href: of.at("/cost")}, Share: share(&g.sum, first), Class: "c-shell", Note: unpriced(&g.sum),
		Sessions: count("sessions and sub-agents with answers", g.rows, of.with("kind", "all").at("/sessions")), Cost: money("list price", &g.sum, of.at("/cost"))}
	if by.parameter == "model" {
		row.Class = modelClass(i)
	}
	if all.Amount > 0 {
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
	return kit.Amount(t.Input), kit.Amount(t.CacheRead), kit.Amount(t.Write + t.Write5m + t.Write1h), kit.Amount(t.Output)
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

// modelClasses are the colours of models in a plot, the dearest first. The last is for all others.
var modelClasses = [...]string{"c-agent", "c-read", "c-web", "c-edit", "c-search", "c-other"}

func modelClass(i int) string { return modelClasses[min(i, len(modelClasses)-1)] }

// longestPlot is how many bars a plot has at most.
const longestPlot = 62

// costPlot draws the amounts by day, or by month where there are too many days, and by model.
func (v *view) costPlot(f filter, list []*cell, models []*group) *pages.Plot {
	days := groups(list, func(c *cell) string { return c.day })
	days = slices.DeleteFunc(days, func(g *group) bool { return g.name == "" })
	if len(days) < 2 {
		return nil
	}
	slices.SortFunc(days, func(a, b *group) int { return strings.Compare(a.name, b.name) })
	first, last := days[0].name, days[len(days)-1].name
	if from, to := v.span(f.period); from != "" {
		first, last = max(from, first[:8]+"01"), to
		if f.period != "month" {
			first = max(from, days[0].name)
		}
	}
	steps, key := daysBetween(first, last), func(c *cell) string { return c.day }
	label := "Per day, by model"
	if len(steps) > longestPlot {
		steps, key, label = monthsBetween(first, last), func(c *cell) string { return c.day[:min(7, len(c.day))] }, "Per month, by model"
	}
	if len(steps) > longestPlot {
		steps = steps[len(steps)-longestPlot:]
	}
	rank := map[string]int{}
	p := &pages.Plot{ID: "perday", Label: label}
	for i, m := range models {
		rank[m.name] = min(i, len(modelClasses)-1)
		if i < len(modelClasses)-1 {
			p.Legend = append(p.Legend, pages.Part{Class: modelClass(i), Name: plain.Cut(plain.Line(modelWord(m.name)), 40)})
		} else if i == len(modelClasses)-1 {
			p.Legend = append(p.Legend, pages.Part{Class: modelClass(i), Name: "other models"})
		}
	}
	at := make(map[string]int, len(steps))
	sums := make([][len(modelClasses)]summing, len(steps))
	for i, step := range steps {
		at[step] = i
	}
	for _, c := range list {
		if i, ok := at[key(c)]; ok {
			sums[i][rank[orDash(c.model)]].add(c)
		}
	}
	high := 0.0
	for i, step := range steps {
		bar := v.costBar(f, step, &sums[i], models)
		high = max(high, barValue(bar))
		p.Bars = append(p.Bars, bar)
	}
	high = niceTop(high)
	p.Marks = []string{dollarsMark(high), dollarsMark(high / 2), "$0"}
	p.Ends = ends(steps)
	return p.Lay(high)
}

func (v *view) costBar(f filter, step string, parts *[len(modelClasses)]summing, models []*group) pages.Bar {
	var all cost.Sum
	bar := pages.Bar{Href: f.with("period", "", "day", step).at("/cost")}
	if len(step) == len("2006-01") {
		bar.Href = ""
	}
	var said []string
	for i := range parts {
		part := parts[i].sum()
		if part.Responses == 0 {
			continue
		}
		all.Add(part)
		name := "other models"
		if i < len(modelClasses)-1 {
			name = plain.Line(modelWord(models[i].name))
		}
		said = append(said, name+" "+bill.Dollars(&part))
		bar.Parts = append(bar.Parts, pages.Part{Class: modelClass(i), Value: dollars(&part)})
	}
	bar.Says = stepWord(step) + ": nothing"
	if all.Responses > 0 {
		bar.Says = stepWord(step) + ": " + bill.Dollars(&all) + ", " + strings.Join(said, ", ")
	}
	return bar
}

func dollars(sum *cost.Sum) float64 { return float64(sum.Amount) / 1e12 }

func barValue(b pages.Bar) (sum float64) {
	for _, p := range b.Parts {
		sum += p.Value
	}
	return sum
}

func stepWord(step string) string {
	if t, err := time.Parse("2006-01", step); err == nil {
		return t.Format("January 2006")
	}
	return dayWord(step)
}

func daysBetween(first, last string) (list []string) {
	from, err := time.Parse(time.DateOnly, first)
	to, err2 := time.Parse(time.DateOnly, last)
	for ; err == nil && err2 == nil && !from.After(to) && len(list) <= 20*366; from = from.AddDate(0, 0, 1) {
		list = append(list, from.Format(time.DateOnly))
	}
	return list
}

func monthsBetween(first, last string) (list []string) {
	for _, d := range daysBetween(first, last) {
		if m := d[:7]; len(list) == 0 || list[len(list)-1] != m {
			list = append(list, m)
		}
	}
	return list
}

// niceTop is the top of an axis: 1, 2 or 5 times a power of ten, above x.
func niceTop(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, k := range [...]float64{1, 2, 3, 4, 6, 8, 10} {
		if k*power >= x {
			return k * power
		}
	}
	return 10 * power
}

func dollarsMark(x float64) string {
	switch {
	case x >= 10 || x == math.Trunc(x):
		return "$" + plain.Count(int64(math.Round(x)))
	case x >= 0.1:
		return fmt.Sprintf("$%.2f", x)
	}
	return fmt.Sprintf("$%.3g", x)
}

// ends are some steps along an axis.
func ends(steps []string) (list []string) {
	n := len(steps)
	for _, i := range slices.Compact([]int{0, n / 3, 2 * n / 3, n - 1}) {
		if i >= 0 && i < n {
			if t, err := time.Parse(time.DateOnly, steps[i]); err == nil {
				list = append(list, t.Format("2 Jan"))
			} else {
				list = append(list, stepWord(steps[i]))
			}
		}
	}
	return list
}

// presentNotes say how much of budgets and of plans' windows is used up. A budget counts what is not shown here, too.
func (s *Site) presentNotes(ctx context.Context) (budgets, limits []pages.Note) {
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return nil, nil // the page's other parts say so
	}
	defer arch.Close()
	state, err := spend.Now(ctx, s.caller("."), arch)
	if err != nil {
		return nil, []pages.Note{{Text: plain.Line("not known: " + kit.FailureOf(err).Msg)}}
	}
	for i := range state.Budgets {
		budgets = append(budgets, pages.Note{Text: plain.Line(state.Budgets[i].Says())})
	}
	for i := range state.Windows {
		limits = append(limits, pages.Note{Text: plain.Line(state.Windows[i].Says(s.zone))})
	}
	return budgets, limits
}

func (v *view) pricesNotes(all *cost.Sum) []pages.Note {
	list := []pages.Note{{Text: plain.Plural(int64(len(v.prices.Rows())), "row") + ", as known on " + string(v.prices.Made) + ". The list with its sources:", Commands: []string{"aburn prices"}}}
	if all.Uncertain {
		list = append(list, pages.Note{Text: "≈ marks an amount with a price that nobody saw at its vendor."})
	}
	if all.AtLeast {
		list = append(list, pages.Note{Text: "≥ marks an amount that may be higher: the life of a cache write is unknown, or writes are not counted."})
	}
	for i, m := range all.UnpricedModels() {
		if i == kit.MaxListed {
			break
		}
		list = append(list, pages.Note{Text: plain.Line(modelWord(m)) + ": " + kit.Amount(all.Unpriced[m]) + " tokens without a price"})
	}
	return list
}
