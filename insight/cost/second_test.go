package cost_test

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"aburn/insight/cost"
	"aburn/internal/lab/synth/bill"
	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/world"
)

// TestSecondCalculation prices drawn responses a second time: from the file as it is, in fractions, by code that shares
// nothing with the package.
func TestSecondCalculation(t *testing.T) {
	text, err := os.ReadFile("prices.json")
	if err != nil {
		t.Fatal(err)
	}
	second, err := bill.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	p, random := cost.Shipped(), rand.New(rand.NewPCG(3, 4))
	priced := 0
	for _, r := range drawn(random, world.Storm(50_000)) {
		sum := p.Price(r)
		c := second.Of(&home.Answer{Time: r.Time.UnixMilli(), Model: r.Model, Tier: string(r.Tier), Geo: r.Geo, Input: r.Tokens.Input, CacheRead: r.Tokens.CacheRead,
			Write5m: r.Tokens.Write5m, Write1h: r.Tokens.Write1h, Write: r.Tokens.Write, Output: r.Tokens.Output, Searches: r.Searches})
		want := c.USD
		if !maps.Equal(sum.Unpriced, c.Unpriced) || sum.AtLeast != c.AtLeast || sum.Uncertain != c.Uncertain {
			t.Fatalf("%+v: unpriced %v, at least %v, uncertain %v; want %+v", r, sum.Unpriced, sum.AtLeast, sum.Uncertain, c)
		}
		if len(sum.Unpriced) == 0 && sum.Amount > 0 {
			priced++
		}
		got, _ := new(big.Rat).SetString(sum.Amount.Decimal())
		// What is below 10⁻¹² dollar is cut off, at most once a kind.
		if d := new(big.Rat).Sub(want, got); d.Sign() < 0 || d.Cmp(big.NewRat(7, 1e12)) > 0 {
			t.Fatalf("%+v: %s, want %s", r, sum.Amount.Decimal(), want.FloatString(15))
		}
	}
	if priced < 100 {
		t.Errorf("only %d responses had a price", priced)
	}
}

func drawn(random *rand.Rand, n int) (list []cost.Response) {
	rows := cost.Shipped().Rows()
	upTo := func(n int64) int64 {
		if random.IntN(3) == 0 {
			return 0
		}
		return random.Int64N(n)
	}
	for range n {
		r := cost.Response{Model: "nobody's", Time: time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.Int64N(int64(700 * 24 * time.Hour))))}
		if row := rows[random.IntN(len(rows))]; random.IntN(20) > 0 {
			r.Model = row.Models[random.IntN(len(row.Models))]
			if start, err := time.Parse(time.DateOnly, string(row.From)); err == nil && random.IntN(2) > 0 {
				r.Time = start.Add(time.Duration(random.IntN(40*24)-24) * time.Hour)
			}
		}
		r.Tier = []cost.Tier{"", "", "", cost.Fast, cost.Batch, cost.Ultrafast}[random.IntN(6)]
		r.Geo = []string{"", "us", "eu"}[random.IntN(3)]
		r.Tokens = cost.Tokens{Input: upTo(300_000), CacheRead: upTo(300_000), Write5m: upTo(40_000), Write1h: upTo(40_000), Output: upTo(30_000)}
		if random.IntN(4) == 0 {
			r.Tokens.Write = upTo(10_000)
		}
		r.Searches = random.Int64N(4)
		list = append(list, r)
	}
	return list
}
