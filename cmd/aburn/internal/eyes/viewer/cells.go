package viewer

import (
	"context"
	"slices"
	"time"
	"unique"

	"aburn/archive"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/units"
)

// cell is what the answers of one session on one day, of one model on one branch, cost.
type cell struct {
	row           *row
	day           string // of the zone; "" is unknown
	model, branch string
	sum           cost.Sum // without Unpriced: a map for each cell takes megabytes, and adding maps most of a page's time
	unpriced      int64    // tokens of model without a price
}

// summing adds cells up. The cells of a session stand together, so the model is mostly that of the cell before.
type summing struct {
	all      cost.Sum
	model    string
	unpriced int64 // of model, and not in all yet
}

func (s *summing) add(c *cell) {
	s.all.Add(c.sum)
	if c.unpriced == 0 {
		return
	}
	if c.model != s.model {
		s.sum()
		s.model = c.model
	}
	s.unpriced += c.unpriced
}

// sum is what the cells so far cost.
func (s *summing) sum() cost.Sum {
	if s.unpriced > 0 {
		if s.all.Unpriced == nil {
			s.all.Unpriced = map[string]int64{}
		}
		s.all.Unpriced[s.model] += s.unpriced
		s.unpriced = 0
	}
	return s.all
}

// price prices every answer once, into cells.
func (v *view) price(ctx context.Context, arch *archive.Archive, zone *time.Location) error {
	days := dayNamer{zone: zone}
	err := arch.EachAnswers(ctx, func(key int64) bool { return v.byKey[key] != nil }, func(key int64, list []archive.Answer) error {
		v.addAnswers(v.byKey[key], list, &days)
		return nil
	})
	for _, r := range v.rows {
		if len(r.subagents) == 0 {
			continue
		}
		r.familyCost = new(cost.Sum)
		r.familyCost.Add(r.cost)
		for _, sub := range r.subagents {
			r.familyCost.Add(sub.cost)
		}
	}
	return err
}

func (v *view) addAnswers(r *row, list []archive.Answer, days *dayNamer) {
	hides := bill.HidesCacheWrites(r.Source, list)
	first := len(v.cells)
	for i := range list {
		a := &list[i]
		day := days.of(a.Time)
		at := slices.IndexFunc(v.cells[first:], func(c cell) bool { return c.day == day && c.model == a.Model && c.branch == a.Branch })
		if at < 0 {
			at = len(v.cells) - first
			v.cells = append(v.cells, cell{row: r, day: day, model: detached(a.Model), branch: detached(a.Branch)})
			if !slices.Contains(r.days, day) {
				r.days = append(r.days, day)
			}
		}
		one := v.prices.Price(bill.ResponseOf(a, hides))
		v.cells[first+at].unpriced += one.UnpricedTokens()
		one.Rows, one.Unpriced = nil, nil // no page asks which prices were used
		v.cells[first+at].sum.Add(one)
	}
	own := summing{all: r.cost}
	for i := first; i < len(v.cells); i++ {
		own.add(&v.cells[i])
	}
	r.cost = own.sum()
}

// detached is a text without the memory that it is a part of: an answer's texts share that of all answers of their session.
func detached(text string) string { return unique.Make(text).Value() }

// dayNamer names days of a zone. Answers of a session are near each other, so it keeps the last day.
type dayNamer struct {
	zone *time.Location
	last cost.Group
}

func (d *dayNamer) of(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Before(d.last.From) || !t.Before(d.last.Until):
		d.last = cost.Period(cost.ByDay, t.In(d.zone))
	}
	return d.last.Name
}

// total is what cells cost.
func total(list []*cell) cost.Sum {
	var sum summing
	for _, c := range list {
		sum.add(c)
	}
	return sum.sum()
}

// unpriced says how many tokens of a sum have no price, "" for none.
func unpriced(sum *cost.Sum) string {
	if n := sum.UnpricedTokens(); n > 0 && sum.Amount > 0 {
		return "+ " + units.Amount(n) + " tokens, no price"
	}
	return ""
}
