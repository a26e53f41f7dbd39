package hooks

import (
	"slices"

	"aburn/internal/journal"
	"aburn/internal/recent"
)

// farBack is how much of the log is searched for a named call that its tail does
// not have, in bytes.
const farBack = 4 << 20

// prepare lets the plan's closer look things up without the lock. Where there is
// nothing to close, it is dropped, and with it the work under the lock.
func (r *recorder) prepare(j *journal.Journal) {
	c := r.plan.Closer
	if c == nil {
		return
	}
	r.known = r.calls(peek(j, journal.TailSize))
	if slices.ContainsFunc(c.Wants(), func(id string) bool { return !r.known.Ended(id) && r.known.Find(id) == nil }) {
		r.known = r.calls(peek(j, farBack))
	}
	if !c.Prepare(r.known) {
		r.plan.Closer = nil
	}
}

func (r *recorder) calls(lines recent.Lines) *recent.Calls {
	if ids := r.plan.Closer.Wants(); ids != nil {
		return recent.CallsNamed(lines, r.who(), ids)
	}
	return recent.CallsOf(lines, r.who())
}

// peek is the end of the log without its lock: good enough to look things up for.
func peek(j *journal.Journal, limit int64) recent.Lines {
	return func(yield func([]byte) bool) {
		for line, err := range j.Backward(journal.BackwardOptions{Limit: limit, Newest: true}) {
			if err != nil || !yield(line.JSON) {
				return
			}
		}
	}
}
