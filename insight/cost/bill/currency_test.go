package bill

import (
	"testing"

	"aburn/insight/cost"
	"aburn/internal/settings"
)

func in(code, rate string) *Currency {
	return CurrencyOf(&settings.Cost{Currency: settings.Currency{Code: code, PerDollar: rate, Date: "2026-11-20"}})
}

func TestSays(t *testing.T) {
	const cent = cost.Dollar / 100
	for _, c := range []struct {
		in     *Currency
		amount cost.Amount
		want   string
	}{
		{Dollars, 0, "$0.00"},
		{Dollars, 1, "<$0.01"},
		{Dollars, cent/2 - 1, "<$0.01"},
		{Dollars, cent / 2, "$0.01"},
		{Dollars, 123_456_789 * cent, "$1,234,567.89"},
		{Dollars, cost.Dollar - 1, "$1.00"},
		{in("EUR", "0.92"), 0, "EUR 0.00"},
		{in("EUR", "0.92"), 1, "<EUR 0.01"},
		{in("EUR", "0.92"), 100 * cost.Dollar, "EUR 92.00"},
		{in("EUR", "0.000000001"), 5_000_000 * cost.Dollar, "EUR 0.01"},
		{in("JPY", "151.5"), 10 * cost.Dollar, "JPY 1,515"},
		{in("JPY", "151.5"), 3 * cent / 10, "<JPY 1"},
		{in("IRR", "999999999.999999999"), 9_000_000 * cost.Dollar, "IRR 8,999,999,999,999,999.99"},
	} {
		if got := c.in.Says(&cost.Sum{Amount: c.amount}); got != c.want {
			t.Errorf("%d as %v: %q, want %q", c.amount, c.in, got, c.want)
		}
	}
	sum := &cost.Sum{Amount: cost.Dollar, AtLeast: true, Uncertain: true, Unpriced: map[string]int64{"m": 1200}}
	if got := in("EUR", "2").Words(sum); got != "~EUR 2.00 (1.2k tokens without a price)" {
		t.Error(got)
	}
	if got := in("EUR", "2").Says(&cost.Sum{Unpriced: map[string]int64{"m": 1}}); got != "no price" {
		t.Error(got)
	}
}
