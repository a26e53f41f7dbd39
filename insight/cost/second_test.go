package cost_test

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"aburn/insight/cost"
	"aburn/internal/lab/world"
)

// TestSecondCalculation prices drawn responses a second time: from the file as it is, in fractions, by code that shares
// nothing with the package.
func TestSecondCalculation(t *testing.T) {
	text, err := os.ReadFile("prices.json")
	if err != nil {
		t.Fatal(err)
	}
	var second secondTable
	if err := json.Unmarshal(text, &second); err != nil {
		t.Fatal(err)
	}
	p, random := cost.Shipped(), rand.New(rand.NewPCG(3, 4))
	priced := 0
	for _, r := range drawn(random, world.Storm(50_000)) {
		sum := p.Price(r)
		want := second.price(r)
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

type secondTable struct {
	Modifiers []struct {
		Vendor, When string
		Times        json.Number
		USDPer1000   json.Number `json:"usd_per_1000"`
	}
	Rows []struct {
		Vendor, From, Until string
		Models              []string
		PerMtok             map[string]json.Number `json:"per_mtok"`
		Fast, Batch         json.Number
		Ultrafast           []struct {
			Times       json.Number
			From, Until string
		}
		Long *struct {
			Above   int64
			Counts  string
			PerMtok map[string]json.Number `json:"per_mtok"`
			Times   map[string]json.Number
		}
	}
}

func rat(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		panic(n)
	}
	return r
}

// price is the priced part of a response, in dollars.
func (s *secondTable) price(r cost.Response) *big.Rat {
	total, day := new(big.Rat), r.Time.UTC().Format(time.DateOnly)
	within := func(from, until string) bool { return day >= from && (until == "" || day < until) }
	for _, row := range s.Rows {
		if !strings.Contains(" "+strings.Join(row.Models, " ")+" ", " "+r.Model+" ") || !within(row.From, row.Until) {
			continue
		}
		factor := big.NewRat(1, 1)
		switch r.Tier {
		case cost.Fast:
			if row.Fast == "" {
				return total
			}
			factor = rat(row.Fast)
		case cost.Batch:
			factor = rat(row.Batch)
		case cost.Ultrafast:
			factor = nil
			for _, u := range row.Ultrafast {
				if within(u.From, u.Until) {
					factor = rat(u.Times)
				}
			}
			if factor == nil {
				return total
			}
		}
		for _, m := range s.Modifiers {
			if m.Vendor == row.Vendor && strings.Contains(m.When, "inference_geo") && r.Geo == "us" {
				factor = new(big.Rat).Mul(factor, rat(m.Times))
			}
			if m.Vendor == row.Vendor && strings.Contains(m.When, "web_search") {
				total.Add(total, new(big.Rat).Mul(big.NewRat(r.Searches, 1000), rat(m.USDPer1000)))
			}
		}
		t := r.Tokens
		kinds := map[string]int64{"input": t.Input, "cache_read": t.CacheRead, "cache_write_5m": t.Write5m, "cache_write_1h": t.Write1h, "output": t.Output}
		if _, single := row.PerMtok["cache_write"]; single {
			kinds["cache_write"] = t.Write
		} else {
			kinds["cache_write_5m"] += t.Write // the cheaper one: the amount is a lower bound
		}
		isLong := false
		if l := row.Long; l != nil {
			prompt := t.Input + t.CacheRead
			if strings.Contains(l.Counts, "cache_write") {
				prompt += t.Write5m + t.Write1h + t.Write
			}
			isLong = prompt > l.Above
		}
		for kind, n := range kinds {
			rate, ok := row.PerMtok[kind]
			if !ok {
				continue
			}
			one := rat(rate)
			if isLong && row.Long.PerMtok != nil {
				one = rat(row.Long.PerMtok[kind])
			} else if isLong {
				one = new(big.Rat).Mul(one, rat(row.Long.Times[kind]))
			}
			one.Mul(one, factor)
			total.Add(total, one.Mul(one, big.NewRat(n, 1_000_000)))
		}
	}
	return total
}
