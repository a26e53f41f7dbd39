package backtest

import (
	"iter"
	"time"

	"aburn/logfmt"
)

// clock is the time of the machine that the log was written on, as far as the entries tell it.
//
// Entries are a little out of order, because a hook reads the time before it waits for the lock, and one that a sandbox
// handed over is late by as long as its command went on. So the clock goes backwards only when an entry is older by more
// than that: then somebody set it.
type clock struct{ now time.Time }

// lag is how much older than the one before an entry may be without the clock having been set back.
const lag = 10 * time.Second

// longest is how long nothing may come before the clock is no more believed: logfmt's rule for durations.
const longest = 24 * time.Hour

func (c *clock) runs() bool { return !c.now.IsZero() }

// set takes the time of an entry.
func (c *clock) set(at time.Time) {
	if at.After(c.now) || c.now.Sub(at) > lag {
		c.now = at
	}
}

// soonest is how soon after a look the next one can be: what changes by time alone is told by minutes.
const soonest = time.Second

// ticks are the times before end at which somebody who waits would look; next says the next one, when
// the clock stands at the one before, zero for never.
func (c *clock) ticks(end time.Time, next func(from time.Time) time.Time) iter.Seq[time.Time] {
	from := c.now
	return func(yield func(time.Time) bool) {
		for end.Sub(c.now) > soonest {
			at := next(from)
			if at.IsZero() {
				return
			}
			if at.Before(c.now.Add(soonest)) {
				at = c.now.Add(soonest)
			}
			if !at.Before(end) || !yield(at) {
				return
			}
		}
	}
}

// sessionTime adds up how long sessions were there to be watched.
type sessionTime struct {
	last     map[logfmt.SessionID]time.Time // of those that have not ended
	known    map[logfmt.SessionID]bool
	sessions int
	sum      time.Duration
}

// longestPause is how much of a pause counts: who comes back after a night was not watched for all of it.
const longestPause = 30 * time.Minute

// entry counts the step since the session's entry before. aburn's own entries are nobody's work.
func (t *sessionTime) entry(e *logfmt.Entry) {
	if e.Session == "" || e.Source == "aburn" {
		return
	}
	if t.known == nil {
		t.known, t.last = map[logfmt.SessionID]bool{}, map[logfmt.SessionID]time.Time{}
	}
	if !t.known[e.Session] {
		t.known[e.Session] = true
		t.sessions++
	}
	if before, ok := t.last[e.Session]; ok {
		if step := e.Time.Sub(before); step > 0 && step <= longest {
			t.sum += min(step, longestPause)
		}
	}
	if e.Event == logfmt.SessionEnd {
		delete(t.last, e.Session)
		return
	}
	t.last[e.Session] = e.Time
}

// after counts what was watched behind the last entry.
func (t *sessionTime) after(d time.Duration) {
	t.sum += time.Duration(len(t.last)) * min(d, longestPause)
}
