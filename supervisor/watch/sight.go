package watch

import (
	"slices"
	"time"

	"aburn/internal/proc"
	"aburn/supervisor/state"
)

// How long a session is taken to live when nobody can tell: its process is unknown, or on another host.
const (
	believedAtWork = 6 * time.Hour
	believedIdle   = time.Hour
)

// sight is what the last look found.
type sight struct {
	state    *state.State // nil before the first look
	observed state.Observed
	issues   []Issue
}

// lives reports whether a session of the project may still do something.
func (s *sight) lives(now time.Time) bool {
	for _, session := range s.sessions() {
		if s.alive(session, now) {
			return true
		}
	}
	return false
}

func (s *sight) alive(session *state.Session, now time.Time) bool {
	mode, _ := session.Mode(now, s.observed)
	if mode == state.Ended || mode == state.Gone {
		return false
	}
	p := session.Proc // the look asks only for processes that a verdict needs
	switch proc.Of(proc.Process{PID: int(p.PID), Start: p.Start}, p.Host) {
	case proc.Runs:
		return true
	case proc.Gone:
		return false
	}
	if mode == state.Idle {
		return now.Sub(session.Last.Time()) < believedIdle
	}
	return now.Sub(session.Last.Time()) < believedAtWork
}

// quietest is the time of the newest entry of the living session that is at work and has been silent the longest; zero
// where none is at work.
func (s *sight) quietest(now time.Time) (oldest time.Time) {
	for _, session := range s.sessions() {
		if mode, _ := session.Mode(now, s.observed); mode != state.Working || !s.alive(session, now) {
			continue
		}
		if last := session.Last.Time(); oldest.IsZero() || last.Before(oldest) {
			oldest = last
		}
	}
	return oldest
}

func (s *sight) sessions() []*state.Session {
	if s.state == nil {
		return nil
	}
	return s.state.Sessions
}

// toldBefore reports whether the log says that a user was told.
func (s *sight) toldBefore(signature string) bool {
	return s.state != nil && slices.ContainsFunc(s.state.Told, func(t state.Told) bool { return t.Signature == signature })
}
