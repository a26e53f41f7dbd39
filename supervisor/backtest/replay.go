// Package backtest replays logs as if live and says which alerts the supervisor would have raised, when, and, where
// somebody has labelled what was really wrong, how often it was right; it reads no clock and calls no model.
//
// As if live means: a State is judged after every entry, at the time that stands in it, and while nothing comes at the
// times of a clock that ticks on from there. What an alert costs its reader is decided when it is raised, so an issue
// counts from its first moment, however soon it is gone.
//
// Invariants:
//   - A log tells neither which processes live nor which files exist: what nobody observed is Unknown, as it is for a
//     supervisor that runs elsewhere.
//   - Two replays of the same entries with the same options are equal.
//   - Carried lines are facts of the past: they are folded, and nothing is judged at their times.
//   - Memory is that of a State and of the alerts; entries are not kept.
package backtest

import (
	"iter"
	"slices"
	"time"

	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// Options are how to replay.
type Options struct {
	Model  *workflow.Model
	Limits *limits.Limits // nil: the default ones
	Step   time.Duration  // between two looks while nothing comes; 0 = as State.Due says
	After  time.Duration  // how long the clock ticks on behind the last entry, at most a day
	// Labels are what is really wrong in this log; nil: nobody has said. An empty list says that nothing is.
	Labels []Label
	// Observe tells what could have been seen outside the log when that was the newest entry; nil: nothing. The mark's
	// Ord counts the entries from 1.
	Observe func(*state.State, state.Mark) state.Observed
}

// subject is what is replayed: the supervisor, or a test's double of it.
type subject interface {
	Apply(e *logfmt.Entry, carried bool)
	Judge(in supervisor.Input) []supervisor.Issue
	Due(in supervisor.Input) time.Time
}

// judged is the supervisor as a subject.
type judged struct{ *state.State }

func (j judged) Judge(in supervisor.Input) []supervisor.Issue { return supervisor.Judge(j.State, in) }
func (j judged) Due(in supervisor.Input) time.Time            { return supervisor.Due(j.State, in) }

// Replay is one log being replayed. One goroutine uses it.
type Replay struct {
	o      Options
	state  *state.State
	fold   subject
	clock  clock
	last   state.Mark
	time   sessionTime
	alerts alerts
	labels judgement
}

// New begins a replay.
func New(o Options) *Replay {
	if o.Limits == nil {
		o.Limits = limits.Default()
	}
	st := state.New(o.Model, o.Limits)
	return &Replay{o: o, state: st, fold: judged{st}, labels: newJudgement(o.Labels)}
}

// Entry takes the next entry of the log, whose Data is not kept.
func (r *Replay) Entry(e *logfmt.Entry, carried bool) {
	if !carried {
		r.Until(e.Time)
	}
	r.fold.Apply(e, carried)
	r.last = state.Mark{Seq: e.Seq, Ord: r.last.Ord + 1, At: e.Time.UnixMilli()}
	if carried {
		return
	}
	r.labels.entry(r.last)
	r.time.entry(e)
	r.clock.set(e.Time)
	r.judge()
}

// Finish lets the clock tick on for Options.After and says what was found.
func (r *Replay) Finish() *Result {
	if r.clock.runs() {
		r.time.after(r.o.After)
		end := r.clock.now.Add(min(r.o.After, longest))
		r.Until(end)
		if r.o.After > 0 {
			r.clock.now = end
			r.judge()
		}
	}
	r.labels.hold(r.alerts.list)
	res := &Result{
		Entries: r.last.Ord, Sessions: r.time.sessions, Time: r.time.sum,
		Alerts: r.alerts.list, Open: r.alerts.standing(), State: r.state,
		Labelled: r.o.Labels != nil, Findings: r.labels.findings, labels: r.labels.labels,
	}
	for _, l := range res.labels {
		if l.Lost() {
			res.Lost = append(res.Lost, l)
		}
	}
	return res
}

// Until lets the clock tick until shortly before end. Entry does that by itself. Where more than a day is missing, nobody
// looked: the machine slept, or the clock was set.
func (r *Replay) Until(end time.Time) {
	if !r.clock.runs() || end.Sub(r.clock.now) > longest {
		return
	}
	for at := range r.clock.ticks(end, r.next) {
		r.clock.now = at
		r.judge()
	}
}

// next is when a verdict can change by time alone; zero = never.
func (r *Replay) next(from time.Time) time.Time {
	if r.o.Step > 0 {
		return r.clock.now.Add(max(r.o.Step, r.clock.now.Sub(from)/64))
	}
	return r.fold.Due(r.input())
}

func (r *Replay) input() supervisor.Input {
	in := supervisor.Input{Now: r.clock.now, Model: r.o.Model, Limits: r.o.Limits}
	if r.o.Observe != nil {
		in.Observed = r.o.Observe(r.state, r.last)
	}
	return in
}

func (r *Replay) judge() {
	in := r.input()
	r.alerts.take(r.fold.Judge(in), r.last, in)
}

// Signature is that of the newest alert of a type in a session so far, "" if there was none.
func (r *Replay) Signature(kind supervisor.Type, session logfmt.SessionID) string {
	for _, a := range slices.Backward(r.alerts.list) {
		if a.Type == kind && a.Session == session {
			return a.Signature
		}
	}
	return ""
}

// Result is what a replay found.
type Result struct {
	Log      string        // its name, for people and labels
	Entries  uint64        // that were replayed
	Damage   int64         // lines that are no entries
	Sessions int           // that had an entry
	Time     time.Duration // of the sessions together, see docs/guide/supervising.md
	Alerts   []*Alert      // in the order in which they were raised
	Open     []*Alert      // those that stood at the end
	State    *state.State
	Labelled bool      // somebody has said what is wrong in it
	Findings []Finding // of the Expect labels
	Lost     []Label   // that name an entry which the log does not have

	labels []Label
}

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
