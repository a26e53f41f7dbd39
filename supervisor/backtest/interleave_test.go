package backtest

import (
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor/limits"
)

// alone is a scenario without what would tie it to another one in the same log: observations, a model of its own, tasks, or a
// pause of more than a day, in which the machine slept if nobody else worked.
func alone(s *scenario.Scenario) bool {
	var last time.Time
	for i, e := range s.Entries() {
		if i > 0 && e.Time.Sub(last) > 24*time.Hour {
			return false
		}
		last = e.Time
	}
	return s.Model == nil && len(s.Observe) == 0 && !slices.ContainsFunc(s.Entries(), func(e *logfmt.Entry) bool { return e.Cmd == logfmt.SupervisorCmd })
}

// beside is a scenario's entries as they stand in a log in which others work too: begun at another time, in sessions, with ids
// and numbers of its own.
func beside(s *scenario.Scenario, begin time.Time) []*logfmt.Entry {
	var list []*logfmt.Entry
	var shift time.Duration
	for i, e := range s.Entries() {
		if i == 0 {
			shift = begin.Sub(e.Time)
		}
		other := *e
		other.Time, other.Session = e.Time.Add(shift), e.Session+"-beside"
		if other.ID != "" {
			other.ID += "-beside"
		}
		if other.Seq > 0 {
			other.Seq += 1_000_000
		}
		list = append(list, &other)
	}
	return list
}

// interleave merges two logs by time, each in its own order.
func interleave(a, b []*logfmt.Entry) []*logfmt.Entry {
	var list []*logfmt.Entry
	for len(a) > 0 && len(b) > 0 {
		if b[0].Time.Before(a[0].Time) {
			list, b = append(list, b[0]), b[1:]
		} else {
			list, a = append(list, a[0]), a[1:]
		}
	}
	return append(append(list, a...), b...)
}

// TestInterleavingChangesNoVerdict: what is said about a scenario's sessions is the same when those of another scenario work
// in the same log at the same time. The chain is the project's and left out.
func TestInterleavingChangesNoVerdict(t *testing.T) {
	world.Slow(t)
	all := corpus(t, "tuned")
	for _, folder := range later {
		for i, s := range corpus(t, folder) {
			if i%4 == 0 { // they are long
				all = append(all, s)
			}
		}
	}
	list := slices.DeleteFunc(all, func(s *scenario.Scenario) bool { return !alone(s) })
	if len(list) < 100 {
		t.Fatalf("only %d scenarios", len(list))
	}
	for i, s := range list {
		entries := s.Entries()
		last := entries[len(entries)-1].Time.Add(s.After)
		want := run(t, s, nil).res.Alerts
		r := New(optionsOf(t, s))
		for _, e := range interleave(entries, beside(list[(i+1)%len(list)], entries[0].Time.Add(500*time.Millisecond))) {
			r.Until(e.Time)
			r.Entry(e, false)
		}
		got := r.Finish().Alerts
		for _, a := range about(s, want, last) {
			if !slices.ContainsFunc(got, func(b *Alert) bool { return same(a, b) }) {
				t.Errorf("%s: %s at %v is missing beside %s", s.Name, a.Type, a.At, list[(i+1)%len(list)].Name)
			}
		}
		for _, b := range about(s, got, last) {
			if !slices.ContainsFunc(want, func(a *Alert) bool { return same(a, b) }) {
				t.Errorf("%s: %s at %v comes of %s", s.Name, b.Type, b.At, list[(i+1)%len(list)].Name)
			}
		}
	}
}

// about are the alerts about a scenario's own sessions while it went on.
func about(s *scenario.Scenario, alerts []*Alert, last time.Time) (list []*Alert) {
	own := map[logfmt.SessionID]bool{}
	for _, e := range s.Entries() {
		own[e.Session] = true
	}
	for _, a := range alerts {
		if own[a.Session] && a.Type != limits.ChainBroken && a.At.Before(last) {
			list = append(list, a)
		}
	}
	return list
}

// same allows for what time alone brings: somebody else's entry is one more occasion to look.
func same(a, b *Alert) bool {
	return a.Signature == b.Signature && a.At.Sub(b.At).Abs() <= 2*time.Second
}
