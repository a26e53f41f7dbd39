package units

import (
	"testing"
	"time"
)

func TestWordsForTimes(t *testing.T) {
	sunday := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	monday := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		now      time.Time
		in, want string
	}{
		{sunday, "this week", "2026-11-23T00:00:00Z"},
		{monday, "this week", "2026-11-30T00:00:00Z"},
		{sunday, "last week", "2026-11-16T00:00:00Z"},
		{sunday, " Last  Week ", "2026-11-16T00:00:00Z"},
		{sunday, "this month", "2026-11-01T00:00:00Z"},
		{sunday, "last month", "2026-10-01T00:00:00Z"},
		{sunday, "3 days ago", "2026-11-26T10:00:00Z"},
		{sunday, "1 hour ago", "2026-11-29T09:00:00Z"},
		{sunday, "2 weeks ago", "2026-11-15T10:00:00Z"},
	} {
		got, err := ParseTime(c.in, c.now)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: %v, %v, want %s", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{"next week", "-1 days ago", "last", "3 fortnights ago", "days ago"} {
		if got, err := ParseTime(bad, sunday); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

func TestDates(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	for _, c := range []struct {
		from, until time.Time
		want        string
	}{
		{day(2026, 11, 9), day(2026, 11, 16), "9–15 Nov"},
		{day(2026, 11, 30), day(2026, 12, 7), "30 Nov–6 Dec"},
		{day(2025, 12, 29), day(2026, 1, 5), "29 Dec 2025–4 Jan 2026"},
		{day(2025, 11, 10), day(2025, 11, 17), "10–16 Nov 2025"},
		{day(2026, 11, 9), day(2026, 11, 10), "9 Nov"},
		{day(2025, 11, 9), day(2025, 11, 10), "9 Nov 2025"},
	} {
		if got := Dates(c.from, c.until, now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
