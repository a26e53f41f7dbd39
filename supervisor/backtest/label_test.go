package backtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/limits"
)

// verdicts replays eight calls of session A and gives the verdicts of what is said.
func verdicts(labels []Label, says ...func(*double, time.Time) []supervisor.Issue) (*Result, []Verdict) {
	d := &double{says: func(d *double, now time.Time) (all []supervisor.Issue) {
		for _, say := range says {
			all = append(all, say(d, now)...)
		}
		return all
	}}
	res := replayDouble("@A t*8", d, Options{Labels: labels})
	var got []Verdict
	for _, a := range res.Alerts {
		got = append(got, a.Verdict)
	}
	return res, got
}

func TestVerdicts(t *testing.T) {
	loop := func(from int, sig string) func(*double, time.Time) []supervisor.Issue {
		i := issue(limits.Loop, "A", from, 0.8)
		i.Signature = sig
		return while(from, 9, i)
	}
	short := while(2, 3, issue(limits.Loop, "A", 2, 0.8))
	expect := func(from uint64) Label { return Label{Kind: Expect, Type: limits.Loop, Session: "A", From: from} }
	for name, c := range map[string]struct {
		labels []Label
		says   []func(*double, time.Time) []supervisor.Issue
		want   []Verdict
		found  int
	}{
		"found":                     {[]Label{expect(0)}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")}, []Verdict{True}, 1},
		"found twice is found once": {[]Label{expect(0)}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x"), loop(4, "y")}, []Verdict{True, Repeat}, 1},
		"two of two": {[]Label{expect(2), expect(4)}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x"), loop(5, "y")}, []Verdict{True, True},
			2},
		"two of two, told late": {[]Label{expect(2), expect(4)}, []func(*double, time.Time) []supervisor.Issue{loop(5, "x"), loop(6, "y")}, []Verdict{True, True},
			2},
		"too early and gone":    {[]Label{expect(5)}, []func(*double, time.Time) []supervisor.Issue{short}, []Verdict{False}, 0},
		"too early, and stands": {[]Label{expect(5)}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")}, []Verdict{False}, 1},
		"in another session": {[]Label{{Kind: Expect, Type: limits.Loop, Session: "B"}}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")},
			[]Verdict{False}, 0},
		"of another type": {[]Label{{Kind: Expect, Type: limits.Silence, Session: "A"}}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")},
			[]Verdict{False}, 0},
		"of the chain": {[]Label{{Kind: Expect, Type: limits.ChainBroken, Session: Chain}},
			[]func(*double, time.Time) []supervisor.Issue{while(3, 9, issue(limits.ChainBroken, "", 3, 1))}, []Verdict{True}, 1},
		"debatable": {[]Label{{Kind: Allow, Type: limits.Loop, Session: AnySession}}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")},
			[]Verdict{Allowed}, 0},
		"nothing was to be found": {[]Label{}, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")}, []Verdict{False}, 0},
		"nobody has said":         {nil, []func(*double, time.Time) []supervisor.Issue{loop(3, "x")}, []Verdict{Unjudged}, 0},
		"missed":                  {[]Label{expect(0)}, nil, nil, 0},
	} {
		res, got := verdicts(c.labels, c.says...)
		found := 0
		for _, f := range res.Findings {
			if f.By != nil {
				found++
			}
		}
		if !slices.Equal(got, c.want) || found != c.found {
			t.Errorf("%s: %q and %d found, want %q and %d", name, got, found, c.want, c.found)
		}
	}
}

func TestDelayIsFromTheLabelsEntry(t *testing.T) {
	res, _ := verdicts([]Label{{Kind: Expect, Type: limits.Loop, Session: "A", From: 2}}, while(6, 9, issue(limits.Loop, "A", 5, 0.8)))
	if got := res.Findings[0].Delay; got != 4*time.Second {
		t.Errorf("with an entry: %v", got)
	}
	res, _ = verdicts([]Label{{Kind: Expect, Type: limits.Loop, Session: "A"}}, while(6, 9, issue(limits.Loop, "A", 5, 0.8)))
	if got := res.Findings[0].Delay; got != time.Second {
		t.Errorf("without: %v", got)
	}
}

func TestReport(t *testing.T) {
	var rep Report
	add := func(labels []Label, says ...func(*double, time.Time) []supervisor.Issue) {
		res, _ := verdicts(labels, says...)
		rep.Add(res)
	}
	high := Label{Kind: Expect, Type: limits.Loop, Session: "A", High: true}
	never := Label{Kind: Never, Type: limits.Loop, Session: AnySession}
	add([]Label{high}, while(3, 9, issue(limits.Loop, "A", 3, 0.95)))
	add([]Label{high}, while(3, 9, issue(limits.Loop, "A", 3, 0.8)))
	add([]Label{high})
	add([]Label{never})
	add([]Label{never}, while(3, 9, issue(limits.Loop, "A", 3, 0.95)))
	add([]Label{}, while(3, 9, issue(limits.Silence, "A", 3, 0.5)))
	add(nil, while(3, 9, issue(limits.Loop, "A", 3, 0.95)))
	loop := rep.Of(limits.Loop)
	if loop.All.Precision() != (Share{2, 3}) || loop.All.Recall() != (Share{2, 3}) || loop.Above.Precision() != (Share{1, 2}) ||
		loop.Above.Recall() != (Share{1, 3}) || loop.High != (Share{1, 3}) || loop.Traps != 2 || loop.Sprung != 1 || loop.All.Alerts != 4 {
		t.Errorf("%+v", loop)
	}
	if rep.Labelled != 6 || rep.Healthy != 3 || rep.Flagged != 2 || len(rep.Tallies()) != 2 || rep.Sessions != 7 || rep.Time != 49*time.Second {
		t.Errorf("%+v", rep)
	}
	if total := rep.Total(); total.All.False != 2 || total.All.Alerts != 5 || total.All.Labels != 3 {
		t.Errorf("%+v", total)
	}
}

func TestLabelFile(t *testing.T) {
	all, err := ReadLabels(strings.NewReader(`# remarks are allowed
{"log":"a/b.log","label":"expect","type":"loop","session":"A","entry":12,"high":true,"why":"four times"}
{"log":"a/b.log","label":"never","type":"silence","session":"*"}

{"log":"c.log","label":"healthy"}
{"label":"allow","type":"chain_broken"}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Label{
		{Kind: Expect, Type: limits.Loop, Session: "A", Entry: 12, High: true},
		{Kind: Never, Type: limits.Silence, Session: AnySession},
	}
	for _, log := range []string{"a/b.log", "/somewhere/a/b.log"} {
		if got := all.Of(log); !slices.Equal(got, want) {
			t.Errorf("%s: %+v", log, got)
		}
	}
	if got := all.Of("x/c.log"); got == nil || len(got) != 0 {
		t.Errorf("a healthy log: %+v", got)
	}
	if got := all.Of("b.log"); len(got) != 1 || got[0].Kind != Allow || got[0].Session != Chain {
		t.Errorf("labels of every log: %+v", got)
	}
	delete(all, "")
	if got := all.Of("d.log"); got != nil {
		t.Errorf("a log without labels: %+v", got)
	}
}

func TestLabelFileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{"label":"expect","type":"looop","session":"A"}`: `line 1: there is no type "looop"`,
		`{"label":"perhaps","type":"loop"}`:               `line 1: label "perhaps" is none of`,
		"\n" + `{"label":"expect","typ":"loop"}`:          `line 2: unknown field "typ"`,
		`{"label":"expect","type":"loop","session":"*"}`:  `an expected issue is of one session`,
		`{"label":"healthy","type":"loop"}`:               `none of`,
		`{"label":`:                                       `line 1: `,
	} {
		if _, err := ReadLabels(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
