package cost

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Rates are what one kind of request costs per token, for readers that price sums of many responses: a database's view.
// From is the first second (since 1970, UTC) on which they hold, Until the first on which they no longer do.
type Rates struct {
	Model       string // as a row names it, without a date or suffix
	Tier        Tier
	Geo         string
	Long        bool
	From, Until int64
	// A nil rate has no price. It is in 10⁻¹⁵ of a dollar per token, so that every factor keeps it whole.
	Input, CacheRead, Write5m, Write1h, Write, Output *int64
	// Search is of one web search, in the same unit; nil has no price.
	Search *int64
	// WriteExact says that Write is the model's price for a cache with one time. Else it is the lowest that is known.
	WriteExact bool
	// Uncertain and SearchUncertain say that somebody doubts the rates, or that of a search.
	Uncertain, SearchUncertain bool
}

// Geos are the places that change a price.
var Geos = []string{"", "us"}

// Class is what the rates of a response depend on beside its time, tier and place: the model as the table names it, empty
// if it does not, and whether its prompt counts as long.
func (p *Prices) Class(r *Response) (model string, long bool) {
	model = r.Model
	if _, ok := p.byModel[model]; !ok {
		if model = baseModel(model); len(p.byModel[model]) == 0 {
			return "", false
		}
	}
	row := rowAt(p.byModel[model], r.Time)
	return model, row != nil && row.long != nil && row.rates(&r.Tokens) != &row.base
}

// AllRates lists the rates of every model, tier and place, each second in at most one of them.
func (p *Prices) AllRates() (list []Rates) {
	for _, model := range slices.Sorted(maps.Keys(p.byModel)) {
		rows := p.byModel[model]
		marks := turns(rows)
		for i := range len(marks) - 1 {
			at := time.Unix(max(marks[i], 0), 0)
			row := rowAt(rows, at)
			if row == nil {
				continue
			}
			for _, r := range p.ratesOf(row, at) {
				r.Model, r.From, r.Until = model, marks[i], marks[i+1]
				list = append(list, r)
			}
		}
	}
	return list
}

// turns are the seconds at which a price of the rows begins or ends, in order.
func turns(rows []*Row) []int64 {
	marks := []int64{math.MinInt64, math.MaxInt64}
	for _, r := range rows {
		marks = append(marks, r.days.from, r.days.until)
		for _, spans := range r.tiers {
			for _, s := range spans {
				marks = append(marks, s.from, s.until)
			}
		}
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

// ratesOf lists the rates of a row at a time, without their model and days.
func (p *Prices) ratesOf(row *Row, at time.Time) (list []Rates) {
	for _, tier := range []Tier{Standard, Fast, Batch, Ultrafast} {
		for _, geo := range Geos {
			f, ok := row.factor(&Response{Time: at, Tier: tier, Geo: geo}, p)
			if !ok {
				continue
			}
			base := p.ratesBy(&row.base, row, f)
			above := base
			if row.long != nil {
				above = p.ratesBy(&row.long.rates, row, f)
			}
			above.Long = true
			for _, r := range []Rates{base, above} {
				r.Tier, r.Geo = tier, geo
				list = append(list, r)
			}
		}
	}
	return list
}

func (p *Prices) ratesBy(by *rates, row *Row, f factor) Rates {
	rate := func(kinds ...rateKind) *int64 {
		if low, ok := by.lowest(kinds...); ok {
			return new(int64(low) * f.times)
		}
		return nil
	}
	r := Rates{Input: rate(input), CacheRead: rate(cacheRead), Write5m: rate(write5m), Write1h: rate(write1h), Output: rate(output),
		WriteExact: by.known[write], Uncertain: row.doubtful() || f.uncertain}
	if r.Write = rate(write); !r.WriteExact {
		r.Write = rate(write5m, write1h)
	}
	if m := p.modifier(row.Vendor, webSearches); m != nil {
		r.Search, r.SearchUncertain = new(int64(m.search)*oneTime), len(m.Uncertain) > 0
	}
	return r
}
