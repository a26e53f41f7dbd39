package archive

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/trace"
)

// The newest statement about a window counts, whichever session holds it, and goes with its session.
func TestLimits(t *testing.T) {
	a := create(t)
	limit := func(minute int, used float64, window int64) trace.Limit {
		return trace.Limit{ID: "codex", WindowMinutes: window, UsedPercent: used, Resets: at(minute + 200), Time: at(minute)}
	}
	with := func(t *trace.SessionTrace, l ...trace.Limit) *trace.SessionTrace {
		t.Limits = l
		return t
	}
	a.store(t,
		with(story(t, "codex", "c1", 10, "ask"), limit(10, 12.5, 300), limit(5, 80, 10080)),
		with(story(t, "codex", "c2", 20, "ask"), limit(20, 3, 300)),
		with(story(t, "codex", "c3", 1, "ask"), limit(1, 99, 300), limit(1, 79, 10080)),
		with(story(t, "other", "o1", 1, "ask"), limit(1, 50, 300)),
		story(t, "claude", "a1", 1, "ask"))
	say := func(since time.Time) string {
		list, err := a.Limits(since)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, l := range list {
			all = append(all, fmt.Sprintf("%s/%s %d: %v @%d until %d", l.Source, l.ID, l.WindowMinutes, l.UsedPercent, l.Time.Minute(),
				int(l.Resets.Sub(at(0)).Minutes())))
		}
		return strings.Join(all, ", ")
	}
	if got, want := say(time.Time{}), "codex/codex 300: 3 @20 until 220, codex/codex 10080: 80 @5 until 205, other/codex 300: 50 @1 until 201"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got, want := say(at(10)), "codex/codex 300: 3 @20 until 220"; got != want {
		t.Errorf("since a time: %s; want %s", got, want)
	}
	a.store(t, with(story(t, "codex", "c2", 20, "ask done"), limit(30, 4, 300)))
	if got, want := say(at(10)), "codex/codex 300: 4 @30 until 230"; got != want {
		t.Errorf("continued: %s; want %s", got, want)
	}
}
