package snapshot

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

// Cell is what the answers of one session on one day, of one model on one branch, cost.
type Cell struct {
	Row           *Row
	Day           string // of the zone; "" is unknown
	Model, Branch string
	sum           cost.Sum // without Unpriced: a map for each cell takes megabytes, and adding maps most of a page's time
	unpriced      int64    // tokens of model without a price
}

// Summing adds cells up. The cells of a session stand together, so the model is mostly that of the cell before.
type Summing struct {
	all      cost.Sum
	model    string
	unpriced int64 // of model, and not in all yet
}

func (s *Summing) Add(c *Cell) {
	s.all.Add(c.sum)
	if c.unpriced == 0 {
		return
	}
	if c.Model != s.model {
		s.Sum()
		s.model = c.Model
	}
	s.unpriced += c.unpriced
}

// Sum is what the cells so far cost.
func (s *Summing) Sum() cost.Sum {
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
func (v *View) price(ctx context.Context, arch *archive.Archive, zone *time.Location) error {
	days := dayNamer{zone: zone}
	err := arch.EachAnswers(ctx, func(key int64) bool { return v.ByKey[key] != nil }, func(key int64, list []archive.Answer) error {
		v.addAnswers(v.ByKey[key], list, &days)
		return nil
	})
	for _, r := range v.Rows {
		if len(r.Subagents) == 0 {
			continue
		}
		r.FamilyCost = new(cost.Sum)
		r.FamilyCost.Add(r.Cost)
		for _, sub := range r.Subagents {
			r.FamilyCost.Add(sub.Cost)
		}
	}
	return err
}

func (v *View) addAnswers(r *Row, list []archive.Answer, days *dayNamer) {
	hides := bill.HidesCacheWrites(r.Source, list)
	first := len(v.Cells)
	for i := range list {
		a := &list[i]
		day := days.of(a.Time)
		at := slices.IndexFunc(v.Cells[first:], func(c Cell) bool { return c.Day == day && c.Model == a.Model && c.Branch == a.Branch })
		if at < 0 {
			at = len(v.Cells) - first
			v.Cells = append(v.Cells, Cell{Row: r, Day: day, Model: detached(a.Model), Branch: detached(a.Branch)})
			if !slices.Contains(r.days, day) {
				r.days = append(r.days, day)
			}
		}
		one := v.Prices.Price(bill.ResponseOf(a, hides))
		v.Cells[first+at].unpriced += one.UnpricedTokens()
		one.Rows, one.Unpriced = nil, nil // no page asks which prices were used
		v.Cells[first+at].sum.Add(one)
	}
	own := Summing{all: r.Cost}
	for i := first; i < len(v.Cells); i++ {
		own.Add(&v.Cells[i])
	}
	r.Cost = own.Sum()
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

// Total is what cells cost.
func Total(list []*Cell) cost.Sum {
	var sum Summing
	for _, c := range list {
		sum.Add(c)
	}
	return sum.Sum()
}

// Unpriced says how many tokens of a sum have no price, "" for none.
func Unpriced(sum *cost.Sum) string {
	if n := sum.UnpricedTokens(); n > 0 && sum.Amount > 0 {
		return "+ " + units.Amount(n) + " tokens, no price"
	}
	return ""
}
