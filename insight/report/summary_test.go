package report

import (
	"testing"
	"time"

	"aburn/insight"
)

// The main error is the one of most failures, not the most frequent one. What is new is new to all units.
func TestSummarize(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	r := &Report{Errors: []Error{
		{Key: "e1-frequent", Units: 9, Failing: 1, First: day(1)},
		{Key: "e1-deadly", Units: 4, Failing: 4, First: day(2)},
		{Key: "e1-rare", Units: 1, Failing: 1, First: day(20)},
		{Key: "e1-fresh", Units: 3, First: day(21)},
	}}
	ended := func(n int, o insight.Outcome) *insight.Digest {
		d := &insight.Digest{End: day(n)}
		d.Verdict.Outcome = o
		return d
	}
	running := ended(21, insight.Running)
	running.Live = true
	list := []*insight.Digest{ended(1, insight.Errored), ended(20, insight.Errored), ended(21, insight.Completed), ended(22, insight.Killed), running, {}}
	s := r.Summarize(list, day(10))
	if s.Main == nil || s.Main.Key != "e1-deadly" {
		t.Errorf("the main error is %+v", s.Main)
	}
	if s.Ended != 3 || s.Failing != 2 {
		t.Errorf("%d of %d failed since, want 2 of 3", s.Failing, s.Ended)
	}
	if len(s.New) != 2 || s.New[0].Key != "e1-fresh" || s.New[1].Key != "e1-rare" {
		t.Errorf("new are %+v", s.New)
	}
	if s := (&Report{}).Summarize(nil, day(10)); s.Main != nil || len(s.New) != 0 {
		t.Errorf("nothing is summed up as %+v", s)
	}
}
