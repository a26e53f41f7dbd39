package pages

import (
	"sort"
	"time"
)

// LongestPause is what an Axis shows of a pause.
const LongestPause = 45 * time.Second

// Axis maps times to places between 0 and PlotWidth, with pauses cut short.
type Axis struct {
	First, Last time.Time
	times       []time.Time
	places      []float64
}

// NewAxis is the axis of these times, which are in order. It is nil if no time passes between them.
func NewAxis(times []time.Time) *Axis {
	a := &Axis{times: times, places: make([]float64, len(times))}
	total := time.Duration(0)
	for i, t := range times {
		if i > 0 {
			total += min(t.Sub(times[i-1]), LongestPause)
		}
		a.places[i] = float64(total)
	}
	if total <= 0 {
		return nil
	}
	a.First, a.Last = times[0], times[len(times)-1]
	for i := range a.places {
		a.places[i] *= PlotWidth / float64(total)
	}
	return a
}

// At is the place of a time: that of the last one of the axis that isn't after it.
func (a *Axis) At(t time.Time) float64 {
	n := sort.Search(len(a.times), func(i int) bool { return a.times[i].After(t) })
	return a.places[max(n-1, 0)]
}

// Span is what happened from one time to another, which may be unknown. It is wide enough to be seen, and within the axis.
func (a *Axis) Span(from, to time.Time) (s Span) {
	s.X = a.At(from)
	if !to.IsZero() {
		s.W = a.At(to) - s.X
	}
	s.W = max(min(s.W, PlotWidth-s.X), 2)
	s.X = min(s.X, PlotWidth-s.W)
	return s
}
