package state

import (
	"slices"
	"time"
)

// Mode is what a session is doing.
type Mode string

// The modes. Gone is known only from its process, on the same host.
const (
	Working    Mode = "working"
	Permission Mode = "waiting for permission"
	Question   Mode = "waiting for the user"
	Idle       Mode = "idle"
	Ended      Mode = "ended"
	Gone       Mode = "gone"
)

// Mode is what the session is doing at now, and since when. Ended and Gone come before
// all else, waiting comes before working. A turn whose call was denied in the terminal is over. A session whose turn is over but whose
// sub-agents run on in the background is working.
func (s *Session) Mode(now time.Time, o Observed) (Mode, Mark) {
	switch {
	case s.End.Is():
		return Ended, s.End.Mark
	case o.Alive[s.Proc] == No && s.Proc.PID != 0:
		return Gone, s.Last
	}
	waits := s.Waiting(o)
	for _, w := range waits {
		if w.Question {
			return Question, w.Since
		}
	}
	switch {
	case len(waits) > 0:
		return Permission, waits[0].Since
	case len(s.Waits) > 0: // denied in the terminal, which ends the turn; no hook fires
		return Idle, s.Last
	}
	if s.Turn.Open {
		return Working, s.Turn.Start
	}
	for _, a := range s.Agents {
		if a.ID != "" && a.Running() {
			return Working, a.started()
		}
	}
	if s.Turn.Ended.Is() {
		return Idle, s.Turn.Ended
	}
	return Idle, s.Last
}

// started is when the sub-agent was first heard of.
func (a *Agent) started() Mark {
	if a.Spawned.Is() {
		return a.Spawned
	}
	return a.Begun
}

// ClockAt is the session's Clock at now, as if nothing had happened since Last.
func (s *Session) ClockAt(now time.Time) Clock { return s.clockAt(now.UnixMilli()) }

const (
	minute  = 60_000
	longest = 24 * 60 * minute // a longer step is the clock's, not the work's
)

func (s *Session) clockAt(now int64) Clock {
	step := now - s.Last.At
	if !s.Turn.Open || !s.Last.Is() || step <= 0 || step > longest {
		return s.Clock
	}
	for _, w := range s.Waits {
		if w.Agent == "" {
			return s.Clock
		}
	}
	for _, c := range s.Calls {
		switch {
		case c.Background:
			step = min(step, minute)
		case c.Agent == "" && !c.Cut.Is():
			step = min(step, c.Start.At+minute-s.Last.At)
		}
	}
	return s.Clock + Clock(max(0, step))
}

// Active is the command that the line works on; nil when none is open.
func (l *Line) Active() *Run {
	if l.Run == nil || l.Run.End.Is() {
		return nil
	}
	return l.Run
}

// Open is the phase that the run is in; nil when none is open.
func (r *Run) Open() *Phase {
	if r == nil || r.End.Is() || len(r.Phases) == 0 {
		return nil
	}
	if p := r.Phases[len(r.Phases)-1]; !p.End.Is() {
		return p
	}
	return nil
}

// Running reports whether the sub-agent has not ended, as far as is known.
func (a *Agent) Running() bool { return !a.Ended.Is() && !a.Cut.Is() }

// RunsInBackground reports whether something that the line of work started runs in the background.
func (s *Session) RunsInBackground(agent string) bool {
	return slices.ContainsFunc(s.Calls, func(c *Call) bool { return c.Background && c.Agent == agent }) ||
		slices.ContainsFunc(s.Agents, func(a *Agent) bool { return a.Background && a.In == agent && a.Name() != agent && a.Running() })
}

// Line is that of the sub-agent with this id or, for one without an id, this
// type; the session's own for "". Nil: unknown.
func (s *Session) Line(agent string) *Line {
	if agent == "" {
		return &s.Own
	}
	if a := s.Agent(agent); a != nil {
		return &a.Line
	}
	return nil
}

// Name is what Call.Agent and Wait.Agent call the sub-agent.
func (a *Agent) Name() string {
	if a.ID != "" {
		return a.ID
	}
	return a.Type
}

func (s *Session) Agent(name string) *Agent {
	for _, a := range s.Agents {
		if a.Name() == name {
			return a
		}
	}
	return nil
}
