package round

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/react"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// life writes facts of a worker, one second apart.
type life struct {
	Seen
	facts []worker.Fact
	at    time.Time
}

func newLife(name string) *life {
	l := &life{Seen: Seen{Name: name, Tree: true}, at: noon}
	return l.add(worker.Requested, worker.Launched)
}

func (l *life) add(kinds ...worker.Kind) *life {
	for _, k := range kinds {
		l.fact(worker.Fact{Kind: k, Gen: 1})
	}
	return l
}

func (l *life) fact(f worker.Fact) *life { return l.entry(ledger.Entry{Fact: f}) }

func (l *life) entry(e ledger.Entry) *life {
	l.at = l.at.Add(time.Second)
	e.At, e.Seq, e.File = l.at, uint64(len(l.facts)+1), worker.Ledger
	if e.Gen == 0 {
		e.Gen = 1
	}
	l.facts = append(l.facts, e.Fact)
	l.Entries = append(l.Entries, e)
	l.Worker = worker.Reduce(l.facts)
	return l
}

func (l *life) gated() *life {
	return l.fact(worker.Fact{Kind: worker.Requested, Gates: true, Retries: 1}).add(worker.Prompted)
}

// kept is a snapshot at the turn's end.
func (l *life) kept(differs int) *life {
	return l.fact(worker.Fact{Kind: worker.Snapshotted, Differs: &differs})
}

// due are the steps as words.
func due(now time.Time, t *Tried, all ...*life) (words []string) {
	var seen []Seen
	for _, l := range all {
		seen = append(seen, l.Seen)
	}
	for _, s := range Plan(seen, t, now) {
		word := string(s.Do)
		if s.Notice != nil {
			word = s.Notice.Key
		}
		words = append(words, strings.TrimSuffix(word+" "+s.Worker, " "))
	}
	return words
}

// TestEndBeforeItsGates: of an agent that said done and ended before its gates ran, nobody hears that it did not say so.
func TestEndBeforeItsGates(t *testing.T) {
	exit := 0
	l := newLife("w").gated().add(worker.SaysDone, worker.ToolBegan, worker.ToolEnded,
		worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.Certificate, Exit: &exit})
	list := notices([]Seen{l.Seen}, l.at.Add(10*time.Second))
	if len(list) != 1 || list[0].Key != KeyExited || list[0].Text != "its agent said done and ended before its gates ran" {
		t.Errorf("%+v", list)
	}
}

// TestPlan: what is due, by what the facts say.
func TestPlan(t *testing.T) {
	exit := func(code int) worker.Fact { return worker.Fact{Kind: worker.Certificate, Exit: &code} }
	for i, c := range []struct {
		of    *life
		after time.Duration // its last fact
		want  string
	}{
		{newLife("w"), time.Hour, ""},
		{newLife("w").add(worker.Prompted, worker.ToolBegan), time.Hour, ""},
		{newLife("w").add(worker.Prompted, worker.TurnEnded), time.Second, "snapshot w"},
		{newLife("w").add(worker.Prompted, worker.TurnEnded).kept(2), time.Second, ""},
		{newLife("w").add(worker.Prompted, worker.TurnEnded).kept(2), 6 * time.Minute, "agent-idle w"},
		{newLife("w").add(worker.Prompted, worker.TurnEnded).kept(2).add(worker.Prompted, worker.ToolBegan, worker.ToolEnded, worker.TurnEnded), time.Second,
			"snapshot w"},
		// Done: at the end of its turn, when it is known whether it changed anything.
		{newLife("w").add(worker.Prompted, worker.SaysDone, worker.TurnEnded), time.Second, "snapshot w"},
		{newLife("w").add(worker.Prompted, worker.SaysDone, worker.TurnEnded).kept(0), time.Second, "agent-done w"},
		{newLife("w").gated().add(worker.SaysDone), time.Second, ""},
		{newLife("w").gated().add(worker.SaysDone), 2 * time.Minute, "gates w"},
		{newLife("w").gated().add(worker.SaysDone, worker.TurnEnded).kept(1), time.Second, "gates w"},
		// killed in the middle
		{newLife("w").gated().add(worker.SaysDone, worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.Gated, Is: worker.GateStarted}), time.Second, "gates w"},
		{newLife("w").gated().add(worker.SaysDone, worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.Gated,
			Is: worker.GateStarted}).fact(worker.Fact{Kind: worker.Gated, Is: worker.GatePassed}), time.Second, "agent-done w"},
		// A failure is a message; where it cannot be one, or is not taken, a person hears of it.
		{newLife("w").gated().add(worker.SaysDone, worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.Gated,
			Is: worker.GateStarted}).fact(worker.Fact{Kind: worker.Gated, Is: worker.GateFailed, Message: "m-1"}), time.Second, "messages w"},
		{newLife("w").gated().add(worker.SaysDone, worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.Gated,
			Is: worker.GateStarted}).fact(worker.Fact{Kind: worker.Gated, Is: worker.GateFailed, Message: "m-1"}), 3 * time.Minute,
			"messages w, message-not-accepted w"},
		{newLife("w").gated().add(worker.SaysDone, worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.Gated,
			Is: worker.GateStarted}).fact(worker.Fact{Kind: worker.Gated, Is: worker.GateFailed}), 3 * time.Minute, "message-not-accepted w"},
		// It needs somebody; it ended.
		{newLife("w").add(worker.Prompted, worker.Asks), 0, "agent-needs-input w"},
		{newLife("w").add(worker.Prompted, worker.AsksPerson, worker.TurnEnded).kept(1), 0, "agent-needs-input w"},
		{newLife("w").add(worker.Prompted, worker.TurnEnded).kept(1).fact(exit(1)), time.Second, ""},
		{newLife("w").add(worker.Prompted, worker.TurnEnded).kept(1).fact(exit(1)), 10 * time.Second, "agent-exited w"},
		{newLife("w").add(worker.Prompted, worker.TurnEnded).kept(1).fact(worker.Fact{Kind: worker.KillAsked}).fact(exit(1)), 10 * time.Second, ""},
		{newLife("w").add(worker.Prompted).fact(exit(1)), 10 * time.Second, "snapshot w, agent-exited w"},
		{newLife("w").add(worker.Prompted, worker.SaysDone, worker.TurnEnded), -time.Second, "snapshot w"}, // written after the round began
		{newLife("w").add(worker.Prompted, worker.SaysDone, worker.TurnEnded), 2 * time.Minute, "snapshot w, agent-done w"},
		// Its hooks say nothing.
		{newLife("w").fact(worker.Fact{Kind: worker.Launched, Hooks: true}), 30 * time.Second, ""},
		{newLife("w").fact(worker.Fact{Kind: worker.Launched, Hooks: true}), 2 * time.Minute, "no-signal w"},
		// A message that its record shows is written down; one for an agent that has ended waits.
		{newLife("w").fact(worker.Fact{Kind: worker.Messaged, Message: "m-1"}).add(worker.Prompted), 0, "messages w"},
		{newLife("w").fact(worker.Fact{Kind: worker.Messaged, Message: "m-1"}).fact(worker.Fact{Kind: worker.Prompted, Message: "m-1"}), 0, "messages w"},
		{newLife("w").fact(worker.Fact{Kind: worker.Messaged, Message: "m-1"}).fact(worker.Fact{Kind: worker.Prompted,
			Message: "m-1"}).fact(worker.Fact{Kind: worker.Accepted, Message: "m-1"}), 0, ""},
	} {
		if got := strings.Join(due(c.of.at.Add(c.after), &Tried{}, c.of), ", "); got != c.want {
			t.Errorf("%d: %q is due, not %q", i, got, c.want)
		}
	}
}

// TestNothingIsToldTwice: what the ledger says was told is not told again by a new process, whatever time it is; another occasion is.
func TestNothingIsToldTwice(t *testing.T) {
	l := newLife("w").add(worker.Prompted, worker.Asks)
	for range 3 {
		steps := Plan([]Seen{l.Seen}, &Tried{}, l.at)
		if len(steps) != 1 || steps[0].Notice.Key != KeyNeeds {
			t.Fatalf("%+v", steps)
		}
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Key: KeyNeeds, Action: worker.ActionNotify}}
		e.Subject = steps[0].Notice.Subject
		l.entry(e)
		for _, after := range []time.Duration{0, time.Hour, -48 * time.Hour, 900 * time.Hour} {
			if got := due(l.at.Add(after), &Tried{}, l); len(got) > 0 {
				t.Fatalf("told again: %q", got)
			}
		}
		l.add(worker.Prompted, worker.Asks)
	}
	// An agent whose gates gave up says done again and again: nothing runs, and nobody is told again.
	l = newLife("w").gated()
	for range 2 {
		l.add(worker.SaysDone).fact(worker.Fact{Kind: worker.Gated, Is: worker.GateStarted}).fact(worker.Fact{Kind: worker.Gated,
			Is: worker.GateFailed}).add(worker.Prompted)
	}
	subjects := map[string]bool{}
	for range 9 {
		l.add(worker.SaysDone).fact(worker.Fact{Kind: worker.Gated, Is: worker.GateFailed})
		for _, s := range Plan([]Seen{l.Seen}, &Tried{}, l.at) {
			if s.Do == Tell {
				subjects[s.Notice.ID()] = true
			}
		}
		l.add(worker.TurnEnded, worker.Prompted)
	}
	if len(subjects) != 1 {
		t.Errorf("told as %v", subjects)
	}
}

// TestManyEndsAreOneNotice, and stay told one by one.
func TestManyEndsAreOneNotice(t *testing.T) {
	var all []*life
	for i := range 50 {
		l := newLife(fmt.Sprintf("w%02d", i)).add(worker.Prompted).kept(0)
		all = append(all, l.fact(worker.Fact{Kind: worker.Certificate}))
	}
	got := due(all[0].at.Add(10*time.Second), &Tried{}, all...)
	notices := slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "agent-exited") })
	if len(notices) != 1 {
		t.Errorf("%d notices: %q", len(notices), notices)
	}
	var seen []Seen
	for _, l := range all[:2] {
		seen = append(seen, l.Seen)
	}
	if n := notifications(Plan(seen, &Tried{}, all[0].at.Add(10*time.Second))); len(n) != 2 {
		t.Errorf("two ends are %d notices", len(n))
	}
	for _, l := range all {
		seen = append(seen, l.Seen)
	}
	n := notifications(Plan(seen[2:], &Tried{}, all[0].at.Add(10*time.Second)))[0]
	if len(n.Others) != 49 || len(n.subjects) != 49 || !strings.Contains(n.Title, "50 workers") {
		t.Errorf("%+v", n)
	}
}

func notifications(steps []Step) (list []*Notice) {
	for _, s := range steps {
		if s.Do == Tell {
			list = append(list, s.Notice)
		}
	}
	return list
}

// TestTriedSoon: what somebody else was at is tried again after ten seconds, however often that was so.
func TestTriedSoon(t *testing.T) {
	tried, now, s := &Tried{}, noon, Step{Do: Keep, Worker: "w", Subject: "1"}
	for range 20 {
		tried.Note(s, now)
		tried.Again(s, now)
		if tried.due(s, now.Add(9*time.Second)) || !tried.due(s, now.Add(10*time.Second)) {
			t.Fatal("it is not due after ten seconds")
		}
		now = now.Add(10 * time.Second)
	}
}

// TestTriedAgain: what changes nothing is tried ever more seldom, and again at once when the facts are others.
func TestTriedAgain(t *testing.T) {
	l := newLife("w").fact(worker.Fact{Kind: worker.Messaged, Message: "m-1"}).add(worker.Prompted, worker.TurnEnded).kept(1)
	tried, n := &Tried{}, 0
	for second := range 3600 {
		now := l.at.Add(time.Duration(second) * time.Second)
		for _, s := range Plan([]Seen{l.Seen}, tried, now) {
			if s.Do == Bring {
				tried.Note(s, now)
				n++
			}
		}
	}
	if n < 5 || n > 12 {
		t.Errorf("tried %d times in an hour", n)
	}
	l.add(worker.Prompted, worker.TurnEnded)
	if got := due(l.at, tried, l); !slices.Contains(got, "messages w") {
		t.Errorf("after a new turn %q is due", got)
	}
	// A clock that went back a day delays nothing for a day.
	if got := due(l.at.Add(-24*time.Hour), tried, l); !slices.Contains(got, "messages w") {
		t.Errorf("after the clock went back %q is due", got)
	}
}

// TestBudget: a budget is compared while the agent works and when its turn is over, until it is used up. What was found is
// told once, and a stop is no end of it: neither a late end of the turn nor a new process lifts it.
func TestBudget(t *testing.T) {
	bound := func(l *life) *life { l.Limit = worker.Budget{Tokens: 1000}; return l }
	at80 := ledger.Entry{Fact: worker.Fact{Kind: worker.Budgeted}, Detail: ledger.Detail{Limit: "1k", Spent: "900 fresh tokens"}}
	unpriced := ledger.Entry{Fact: worker.Fact{Kind: worker.Budgeted, Is: worker.BudgetUnpriced}, Detail: ledger.Detail{Limit: "5usd"}}
	full := worker.Fact{Kind: worker.Budgeted, Full: true}
	said := func(subject string) ledger.Entry {
		return ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Action: worker.ActionNotify, Key: KeyBudget}, Detail: ledger.Detail{Subject: subject}}
	}
	for i, c := range []struct {
		of   *life
		want string
	}{
		{newLife("a").add(worker.Prompted), ""},
		{bound(newLife("a")), ""},
		{bound(newLife("a").add(worker.Prompted)), "budget a"},
		{bound(newLife("a").add(worker.Prompted).entry(at80)), "budget a, budget a"}, // the step, and the notice
		{bound(newLife("a").add(worker.Prompted).entry(at80).entry(said("1k "))), "budget a"},
		{bound(newLife("a").add(worker.Prompted).entry(unpriced).entry(said("1k "))), "budget a, budget a"},
		{bound(newLife("a").add(worker.Prompted).fact(full)), "agent-needs-input a"},
		{bound(newLife("a").add(worker.Prompted).fact(full).add(worker.TurnEnded)), "snapshot a, agent-needs-input a"},
		{bound(newLife("a").add(worker.Prompted).fact(full).add(worker.Prompted)), ""},
	} {
		if got := strings.Join(due(c.of.at.Add(time.Second), &Tried{}, c.of), ", "); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
	l, tried := bound(newLife("a").add(worker.Prompted)), &Tried{}
	count := 0
	for second := range 60 { // of a turn without a word
		for _, s := range Plan([]Seen{l.Seen}, tried, l.at.Add(time.Duration(second)*time.Second)) {
			tried.Note(s, noon)
			tried.Done(s)
			count++
		}
	}
	if count < 10 || count > 14 {
		t.Errorf("it was compared %d times in a minute", count)
	}
}

// TestComplete: all are through when each said so, or a person ended it. One that was lost has something left to do, however often
// a round looks, and a person was told of that.
func TestComplete(t *testing.T) {
	exit := 0
	done := func(name string) *life {
		return newLife(name).add(worker.Prompted, worker.SaysDone, worker.TurnEnded).kept(0)
	}
	killed := newLife("b").add(worker.Prompted).kept(0).fact(worker.Fact{Kind: worker.KillAsked}).fact(worker.Fact{Kind: worker.Certificate})
	ended := newLife("b").add(worker.Prompted, worker.TurnEnded).kept(0).fact(worker.Fact{Kind: worker.Certificate, Exit: &exit})
	lost := newLife("b").add(worker.Prompted, worker.TurnEnded).kept(0).fact(worker.Fact{Kind: worker.Certificate})
	for what, c := range map[string]struct {
		of   *life
		want bool
	}{"done": {done("b"), true}, "killed": {killed, true}, "ended": {ended, false}, "ended by a signal": {lost, false}} {
		a, told := done("a"), false
		for _, l := range []*life{a, c.of} {
			now := l.at.Add(time.Hour)
			for _, n := range notices([]Seen{l.Seen}, now) { // what is told of it alone was told
				l.entry(ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Action: worker.ActionNotify, Key: n.Key}, Detail: ledger.Detail{Subject: n.Subject}})
			}
		}
		for _, n := range notices([]Seen{a.Seen, c.of.Seen}, c.of.at.Add(time.Hour)) {
			if n.Key != react.KeyComplete {
				t.Errorf("%s: %s is told", what, n.Key)
			}
			told = told || n.Key == react.KeyComplete
		}
		if told != c.want {
			t.Errorf("%s: all workers are through is %v", what, told)
		}
	}
}
