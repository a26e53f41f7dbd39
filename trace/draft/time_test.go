package draft_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
)

// A time in the layout of most clients is what time.Parse says of it, and so is what only looks like one.
func TestTimeIsThatOfParse(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, err := time.Parse(time.RFC3339, text)
		if err != nil {
			want = time.Time{}
		}
		if got := draft.Time([]byte(`"` + text + `"`)); got != want.UTC() {
			t.Fatalf("%s is %v, not %v", text, got, want)
		}
	}
	for day := time.Date(1969, 12, 30, 23, 59, 59, 999e6, time.UTC); day.Year() < 2110; day = day.Add(24*time.Hour + 61*time.Millisecond) {
		check(day.Format("2006-01-02T15:04:05.000Z"))
	}
	for _, text := range []string{
		"2000-02-29T00:00:00.000Z", "2100-02-29T00:00:00.000Z", "2023-02-29T00:00:00.000Z", "2023-04-31T00:00:00.000Z", "2023-00-01T00:00:00.000Z",
		"2023-13-01T00:00:00.000Z", "2023-01-00T00:00:00.000Z", "2023-12-32T00:00:00.000Z", "2023-12-31T24:00:00.000Z", "2023-12-31T23:60:00.000Z",
		"2023-12-31T23:59:60.000Z", "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00.000Z", "2023-12-31T23:59:59,000Z", "2023-12-31t23:59:59.000Z",
		"2023-12-31T23:59:59.000z", "2023-12-31T23:59:59.9Z", "2023-12-31T23:59:59Z", "2023-12-31T23:59:59.123456789Z", "2023-12-31T23:59:59+01:00",
		"2023-12-31T23:59:59.000+01:00", "", "Z",
	} {
		check(text)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		text := []byte("2023-12-28T23:59:59.000Z")
		for range 1 + rnd.IntN(3) {
			text[rnd.IntN(len(text))] = "0123456789-:.TZ/"[rnd.IntN(16)]
		}
		check(string(text))
	}
}

// The first and the last time that a session can have, and those beside them.
func TestTimesOfSessions(t *testing.T) {
	east := time.FixedZone("east", 3600)
	for _, c := range []struct{ at, want time.Time }{
		{time.Date(1969, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Time{}},
		{time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)},
		{time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)},
		{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}},
		{time.Date(2026, 11, 21, 1, 0, 0, 1999999, east), time.Date(2026, 11, 21, 0, 0, 0, 1e6, time.UTC)},
		{time.Time{}, time.Time{}},
	} {
		b := draft.New("claude", "session", "claude", "/f")
		b.Add(trace.Event{Time: c.at, Ref: trace.Ref{Line: 1}, Body: &trace.AgentMessage{}})
		tr, err := b.Finish()
		if err != nil || tr.Events[0].Time != c.want {
			t.Errorf("%v became %v, not %v (%v)", c.at, tr.Events[0].Time, c.want, err)
		}
		tr.Events[0].Time = c.at
		tr.Settle()
		if err := tr.Validate(); (err == nil) != (c.at == c.want) {
			t.Errorf("%v: %v", c.at, err)
		}
	}
}
