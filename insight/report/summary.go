package report

import (
	"cmp"
	"slices"
	"time"

	"aburn/insight"
)

// Summary is a report in a few facts.
type Summary struct {
	// Main is the main error of most units that failed, or of most units if none failed with one. It is nil if there was no error.
	Main *Error
	// Since is when the reader last looked. Ended and Failing count units that ended since then.
	Since          time.Time
	Ended, Failing int
	// New are the errors that no earlier unit had, most units first.
	New []Error
}

// Summarize sums up a report that holds all lines. list are its digests.
func (r *Report) Summarize(list []*insight.Digest, since time.Time) *Summary {
	s := &Summary{Since: since}
	for i := range r.Errors {
		e := &r.Errors[i]
		if s.Main == nil || cmp.Or(cmp.Compare(e.Failing, s.Main.Failing), cmp.Compare(e.Units, s.Main.Units)) > 0 {
			s.Main = e
		}
		if e.First.After(since) {
			s.New = append(s.New, *e)
		}
	}
	slices.SortStableFunc(s.New, func(a, b Error) int { return cmp.Compare(b.Units, a.Units) })
	for _, d := range list {
		if d.Live || !d.End.After(since) {
			continue
		}
		s.Ended++
		if d.Verdict.Failing() {
			s.Failing++
		}
	}
	return s
}
