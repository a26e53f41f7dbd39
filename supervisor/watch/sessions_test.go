package watch

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"aburn/internal/proc"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// session folds the life of one session, in minutes before now, whose process has the given number and start.
func session(t *testing.T, now time.Time, p proc.Process, host string, life ...any) *findings {
	t.Helper()
	model := workflow.Default()
	s := &findings{state: state.New(&model, limits.Default())}
	for i := 0; i < len(life); i += 2 {
		var process, data logfmt.Object
		if i == 0 && p.PID != 0 {
			data.Raw("proc", process.Int("pid", int64(p.PID)).Int("start", p.Start).Str("host", host).Bytes())
		}
		s.state.Apply(&logfmt.Entry{
			Time: now.Add(-time.Duration(life[i+1].(int)) * time.Minute), Cmd: logfmt.SessionCmd, Event: life[i].(logfmt.Event), Session: "s",
			Seq: logfmt.Seq(i + 1), ID: fmt.Sprint("id", i), Source: "claude", Data: data.Bytes(),
		}, false)
	}
	return s
}

func TestWhoLives(t *testing.T) {
	self, ok := proc.Self()
	host := proc.Host()
	if !ok || host == "" {
		t.Skip("this system does not tell whether a process runs")
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	gone := proc.Process{PID: dead.Process.Pid, Start: 1}
	const (
		start, prompt, stop, end = logfmt.SessionStart, logfmt.Prompt, logfmt.Stop, logfmt.SessionEnd
		day                      = 24 * 60
	)
	now := time.Now()
	for name, c := range map[string]struct {
		process proc.Process
		host    string
		life    []any
		lives   bool
		quiet   int // minutes since the newest entry of a session at work; 0: none is
	}{
		"nobody":                         {proc.Process{}, "", nil, false, 0},
		"at work, runs":                  {self, host, []any{start, 10, prompt, 9}, true, 9},
		"at work for a day, runs":        {self, host, []any{start, day, prompt, day}, true, day},
		"idle for a day, runs":           {self, host, []any{start, day, prompt, day, stop, day}, true, 0},
		"ended, runs":                    {self, host, []any{start, 10, prompt, 9, stop, 8, end, 7}, false, 0},
		"at work, gone":                  {gone, host, []any{start, 10, prompt, 9}, false, 0},
		"idle, gone":                     {gone, host, []any{start, 10, prompt, 9, stop, 8}, false, 0},
		"at work, number of another one": {proc.Process{PID: self.PID, Start: self.Start - 1}, host, []any{start, 10, prompt, 9}, false, 0},
		"at work elsewhere":              {gone, "elsewhere", []any{start, 10, prompt, 9}, true, 9},
		"at work elsewhere for a day":    {gone, "elsewhere", []any{start, day, prompt, day}, false, 0},
		"idle elsewhere":                 {gone, "elsewhere", []any{start, 10, prompt, 9, stop, 8}, true, 0},
		"idle elsewhere for two hours":   {gone, "elsewhere", []any{start, 130, prompt, 129, stop, 128}, false, 0},
		"at work, unknown":               {proc.Process{}, "", []any{start, 10, prompt, 9}, true, 9},
	} {
		s := session(t, now, c.process, c.host, c.life...)
		if got := s.lives(now); got != c.lives {
			t.Errorf("%s: lives is %v", name, got)
		}
		got := s.quietest(now)
		if c.quiet == 0 != got.IsZero() || c.quiet != 0 && now.Sub(got).Round(time.Minute) != time.Duration(c.quiet)*time.Minute {
			t.Errorf("%s: the quietest at work is %v", name, got)
		}
	}
}

func TestSleepingMachine(t *testing.T) {
	start := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	const night = 8 * time.Hour
	for name, c := range map[string]struct {
		slept, stopped time.Duration // the machine; only the process
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
		var a suspension
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
	var a suspension
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
