package settings

import (
	"strconv"
	"strings"
	"time"
)

// Currency is cost.currency.*: what a person reads amounts in, at a rate that they wrote down. The zero value is the
// dollar, in which prices are.
type Currency struct {
	Code      string // of ISO 4217: "EUR"
	PerDollar string // how many of it a dollar is, as a decimal number: "0.92"
	Date      string // the day of the rate: "2026-11-20"
}

// dollar is the code that converts nothing.
const dollar = "USD"

func setCurrency(to *string, v value) string {
	if v.text != "" && (!v.string || len(v.text) != 3 || strings.Trim(v.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		return `should be the code of a currency, like "EUR"`
	}
	*to = v.text
	return ""
}

// rateDigits bounds a rate on each side of its point.
const rateDigits = 9

func setRate(to *string, v value) string {
	whole, fraction, point := strings.Cut(v.text, ".")
	digits := func(s string) bool { return s != "" && len(s) <= rateDigits && strings.Trim(s, "0123456789") == "" }
	switch {
	case v.text == "":
	case !v.scalar || !digits(whole) || point && !digits(fraction) || strings.Trim(v.text, "0.") == "":
		return "should be the price of one dollar in that currency, a number like 0.92"
	}
	*to = v.text
	return ""
}

func setDate(to *string, v value) string {
	if v.text != "" {
		if _, err := time.Parse(time.DateOnly, v.text); err != nil || !v.string {
			return `should be the day of the rate, like "2026-11-20"`
		}
	}
	*to = v.text
	return ""
}

// checkCurrency takes back a currency without a rate, and a rate without its date: nobody could tell what such an amount
// was worth.
func (s *Settings) checkCurrency(own string) {
	c := &s.Cost.Currency
	if *c == (Currency{}) || *c == (Currency{Code: dollar}) {
		*c = Currency{}
		return
	}
	var missing []string
	for _, part := range [...]struct{ name, is string }{{"code", c.Code}, {"per_dollar", c.PerDollar}, {"date", c.Date}} {
		if part.is == "" {
			missing = append(missing, part.name)
		}
	}
	rate, _ := strconv.ParseFloat(c.PerDollar, 64)
	switch {
	case missing != nil:
		s.warn(own + ": cost.currency needs code, per_dollar and date, and has no " + strings.Join(missing, " and no ") + ": amounts stay in dollars")
	case c.Code == dollar && rate != 1:
		s.warn(own + ": cost.currency.per_dollar is " + c.PerDollar + ", and a dollar is 1 dollar: amounts stay in dollars")
	case c.Code != dollar:
		return
	}
	*c = Currency{}
}
