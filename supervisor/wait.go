package supervisor

import "time"

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

// Mode is what the session is doing at now, and since when. What ended or is gone
// does nothing else; who waits does not work. A session whose turn is over but
// whose sub-agents run on in the background works.
func (s *Session) Mode(now time.Time, o Observed) (Mode, Mark) { return Idle, s.Last }

// ClockAt is the session's Clock at now, as if nothing had happened since Last.
func (s *Session) ClockAt(now time.Time) Clock { return s.Clock }

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

// Line of work of the sub-agent with this id or, for one without an id, this
// type; the session's own for "". Nil: unknown.
func (s *Session) Line(agent string) *Line {
	if agent == "" {
		return &s.Own
	}
	if a := s.agent(agent); a != nil {
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

func (s *Session) agent(name string) *Agent {
	for _, a := range s.Agents {
		if a.Name() == name {
			return a
		}
	}
	return nil
}
