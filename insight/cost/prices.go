package cost

import (
	"cmp"
	"fmt"
	"math"
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

	days  span
	base  rates
	long  *long
	tiers map[Tier][]factorSpan
}

// Day is a day in UTC, as "2026-11-22"; empty is no day.
type Day string

// Words is the day as people write it: 22 Nov 2026.
func (d Day) Words() string {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return string(d)
	}
	return t.Format("2 Jan 2006")
}

// span is from the start of one day to the start of another, in seconds since 1970.
type span struct{ from, until int64 }

// spanOf is the span from one day to another; an empty day is no limit.
func spanOf(from, until Day) (s span, err error) {
	s = span{math.MinInt64, math.MaxInt64}
	for _, end := range []struct {
		day Day
		at  *int64
	}{{from, &s.from}, {until, &s.until}} {
		if end.day == "" {
			continue
		}
		t, err := time.Parse(time.DateOnly, string(end.day))
		if err != nil {
			return s, fmt.Errorf("%q is no day", end.day)
		}
		*end.at = t.Unix()
	}
	if s.until <= s.from {
		return s, fmt.Errorf("%s is not after %s", until, from)
	}
	return s, nil
}

func (s span) holds(t time.Time) bool {
	at := t.Unix()
	return s.from <= at && at < s.until
}

func (s span) overlaps(o span) bool { return s.from < o.until && o.from < s.until }

// rateKind is a kind of tokens that has a rate of its own.
type rateKind int

const (
	input rateKind = iota
	cacheRead
	write
	write5m
	write1h
	write12h // no source states it yet
	output
	numKinds
)

// kindNames are the kinds in price files.
var kindNames = [numKinds]string{"input", "cache_read", "cache_write", "cache_write_5m", "cache_write_1h", "cache_write_12h", "output"}

// rates are amounts per token. A kind that is not known has no price; it is not free.
type rates struct {
	amount [numKinds]Amount
	known  [numKinds]bool
}

func (r *rates) set(k rateKind, a Amount) { r.amount[k], r.known[k] = a, true }

func (r *rates) lowest(kinds ...rateKind) (low Amount, ok bool) {
	for _, k := range kinds {
		if r.known[k] && (!ok || r.amount[k] < low) {
			low, ok = r.amount[k], true
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

// factorSpan is a factor in thousandths that holds for some days.
type factorSpan struct {
	span
	times int64
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

// Knows reports whether the table has a row for a model, on whatever day.
func (p *Prices) Knows(model string) bool { return len(p.rowsOf(model)) > 0 }

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
	return rowAt(p.rowsOf(model), t)
}

func rowAt(rows []*Row, t time.Time) *Row {
	if t.IsZero() {
		return nil
	}
	for _, r := range rows {
		if r.days.holds(t) {
			return r
		}
	}
	return nil
}

// rowsOf are the rows of a model, or of the model without a date or suffix.
func (p *Prices) rowsOf(model string) []*Row {
	if rows, ok := p.byModel[model]; ok {
		return rows
	}
	return p.byModel[baseModel(model)]
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
func (row *Row) rates(t *Tokens) *rates {
	if row.long == nil {
		return &row.base
	}
	prompt := t.Input + t.CacheRead
	if row.long.writes {
		prompt = t.Prompt()
	}
	if prompt <= row.long.above {
		return &row.base
	}
	return &row.long.rates
}

// tier is the factor of a tier at a time.
func (row *Row) tier(tier Tier, t time.Time) (times int64, ok bool) {
	for _, s := range row.tiers[tier] {
		if s.holds(t) {
			return s.times, true
		}
	}
	return 0, false
}

// doubtful reports whether nobody saw the row at its vendor, or something in it is doubted. A row of the user's own that
// does not say where it was seen is the user's word.
func (row *Row) doubtful() bool {
	if len(row.Uncertain) > 0 {
		return true
	}
	return row.Seen != seenAtVendor && !(row.Own && row.Seen == "")
}

const seenAtVendor = "vendor"

// Doubt says why a row is not certain, in one line; empty if it is.
func (row *Row) Doubt() string {
	if !row.doubtful() {
		return ""
	}
	doubts := row.Uncertain
	if row.Seen != seenAtVendor && !(row.Own && row.Seen == "") {
		doubts = append([]string{fmt.Sprintf("seen at: %s", cmp.Or(row.Seen, "nobody"))}, doubts...)
	}
	return strings.Join(doubts, "; ")
}

// Rate is one price of a row, for people: dollars per million tokens.
type Rate struct {
	Kind    string `json:"kind"`
	Dollars string `json:"usd_per_mtok"`
	// Above is the length of a prompt above which it holds; 0 for the base rate.
	Above int64 `json:"above,omitempty"`
}

// Rates lists a row's prices.
func (row *Row) Rates() (list []Rate) {
	add := func(r *rates, above int64) {
		for k, name := range kindNames {
			if r.known[k] {
				list = append(list, Rate{Kind: name, Dollars: (r.amount[k] * perMillion).Decimal(), Above: above})
			}
		}
	}
	add(&row.base, 0)
	if row.long != nil {
		add(&row.long.rates, row.long.above)
	}
	return list
}
