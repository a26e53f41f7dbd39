package watch

import (
	"testing"
	"time"
)

func TestSleepingMachine(t *testing.T) {
	start := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	const night = 8 * time.Hour
	for name, c := range map[string]struct {
		slept, stopped time.Duration // the machine; the process alone
		oldest         time.Time
		after          time.Duration // since the machine woke
		holds          bool
	}{
		"nothing happened":           {0, 0, at(-time.Hour), time.Second, false},
		"a night":                    {night, 0, at(-time.Minute), time.Second, true},
		"a night, minutes later":     {night, 0, at(-time.Minute), 4 * time.Minute, true},
		"a night, long after":        {night, 0, at(-time.Minute), 5 * time.Minute, false},
		"all have logged something":  {night, 0, at(night + time.Second), 2 * time.Second, false},
		"nobody was at work":         {night, 0, time.Time{}, time.Second, false},
		"only this process stood":    {0, night, at(-time.Minute), time.Second, false},
		"the clock was set by 10 s":  {10 * time.Second, 0, at(-time.Minute), time.Second, false},
		"the clock was set backward": {-night, 0, at(-night - time.Minute), time.Second, false},
	} {
		var a awake
		a.tick(at(0), 0)
		a.tick(at(time.Second), time.Second)
		a.tick(at(c.slept+c.stopped), c.stopped)
		a.tick(at(c.slept+c.stopped+c.after), c.stopped+c.after)
		if got := a.holdsOff(c.oldest, at(c.slept+c.stopped+c.after)); got != c.holds {
			t.Errorf("%s: holds off is %v", name, got)
		}
	}
}

// Who has woken once does not hold off again: later silence is silence.
func TestAwakeForGood(t *testing.T) {
	start := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	var a awake
	a.tick(start, 0)
	a.tick(start.Add(time.Hour), time.Second)
	for i, c := range []struct {
		oldest time.Duration
		holds  bool
	}{{0, true}, {time.Hour + time.Second, false}, {0, false}} {
		if got := a.holdsOff(start.Add(c.oldest), start.Add(time.Hour+10*time.Second)); got != c.holds {
			t.Errorf("question %d: %v", i, got)
		}
	}
}
