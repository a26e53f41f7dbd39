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

// What a suspended machine does to time: the wall clock goes on, nobody works, and at waking every session looks silent.
const (
	sleepAtLeast = 30 * time.Second // less is an adjustment of the clock
	wakeUpTime   = 5 * time.Minute  // how long sessions may take to log something again
)

// awake notices that the machine slept: the wall clock went further than the clock that stands still meanwhile.
type awake struct {
	wall  time.Time     // at the last tick; zero before the first
	ran   time.Duration // at the last tick, by the clock that stands still
	woke  time.Time     // when the last sleep ended
	holds bool          // the sessions still have time to wake up
}

// tick takes note of both clocks.
func (a *awake) tick(wall time.Time, ran time.Duration) {
	if !a.wall.IsZero() && wall.Sub(a.wall)-(ran-a.ran) >= sleepAtLeast {
		a.woke, a.holds = wall, true
	}
	a.wall, a.ran = wall, ran
}

// holdsOff reports whether judging has to wait: the machine has just woken, and oldest, the newest entry of the session
// at work that has been silent the longest, is from before that. Zero means that no session is at work.
func (a *awake) holdsOff(oldest, now time.Time) bool {
	a.holds = a.holds && !oldest.IsZero() && oldest.Before(a.woke) && now.Sub(a.woke) < wakeUpTime
	return a.holds
}
