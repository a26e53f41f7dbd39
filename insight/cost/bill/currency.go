package bill

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"aburn/insight/cost"
	"aburn/internal/plain"
	"aburn/internal/settings"
	"aburn/internal/units"
)

// Currency is what a person reads amounts in. A rate is applied when an amount is shown, and to nothing that is kept.
type Currency struct {
	Code      string   // of ISO 4217
	PerDollar string   // a decimal number, as the user wrote it
	Date      cost.Day // of the rate
	Digits    int      // behind the point

	rate *big.Rat
}

// Dollars are what prices are in, and what budgets are counted in.
var Dollars *Currency

// whole are the currencies of ISO 4217 that have no smaller unit.
var whole = []string{"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"}

// CurrencyOf is the currency of the user's settings, which have none without a rate.
func CurrencyOf(set *settings.Cost) *Currency {
	c := &set.Currency
	rate, ok := new(big.Rat).SetString(c.PerDollar)
	if !ok {
		return nil
	}
	in := &Currency{Code: c.Code, PerDollar: c.PerDollar, Date: cost.Day(c.Date), Digits: 2, rate: rate}
	if slices.Contains(whole, in.Code) {
		in.Digits = 0
	}
	return in
}

// of is an amount in the currency.
func (in *Currency) of(a cost.Amount) *big.Rat {
	x := big.NewRat(int64(a), int64(cost.Dollar))
	if in != nil {
		x.Mul(x, in.rate)
	}
	return x
}

// Float is about an amount in the currency, for drawings.
func (in *Currency) Float(a cost.Amount) float64 {
	x, _ := in.of(a).Float64()
	return x
}

// Rounded is an amount to the smallest unit of the currency. What is below it is shown as such, and never as nothing.
func (in *Currency) Rounded(a cost.Amount) string {
	digits := 2
	if in != nil {
		digits = in.Digits
	}
	x := in.of(a)
	text := x.FloatString(digits)
	if a > 0 && strings.Trim(text, "0.") == "" {
		least := "1"
		if digits > 0 {
			least = "0." + strings.Repeat("0", digits-1) + "1"
		}
		return "<" + in.Mark() + least
	}
	units, fraction, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseInt(units, 10, 64); err == nil {
		units = plain.Count(n)
	}
	if fraction != "" {
		units += "." + fraction
	}
	return in.Mark() + units
}

// Mark stands before an amount.
func (in *Currency) Mark() string {
	if in == nil {
		return "$"
	}
	return in.Code + " "
}

// Inexact stands before an amount that is not exact: tokens have no price, the life of a cache write is unknown, or nobody saw the
// price at its vendor. `aburn cost prices` and --json say which.
const Inexact = "~"

// Says is a sum, with Inexact before it if it is that.
func (in *Currency) Says(s *cost.Sum) string {
	if s.Amount == 0 && s.UnpricedTokens() > 0 {
		return "no price"
	}
	text := in.Rounded(s.Amount)
	if (s.Uncertain || s.Lower()) && text[0] != '<' { // one sign is enough
		text = Inexact + text
	}
	return text
}

// Words is a sum with the tokens that have no price.
func (in *Currency) Words(s *cost.Sum) string {
	n := s.UnpricedTokens()
	switch {
	case n == 0:
		return in.Says(s)
	case s.Amount == 0:
		return units.Amount(n) + " tokens without a price"
	}
	return in.Says(s) + " (" + units.Amount(n) + " tokens without a price)"
}

// Note says once what amounts are converted with, without a full stop; "" for dollars.
func (in *Currency) Note() string {
	if in == nil {
		return ""
	}
	return "$1 is " + in.Mark() + in.PerDollar + " at your rate of " + string(in.Date)
}
