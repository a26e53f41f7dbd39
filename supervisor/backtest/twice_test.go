package backtest

import (
	"slices"
	"testing"

	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// TestTwiceIsOnce: hooks that are registered twice record each tool event twice with the same id, at once or a little later;
// what is said is the same, at the same entries.
func TestTwiceIsOnce(t *testing.T) {
	world.Slow(t)
	all := corpus(t, "tuned")
	for _, folder := range later {
		all = append(all, corpus(t, folder)...)
	}
	for i, s := range all {
		if i%4 != 0 { // a quarter of them says as much
			continue
		}
		want := raisedOf(t, s, s.Entries())
		var twice []*logfmt.Entry
		for _, e := range s.Entries() {
			twice = append(twice, e)
			switch e.Event {
			case logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
				if e.ID != "" {
					again := *e
					twice = append(twice, &again)
				}
			}
		}
		if got := raisedOf(t, s, twice); !slices.Equal(got, want) {
			t.Errorf("%s: %q when recorded twice, %q when once", s.Name, got, want)
		}
	}
}

// raisedOf are the types and sessions of what was raised, without what only observations tell.
func raisedOf(t *testing.T, s *scenario.Scenario, entries []*logfmt.Entry) (list []string) {
	r := New(optionsOf(t, s))
	for _, e := range entries {
		r.Until(e.Time)
		r.Entry(e, false)
	}
	for _, a := range r.Finish().Alerts {
		list = append(list, string(a.Type)+" "+string(a.Session))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
