package worker

import "slices"

// note keeps what f carries, and says what f means to the table.
func (w *Worker) note(f *Fact) event {
	switch f.Kind {
	case Requested, Prepared, Launched:
		return w.noteLaunch(f)
	case LaunchFailed:
		return launchFailed
	case Restored:
		return restored
	case Removed:
		w.Unproven = !w.safe && !f.Clean
		return treeRemoved
	case NoProgress:
		return noProgress
	case KillAsked, Certificate:
		return w.noteEnd(f)
	case Probed:
		return w.noteProbe(f)
	case Pulled, Checked, Reviewed, Reacted, Escalated:
		return w.notePull(f)
	case Messaged, Accepted, Unconfirmed, Withdrawn:
		w.noteMessage(f)
		w.encourage(f)
	case Merged:
		w.Merged = true
	case Snapshotted, Preserved:
		w.safe = w.safe || f.Kind == Preserved || f.Clean
		if f.Differs != nil {
			w.Changes, w.worked = f.Differs, false
		}
	case Budgeted:
		if f.Full {
			return budgetReached
		}
	case Gated:
		return w.noteGate(f)
	default:
		return w.noteAgent(f)
	}
	return noEvent
}

func (w *Worker) noteLaunch(f *Fact) event {
	if f.Gates {
		w.gated, w.retries = true, f.Retries
	}
	if f.Kind != Launched {
		if w.State == NotStarted && w.Reason == NothingKnown {
			w.arrive(f, NotStarted, SpawnRequested)
		}
		return noEvent
	}
	w.LaunchedAt, w.Hooks = f.At, f.Hooks
	w.Agent, w.Server, w.host, w.boot = f.Proc, f.Server, f.Host, f.Boot
	return launched
}

func (w *Worker) noteEnd(f *Fact) event {
	switch {
	case f.Kind == KillAsked && f.Forget:
		return forgotten
	case f.Kind == KillAsked:
		w.KillFor = ManuallyKilled
		if f.Reason == AutoCleanup || f.Reason == PullRequestMerged {
			w.KillFor = f.Reason
		}
		return noEvent
	}
	w.over, w.certified = true, f.Proc
	if f.Proc == nil {
		w.certified = w.Agent
	}
	switch {
	case w.KillFor != "":
		return endAsked
	case f.Exit != nil && *f.Exit == 0:
		return endClean
	}
	return endFailed
}

// noteProbe takes whatever a probe did not see for unknown, even where it saw the other half.
func (w *Worker) noteProbe(f *Fact) event {
	e := notSeen
	switch here := f.Host == "" || w.host == "" || f.Host == w.host; {
	case !here:
	case f.Boot != "" && w.boot != "" && f.Boot != w.boot:
		return otherBoot
	case f.Runtime == Alive && f.Process == Alive:
		e = bothAlive
	case f.Runtime == Alive && f.Process == Dead:
		e = processDead
	case f.Runtime == Dead && f.Process == Dead:
		e = bothDead
	case f.Runtime == Dead && f.Process == Alive:
		e = runtimeDead
	}
	w.Unseen = e == notSeen
	if e != w.rounds.finding {
		w.rounds = rounds{} // also where the table does nothing: rounds are equal ones in a row
	}
	return e
}

// Verifying reports whether the agent said that it is done, and gates have to pass before it is.
func (w *Worker) Verifying() bool { return w.State == Working && w.Reason == Verifying }

// SaidDone reports whether the agent said that it is done, and neither a prompt, a message nor its gates took that back.
func (w *Worker) SaidDone() bool { return w.said != told{} }

// MayVerify reports whether another run of the gates fits into their budget. Without it `done` goes to a person.
func (w *Worker) MayVerify() bool { return w.mayTry(w.retries) }

// Tries are the runs of gates that count against a budget: those that began, and those that failed.
func (w *Worker) Tries() int { return max(w.GateRuns, w.GateFails) }

func (w *Worker) mayTry(retries int) bool { return w.Tries() <= retries }

// Retries is how often gates may fail and go back to the agent; ok is false if no gates wait behind its done.
func (w *Worker) Retries() (n int, ok bool) { return w.retries, w.gated }

// noteGate counts runs that began, so that a run which never says how it ended is counted too, whoever started it. What gates
// found moves a worker only if its `done` waits for it and the agent did nothing since they began.
func (w *Worker) noteGate(f *Fact) event {
	waits := w.told.Reason == Verifying
	w.noteMessage(f) // a failure goes back to the agent
	switch f.Is {
	case GateStarted:
		w.GateRuns++
		w.judged = waits
		return noEvent
	case GatePassed:
		w.GateRuns, w.GateFails = 0, 0
	case GateFailed:
		w.GateFails++
	}
	switch {
	case waits && f.Is == GateFailed && !w.MayVerify(): // whatever they judged, they do not run again
		w.said = told{}
		w.tell(NeedsInput, VerifyFailed)
		return gatesGaveUp
	case !waits || !w.judged:
		return noEvent
	case f.Is == GatePassed:
		w.said = told{Done, ResearchComplete}
		w.tell(Done, ResearchComplete)
		return gatesPassed
	case f.Is != GateFailed:
		return noEvent
	}
	w.said = told{}
	w.tell(Idle, w.pause())
	return gatesFailed
}

// encourage gives the gates a fresh budget: a person who knows that they gave up spoke to the agent.
func (w *Worker) encourage(f *Fact) {
	if f.Person && w.told.Reason == VerifyFailed {
		w.GateRuns, w.GateFails = 0, 0
	}
}

func (w *Worker) noteAgent(f *Fact) event {
	w.noteCall(f)
	switch f.Kind {
	case TurnEnded, TurnFailed, Interrupted, Ended, Started:
		w.TurnOver = true
	case Prompted, ToolBegan, SaysDone: // it did more, or says it of more
		w.TurnOver, w.judged = w.TurnOver && f.Kind == SaysDone, false
		w.Merged = w.Merged && f.Kind == SaysDone
	}
	if spent := w.State == NeedsInput && w.Reason == BudgetReached; spent && (f.Kind == TurnEnded || f.Kind == Interrupted) {
		w.asked = nil
		return noEvent // it was stopped: that is no answer of a person's
	}
	switch f.Kind {
	case Started:
		return agentStarted
	case Answered:
		return answered
	case AsksPerson:
		w.noteAsked(asked{})
		w.asking, w.said = true, told{}
		return asks
	case Prompted:
		w.asked, w.asking, w.said = nil, false, told{}
		w.hear(f)
		w.encourage(f)
		return prompt
	case Received:
		if w.hear(f) {
			w.asking, w.said = false, told{}
			if w.State == Idle || w.State == Done || w.Verifying() { // handed over at a turn's end, which goes on with it
				w.TurnOver, w.judged = false, false
				return prompt
			}
		}
	case ToolBegan:
		w.Changes, w.worked = nil, true
		return toolBegan
	case ToolEnded:
		w.Changes, w.worked = nil, true
		return toolEnded
	case Asks:
		w.noteAsked(asked{f.Call, f.Input})
		return asks
	case TurnEnded:
		w.asked = nil
		return turnEnded
	case TurnFailed:
		w.asked = nil
		return turnFailed
	case Interrupted:
		w.asked = nil
		return interrupted
	case Cleared:
		w.asked, w.asking = nil, false
		return sessionCleared
	case Ended:
		w.asked = nil
		return sessionEnded
	case SaysDone:
		w.asked, w.asking, w.said = nil, false, told{Done, ResearchComplete}
		if w.gated && w.State != Done {
			w.said = told{Working, Verifying}
		}
		if w.gated {
			return saysDoneGated
		}
		return saysDone
	}
	return noEvent
}

// noteCall keeps which calls run. Above the bound nobody knows which, until the turn ends.
func (w *Worker) noteCall(f *Fact) {
	switch f.Kind {
	case ToolBegan:
		if len(w.calls) < maxCalls {
			w.calls = append(w.calls, f.Call)
		} else {
			w.calls[maxCalls-1] = manyCalls
		}
	case ToolEnded:
		if i := slices.Index(w.calls, f.Call); i >= 0 {
			w.calls = slices.Delete(w.calls, i, i+1)
		}
	case Started, TurnEnded, TurnFailed, Interrupted, Cleared, Ended: // a prompt may come while a call runs
		w.calls = nil
	}
}

// manyCalls stands for calls that were not kept. No client names one so.
const manyCalls = "\x00"

// noteAsked forgets names where there are too many: what has no name is answered by no call.
func (w *Worker) noteAsked(a asked) {
	switch {
	case slices.Contains(w.asked, a):
	case len(w.asked) < maxAsked:
		w.asked = append(w.asked, a)
	default:
		w.asked[0] = asked{}
	}
}

// answered reports whether f is of the calls that w asked about, and of the last one. A permission names its call or, in
// agents that give it no id, the input.
func (w *Worker) answered(f *Fact) bool {
	i := slices.IndexFunc(w.asked, func(a asked) bool {
		return a.call != "" && a.call == f.Call || a.call == "" && a.input != "" && a.input == f.Input
	})
	if i < 0 {
		return false
	}
	w.asked = slices.Delete(w.asked, i, i+1)
	return len(w.asked) == 0
}
