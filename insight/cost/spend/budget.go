package spend

import (
	"path/filepath"
	"strconv"

	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/settings"
)

// limit is a budget of a person's settings.
type limit struct {
	by      cost.By
	project string // its name or path; "" for all
	cents   int64
}

// budgetsOf lists the budgets, those of all projects first.
func budgetsOf(set *settings.Cost) (list []limit) {
	add := func(project string, b settings.Budget) {
		for _, l := range []limit{{cost.ByDay, project, b.Day}, {cost.ByWeek, project, b.Week}, {cost.ByMonth, project, b.Month}} {
			if l.cents > 0 {
				list = append(list, l)
			}
		}
	}
	add("", set.Budget)
	for _, p := range set.Projects {
		add(p.Project, p.Budget)
	}
	return list
}

// Budget is how much of a budget is used up.
type Budget struct {
	By      cost.By // day, week or month
	Name    string  // of the period: 2026-11-22, 2026-W47, 2026-11
	Project string  // as the settings name it; "" for all
	Cents   int64   // what the period may cost
	cost.Sum
}

// Percent is how much of the budget is used up, rounded down. It is a lower bound where the amount is one.
func (b *Budget) Percent() int64 {
	const cent = 10_000_000_000 // cost.Amount per cent
	return int64(b.Amount) / (b.Cents * cent / 100)
}

// Says is the budget in words: "$16.20 of $20 for today (81 %)".
func (b *Budget) Says() string {
	text := bill.Dollars.Says(&b.Sum) + " of " + b.Limit() + " for " + b.Period()
	if b.Project != "" {
		text += " in " + filepath.Base(b.Project)
	}
	return text + " (" + strconv.FormatInt(b.Percent(), 10) + " %)"
}

// Period is the period as a person calls it now.
func (b *Budget) Period() string {
	if b.By == cost.ByDay {
		return "today"
	}
	return "this " + string(b.By)
}

// Limit is what the period may cost.
func (b *Budget) Limit() string {
	if b.Cents%100 == 0 {
		return "$" + strconv.FormatInt(b.Cents/100, 10)
	}
	return "$" + strconv.FormatInt(b.Cents/100, 10) + "." + strconv.FormatInt(100+b.Cents%100, 10)[1:]
}

// used says how much of each budget is used up.
func (now *Current) used(limits []limit) (list []Budget) {
	for _, l := range limits {
		p := map[cost.By]*Period{cost.ByDay: &now.Day, cost.ByWeek: &now.Week, cost.ByMonth: &now.Month}[l.by]
		b := Budget{By: l.by, Name: p.Name, Project: l.project, Cents: l.cents}
		if l.project == "" {
			b.Sum.Add(p.Sum)
		} else {
			for key, sum := range p.Projects {
				if key == l.project || filepath.Base(key) == l.project {
					b.Sum.Add(*sum)
				}
			}
		}
		list = append(list, b)
	}
	return list
}
