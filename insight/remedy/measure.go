package remedy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/insight"
)

// Applied says that a user tried a remedy against the failure with this key.
type Applied struct {
	V    int       `json:"v"`
	Key  string    `json:"key"` // in full: f1-…, s1-… or e1-…
	Time time.Time `json:"time"`
	Note string    `json:"note"`
}

// MinAfter is how many sessions a rate needs after a remedy.
const MinAfter = 5

// Measured compares how often a failure came before and after a remedy was tried against it.
//
// It covers the sessions of all agents that have ever had the key, between the previous and the
// next application for the same key. Before are those that ended before Time, After those that
// began at or after it. Rate.Failed counts those that fail and have the key, Rate.Of those that
// failed or completed.
type Measured struct {
	Applied
	Before   Rate     `json:"before"`
	After    Rate     `json:"after"`
	Excluded Excluded `json:"excluded"`
	// Insufficient says that After has fewer than MinAfter sessions, so that the rates must not
	// be compared.
	Insufficient bool `json:"insufficient"`
}

// Rate is a number of failures with its denominator.
type Rate struct {
	Failed int `json:"failed"`
	Of     int `json:"of"`
}

// Excluded counts the sessions in neither rate, each under the first reason that applies.
type Excluded struct {
	Live      int `json:"live"`      // still running
	Undated   int `json:"undated"`   // without a time, or with a clock that went backwards
	Straddled int `json:"straddled"` // began before the remedy and ended after it
	Undecided int `json:"undecided"` // interrupted, or of unknown outcome
}

// Observation is the sentence that accompanies every measure.
const Observation = "This is observation, not proof: other things may have changed at the same time."

// Measure compares before and after for each remedy, in the order of applied.
func Measure(all []*insight.Digest, applied []Applied) []Measured {
	agents, times := map[string]map[string]bool{}, map[string][]time.Time{} // by key
	for i := range applied {
		key := applied[i].Key
		agents[key] = map[string]bool{}
		times[key] = append(times[key], applied[i].Time)
	}
	for key, t := range times {
		slices.SortFunc(t, time.Time.Compare)
		times[key] = slices.CompactFunc(t, time.Time.Equal)
	}
	for _, d := range all {
		for _, key := range [...]string{d.Keys.Coarse, d.Keys.Sub, d.Keys.Fine} {
			if a, ok := agents[key]; ok {
				a[d.Agent.Name] = true
			}
		}
	}
	looked := map[string][]*insight.Digest{} // sessions whose agent has ever had the key, by key
	for key := range agents {
		for _, d := range all {
			if agents[key][d.Agent.Name] {
				looked[key] = append(looked[key], d)
			}
		}
	}
	list, same := make([]Measured, len(applied)), map[Applied]*Measured{} // an application of the same key at the same time
	for i := range applied {
		m, at := &list[i], Applied{Key: applied[i].Key, Time: applied[i].Time}
		if known := same[at]; known != nil {
			*m = *known
		} else {
			m.measure(looked[at.Key], times[at.Key], at)
			same[at] = m
		}
		m.Applied = applied[i]
	}
	return list
}

// measure sums up the sessions around one application.
func (m *Measured) measure(looked []*insight.Digest, times []time.Time, at Applied) {
	m.Applied = at
	from, to := neighbours(times, at.Time)
	for _, d := range looked {
		m.add(d, from, to)
	}
	m.Insufficient = m.After.Of < MinAfter
}

// neighbours are the times directly before and after at in all, which is sorted; zero if there is
// none.
func neighbours(all []time.Time, at time.Time) (from, to time.Time) {
	i, there := slices.BinarySearchFunc(all, at, time.Time.Compare)
	if i > 0 {
		from = all[i-1]
	}
	if there {
		i++
	}
	if i < len(all) {
		to = all[i]
	}
	return from, to
}

// add counts a session on its side. A session that ended before from or began at or after to
// belongs to another application.
func (m *Measured) add(d *insight.Digest, from, to time.Time) {
	undated := d.Start.IsZero() || d.End.IsZero() || d.End.Before(d.Start)
	if !undated && (d.End.Before(from) || !to.IsZero() && !d.Start.Before(to)) {
		return
	}
	rate := &m.After
	switch {
	case d.Live:
		m.Excluded.Live++
		return
	case undated:
		m.Excluded.Undated++
		return
	case d.Start.Before(from) || !to.IsZero() && !d.End.Before(to) || d.Start.Before(m.Time) && !d.End.Before(m.Time):
		m.Excluded.Straddled++
		return
	case !d.Verdict.Failing() && d.Verdict.Outcome != insight.Completed:
		m.Excluded.Undecided++
		return
	case d.End.Before(m.Time):
		rate = &m.Before
	}
	rate.Of++
	if d.Verdict.Failing() && d.Keys.Has(m.Key) {
		rate.Failed++
	}
}

// Sum is the number of excluded sessions.
func (e Excluded) Sum() int { return e.Live + e.Undated + e.Straddled + e.Undecided }

// String words the measure: both rates with their denominators.
func (m *Measured) String() string {
	text := "before " + m.Before.String() + ", after " + m.After.String() + " sessions and sub-agents"
	if m.Insufficient {
		text += ": insufficient data, it takes " + strconv.Itoa(MinAfter) + " after it"
	}
	return text + "; " + m.Excluded.String()
}

// String is the rate as "12 of 85".
func (r Rate) String() string { return strconv.Itoa(r.Failed) + " of " + strconv.Itoa(r.Of) }

// String counts the excluded sessions by reason.
func (e Excluded) String() string {
	if e.Sum() == 0 {
		return "none excluded"
	}
	var why []string
	for _, part := range []struct {
		n    int
		what string
	}{{e.Live, "going on"}, {e.Undated, "without a time"}, {e.Straddled, "begun before and ended after"}, {e.Undecided, "interrupted or of an unknown outcome"}} {
		if part.n > 0 {
			why = append(why, strconv.Itoa(part.n)+" "+part.what)
		}
	}
	return strconv.Itoa(e.Sum()) + " excluded: " + strings.Join(why, ", ")
}
