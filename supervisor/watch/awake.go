package watch

import "time"

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
