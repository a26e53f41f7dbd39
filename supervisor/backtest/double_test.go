package backtest

import (
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// double is a supervisor that says what a test tells it to say.
type double struct {
	applied []uint64 // numbers of the entries
	carried int
	judged  []time.Time
	at      int   // entries that were applied
	due     []int // seconds at which something may change by time alone
	says    func(d *double, now time.Time) []supervisor.Issue
}

func (d *double) Apply(e *logfmt.Entry, carried bool) {
	d.at++
	d.applied = append(d.applied, uint64(e.Seq))
	if carried {
		d.carried++
	}
}

func (d *double) Due(in supervisor.Input) time.Time {
	for _, s := range d.due {
		if at := drawn.Epoch.Add(time.Duration(s) * time.Second); at.After(in.Now) {
			return at
		}
	}
	return time.Time{}
}

func (d *double) Judge(in supervisor.Input) []supervisor.Issue {
	d.judged = append(d.judged, in.Now)
	if d.says == nil {
		return nil
	}
	return d.says(d, in.Now)
}

// issue makes an issue of a type in a session that is true since a numbered entry of a drawing.
func issue(kind supervisor.Type, session string, since int, confidence float64) supervisor.Issue {
	return supervisor.Issue{
		Type: kind, Session: logfmt.SessionID(session), Signature: string(kind) + "/" + session, Confidence: confidence,
		Since: state.Mark{Seq: logfmt.Seq(since), Ord: uint64(since), At: second(since).UnixMilli()},
	}
}

// second is when the numbered entry of a drawing without pauses is made.
func second(entry int) time.Time { return drawn.Epoch.Add(time.Duration(entry-1) * time.Second) }

// replayDouble replays a drawing into d.
func replayDouble(drawing string, d *double, o Options) *Result {
	if o.Model == nil {
		model := workflow.Default()
		o.Model = &model
	}
	r := New(o)
	r.fold = d
	lines, _ := drawn.Lines(drawing)
	for _, l := range lines {
		if l.Entry != nil {
			r.Entry(l.Entry, false)
		}
	}
	return r.Finish()
}

// between says an issue while so many entries have been applied.
func while(from, to int, i supervisor.Issue) func(*double, time.Time) []supervisor.Issue {
	return func(d *double, _ time.Time) []supervisor.Issue {
		if d.at >= from && d.at <= to {
			return []supervisor.Issue{i}
		}
		return nil
	}
}

// seconds are the times of the judgements, in seconds since the first entry.
func (d *double) seconds() (list []int) {
	for _, at := range d.judged {
		list = append(list, int(at.Sub(drawn.Epoch)/time.Second))
	}
	return list
}

func TestJudgesAfterEveryEntryAndInBetween(t *testing.T) {
	d := &double{}
	replayDouble("@A t t +39s t", d, Options{After: 20 * time.Second, Step: 15 * time.Second})
	if want := []int{0, 1, 16, 31, 41, 56, 61}; !slices.Equal(d.seconds(), want) {
		t.Errorf("every 15 s: judged at seconds %v, want %v", d.seconds(), want)
	}
	d = &double{due: []int{5, 40, 41, 50}}
	replayDouble("@A t t +39s t", d, Options{After: 20 * time.Second})
	if want := []int{0, 1, 5, 40, 41, 50, 61}; !slices.Equal(d.seconds(), want) {
		t.Errorf("when something is due: judged at seconds %v, want %v", d.seconds(), want)
	}
}

func TestClockFollowsTheLogAndNotItsLateEntries(t *testing.T) {
	for drawing, want := range map[string][]int{
		"t +1s t -3s t t": {0, 2, 2, 2},      // late by a lock
		"t +10s t -1h t":  {0, 11, -3588},    // set back an hour
		"t -1h t +5s t":   {0, -3599, -3593}, // and going on from there
	} {
		d := &double{}
		replayDouble(drawing, d, Options{})
		if !slices.Equal(d.seconds(), want) {
			t.Errorf("%s: judged at seconds %v, want %v", drawing, d.seconds(), want)
		}
	}
}

// A night of silence is looked at, but not so often that it costs anything, whatever the supervisor says is due; a longer one
// is nobody's.
func TestTicksAreBounded(t *testing.T) {
	for _, step := range []time.Duration{0, 15 * time.Second} {
		d := &double{}
		for s := range 2000 {
			d.due = append(d.due, s*600)
		}
		replayDouble("t +23h t", d, Options{Step: step})
		n := len(d.judged)
		if last := d.judged[n-2].Sub(drawn.Epoch); n < 100 || n > 500 || last < 22*time.Hour {
			t.Errorf("step %v: %d judgements, the last but one after %v", step, n, last)
		}
		d = &double{due: d.due}
		if replayDouble("t +25h t", d, Options{Step: step}); len(d.judged) != 2 {
			t.Errorf("step %v: %d judgements around a gap of more than a day", step, len(d.judged))
		}
	}
	c := clock{now: drawn.Epoch}
	n := 0
	for at := range c.ticks(drawn.Epoch.Add(10*time.Second), func(time.Time) time.Time { return c.now }) {
		c.now = at
		n++
	}
	if n != 9 {
		t.Errorf("a supervisor that is always due is asked %d times in 10 seconds", n)
	}
}

func TestAnAlertIsTheFirstTimeOfASignature(t *testing.T) {
	low, high := issue(limits.Loop, "A", 2, 0.75), issue(limits.Loop, "A", 2, 0.95)
	d := &double{says: func(d *double, now time.Time) []supervisor.Issue {
		switch d.at {
		case 3, 4, 6:
			return []supervisor.Issue{low, low}
		case 7:
			return []supervisor.Issue{high}
		}
		return nil
	}}
	res := replayDouble("@A t*8", d, Options{})
	if len(res.Alerts) != 1 || len(res.Open) != 0 {
		t.Fatalf("%d alerts, %d stand", len(res.Alerts), len(res.Open))
	}
	a := res.Alerts[0]
	if !a.At.Equal(second(3)) || a.Entry.Seq != 3 || a.Confidence != 0.75 || a.Max != 0.95 || a.Raised != 2 ||
		!a.Queued.Equal(second(7)) || !a.Gone.Equal(second(8)) || a.GoneAt.Seq != 8 {
		t.Errorf("%+v", a)
	}
	if delay, ok := a.Delay(); !ok || delay != time.Second {
		t.Errorf("raised after %v, %v", delay, ok)
	}
}

func TestTypesThatAreOffRaiseNothing(t *testing.T) {
	l := limits.Default()
	l.Off = []string{limits.Loop}
	d := &double{says: while(1, 9, issue(limits.Loop, "A", 1, 0.95))}
	if res := replayDouble("@A t*3", d, Options{Limits: l}); len(res.Alerts) != 0 {
		t.Errorf("alerts: %+v", res.Alerts[0])
	}
}

func TestCarriedEntriesAreFoldedAndNotJudged(t *testing.T) {
	d := &double{}
	model := workflow.Default()
	r := New(Options{Model: &model})
	r.fold = d
	lines, _ := drawn.Lines("@A build> +2h build. t t")
	for i, l := range lines {
		r.Entry(l.Entry, i < 2)
	}
	r.Finish()
	if d.carried != 2 || len(d.judged) != 2 || !d.judged[0].Equal(lines[2].Entry.Time) {
		t.Errorf("%d carried, judged at %v", d.carried, d.judged)
	}
}

func TestSessionTime(t *testing.T) {
	for name, c := range map[string]struct {
		drawing  string
		after    time.Duration
		sessions int
		want     time.Duration
	}{
		"two at once":           {"@A t @B t @A t @B t", 0, 2, 4 * time.Second},
		"a night counts half":   {"@A t +9h t", 0, 1, longestPause},
		"nothing measures days": {"@A t +25h t", 0, 1, 0},
		"nor a step back":       {"@A t -5m t t", 0, 1, time.Second},
		"what is nobody's":      {"@ t +5m t", 0, 0, 0},
		"time after the end":    {"@A t t", 10 * time.Minute, 1, 10*time.Minute + time.Second},
	} {
		res := replayDouble(c.drawing, &double{}, Options{After: c.after})
		if res.Time != c.want || res.Sessions != c.sessions {
			t.Errorf("%s: %d sessions, %v, want %d, %v", name, res.Sessions, res.Time, c.sessions, c.want)
		}
	}
	var st sessionTime
	end := logfmt.Entry{Session: "A", Event: logfmt.SessionEnd, Time: second(11)}
	st.entry(&logfmt.Entry{Session: "A", Event: logfmt.Prompt, Time: second(1)})
	st.entry(&end)
	end.Event, end.Time = logfmt.SessionStart, second(500)
	st.entry(&end)
	if st.sum != 10*time.Second {
		t.Errorf("a session that was closed in between: %v", st.sum)
	}
}
