package watch

import (
	"slices"
	"time"

	"aburn/internal/proc"
	"aburn/supervisor/state"
)

// How long a session counts as alive if its process is unknown or on another host.
const (
	believedAtWork = 6 * time.Hour
	believedIdle   = time.Hour
)

// findings are those of the last look.
type findings struct {
	state    *state.State // nil before the first look
	observed state.Observed
	issues   []Issue
}

// lives reports whether any session of the project may still be alive.
func (s *findings) lives(now time.Time) bool {
	for _, session := range s.sessions() {
		if s.alive(session, now) {
			return true
		}
	}
	return false
}

func (s *findings) alive(session *state.Session, now time.Time) bool {
	mode, _ := session.Mode(now, s.observed)
	if mode == state.Ended || mode == state.Gone {
		return false
	}
	p := session.Proc // the look observes only the processes that a verdict needs
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

// quietest is the newest entry's time in the session that is alive, at work, and silent for longest; zero if none is at
// work.
func (s *findings) quietest(now time.Time) (oldest time.Time) {
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

func (s *findings) sessions() []*state.Session {
	if s.state == nil {
		return nil
	}
	return s.state.Sessions
}

// inLog reports whether the log has a notification of the issue.
func (s *findings) inLog(signature string) bool {
	return s.state != nil && slices.ContainsFunc(s.state.Told, func(t state.Told) bool { return t.Signature == signature })
}

// A suspended machine's wall clock goes on while nobody works, so on waking every session looks silent.
const (
	sleepAtLeast = 30 * time.Second // less is an adjustment of the clock
	wakeUpTime   = 5 * time.Minute  // how long sessions may take to log something again
)

// suspension notices that the machine was suspended: the wall clock advanced further than the monotonic clock, which
// stands still meanwhile.
type suspension struct {
	wall  time.Time     // at the last tick; zero before the first
	ran   time.Duration // at the last tick, by the monotonic clock
	woke  time.Time     // when the last suspension ended
	holds bool          // the sessions still have time to wake up
}

// tick notes both clocks.
func (a *suspension) tick(wall time.Time, ran time.Duration) {
	if !a.wall.IsZero() && wall.Sub(a.wall)-(ran-a.ran) >= sleepAtLeast {
		a.woke, a.holds = wall, true
	}
	a.wall, a.ran = wall, ran
}

// holdsOff reports whether judging has to wait because the machine has just woken and a session has not logged since.
// oldest is the quietest session's newest entry; zero if no session is at work.
func (a *suspension) holdsOff(oldest, now time.Time) bool {
	a.holds = a.holds && !oldest.IsZero() && oldest.Before(a.woke) && now.Sub(a.woke) < wakeUpTime
	return a.holds
}
