package backtest

import (
	"slices"
	"testing"
	"time"

	"aburn/logfmt"
	"aburn/logfmt/drawn"
	"aburn/supervisor"
	"aburn/workflow"
)

// double is a supervisor that says what a test tells it to say.
type double struct {
	applied []uint64 // numbers of the entries
	carried int
	judged  []time.Time
	at      int // entries that were applied
	says    func(d *double, now time.Time) []supervisor.Issue
}

func (d *double) Apply(e *logfmt.Entry, carried bool) {
	d.at++
	d.applied = append(d.applied, uint64(e.Seq))
	if carried {
		d.carried++
	}
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
		Since: supervisor.Mark{Seq: logfmt.Seq(since), Ord: uint64(since), At: second(since).UnixMilli()},
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

func TestJudgesAfterEveryEntryAndInBetween(t *testing.T) {
	d := &double{}
	replayDouble("@A t t +39s t", d, Options{After: 20 * time.Second})
	var got []int
	for _, at := range d.judged {
		got = append(got, int(at.Sub(drawn.Epoch)/time.Second))
	}
	if want := []int{0, 1, 16, 31, 41, 56, 61}; !slices.Equal(got, want) {
		t.Errorf("judged at seconds %v, want %v", got, want)
	}
}

func TestClockFollowsTheLogAndNotItsLateEntries(t *testing.T) {
	for name, c := range map[string]struct {
		drawing string
		want    []int
	}{
		"late by a lock":     {"t +1s t -3s t t", []int{0, 2, 2, 2}},
		"set back an hour":   {"t +10s t -1h t", []int{0, 11, -3588}},
		"a night, a silence": {"t +1h t", nil},
	} {
		d := &double{}
		replayDouble(c.drawing, d, Options{})
		var got []int
		for _, at := range d.judged {
			got = append(got, int(at.Sub(drawn.Epoch)/time.Second))
		}
		if c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: judged at seconds %v, want %v", name, got, c.want)
		}
		if c.want == nil && (len(got) < 100 || len(got) > 250 || !slices.IsSorted(got)) {
			t.Errorf("%s: judged %d times", name, len(got))
		}
	}
}

// A silence is looked at for a day and no longer, and not so often that a week of it costs anything.
func TestTicksAreBounded(t *testing.T) {
	c := clock{now: drawn.Epoch}
	n, last := 0, time.Time{}
	for at := range c.ticks(drawn.Epoch.Add(8*24*time.Hour), DefaultStep) {
		n++
		last = at
	}
	if n < 300 || n > 500 || last.Sub(drawn.Epoch) > longest || last.Sub(drawn.Epoch) < 23*time.Hour {
		t.Errorf("%d ticks, the last after %v", n, last.Sub(drawn.Epoch))
	}
}

func TestAnAlertIsTheFirstTimeOfASignature(t *testing.T) {
	low, high := issue(supervisor.Loop, "A", 2, 0.75), issue(supervisor.Loop, "A", 2, 0.95)
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
	model := workflow.Default()
	model.Limits.Off = []string{"loop"}
	d := &double{says: while(1, 9, issue(supervisor.Loop, "A", 1, 0.95))}
	if res := replayDouble("@A t*3", d, Options{Model: &model}); len(res.Alerts) != 0 {
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
