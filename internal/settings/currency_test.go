package settings

import (
	"strings"
	"testing"
)

func TestCurrency(t *testing.T) {
	for text, want := range map[string]Currency{
		`{"cost": {"currency": {"code": "EUR", "per_dollar": 0.92, "date": "2026-11-20"}}}`:                    {"EUR", "0.92", "2026-11-20"},
		`{"cost.currency.code": "JPY", "cost.currency.per_dollar": "151", "cost.currency.date": "2024-02-29"}`: {"JPY", "151", "2024-02-29"},
		`{"cost.currency.code": "USD"}`: {},
		`{"cost.currency": {"code": "USD", "per_dollar": 1.00, "date": "2026-11-20"}}`: {},
		`{"cost.currency.code": ""}`: {},
	} {
		h := newHome(t)
		h.write(ownFile, text)
		if s := h.load(); s.Cost.Currency != want || s.Warnings != nil {
			t.Errorf("%s: %+v, warnings %q", text, s.Cost.Currency, s.Warnings)
		}
	}
}

// A currency that is not whole converts nothing, and the reason is said: an amount at a rate of no day says less than
// dollars do.
func TestWrongCurrency(t *testing.T) {
	const whole = `"code": "EUR", "per_dollar": 0.92, "date": "2026-11-20"`
	for change, wrong := range map[[2]string]string{
		{`, "date": "2026-11-20"`, ``}:                   "has no date: amounts stay in dollars",
		{`, "per_dollar": 0.92`, ``}:                     "has no per_dollar",
		{`"code": "EUR", `, ``}:                          "has no code",
		{whole, `"code": "EUR"`}:                         "has no per_dollar and no date",
		{`"EUR"`, `"euro"`}:                              "should be the code of a currency",
		{`"EUR"`, `"EU€"`}:                               "should be the code of a currency",
		{`"EUR"`, `978`}:                                 "should be the code of a currency",
		{`0.92`, `-0.92`}:                                "should be the price of one dollar in that currency",
		{`0.92`, `0.00`}:                                 "should be the price of one dollar in that currency",
		{`0.92`, `9e-1`}:                                 "should be the price of one dollar in that currency",
		{`0.92`, `".92"`}:                                "should be the price of one dollar in that currency",
		{`0.92`, `"0,92"`}:                               "should be the price of one dollar in that currency",
		{`0.92`, `0.1234567891`}:                         "should be the price of one dollar in that currency",
		{`0.92`, `12345678910`}:                          "should be the price of one dollar in that currency",
		{`0.92`, `[1]`}:                                  "should be the price of one dollar in that currency",
		{`2026-11-20`, `2026-02-30`}:                     "should be the day of the rate",
		{`2026-11-20`, `20.11.2026`}:                     "should be the day of the rate",
		{`"2026-11-20"`, `20261120`}:                     "should be the day of the rate",
		{`"EUR"`, `"USD"`}:                               "a dollar is 1 dollar",
		{`"code": "EUR"`, `"code": "EUR", "rate": 0.92`}: "is not a setting",
	} {
		h := newHome(t)
		h.write(ownFile, `{"cost": {"currency": {`+strings.Replace(whole, change[0], change[1], 1)+`}}}`)
		s := h.load()
		if !strings.Contains(strings.Join(s.Warnings, "\n"), wrong) {
			t.Errorf("%q: warnings %q, want %q", change, s.Warnings, wrong)
		}
		if s.Cost.Currency != (Currency{}) && !strings.Contains(wrong, "not a setting") {
			t.Errorf("%q: %+v", change, s.Cost.Currency)
		}
	}
	h := newHome(t)
	h.mark()
	h.write(projectFile, `{"cost": {"currency": {`+whole+`}}}`)
	if s := h.load(); s.Cost.Currency != (Currency{}) || len(s.Warnings) != 3 {
		t.Errorf("a project says what its user reads: %+v, %q", s.Cost.Currency, s.Warnings)
	}
}
