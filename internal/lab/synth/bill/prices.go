// Package bill says what a generated home costs, calculated a second time: from the price file as it is, in fractions, and
// without any code of insight/cost or of what reads sessions. Tests compare `aburn cost` with it.
package bill

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"aburn/internal/lab/synth/home"
)

// Prices is a price file.
type Prices struct {
	Modifiers []modifier
	Rows      []*row
	numbers   map[json.Number]*big.Rat
}

type modifier struct {
	Vendor, When string
	Times        json.Number
	USDPer1000   json.Number `json:"usd_per_1000"`
	Uncertain    []string
}

type row struct {
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
	Seen      string
	Uncertain []string
}

// Read reads a price file.
func Read(text []byte) (*Prices, error) {
	p := &Prices{numbers: map[json.Number]*big.Rat{}}
	return p, json.Unmarshal(text, p)
}

// Cost is what one or many answers cost, in dollars.
type Cost struct {
	USD                *big.Rat
	Unpriced           map[string]int64 // tokens, by model
	AtLeast, Uncertain bool             // AtLeast for other reasons than Unpriced
}

func (c *Cost) unpriced(model string, n int64) {
	if n == 0 {
		return
	}
	if c.Unpriced == nil {
		c.Unpriced = map[string]int64{}
	}
	c.Unpriced[model] += n
}

// Of is what an answer costs.
func (p *Prices) Of(a *home.Answer) Cost {
	c := Cost{USD: new(big.Rat)}
	at := time.UnixMilli(a.Time).UTC().Format(time.DateOnly)
	r := p.row(a.Model, at)
	var factor *big.Rat
	if r != nil {
		factor = p.tier(r, a.Tier, at)
	}
	if factor == nil {
		c.unpriced(a.Model, a.Input+a.CacheRead+a.Write5m+a.Write1h+a.Write+a.Output)
		return c
	}
	c.Uncertain = r.Seen != "vendor" || len(r.Uncertain) > 0
	if place := p.modifier(r.Vendor, "inference_geo"); place != nil && a.Geo == "us" {
		factor = new(big.Rat).Mul(factor, p.number(place.Times))
		c.Uncertain = c.Uncertain || len(place.Uncertain) > 0
	}
	p.tokens(&c, r, a, factor)
	p.searches(&c, r, a)
	return c
}

func (p *Prices) tokens(c *Cost, r *row, a *home.Answer, factor *big.Rat) {
	rates := p.rates(r, a)
	kinds := map[string]int64{"input": a.Input, "cache_read": a.CacheRead, "cache_write_5m": a.Write5m, "cache_write_1h": a.Write1h, "output": a.Output}
	if rates["cache_write"] != nil {
		kinds["cache_write"] = a.Write
	} else if a.Write > 0 { // the cheaper one: the amount is a lower bound
		c.AtLeast = true
		kind := "cache_write_5m"
		if low := rates["cache_write_1h"]; low != nil && (rates[kind] == nil || low.Cmp(rates[kind]) < 0) {
			kind = "cache_write_1h"
		}
		kinds[kind] += a.Write
	}
	for kind, n := range kinds {
		if rates[kind] == nil {
			c.unpriced(a.Model, n)
			continue
		}
		part := new(big.Rat).Mul(rates[kind], factor)
		c.USD.Add(c.USD, part.Mul(part, big.NewRat(n, 1_000_000)))
	}
	billsWrites := rates["cache_write"] != nil || rates["cache_write_5m"] != nil || rates["cache_write_1h"] != nil
	c.AtLeast = c.AtLeast || a.HidesWrites && billsWrites && a.Input > 0
}

func (p *Prices) searches(c *Cost, r *row, a *home.Answer) {
	if a.Searches == 0 {
		return
	}
	m := p.modifier(r.Vendor, "web_search")
	if m == nil {
		c.AtLeast = true
		return
	}
	c.Uncertain = c.Uncertain || len(m.Uncertain) > 0
	c.USD.Add(c.USD, new(big.Rat).Mul(big.NewRat(a.Searches, 1000), p.number(m.USDPer1000)))
}

var behindID = regexp.MustCompile(`(-\d{8}|-\d{4}-\d{2}-\d{2}|\[[^\[]*\])$`)

// row is the row that holds for a model on a day.
func (p *Prices) row(model, day string) *row {
	for model != "" {
		known := false
		for _, r := range p.Rows {
			if slices.Contains(r.Models, model) {
				known = true
				if within(day, r.From, r.Until) {
					return r
				}
			}
		}
		shorter := behindID.ReplaceAllString(model, "")
		if known || shorter == model {
			break
		}
		model = shorter
	}
	return nil
}

func within(day, from, until string) bool { return day >= from && (until == "" || day < until) }

// tier is the factor of a tier on a day, or nil if it has no price.
func (p *Prices) tier(r *row, tier, day string) *big.Rat {
	var factor json.Number
	switch tier {
	case "":
		return big.NewRat(1, 1)
	case "fast":
		factor = r.Fast
	case "batch":
		factor = r.Batch
	case "ultrafast":
		for _, u := range r.Ultrafast {
			if within(day, u.From, u.Until) {
				factor = u.Times
			}
		}
	}
	if factor == "" {
		return nil
	}
	return p.number(factor)
}

// rates are those of a request, in dollars for a million tokens.
func (p *Prices) rates(r *row, a *home.Answer) map[string]*big.Rat {
	rates, long := map[string]*big.Rat{}, false
	if l := r.Long; l != nil {
		prompt := a.Input + a.CacheRead
		if strings.Contains(l.Counts, "cache_write") {
			prompt += a.Write5m + a.Write1h + a.Write
		}
		long = prompt > l.Above
	}
	from := r.PerMtok
	if long && r.Long.PerMtok != nil {
		from = r.Long.PerMtok
	}
	for kind, rate := range from {
		rates[kind] = p.number(rate)
		if long && r.Long.PerMtok == nil {
			rates[kind] = new(big.Rat).Mul(rates[kind], p.number(r.Long.Times[kind]))
		}
	}
	return rates
}

func (p *Prices) modifier(vendor, when string) *modifier {
	for i := range p.Modifiers {
		if m := &p.Modifiers[i]; m.Vendor == vendor && strings.Contains(m.When, when) {
			return m
		}
	}
	return nil
}

// number is a number of the file as a fraction.
func (p *Prices) number(n json.Number) *big.Rat {
	r := p.numbers[n]
	if r == nil {
		var ok bool
		if r, ok = new(big.Rat).SetString(n.String()); !ok {
			panic(fmt.Sprintf("the price file has no number where one belongs: %q", n))
		}
		p.numbers[n] = r
	}
	return r
}
