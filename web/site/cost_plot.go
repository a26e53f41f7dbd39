package site

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/site/snapshot"
)

// modelClasses are the colours of models in a plot, the dearest first. The last is for all others.
var modelClasses = [...]string{"c-agent", "c-read", "c-web", "c-edit", "c-search", "c-other"}

func modelClass(i int) string { return modelClasses[min(i, len(modelClasses)-1)] }

// longestPlot is how many bars a plot has at most.
const longestPlot = 62

// costPlot draws the amounts by day, or by month where there are too many days, and by model.
func costPlot(v *snapshot.View, f snapshot.Filter, list []*snapshot.Cell, models []*group) *pages.Plot {
	days := groups(list, func(c *snapshot.Cell) string { return c.Day })
	days = slices.DeleteFunc(days, func(g *group) bool { return g.name == "" })
	if len(days) < 2 {
		return nil
	}
	slices.SortFunc(days, func(a, b *group) int { return strings.Compare(a.name, b.name) })
	first, last := days[0].name, days[len(days)-1].name
	if from, to := v.Span(f.Period); from != "" {
		first, last = max(from, first[:8]+"01"), to
		if f.Period != "month" {
			first = max(from, days[0].name)
		}
	}
	steps, key := daysBetween(first, last), func(c *snapshot.Cell) string { return c.Day }
	label := "Per day, by model"
	if len(steps) > longestPlot {
		steps, key, label = monthsBetween(first, last), func(c *snapshot.Cell) string { return c.Day[:min(7, len(c.Day))] }, "Per month, by model"
	}
	if len(steps) > longestPlot {
		steps = steps[len(steps)-longestPlot:]
	}
	if v.Currency != bill.Dollars {
		label = v.Currency.Code + " " + strings.ToLower(label[:1]) + label[1:]
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
	sums := make([][len(modelClasses)]snapshot.Summing, len(steps))
	for i, step := range steps {
		at[step] = i
	}
	for _, c := range list {
		if i, ok := at[key(c)]; ok {
			sums[i][rank[snapshot.OrDash(c.Model)]].Add(c)
		}
	}
	high := 0.0
	for i, step := range steps {
		bar := costBar(v, f, step, &sums[i], models)
		high = max(high, barValue(bar))
		p.Bars = append(p.Bars, bar)
	}
	high = niceTop(high)
	p.Marks = []string{axisMark(v.Currency, high), axisMark(v.Currency, high/2), axisMark(v.Currency, 0)}
	p.Ends = ends(steps)
	return p.Lay(high)
}

func costBar(v *snapshot.View, f snapshot.Filter, step string, parts *[len(modelClasses)]snapshot.Summing, models []*group) pages.Bar {
	var all cost.Sum
	bar := pages.Bar{Href: f.With("period", "", "day", step).Address("/cost")}
	if len(step) == len("2006-01") {
		bar.Href = ""
	}
	var said []string
	for i := range parts {
		part := parts[i].Sum()
		if part.Responses == 0 {
			continue
		}
		all.Add(part)
		name := "other models"
		if i < len(modelClasses)-1 {
			name = plain.Line(modelWord(models[i].name))
		}
		said = append(said, name+" "+v.Currency.Says(&part))
		bar.Parts = append(bar.Parts, pages.Part{Class: modelClass(i), Value: v.Currency.Float(part.Amount)})
	}
	bar.Says = stepWord(step) + ": nothing"
	if all.Responses > 0 {
		bar.Says = stepWord(step) + ": " + v.Currency.Says(&all) + ", " + strings.Join(said, ", ")
	}
	return bar
}

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

// axisMark is an amount on the axis. A code would not fit there: the label has it.
func axisMark(in *bill.Currency, x float64) string {
	unit := ""
	if in == bill.Dollars {
		unit = "$"
	}
	switch {
	case x >= 10 || x == math.Trunc(x):
		return unit + plain.Count(int64(math.Round(x)))
	case x >= 0.1:
		return fmt.Sprintf("%s%.2f", unit, x)
	}
	return fmt.Sprintf("%s%.3g", unit, x)
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
