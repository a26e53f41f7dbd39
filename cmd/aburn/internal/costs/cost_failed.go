package costs

import (
	"context"
	"maps"
	"slices"

	"aburn/archive/lookup"
	"aburn/insight/cost"
)

// FailedToday is what answers of today cost whose sessions failed. A sub-agent's answers belong to the session at its
// head: whether that failed counts.
type FailedToday struct {
	Sessions int
	cost.Sum
}

// today collects the answers of today by session, so that only these need a verdict.
type today struct {
	day    cost.Group
	prices *cost.Prices
	costs  map[int64]*todaysSession // nil if nobody asks
}

type todaysSession struct {
	root string
	sum  cost.Sum
}

func newToday(a *CostAnswer) *today {
	if a.By != cost.ByDay {
		return &today{}
	}
	return &today{day: cost.Period(cost.ByDay, a.Now), prices: a.Prices, costs: map[int64]*todaysSession{}}
}

func (t *today) add(key int64, u *cost.Use) {
	if t.costs == nil || outside(u.Time, t.day.From, t.day.Until) {
		return
	}
	s := t.costs[key]
	if s == nil {
		s = &todaysSession{root: u.Root}
		t.costs[key] = s
	}
	s.sum.Add(t.prices.Price(u.Response))
}

// heads are the keys of the sessions at the heads of today's, by name; 0 for one that is not among the units. Most have
// answers of today themselves, so that few calls go through all units.
func (t *today) heads(units map[int64]*unit) map[string]int64 {
	heads, missing := map[string]int64{}, false
	for key := range t.costs {
		heads[units[key].session] = key
	}
	for _, s := range t.costs {
		if heads[s.root] == 0 {
			heads[s.root], missing = 0, true
		}
	}
	if !missing {
		return heads
	}
	for key, u := range units {
		if at, ok := heads[u.session]; ok && at == 0 {
			heads[u.session] = key
		}
	}
	return heads
}

// failed judges the sessions of today. A session whose head is not among the units is judged itself.
func (t *today) failed(ctx context.Context, c *lookup.Caller, units map[int64]*unit) (f FailedToday, err error) {
	if len(t.costs) == 0 {
		return f, nil
	}
	heads := t.heads(units)
	sums := map[int64]*cost.Sum{}
	for key, s := range t.costs {
		if head := heads[s.root]; head != 0 {
			key = head
		}
		if sums[key] == nil {
			sums[key] = &cost.Sum{}
		}
		sums[key].Add(s.sum)
	}
	verdicts, err := c.Verdicts(ctx, slices.Sorted(maps.Keys(sums)))
	for key, sum := range sums {
		if verdicts[key].Failing() {
			f.Sessions++
			f.Sum.Add(*sum)
		}
	}
	return f, err
}
