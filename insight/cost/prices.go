package cost

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Prices is a table of dated prices.
type Prices struct {
	// Made is the day on which the table was put together.
	Made Day
	// Read says when and how the sources were read.
	Read      string
	Sources   map[string]Source
	NotPriced []string

	rows      []*Row
	modifiers []*Modifier
	byModel   map[string][]*Row
}

// Source is where a price was seen.
type Source struct {
	Who  string `json:"who"`
	URL  string `json:"url"`
	Kind string `json:"kind"` // vendor, tracker, reseller, article, memory
	Via  string `json:"via,omitempty"`
}

// Row holds the prices of models from one day to another. A response is priced by the row that held when it was made.
type Row struct {
	// Name is unique in a table: the first model and the first day.
	Name      string
	Vendor    string
	Models    []string
	From      Day
	Until     Day // the first day on which it no longer holds; zero while it does
	Sources   []string
	Seen      string
	Uncertain []string
	Note      string
	// Own says that the user's own file holds it.
	Own bool

	base  rates
	long  *long
	tiers map[Tier][]span
}

// Day is a day in UTC, as "2026-11-22"; empty is no day.
type Day string

func (d Day) start() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d))
	return t
}

// holds reports whether a time is within days; an empty day is no limit.
func holds(from, until Day, t time.Time) bool {
	return (from == "" || !t.Before(from.start())) && (until == "" || t.Before(until.start()))
}

// rateKind is a kind of tokens that has a rate of its own.
type rateKind string

const (
	input     rateKind = "input"
	cacheRead rateKind = "cache_read"
	write     rateKind = "cache_write"
	write5m   rateKind = "cache_write_5m"
	write1h   rateKind = "cache_write_1h"
	write12h  rateKind = "cache_write_12h" // no source states it yet
	output    rateKind = "output"
)

var rateKinds = []rateKind{input, cacheRead, write, write5m, write1h, write12h, output}

// rates are amounts per token. A kind that is missing is unknown, not free.
type rates map[rateKind]Amount

func (r rates) lowest(kinds ...rateKind) (low Amount, ok bool) {
	for _, k := range kinds {
		if rate, known := r[k]; known && (!ok || rate < low) {
			low, ok = rate, true
		}
	}
	return low, ok
}

// long holds the rates of a whole request whose prompt is longer than a number of tokens.
type long struct {
	above  int64
	writes bool // whether tokens written to a cache count as prompt
	rates  rates
}

// span is a factor in thousandths that holds from one day to another.
type span struct {
	from, until Day
	times       int64
}

// Modifier changes the price of a vendor's requests by something else than their tokens.
type Modifier struct {
	Vendor    string
	When      string
	Sources   []string
	Uncertain []string

	times  int64  // a factor in thousandths, of inferenceGeo
	search Amount // of one search, of webSearches
}

// What a modifier can depend on. They are the members of Claude Code's records.
const (
	inferenceGeo = "usage.inference_geo is us"
	webSearches  = "server_tool_use.web_search_requests"
)

// Rows lists the rows, newest first within a vendor.
func (p *Prices) Rows() []*Row {
	rows := slices.Clone(p.rows)
	slices.SortStableFunc(rows, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(a.Vendor, b.Vendor), -cmp.Compare(a.From, b.From), cmp.Compare(a.Name, b.Name))
	})
	return rows
}

// Modifiers lists what else changes a price.
func (p *Prices) Modifiers() []*Modifier { return p.modifiers }

// With is a table in which the rows of own win: where one of them holds, the row of p does not count.
func (p *Prices) With(own *Prices) *Prices {
	all := &Prices{Made: p.Made, Read: p.Read, Sources: map[string]Source{}, NotPriced: p.NotPriced}
	for _, from := range []*Prices{p, own} {
		for id, s := range from.Sources {
			all.Sources[id] = s
		}
	}
	for _, r := range own.rows {
		mine := *r
		mine.Own = true
		all.rows = append(all.rows, &mine)
	}
	all.rows = append(all.rows, p.rows...)
	all.modifiers = append(slices.Clone(own.modifiers), p.modifiers...)
	all.index()
	return all
}

func (p *Prices) index() {
	p.byModel = map[string][]*Row{}
	for _, r := range p.rows {
		for _, m := range r.Models {
			p.byModel[m] = append(p.byModel[m], r)
		}
	}
}

// at is the row of a model that held at a time, or nil. A response without a time has no price: prices change.
func (p *Prices) at(model string, t time.Time) *Row {
	if t.IsZero() {
		return nil
	}
	for _, r := range p.byModel[baseModel(model)] {
		if holds(r.From, r.Until, t) {
			return r
		}
	}
	return nil
}

// baseModel is a model's id without a date behind it (-20260922, -2026-09-22) and without a suffix in brackets ([1m]).
func baseModel(id string) string {
	if i := strings.LastIndexByte(id, '['); i > 0 && strings.HasSuffix(id, "]") {
		id = id[:i]
	}
	for _, layout := range []string{"-20060102", "-2006-01-02"} {
		if i := len(id) - len(layout); i > 0 {
			if _, err := time.Parse(layout, id[i:]); err == nil {
				return id[:i]
			}
		}
	}
	return id
}

func (p *Prices) modifier(vendor, when string) *Modifier {
	for _, m := range p.modifiers {
		if m.Vendor == vendor && m.When == when {
			return m
		}
	}
	return nil
}

// rates are those of a request with these tokens.
func (row *Row) rates(t *Tokens) rates {
	if row.long == nil {
		return row.base
	}
	prompt := t.Input + t.CacheRead
	if row.long.writes {
		prompt = t.Prompt()
	}
	if prompt <= row.long.above {
		return row.base
	}
	return row.long.rates
}

// tier is the factor of a tier at a time.
func (row *Row) tier(tier Tier, t time.Time) (times int64, ok bool) {
	for _, s := range row.tiers[tier] {
		if holds(s.from, s.until, t) {
			return s.times, true
		}
	}
	return 0, false
}

// doubtful reports whether nobody saw the row at its vendor, or something in it is doubted.
func (row *Row) doubtful() bool {
	return !row.Own && (len(row.Uncertain) > 0 || row.Seen != seenAtVendor)
}

const seenAtVendor = "vendor"

// Doubt says why a row is not certain, in one line; empty if it is.
func (row *Row) Doubt() string {
	if !row.doubtful() {
		return ""
	}
	doubts := row.Uncertain
	if row.Seen != seenAtVendor {
		doubts = append([]string{fmt.Sprintf("seen at: %s", cmp.Or(row.Seen, "nobody"))}, doubts...)
	}
	return strings.Join(doubts, "; ")
}

// Rate is one price of a row, for people: dollars per million tokens.
type Rate struct {
	Kind    string
	Dollars string
	// Above is the length of the prompt from which on it holds; 0 for the base rate.
	Above int64
}

// Rates lists a row's prices.
func (row *Row) Rates() (list []Rate) {
	add := func(r rates, above int64) {
		for _, k := range rateKinds {
			if rate, ok := r[k]; ok {
				list = append(list, Rate{Kind: string(k), Dollars: (rate * perMillion).Decimal(), Above: above})
			}
		}
	}
	add(row.base, 0)
	if row.long != nil {
		add(row.long.rates, row.long.above)
	}
	return list
}
