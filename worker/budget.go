package worker

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Budget is what a worker may use up: an amount of money, or tokens that were not read from a cache. The zero Budget has no
// bound.
type Budget struct {
	Cents  int64
	Tokens int64
}

// Less is what is left of b when some of it was given away; at least the smallest budget, as none is no bound.
func (b Budget) Less(given Budget) Budget {
	if b.Cents > 0 {
		b.Cents = max(1, b.Cents-given.Cents)
	}
	if b.Tokens > 0 {
		b.Tokens = max(1, b.Tokens-given.Tokens)
	}
	return b
}

// String is b as ParseBudget reads it.
func (b Budget) String() string {
	switch {
	case b.Cents > 0:
		return fmt.Sprintf("%d.%02dusd", b.Cents/100, b.Cents%100)
	case b.Tokens > 0:
		return strconv.FormatInt(b.Tokens, 10)
	}
	return ""
}

// Spent is what a worker has used up, as far as anybody knows.
type Spent struct {
	Picos    int64 // 10⁻¹² dollar at list prices
	AtLeast  bool  // it is more, and nobody knows how much
	Unpriced int64 // tokens without a price, which are not in Picos
	Fresh    int64 // tokens of input and output that were not read from a cache: with each request those count anew
}

// errBudget says how a budget is said.
var errBudget = errors.New("an amount like 5usd or $2.50, or tokens like 200k or 1.5M")

// ParseBudget reads 5usd, $5, 2.50usd, 200000, 200k, 1.5M. The empty text is no bound.
func ParseBudget(text string) (b Budget, err error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if word == "" {
		return b, nil
	}
	scale := 1.0
	money := strings.HasPrefix(word, "$") || strings.HasSuffix(word, "usd")
	word = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(word, "$"), "usd"))
	switch {
	case money:
		scale = 100
	case strings.HasSuffix(word, "k"):
		word, scale = word[:len(word)-1], 1e3
	case strings.HasSuffix(word, "m"):
		word, scale = word[:len(word)-1], 1e6
	}
	n, err := strconv.ParseFloat(word, 64)
	if n = math.Round(n * scale); err != nil || strings.Trim(word, "0123456789.") != "" || n < 1 || n > 1e12 {
		return b, errBudget
	}
	if money {
		return Budget{Cents: int64(n)}, nil
	}
	return Budget{Tokens: int64(n)}, nil
}

// picosPerCent is how many of Spent's units a cent has.
const picosPerCent = 10_000_000_000

// Percent is how much of the budget is used up, rounded down; a lower bound where the amount is one. Without a bound it is 0.
func (b Budget) Percent(s Spent) int64 {
	switch {
	case b.Cents > 0:
		return s.Picos / (b.Cents * (picosPerCent / 100))
	case b.Tokens > 0:
		return s.Fresh * 100 / b.Tokens
	}
	return 0
}

// BudgetUnpriced is the Is of a budget fact: the bound is in money, and tokens have no price.
const BudgetUnpriced = "unpriced"

// BudgetShare is the percentage at which a person is told before a budget is used up.
const BudgetShare = 80
