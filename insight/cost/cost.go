// Package cost says what responses of models cost at list prices. It is pure: prices and responses in, amounts out. It
// reads no trace and no clock, so that the archive's rows, the status line and workers' budgets can all ask it.
//
// An amount is never more than is known. What has no price is counted in tokens beside the amount, never as 0. An amount
// of which a part is only known from below says so (AtLeast), and one that stands on a price which nobody saw at its
// vendor says so, too (Uncertain).
package cost

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Tokens counts the tokens of one or many responses by kind, none twice.
type Tokens struct {
	Input     int64 `json:"input"` // neither read from a cache nor written to one
	CacheRead int64 `json:"cache_read"`
	// Write5m and Write1h are written to a cache for five minutes and for an hour. Write is written for a time
	// that the source does not state, or to a cache with only one time.
	Write5m int64 `json:"cache_write_5m"`
	Write1h int64 `json:"cache_write_1h"`
	Write   int64 `json:"cache_write"`
	Output  int64 `json:"output"` // includes reasoning
}

// Prompt is the number of tokens that the model was sent.
func (t Tokens) Prompt() int64 { return t.Input + t.CacheRead + t.Write5m + t.Write1h + t.Write }

// Total is the number of all tokens, in and out.
func (t Tokens) Total() int64 { return t.Prompt() + t.Output }

// Add adds o to t.
func (t *Tokens) Add(o Tokens) {
	t.Input += o.Input
	t.CacheRead += o.CacheRead
	t.Write5m += o.Write5m
	t.Write1h += o.Write1h
	t.Write += o.Write
	t.Output += o.Output
}

// Tier is at which speed, or with which patience, a request was served.
type Tier string

const (
	Standard  Tier = ""
	Fast      Tier = "fast"
	Batch     Tier = "batch"
	Ultrafast Tier = "ultrafast"
)

// Response is what a price depends on: one answer of a model, billed once.
type Response struct {
	Time  time.Time
	Model string
	Tier  Tier
	// Geo is where the source says that it was served ("us"); empty where it does not say.
	Geo      string
	Tokens   Tokens
	Searches int64
	// WritesUnknown says that the source does not state how many tokens of the input were written to a cache.
	WritesUnknown bool
}

// Sum is what one or many responses cost.
type Sum struct {
	Amount Amount
	// AtLeast says that the true amount may be higher, for reasons other than tokens without a price.
	AtLeast bool
	// Uncertain says that a price was used which nobody saw at its vendor, or which is doubted.
	Uncertain bool
	Responses int
	Tokens    Tokens
	Searches  int64
	// Unpriced holds the tokens without a price, by model.
	Unpriced map[string]int64
	// Rows are the rows of the price table that were used, by their names.
	Rows map[string]bool

	last *Row // the row that was used last; it saves a look into Rows
}

// Add adds o to s.
func (s *Sum) Add(o Sum) {
	ok := true
	if s.Amount, ok = s.Amount.plus(o.Amount); !ok {
		s.AtLeast = true
	}
	s.AtLeast = s.AtLeast || o.AtLeast
	s.Uncertain = s.Uncertain || o.Uncertain
	s.Responses += o.Responses
	s.Tokens.Add(o.Tokens)
	s.Searches += o.Searches
	for model, n := range o.Unpriced {
		s.unpriced(model, n)
	}
	for row := range o.Rows {
		s.use(row)
	}
}

func (s *Sum) unpriced(model string, n int64) {
	if n == 0 {
		return
	}
	if s.Unpriced == nil {
		s.Unpriced = map[string]int64{}
	}
	s.Unpriced[model] += n
}

func (s *Sum) use(row string) {
	if s.Rows == nil {
		s.Rows = map[string]bool{}
	}
	s.Rows[row] = true
}

// Exact reports whether the amount is all that the responses cost, at prices that were seen at their vendors.
func (s *Sum) Exact() bool { return !s.AtLeast && !s.Uncertain && len(s.Unpriced) == 0 }

// Lower reports whether the true amount may be higher.
func (s *Sum) Lower() bool { return s.AtLeast || len(s.Unpriced) > 0 }

// UsedRows lists the rows of the price table that were used.
func (s *Sum) UsedRows() []string {
	return append([]string{}, slices.Sorted(maps.Keys(s.Rows))...)
}

// UnpricedModels lists the models without a price, most tokens first.
func (s *Sum) UnpricedModels() []string {
	return slices.SortedFunc(maps.Keys(s.Unpriced), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Unpriced[b], s.Unpriced[a]), cmp.Compare(a, b))
	})
}

// UnpricedTokens is how many tokens have no price.
func (s *Sum) UnpricedTokens() (n int64) {
	for _, k := range s.Unpriced {
		n += k
	}
	return n
}
