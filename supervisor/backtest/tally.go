package backtest

import (
	"math"
	"slices"
	"time"

	"aburn/supervisor"
)

// Counts are the alerts of one type by verdict. Without labels only Alerts is known.
type Counts struct {
	Alerts                       int // all
	True, Repeat, Allowed, False int // of these, by the labels
	Found, Labels                int // of the Expect labels
}

// Precision is the share of true alerts. Repeats and allowed ones do not count.
func (c Counts) Precision() Share { return Share{c.True, c.True + c.False} }

// Recall is the share of Expect labels that were found.
func (c Counts) Recall() Share { return Share{c.Found, c.Labels} }

func (c *Counts) add(o Counts) {
	c.Alerts += o.Alerts
	c.True += o.True
	c.Repeat += o.Repeat
	c.Allowed += o.Allowed
	c.False += o.False
	c.Found += o.Found
	c.Labels += o.Labels
}

// Tally is the result of one type in a number of logs.
type Tally struct {
	Type          supervisor.Type
	All           Counts
	Above         Counts          // only alerts that reached the queue, against all labels
	High          Share           // labels that should have reached the queue
	Delays        []time.Duration // from the label's time to the alert, sorted
	Traps, Sprung int             // Never labels, and those with an alert
}

// Report sums up a number of replays.
type Report struct {
	Results         []*Result
	Labelled        int // logs with labels
	Healthy         int // of these, the ones without an Expect label
	Flagged         int // of the healthy ones, those with a false alert
	Entries, Damage int64
	Sessions        int
	Time            time.Duration
	byType          map[supervisor.Type]*Tally
}

// Add adds a replay.
func (r *Report) Add(res *Result) {
	if r.byType == nil {
		r.byType = map[supervisor.Type]*Tally{}
	}
	r.Results = append(r.Results, res)
	r.Entries += int64(res.Entries)
	r.Damage += res.Damage
	r.Sessions += res.Sessions
	r.Time += res.Time
	for _, a := range res.Alerts {
		r.alert(a, res.Labelled)
	}
	for i := range res.Findings {
		r.finding(&res.Findings[i])
	}
	for _, l := range res.labels {
		if l.Kind == Never {
			t := r.tally(l.Type)
			t.Traps++
			if isSprung(&l, res.Alerts) {
				t.Sprung++
			}
		}
	}
	if !res.Labelled {
		return
	}
	r.Labelled++
	if len(res.Findings) == 0 {
		r.Healthy++
		if slices.ContainsFunc(res.Alerts, func(a *Alert) bool { return a.Verdict == False }) {
			r.Flagged++
		}
	}
}

func (r *Report) tally(t supervisor.Type) *Tally {
	if r.byType[t] == nil {
		r.byType[t] = &Tally{Type: t}
	}
	return r.byType[t]
}

func (r *Report) alert(a *Alert, labelled bool) {
	t := r.tally(a.Type)
	t.All.alert(a, labelled)
	if a.Above() {
		t.Above.alert(a, labelled)
	}
	if d, ok := a.Delay(); ok && !labelled {
		t.delay(d)
	}
}

func (c *Counts) alert(a *Alert, labelled bool) {
	c.Alerts++
	if !labelled {
		return
	}
	switch a.Verdict {
	case True:
		c.True++
	case Repeat:
		c.Repeat++
	case Allowed:
		c.Allowed++
	case False:
		c.False++
	}
}

func (r *Report) finding(f *Finding) {
	t := r.tally(f.Type)
	t.All.Labels++
	t.Above.Labels++
	if f.High {
		t.High.Of++
	}
	if f.By == nil {
		return
	}
	t.All.Found++
	if f.Above {
		t.Above.Found++
		if f.High {
			t.High.Hits++
		}
	}
	if f.Delay >= 0 {
		t.delay(f.Delay)
	}
}

func (t *Tally) delay(d time.Duration) {
	i, _ := slices.BinarySearch(t.Delays, d)
	t.Delays = slices.Insert(t.Delays, i, d)
}

// Median is the median delay; false without delays.
func (t *Tally) Median() (time.Duration, bool) {
	if len(t.Delays) == 0 {
		return 0, false
	}
	return t.Delays[(len(t.Delays)-1)/2], true
}

// Slowest is the longest delay; false without delays.
func (t *Tally) Slowest() (time.Duration, bool) {
	if len(t.Delays) == 0 {
		return 0, false
	}
	return t.Delays[len(t.Delays)-1], true
}

// Tallies returns the types with an alert or a label, in the order of the documentation.
func (r *Report) Tallies() []*Tally {
	var list []*Tally
	for _, t := range supervisor.Types() {
		if r.byType[t] != nil {
			list = append(list, r.byType[t])
		}
	}
	return list
}

// Of returns the tally of one type, empty if it has none.
func (r *Report) Of(t supervisor.Type) *Tally {
	if found := r.byType[t]; found != nil {
		return found
	}
	return &Tally{Type: t}
}

// Total sums up all types.
func (r *Report) Total() *Tally {
	all := &Tally{}
	for _, t := range r.Tallies() {
		all.All.add(t.All)
		all.Above.add(t.Above)
		all.High.Hits += t.High.Hits
		all.High.Of += t.High.Of
		all.Traps += t.Traps
		all.Sprung += t.Sprung
		all.Delays = append(all.Delays, t.Delays...)
	}
	slices.Sort(all.Delays)
	return all
}

// Share is a rate: Hits out of Of.
type Share struct{ Hits, Of int }

// Rate is Hits / Of; NaN if Of is 0.
func (s Share) Rate() float64 { return float64(s.Hits) / float64(s.Of) }

// Interval is Wilson's 95 % interval; 0 to 1 if Of is 0.
func (s Share) Interval() (low, high float64) {
	if s.Of == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	n, p := float64(s.Of), s.Rate()
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(middle-half, 0), min(middle+half, 1)
	if s.Hits == 0 {
		low = 0
	}
	if s.Hits == s.Of {
		high = 1
	}
	return low, high
}

// PerHours is a number of alerts in a number of hours.
type PerHours struct {
	Count int
	Hours float64
}

// Per is the rate per so many hours; NaN if Hours is 0.
func (p PerHours) Per(hours float64) float64 { return float64(p.Count) / p.Hours * hours }

// Interval is the exact 95 % interval of a Poisson rate (Garwood), per so many hours.
func (p PerHours) Interval(hours float64) (low, high float64) {
	if p.Hours <= 0 {
		return 0, math.Inf(1)
	}
	if p.Count > 0 {
		low = poissonMean(p.Count-1, 0.975)
	}
	return low / p.Hours * hours, poissonMean(p.Count, 0.025) / p.Hours * hours
}

// poissonMean is the mean at which at most k events have this probability.
func poissonMean(k int, probability float64) float64 {
	low, high := 0.0, 2*float64(k)+20
	for range 80 {
		if middle := (low + high) / 2; poissonAtMost(k, middle) > probability {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// poissonAtMost is the probability of at most k events.
func poissonAtMost(k int, mean float64) float64 {
	sum, logTerm := 0.0, -mean
	for i := 0; i <= k; i++ {
		if i > 0 {
			logTerm += math.Log(mean) - math.Log(float64(i))
		}
		sum += math.Exp(logTerm)
	}
	return sum
}
