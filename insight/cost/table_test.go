package cost_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"aburn/insight/cost"
)

// byTable prices a response by the one row of the table that holds for it, as a database does.
func byTable(t *testing.T, p *cost.Prices, table []cost.Rates, r *cost.Response) (thousandths int64, unpriced int64, lower, uncertain bool) {
	t.Helper()
	model, long := p.Class(r)
	at := r.Time.Unix()
	var found *cost.Rates
	for i := range table {
		if x := &table[i]; x.Model == model && x.Tier == r.Tier && x.Geo == r.Geo && x.Long == long && x.From <= at && at < x.Until {
			if found != nil {
				t.Fatalf("two rows hold for %+v: %+v, %+v", r, found, x)
			}
			found = x
		}
	}
	if found == nil {
		return 0, r.Tokens.Total(), r.Tokens.Total() > 0, false
	}
	k := &r.Tokens
	for _, part := range []struct {
		rate *int64
		n    int64
	}{{found.Input, k.Input}, {found.CacheRead, k.CacheRead}, {found.Write5m, k.Write5m}, {found.Write1h, k.Write1h}, {found.Write, k.Write},
		{found.Output, k.Output}} {
		if part.rate == nil {
			unpriced += part.n
		} else {
			thousandths += *part.rate * part.n
		}
	}
	if found.Search != nil {
		thousandths += *found.Search * r.Searches
	}
	lower = unpriced > 0 || r.WritesUnknown && k.Input > 0 && found.Write != nil || k.Write > 0 && !found.WriteExact || r.Searches > 0 && found.Search == nil
	return thousandths, unpriced, lower, found.Uncertain || r.Searches > 0 && found.SearchUncertain
}

// TestTable: pricing by the rows of AllRates gives what Price gives.
func TestTable(t *testing.T) {
	p := cost.Shipped()
	own, err := cost.Read([]byte(`{"v": 1, "currency": "USD", "made": "2026-11-22", "rows": [
		{"models": ["claude-opus-5-5"], "from": "2026-10-03", "until": "2026-10-20", "per_mtok": {"input": 1, "output": 2}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p = p.With(own)
	table := p.AllRates()
	var models []string
	for _, row := range p.Rows() {
		models = append(models, row.Models...)
	}
	models = append(models, "claude-haiku-5-5-20251001", "nobody's")
	r := rand.New(rand.NewPCG(1, 2))
	priced, long := 0, 0
	for range 20_000 {
		n := func() int64 { return r.Int64N(3) * r.Int64N(150_000) }
		a := cost.Response{
			Time:  time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.Int64N(int64(250 * 24 * time.Hour)))),
			Model: models[r.IntN(len(models))], Tier: []cost.Tier{"", "", cost.Fast, cost.Batch, cost.Ultrafast, "flex"}[r.IntN(6)], Geo: cost.Geos[r.IntN(2)],
			Tokens: cost.Tokens{Input: n(), CacheRead: n(), Write5m: n(), Write1h: n(), Write: n(), Output: n()}, Searches: r.Int64N(2), WritesUnknown: r.IntN(2) == 0,
		}
		if r.IntN(9) == 0 { // the first second of a day, where prices change
			a.Time = a.Time.Truncate(24 * time.Hour)
		}
		want := p.Price(a)
		got, unpriced, lower, uncertain := byTable(t, p, table, &a)
		if got != int64(want.Amount)*1000 || unpriced != want.UnpricedTokens() || lower != want.Lower() || uncertain != want.Uncertain {
			t.Fatalf("%+v: %d, %d without a price, %v, %v; want %d, %d, %v, %v", a, got, unpriced, lower, uncertain, int64(want.Amount)*1000, want.UnpricedTokens(),
				want.Lower(), want.Uncertain)
		}
		if want.Amount > 0 {
			priced++
		}
		if _, is := p.Class(&a); is {
			long++
		}
	}
	if priced < 5000 || long < 500 {
		t.Errorf("only %d were priced, %d were long", priced, long)
	}
}
