package backtest

import (
	"errors"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

var (
	update = flag.Bool("update", false, "rewrite the numbers in docs/evidence/backtest.md")
	frozen = flag.Bool("frozen", false, "tell the stories of frozen scenarios too: who has read them may no longer tune the rules")
)

// corpus loads one part of the corpus.
func corpus(t *testing.T, part string) []*scenario.Scenario {
	t.Helper()
	all, err := scenario.Load(filepath.Join("..", "testdata", part+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome is a scenario with what the replay made of it.
type outcome struct {
	*scenario.Scenario
	res  *Result
	ends []string // claims about the end that do not hold
}

// run replays a scenario; change, unless it is nil, makes other options of its own.
func run(t *testing.T, s *scenario.Scenario, change func(*Options)) *outcome {
	t.Helper()
	options := optionsOf(t, s)
	options.Labels = labelsOf(s)
	options.Observe = func(st *state.State, last state.Mark) state.Observed { return observed(s, st, last) }
	if change != nil {
		change(&options)
	}
	return replay(s, New(options))
}

// replay replays a scenario into r and looks at what stands at the end.
func replay(s *scenario.Scenario, r *Replay) *outcome {
	for _, e := range s.Entries() {
		r.Until(e.Time)
		r.Entry(scenario.Sign(e, func(kind string, session logfmt.SessionID) string {
			return r.Signature(supervisor.Type(kind), session)
		}), false)
	}
	o := &outcome{Scenario: s, res: r.Finish()}
	o.res.Log = s.Name
	for _, c := range s.Open {
		if !raised(o.res.Open, &c) {
			o.ends = append(o.ends, "open: "+c.Type+" "+string(c.Session))
		}
	}
	for _, c := range s.Cleared {
		if !raised(o.res.Alerts, &c) || raised(o.res.Open, &c) {
			o.ends = append(o.ends, "cleared: "+c.Type+" "+string(c.Session))
		}
	}
	return o
}

func raised(alerts []*Alert, c *scenario.Claim) bool {
	return slices.ContainsFunc(alerts, func(a *Alert) bool { return c.About(string(a.Type), a.Session) })
}

// labelsOf are a scenario's labels; never nil, for what it does not expect is false.
func labelsOf(s *scenario.Scenario) []Label {
	labels := []Label{}
	for _, list := range []struct {
		kind   Kind
		claims []scenario.Claim
	}{{Expect, s.Expect}, {Allow, s.Allow}, {Never, s.Never}} {
		for _, c := range list.claims {
			labels = append(labels, Label{Kind: list.kind, Type: supervisor.Type(c.Type), Session: c.Session, From: uint64(c.Entry), High: c.High})
		}
	}
	return labels
}

// optionsOf are what a scenario is judged by, its settings read the way a user's own are.
func optionsOf(t *testing.T, s *scenario.Scenario) Options {
	o := settingsOf(t, s)
	l := limits.Default()
	if o.Limits != nil {
		*l = *o.Limits
	}
	l.Off = append(slices.Clone(l.Off), s.Unlabelled()...)
	o.Limits = l
	return o
}

func settingsOf(t *testing.T, s *scenario.Scenario) Options {
	if s.Model == nil {
		model := workflow.Default()
		return Options{Model: &model, After: s.After}
	}
	home := t.TempDir()
	dir := filepath.Join(home, "aburn")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, settings.File), s.Model, 0o600)); err != nil {
		t.Fatal(err)
	}
	set := settings.Load(nil, func(name string) string {
		if name == "XDG_CONFIG_HOME" {
			return home
		}
		return ""
	})
	o := Options{Model: set.Model(), Limits: set.Limits(), After: s.After}
	if len(set.Warnings) > 0 {
		t.Errorf("%s: model: %q", s.Name, set.Warnings)
	}
	return o
}

// observed is what a look outside the log finds: what the scenario says, from the entry on from which it says so.
func observed(s *scenario.Scenario, st *state.State, last state.Mark) state.Observed {
	var o state.Observed
	if len(s.Observe) == 0 {
		return o
	}
	o = state.Observed{Alive: map[state.Proc]state.Fact{}, Exists: map[state.OutputKey]state.Fact{}, Seen: map[string]state.Fact{}}
	wanted := st.Wants()
	for _, f := range s.Observe {
		if uint64(f.Entry) > last.Ord {
			continue
		}
		switch f.Fact {
		case "alive", "gone":
			for _, session := range st.Sessions {
				if session.ID == logfmt.SessionID(f.Subject) && session.Proc.PID != 0 {
					o.Alive[session.Proc] = fact(f.Fact == "alive")
				}
			}
		case "exists", "missing":
			for _, w := range wanted.Outputs {
				if path.Join(w.Wt, w.Path) == path.Clean(f.Subject) {
					o.Exists[w] = fact(f.Fact == "exists")
				}
			}
		case "seen":
			o.Seen[f.Subject] = state.Yes
		}
	}
	return o
}

func fact(yes bool) state.Fact {
	if yes {
		return state.Yes
	}
	return state.No
}

// TestDueMissesNothing: who looks only when State.Due says so is told the same as who looks every 15 seconds, no later than
// that and never anything else.
func TestDueMissesNothing(t *testing.T) {
	world.Slow(t)
	for _, s := range corpus(t, "tuned") {
		due, every := run(t, s, nil).res.Alerts, run(t, s, func(o *Options) { o.Step = 15 * time.Second }).res.Alerts
		for _, a := range every {
			i := slices.IndexFunc(due, func(b *Alert) bool { return b.Signature == a.Signature })
			if i < 0 {
				t.Errorf("%s: %s at %v is never due", s.Name, a.Type, a.At)
				continue
			}
			if late := due[i].At.Sub(a.At); late > 0 || !a.Queued.IsZero() && (due[i].Queued.IsZero() || due[i].Queued.After(a.Queued)) {
				t.Errorf("%s: %s is due %v too late, queued at %v, not %v", s.Name, a.Type, late, due[i].Queued, a.Queued)
			}
		}
	}
}

// TestCorpus replays every scenario. With -v and -run TestCorpus/NAME it logs the course of one; a scenario that is judged
// wrongly is counted, and fails nothing by itself: what the numbers of all may not fall below stands in docs/evidence/backtest.md.
func TestCorpus(t *testing.T) {
	world.Slow(t)
	for _, folder := range []string{"tuned", "frozen"} {
		for _, s := range corpus(t, folder) {
			t.Run(s.Name, func(t *testing.T) {
				o := run(t, s, nil)
				if !s.Frozen || *frozen {
					logTimeline(t, o)
				}
			})
		}
	}
}

// logTimeline writes the course of a scenario into the test's log: every entry, and where alerts came and went.
func logTimeline(t *testing.T, o *outcome) {
	if !testing.Verbose() {
		return
	}
	t.Logf("%s", o.Why)
	for _, f := range o.res.Findings {
		if f.By == nil {
			t.Logf("WRONG: missed %s %s", f.Type, f.Session)
		} else if f.High && !f.Above {
			t.Logf("low: %s %s never reaches the queue (%.2f)", f.Type, f.Session, f.By.Max)
		}
	}
	for _, a := range o.res.Alerts {
		if a.Verdict == False {
			t.Logf("WRONG: false %s %s at #%d %.2f: %s", a.Type, a.Session, a.Entry.Ord, a.Max, a.Says)
		} else if a.Verdict == Repeat {
			t.Logf("repeat: %s %s at #%d, another alert has told of it", a.Type, a.Session, a.Entry.Ord)
		}
	}
	for _, claim := range o.ends {
		t.Logf("WRONG: at the end: %s", claim)
	}
	for i, e := range o.Entries() {
		ord := uint64(i + 1)
		t.Logf("%4d %s %-8s %s %s", ord, e.Time.Format("15:04:05"), e.Session, e.Human(), cut(string(e.Data), 160))
		for _, a := range o.res.Alerts {
			if a.Entry.Ord == ord {
				t.Logf("     %s     ^ %s %s, %s: %s %.2f, at most %.2f; since %d; proved by %v; signed %s", a.At.Format("15:04:05"), a.Type, a.Session, a.Verdict, a.Says,
					a.Confidence, a.Max, a.Since.Ord, ords(a.Evidence), a.Signature)
			}
			if a.GoneAt.Ord == ord {
				t.Logf("     %s     v %s %s is gone", a.Gone.Format("15:04:05"), a.Type, a.Session)
			}
		}
	}
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

func ords(marks []state.Mark) (list []uint64) {
	for _, m := range marks {
		list = append(list, m.Ord)
	}
	return list
}
