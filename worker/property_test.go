package worker

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// draw makes a sequence of facts of one worker in the order of Merge. Nothing in it need make sense.
func draw(r *rand.Rand, n int) []Fact {
	s := newStory()
	s.up = time.Duration(1+r.IntN(3)) * time.Hour
	gen, procs := 1, []*Process{nil, nil, {10, 100}, {10, 200}, {11, 300}}
	kinds := []Kind{
		Started, Prompted, Prompted, ToolBegan, ToolEnded, Asks, AsksPerson, TurnEnded, Answered, TurnFailed, Interrupted, Cleared, Ended, SaysDone, Received,
		Launched, LaunchFailed, Certificate, Probed, Probed, Probed, Probed, Probed, Messaged, Accepted, Unconfirmed, Withdrawn, KillAsked, Pulled, Checked, Checked,
		Reviewed, Reacted, Escalated, Snapshotted, Preserved, Budgeted, Restored, Removed, NoProgress, Gated, Gated, "of tomorrow",
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	life := func() Life { return []Life{Dead, Dead, Dead, Alive, LifeUnknown}[r.IntN(5)] }
	s.add(Fact{Kind: Requested, Gates: r.IntN(2) == 0, Retries: r.IntN(3)})
	s.add(Fact{Kind: Launched, Proc: procs[r.IntN(5)], Host: "here", Boot: "b1"})
	var last Fact // a probe is often repeated
	for range n {
		f := Fact{Kind: kinds[r.IntN(len(kinds))], Proc: procs[r.IntN(5)], Alive: r.IntN(3) == 0, Boot: "b1"}
		if f.Gen = gen - max(0, r.IntN(12)-10); f.Kind.agents() && r.IntN(3) > 0 {
			f.Gen = 0
		}
		f.Weak = f.Kind.agents() && r.IntN(6) == 0
		f.Call, f.Message, f.Head, f.Key = pick("", "a", "b"), pick("", "m1", "m2", "m3"), pick("", "h1", "h2", "h3"), pick(KeyCI, KeyCI, KeyChanges, KeyBots)
		switch f.Kind {
		case Launched:
			f.Gen, f.Host = gen+max(0, r.IntN(8)-6), "here"
			gen = f.Gen
		case Restored:
			gen++
			f.Gen = gen
		case Certificate:
			if r.IntN(2) == 0 {
				f.Exit = new(int)
			}
		case KillAsked:
			f.Forget, f.Reason = r.IntN(8) == 0, Reason(pick("", string(AutoCleanup), string(PullRequestMerged), "odd"))
		case Probed:
			if f.Runtime, f.Process, f.Holder, f.Mass = life(), life(), life(), r.IntN(6) == 0; last.Kind == Probed && r.IntN(4) > 0 {
				f = last
			}
			if r.IntN(30) == 0 {
				f.Boot = "b2"
			}
			last = f
			last.Boot = "b1"
		case Pulled:
			f.Is, f.PR, f.Conflicts = pick(PullOpen, PullMerged, PullClosed), 7, r.IntN(3) == 0
		case Checked:
			f.Is = pick(CheckPassing, CheckPassing, CheckFailing, CheckPending)
		case Reviewed:
			f.Is, f.Threads = pick(ReviewAsked, ReviewApproved, ReviewChanges, ReviewNone), r.IntN(2)
		case Reacted:
			f.Action = pick(ActionSend, ActionSend, ActionNotify)
		case Snapshotted:
			n := r.IntN(2)
			f.Clean, f.Differs = r.IntN(2) == 0, &n
		case Budgeted:
			f.Full = r.IntN(2) == 0
		case Gated:
			f.Is = pick(GateStarted, GatePassed, GateFailed, GateFailed)
		}
		if !f.Kind.agents() && r.IntN(20) == 0 {
			f.Up = time.Minute // an uptime that went back
		}
		f.Seq, f.At = 0, time.Time{}
		if f.Kind == Probed && f.Up == 0 && len(s.facts) > 0 {
			s.wait([]time.Duration{time.Second, 9 * time.Second, 30 * time.Second, 4 * time.Minute}[r.IntN(4)])
		}
		s.add(f)
		if last.Kind == Probed {
			last.Up = 0
		}
	}
	return s.facts
}

// witness says by itself, from the facts alone, what a worker may be said to be.
type witness struct {
	deaths   []Fact // probes in a row that saw it and its holder dead
	unheard  int    // probes in a row that saw less than all alive
	verdict  bool   // of no progress, since the agent's last fact
	callless bool   // no call began since a turn or a generation did
	safe     bool
	tagged   map[string]int // generation in which the agent's record showed a message
	attempts map[string]int
	good     map[string][]string // heads of good polls in a row, by key
	bad      map[string]string   // the last bad head
}

func (v *witness) see(w *Worker, f Fact, before *Worker) {
	if f.Kind.agents() {
		v.safe = false
	}
	if w.Gen != before.Gen {
		v.deaths, v.unheard, v.verdict, v.callless = nil, 0, false, before.Gen > 0
	}
	if !(f.Gen == 0 || f.Gen == w.Gen) {
		return
	}
	switch {
	case f.Kind.agents():
		if !f.Weak && !f.names(before.old...) && !(before.certified != nil && f.names(*before.certified)) {
			v.deaths, v.unheard, v.verdict = nil, 0, false
			v.callless = f.Kind != ToolBegan && (v.callless || f.Kind == TurnEnded || f.Kind == Interrupted || f.Kind == Ended || f.Kind == Started)
			if f.Kind == Prompted || f.Kind == Received {
				v.tagged[f.Message] = w.Gen
			}
		}
	case f.Kind == NoProgress:
		v.verdict = true
	case f.Kind == Preserved, f.Kind == Snapshotted && f.Clean:
		v.safe = true
	case f.Kind == Probed:
		v.probe(f)
	}
}

func (v *witness) probe(f Fact) {
	dead := f.Process == Dead && f.Runtime != LifeUnknown && f.Holder == Dead && !f.Mass
	if f.Runtime == Alive && f.Process == Alive {
		v.unheard = 0
	} else {
		v.unheard++
	}
	switch n := len(v.deaths); {
	case !dead:
		v.deaths = nil
	case n > 0 && v.deaths[n-1].Runtime != f.Runtime:
		v.deaths = []Fact{f}
	case n == 0 || f.Up-v.deaths[n-1].Up >= 10*time.Second:
		v.deaths = append(v.deaths, f)
	}
}

// polls says which budgets may be given back by f.
func (v *witness) polls(f Fact) map[string]bool {
	free := map[string]bool{}
	poll := func(key string, good bool) {
		switch {
		case !good:
			v.good[key] = nil
			if f.Head != "" {
				v.bad[key] = f.Head
			}
		case f.Head != "" && f.Head != v.bad[key]:
			v.good[key] = append(v.good[key], f.Head)
			if n := len(v.good[key]); n >= 2 && v.good[key][n-2] == f.Head {
				free[key] = true
			}
		}
	}
	switch f.Kind {
	case Pulled:
		poll(KeyConflicts, !f.Conflicts)
	case Checked:
		if f.Is != CheckPending {
			poll(KeyCI, f.Is == CheckPassing)
		}
	case Reviewed:
		poll(KeyChanges, f.Is != ReviewChanges)
		poll(KeyBots, f.Threads == 0)
	case Reacted, Escalated:
		if f.Kind == Reacted && f.Action != ActionSend {
			break // the agent heard nothing, so it costs nothing
		}
		v.good[f.Key] = nil
		if f.Head != "" {
			v.bad[f.Key] = f.Head
		}
	}
	return free
}

// The twelve invariants, and that nothing grows, over sequences that are drawn. An error names the seed.
func TestInvariants(t *testing.T) {
	world.Slow(t)
	reached := map[told]int{}
	for seed := range uint64(world.Storm(20_000)) {
		r := rand.New(rand.NewPCG(seed, 14))
		facts := draw(r, r.IntN(40))
		if fault := follow(facts, reached); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
		if fault := reorder(r, facts); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
	}
	for s := NotStarted; s <= Terminated; s++ {
		for _, why := range s.Reasons() {
			if why != NothingKnown && reached[told{s, why}] == 0 {
				t.Errorf("no sequence reached %v %s", s, why)
			}
		}
	}
}

func follow(facts []Fact, reached map[told]int) string {
	w, v := &Worker{}, &witness{tagged: map[string]int{}, attempts: map[string]int{}, good: map[string][]string{}, bad: map[string]string{}}
	for i, f := range facts {
		before := *w // what Apply writes to in place, copied
		before.Messages, before.Reactions = slices.Clone(w.Messages), slices.Clone(w.Reactions)
		w.Apply(f)
		v.see(w, f, &before)
		reached[told{w.State, w.Reason}]++
		if fault := v.judge(w, &before, f); fault != "" {
			return fmt.Sprintf("fact %d, %s, from %v %s to %v %s: %s", i, f.Kind, before.State, before.Reason, w.State, w.Reason, fault)
		}
	}
	return ""
}

// judge holds the invariants that one step can break; their numbers are the specification's.
func (v *witness) judge(w, before *Worker, f Fact) string {
	changed := w.State != before.State
	free := map[string]bool{}
	if f.Gen == w.Gen {
		free = v.polls(f)
	}
	switch {
	case !slices.Contains(w.State.Reasons(), w.Reason):
		return "1: the state has no such reason"
	case (changed || w.Reason != before.Reason) && w.strong == nil && before.strong == nil && (len(w.Evidence) == 0 || w.Evidence[len(w.Evidence)-1] != f.ref()):
		return "the fact that led to the state is not its evidence"
	case changed && w.State == Terminated && !v.dies(before, f):
		return "2, 3: terminated without an end that was seen"
	case changed && w.State == Stuck && !(f.Kind == NoProgress && before.base() == Working || f.Kind == Probed && v.unheard >= 2):
		return "stuck without a verdict or rounds"
	case changed && before.State == Terminated && w.Gen == before.Gen && !lives(before, f):
		return "4: death was lifted without life"
	case changed && before.State == Terminated && w.Gen == before.Gen && w.Refuted != before.Reason:
		return "4: a lifted death is not noted"
	case w.Gen < before.Gen, w.Gen != before.Gen && (f.Gen <= before.Gen || f.Kind.agents()):
		return "an older generation came back"
	case f.Gen > 0 && f.Gen < before.Gen && changed:
		return "an older generation's fact changed the state"
	case (f.Kind == Pulled || f.Kind == Checked || f.Kind == Reviewed || f.Kind == Reacted || f.Kind == Escalated) && changed && w.strong == nil &&
		before.strong == nil:
		return "7: a pull request moved the state"
	case w.Delivery() == ByKeys && w.State != Idle && w.State != Done && w.Reason != Verifying && w.Reason != VerifyFailed:
		return "8: keys would be pressed"
	case w.Calling() && v.callless:
		return "a call runs that did not begin in this turn"
	case w.MayRemove() && !v.safe:
		return "10: the tree may go without a proof"
	case f.Weak && (changed && before.strong == nil && !slices.Contains([]State{Idle, NeedsInput}, w.State) || w.base() != before.base()):
		return "a weak fact promoted or ended"
	case len(w.Messages) > maxMessages || len(w.Reactions) > maxReactions || len(w.old) > maxOld || len(w.asked) > maxAsked || len(w.calls) > maxCalls ||
		len(w.rounds.refs) > evidenceSize || len(w.Evidence) > evidenceSize:
		return "it grew"
	}
	for _, m := range w.Messages {
		i := slices.IndexFunc(before.Messages, func(b Message) bool { return b.ID == m.ID })
		if m.Receipt == Confirmed && before.Messages[i].Receipt != Confirmed && (f.Kind != Accepted || v.tagged[m.ID] != w.Gen) {
			return "9: accepted without a record of this generation"
		}
		if i >= 0 && before.Messages[i].Receipt > m.Receipt {
			return "9: a message was taken back"
		}
	}
	for i, m := range before.Messages {
		if i < len(w.Messages) && f.Kind == Withdrawn && m.Receipt == Waiting && w.Messages[i].Receipt == TakenBack && m.Key != "" &&
			before.Spent(m.Key)-w.Spent(m.Key) == 1 {
			free[m.Key] = true // of a message that nobody was told
		}
	}
	for _, r := range before.Reactions {
		if w.Spent(r.Key) < r.Attempts && !free[r.Key] {
			return "12: the budget of " + r.Key + " grew"
		}
	}
	return ""
}

// base is the state without weak facts.
func (w *Worker) base() State {
	if w.strong != nil {
		return w.strong.State
	}
	return w.State
}

// dies reports whether f proves an end, by itself or as the third round.
func (v *witness) dies(before *Worker, f Fact) bool {
	switch f.Kind {
	case Certificate, Removed:
		return true
	case LaunchFailed:
		// A screen may show a dialog before the agent has begun: what was proved is still that it has not.
		return before.State == NotStarted || before.strong != nil && before.strong.State == NotStarted
	case KillAsked:
		return f.Forget
	case Probed:
		return f.Boot != before.boot && before.boot != "" || len(v.deaths) >= 3
	}
	return false
}

// lives reports whether f proves life after before's end.
func lives(before *Worker, f Fact) bool {
	dead := before.certified != nil && f.names(*before.certified)
	return !dead && (f.Kind == Probed && f.Runtime == Alive && f.Process == Alive || f.Kind.agents() && f.Proc != nil && f.Alive && !f.Weak)
}

// reorder holds what a reader may do with files: read them in any order and repeat them (5), stop anywhere and go on (6),
// and have any clock (11).
func reorder(r *rand.Rand, facts []Fact) string {
	want := Reduce(facts)
	mixed := append(slices.Clone(facts), facts[:r.IntN(len(facts)+1)]...)
	r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	if !Reduce(mixed).equal(want) {
		return "5: another order or a repeat gives another worker"
	}
	part := Reduce(facts[:r.IntN(len(facts)+1)]).Clone()
	jumped := &Worker{}
	for _, f := range facts {
		part.Apply(f)
		f.At = f.At.Add(time.Duration(r.Int64N(int64(1000*time.Hour))) - 500*time.Hour)
		jumped.Apply(f)
	}
	switch {
	case !part.equal(want):
		return "6: folding a part and the rest gives another worker"
	case jumped.State != want.State || jumped.Reason != want.Reason || !reflect.DeepEqual(jumped.Evidence, want.Evidence):
		return "11: a clock changes the state"
	}
	// Where jumps reorder the files, nobody ends and nobody is stuck without a proof all the same.
	apart := slices.Clone(facts)
	for i := range apart {
		apart[i].At = apart[i].At.Add(time.Duration(r.IntN(3)-1) * 24 * time.Hour)
	}
	return follow(Merge(apart), map[told]int{})
}

// Probes that see nothing end nobody (2), however long they go on and whatever went before.
func TestUnknownEndsNobody(t *testing.T) {
	for seed := range uint64(world.Storm(2000)) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := newStory().launch(false)
		for range r.IntN(6) {
			s.add(Fact{Kind: []Kind{Started, Prompted, Asks, TurnEnded, Ended, SaysDone}[r.IntN(6)]})
		}
		for range 40 {
			half := []Life{LifeUnknown, Alive, Dead}[r.IntN(3)]
			s.wait(time.Duration(r.IntN(400))*time.Second).probe(LifeUnknown, half, half)
			if w := s.worker(); w.State == Terminated {
				t.Fatalf("seed %d: %v %s", seed, w.State, w.Reason)
			}
		}
	}
}
