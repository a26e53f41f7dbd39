// Package backtest replays logs as if live and reports which alerts the supervisor would have raised, and when. With
// labels it also reports how often the supervisor was right. It reads no clock and calls no AI model; of the
// executables only aburn links it.
//
// As if live means: it judges the State after every entry, at the entry's time, and between entries at the ticks of a
// simulated clock. An alert costs its reader's attention when it is raised, so an issue counts from its first moment,
// however soon it is resolved.
//
// Invariants:
//   - A log does not show which processes live and which files exist. Without an Observe option these are Unknown, as
//     they are for a supervisor on another host.
//   - Two replays of the same entries with the same options are equal.
//   - Carried lines are facts of the past: they are folded, but not judged at their times.
//   - Memory holds a State and the alerts, no entries.
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

// Options are the options of a replay.
type Options struct {
	Model  *workflow.Model
	Limits *limits.Limits // nil: the default ones
	Step   time.Duration  // between two looks without an entry; 0: as supervisor.Due says
	After  time.Duration  // how long the clock ticks on after the last entry, at most a day
	// Labels say what is really wrong in this log; nil: unlabelled. An empty list means that nothing is wrong.
	Labels []Label
	// Observe returns the observations outside the log when the mark was the newest entry; nil: none. The mark's Ord
	// counts the entries from 1.
	Observe func(*state.State, state.Mark) state.Observed
}

// subject is the supervisor, or a test's double of it.
type subject interface {
	Apply(e *logfmt.Entry, carried bool)
	Judge(in supervisor.Input) []supervisor.Issue
	Due(in supervisor.Input) time.Time
}

// engine is the supervisor as a subject.
type engine struct{ *state.State }

func (j engine) Judge(in supervisor.Input) []supervisor.Issue { return supervisor.Judge(j.State, in) }
func (j engine) Due(in supervisor.Input) time.Time            { return supervisor.Due(j.State, in) }

// Replay replays one log. One goroutine may use it.
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
	return &Replay{o: o, state: st, fold: engine{st}, labels: newJudgement(o.Labels)}
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

// Finish lets the clock tick on for Options.After and returns the result.
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
	r.labels.judge(r.alerts.list)
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

// Until lets the clock tick until shortly before end; Entry calls it. A gap of more than a day has no ticks: the
// machine was suspended, or its clock was set.
func (r *Replay) Until(end time.Time) {
	if !r.clock.runs() || end.Sub(r.clock.now) > longest {
		return
	}
	for at := range r.clock.ticks(end, r.next) {
		r.clock.now = at
		r.judge()
	}
}

// next is the time at which a verdict can change without an entry; zero: never.
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
	r.alerts.update(r.fold.Judge(in), r.last, in)
}

// Signature returns the newest alert's signature for a type and session, "" if there is none.
func (r *Replay) Signature(kind supervisor.Type, session logfmt.SessionID) string {
	for _, a := range slices.Backward(r.alerts.list) {
		if a.Type == kind && a.Session == session {
			return a.Signature
		}
	}
	return ""
}

// Result is the result of a replay.
type Result struct {
	Log      string        // its name, for people and labels
	Entries  uint64        // replayed
	Damage   int64         // lines that are no entries
	Sessions int           // with an entry
	Time     time.Duration // sum over the sessions, see docs/reference/supervising.md
	Alerts   []*Alert      // in the order in which they were raised
	Open     []*Alert      // open at the end
	State    *state.State
	Labelled bool      // Options.Labels was not nil
	Findings []Finding // of the Expect labels
	Lost     []Label   // labels that name an entry which the log does not have

	labels []Label
}

// clock is the time of the machine that wrote the log, as far as the entries show it.
//
// Entries are a little out of order: a hook reads the time before it waits for the lock, and a relayed entry is late by
// the rest of its command. So the clock goes backwards only for an entry that is older by more than lag: then somebody
// set it.
type clock struct{ now time.Time }

// lag is how much older than its predecessor an entry may be.
const lag = 10 * time.Second

// longest is the longest gap between entries that counts as time: logfmt's rule for durations.
const longest = 24 * time.Hour

func (c *clock) runs() bool { return !c.now.IsZero() }

func (c *clock) set(at time.Time) {
	if at.After(c.now) || c.now.Sub(at) > lag {
		c.now = at
	}
}

// minTick is the shortest time between two ticks: limits of time are minutes.
const minTick = time.Second

// ticks are the times before end at which a watcher would look. next returns the one after the clock's present time,
// zero for never.
func (c *clock) ticks(end time.Time, next func(from time.Time) time.Time) iter.Seq[time.Time] {
	from := c.now
	return func(yield func(time.Time) bool) {
		for end.Sub(c.now) > minTick {
			at := next(from)
			if at.IsZero() {
				return
			}
			if at.Before(c.now.Add(minTick)) {
				at = c.now.Add(minTick)
			}
			if !at.Before(end) || !yield(at) {
				return
			}
		}
	}
}

// sessionTime adds up the time for which sessions could be watched.
type sessionTime struct {
	last     map[logfmt.SessionID]time.Time // newest entry of the sessions that have not ended
	known    map[logfmt.SessionID]bool
	sessions int
	sum      time.Duration
}

// longestPause is how much of a pause counts: nobody is watched over night.
const longestPause = 30 * time.Minute

// entry adds the time since the session's previous entry. aburn's own entries do not count.
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

// after adds the time after the last entry.
func (t *sessionTime) after(d time.Duration) {
	t.sum += time.Duration(len(t.last)) * min(d, longestPause)
}
