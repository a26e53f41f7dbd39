package worker

import "testing"

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]Budget{
		"": {}, "5usd": {Cents: 500}, "$5": {Cents: 500}, " 2.50 USD ": {Cents: 250}, "$0.01": {Cents: 1},
		"200k": {Tokens: 200_000}, "1.5M": {Tokens: 1_500_000}, "70000": {Tokens: 70_000},
	} {
		if got, err := ParseBudget(text); got != want || err != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"5eur", "-5usd", "0", "$0.001", "k", "usd", "1e3", "NaN", "Inf", "1,000", "$5k", "9999999999999"} {
		if got, err := ParseBudget(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// What was given away is no more there, and a bound stays a bound.
func TestLess(t *testing.T) {
	for _, c := range []struct {
		of, given Budget
		want      string
	}{
		{Budget{}, Budget{Cents: 5}, ""}, {Budget{Cents: 500}, Budget{}, "5.00usd"}, {Budget{Cents: 500}, Budget{Cents: 200}, "3.00usd"},
		{Budget{Cents: 500}, Budget{Tokens: 9}, "5.00usd"}, {Budget{Cents: 500}, Budget{Cents: 700}, "0.01usd"},
		{Budget{Tokens: 200_000}, Budget{Tokens: 50_000}, "150000"},
	} {
		left := c.of.Less(c.given)
		if again, err := ParseBudget(left.String()); left.String() != c.want || again != left || err != nil {
			t.Errorf("%+v less %+v: %q, and read again %+v", c.of, c.given, left, again)
		}
	}
}

// What is unknown is never counted, neither as money nor as a share.
func TestPercent(t *testing.T) {
	const dollar = 100 * picosPerCent
	for _, c := range []struct {
		Budget
		Spent
		want int64
	}{
		{Budget{}, Spent{Picos: 9 * dollar, Fresh: 9}, 0}, {Budget{Cents: 500}, Spent{Picos: 4 * dollar}, 80}, {Budget{Cents: 500}, Spent{Picos: 5*dollar - 1}, 99},
		{Budget{Cents: 500}, Spent{Picos: dollar, AtLeast: true, Unpriced: 1e9, Fresh: 1e9}, 20},
		{Budget{Tokens: 200_000}, Spent{Picos: 9 * dollar, Fresh: 200_001}, 100},
	} {
		if got := c.Percent(c.Spent); got != c.want {
			t.Errorf("%+v of %+v: %d %%, want %d", c.Spent, c.Budget, got, c.want)
		}
	}
}
