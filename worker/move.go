package worker

import (
	"slices"
	"time"
)

const (
	roundsApart  = 10 * time.Second // less between two probes is one round
	roundsProof  = 3                // equal rounds that prove a death, or that nobody can be asked
	outOfSight   = 5 * time.Minute  // in which the same is also proven
	quietEnough  = time.Minute      // without a word, before a probe that sees nothing matters
	evidenceSize = 3
)

// quiet measures from which uptime on nothing was heard: an agent's fact has no uptime, so the next fact's counts.
type quiet struct {
	known bool
	since time.Duration
	boot  string
}

// rounds counts probes with one finding, at least roundsApart from one another.
type rounds struct {
	finding     event
	boot        string
	first, last time.Duration
	n           int
	refs        []Ref
}

// listen notes when something was heard.
func (w *Worker) listen(f *Fact) {
	switch {
	case f.Kind.agents() || f.Weak:
		w.quiet.known = false
		if !f.Weak {
			w.Heard = f.At
			w.rounds = rounds{}
		}
	case f.Up > 0 && (!w.quiet.known || w.quiet.boot != f.Boot):
		w.quiet = quiet{true, f.Up, f.Boot}
	}
}

// move goes where the table leads. Weak facts are put aside for it: they yield to the agent's facts and to any change.
func (w *Worker) move(e event, f *Fact) {
	if e == noEvent {
		return
	}
	shown, strong := w.place, w.strong
	if strong != nil {
		w.place, w.strong = *strong, nil
	}
	before := w.place
	c := table[e][w.column()]
	w.enter(c, e, f)
	if unchanged := w.State == before.State && w.Reason == before.Reason; strong != nil && unchanged && !f.Kind.agents() {
		w.place, w.strong = shown, strong
	}
	if e >= agentStarted && e <= sessionEnded || e == saysDone || e == saysDoneGated {
		w.tellAgent(c, e)
	}
}

// enter carries out one cell.
func (w *Worker) enter(c cell, e event, f *Fact) {
	switch c {
	case back, unblk, reviv:
		w.comeBack(c, f)
	case rwork, rrest, rwait:
		if f.Proc != nil && f.Alive {
			w.live(f, map[cell]State{rwork: Working, rrest: Idle, rwait: NeedsInput}[c], Revived)
		}
	case gone, lost:
		w.suspect(c, e, f)
	case prove, reach, dark, blind:
		w.count(c, e, f)
	case call:
		if w.answered(f) {
			to := w.turn(work)
			w.arrive(f, to.State, to.Reason)
		}
	case fresh:
		w.renew(f)
	case asAsk:
		w.arrive(f, Terminated, w.KillFor)
	default:
		if to, ok := w.target(c); ok {
			w.arrive(f, to.State, to.Reason)
		}
	}
}

// target is where a cell without conditions leads.
func (w *Worker) target(c cell) (place, bool) {
	switch c {
	case spawn:
		return place{State: w.State, Reason: SpawnRequested}, true
	case work, rest:
		return w.turn(c), true
	case verif:
		return place{State: Working, Reason: Verifying}, true
	case ack:
		return place{State: Idle, Reason: AgentAcknowledged}, true
	case decid:
		return place{State: Idle, Reason: w.Pull.decision()}, true
	case wait:
		return place{State: NeedsInput, Reason: AwaitingUser}, true
	case fails:
		return place{State: NeedsInput, Reason: ErrorInProcess}, true
	case spent:
		return place{State: NeedsInput, Reason: BudgetReached}, true
	case nover:
		return place{State: NeedsInput, Reason: VerifyFailed}, true
	case stall:
		return place{State: Stuck, Reason: NotProgressing}, true
	case finis:
		return place{State: Done, Reason: ResearchComplete}, true
	case exit0:
		return place{State: Terminated, Reason: AgentProcessExited}, true
	case crash:
		return place{State: Terminated, Reason: ErrorInProcess}, true
	case boot:
		return place{State: Terminated, Reason: RuntimeLost}, true
	case clean:
		return place{State: Terminated, Reason: AutoCleanup}, true
	case forgt:
		return place{State: Terminated, Reason: ProbeFailure}, true
	}
	return place{}, false
}

// turn is where a step or the end of a turn leads. Neither takes back that the agent said it is done.
func (w *Worker) turn(c cell) place {
	switch {
	case w.SaidDone():
		return place{State: w.said.State, Reason: w.said.Reason}
	case c == work:
		return place{State: Working, Reason: w.task()}
	}
	return place{State: Idle, Reason: w.pause()}
}

// arrive enters a state because of f.
func (w *Worker) arrive(f *Fact, s State, why Reason) {
	if w.State == s && w.Reason == why {
		return
	}
	w.place = place{s, why, f.At, w.evidence(f, s, why)}
}

// evidence is what leads to a place. Where the same matter goes on, its first fact stays the first: a question outlives its turn, and
// what nobody saw for a while is no news when it is seen again.
func (w *Worker) evidence(f *Fact, s State, why Reason) []Ref {
	before := w.place
	if w.State == Detecting || w.State == Stuck && w.Reason != NotProgressing {
		before = w.from
	}
	goesOn := before.Reason == why && (before.State == s || why == AwaitingUser) && len(before.Evidence) > 0
	if fresh := f.Kind == Asks || f.Kind == AsksPerson || f.Kind == TurnFailed; !goesOn || fresh {
		return []Ref{f.ref()}
	}
	return []Ref{before.Evidence[0], f.ref()}
}

// tell notes where the agent's own facts leave it; a probe that sees it alive brings it back there.
func (w *Worker) tell(s State, why Reason) { w.told = told{s, why} }

// tellAgent does so after an agent's fact. Late mail to a terminated worker counts as if it worked. A session that ended
// in a living process is idle.
func (w *Worker) tellAgent(c cell, e event) {
	switch {
	case w.State == Terminated:
		if to, ok := w.target(table[e][colWorking]); ok {
			w.tell(to.State, to.Reason)
		}
	case e == sessionEnded && c == gone:
		w.tell(Idle, TurnIsOver)
	case c == call && w.State == NeedsInput, c == same:
	default:
		w.tell(w.State, w.Reason)
	}
}

// comeBack is what a probe does that sees the runtime and the agent alive.
func (w *Worker) comeBack(c cell, f *Fact) {
	w.rounds = rounds{}
	to := w.told
	if to.State == NotStarted {
		to.Reason = SpawnRequested
	}
	switch {
	case c == unblk && w.Reason != ProbeFailure:
	case c != reviv:
		w.arrive(f, to.State, to.Reason)
	case w.certified == nil || !f.names(*w.certified):
		if to.Reason != Verifying {
			to.Reason = Revived
		}
		w.live(f, to.State, to.Reason)
	}
}

// live lifts a termination that life refutes. What the certificate named is dead all the same.
func (w *Worker) live(f *Fact, s State, why Reason) {
	w.Refuted = w.Reason
	if w.certified != nil {
		w.old = append(w.old[max(0, len(w.old)-maxOld+1):], *w.certified)
		w.certified = nil
	}
	w.over = false
	if f.Proc != nil {
		w.Agent = f.Proc
	}
	w.rounds = rounds{}
	w.arrive(f, s, why)
}

// suspect enters Detecting, because of a probe or of the agent's own word.
func (w *Worker) suspect(c cell, e event, f *Fact) {
	why := AgentProcessExited
	if c == lost {
		why = RuntimeLost
	}
	w.hide(f, why)
	if f.Kind == Probed {
		w.round(e, f)
	}
}

// hide enters Detecting, and keeps where the worker was seen last.
func (w *Worker) hide(f *Fact, why Reason) {
	if w.State != Detecting {
		w.from = w.place
	}
	w.arrive(f, Detecting, why)
}

// count goes on only when a finding has repeated for long enough.
func (w *Worker) count(c cell, e event, f *Fact) {
	if c == blind {
		if w.quiet.known && w.quiet.boot == f.Boot && f.Up-w.quiet.since >= quietEnough {
			w.hide(f, ProbeFailure)
			w.round(e, f)
		}
		return
	}
	w.round(e, f)
	r := &w.rounds
	enough := r.n >= roundsProof || c != prove && r.n > 0 && r.first > 0 && f.Up-r.first >= outOfSight
	if !enough {
		return
	}
	refs := slices.Clone(r.refs)
	switch c {
	case prove:
		w.arrive(f, Terminated, w.death(e))
	case reach:
		w.arrive(f, Stuck, OutOfReach)
	case dark:
		w.arrive(f, Stuck, ProbeFailure)
	}
	w.Evidence = refs
}

// round counts f as a round of its finding, if it is one. A death is only found where the holder, which would write the
// certificate, is dead too, and where not many look dead at once.
func (w *Worker) round(e event, f *Fact) {
	r := &w.rounds
	death := e == processDead || e == bothDead
	switch {
	case death && (f.Holder != Dead || f.Mass):
		*r = rounds{}
	case r.finding != e || r.boot != f.Boot || r.n == 0:
		*r = rounds{e, f.Boot, f.Up, f.Up, 1, []Ref{f.ref()}}
	case f.Up > 0 && r.last > 0 && f.Up-r.last >= roundsApart && r.n < roundsProof:
		r.last = f.Up
		r.n++
		r.refs = append(r.refs, f.ref())
	}
}

// death is the reason of an end that rounds proved.
func (w *Worker) death(e event) Reason {
	switch {
	case w.KillFor != "":
		return w.KillFor
	case w.State == Detecting:
		return w.Reason
	case e == processDead:
		return AgentProcessExited
	}
	return RuntimeLost
}

// task is what a working worker works on.
func (w *Worker) task() Reason {
	if w.fixing.why != "" {
		return w.fixing.why
	}
	return TaskInProgress
}

// pause is why an idle worker is idle: it asked and ended its turn, it waits for a review, or nothing is left to do.
func (w *Worker) pause() Reason {
	switch {
	case w.asking:
		return AwaitingUser
	case w.Pull.Is == PullOpen:
		return AwaitingReview
	}
	return TurnIsOver
}

// demote shows what a screen said: Working may look Idle or in need of input, Idle and NotStarted may look in need of input. A later
// screen takes it back, and any other fact that matters does.
func (w *Worker) demote(f *Fact) {
	base := w.place
	if w.strong != nil {
		base = *w.strong
	}
	if base.State != Working && base.State != Idle && (base.State != NotStarted || f.Kind != Asks && f.Kind != Answered) {
		return
	}
	shown := base
	switch f.Kind {
	case TurnEnded, Interrupted:
		if base.State == Working && base.Reason != Verifying {
			shown = place{Idle, w.pause(), f.At, []Ref{f.ref()}}
		}
	case Asks:
		shown = place{NeedsInput, AwaitingUser, f.At, []Ref{f.ref()}}
	case TurnFailed:
		shown = place{NeedsInput, ErrorInProcess, f.At, []Ref{f.ref()}}
	case Prompted, ToolBegan, ToolEnded, Answered:
	default:
		return
	}
	if shown.State == w.State && shown.Reason == w.Reason {
		return
	}
	w.place, w.strong = shown, nil
	if shown.State != base.State {
		w.strong = &base
	}
}

// Worth reports whether recording the probe f changes more than the count of facts: a ledger keeps probes whose answer
// changed, and those that the proof of a death is made of.
func (w *Worker) Worth(f Fact) bool {
	c := w.Clone()
	c.Apply(f)
	c.seen = w.seen
	return !c.equal(w)
}
