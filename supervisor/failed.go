package supervisor

import (
	"slices"
	"strings"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// failures finds commands that ended as failed and were not completed later in
// the same session, and phases that did so and were left.
func (j *judgement) failures(v *view) {
	for _, r := range openFailures(v.Session) {
		j.add(Issue{
			Type: limits.ExplicitFailure, Session: v.ID, Confidence: 0.97,
			Signature: signature(limits.ExplicitFailure, v.ID, r.Cmd, r.Wt, r.End.Anchor()),
			Evidence:  []state.Mark{r.Start, r.End}, Since: r.End,
			Says:    "the command " + quoted(r.Cmd) + " ended as failed" + r.End.Cited() + " and was not completed since",
			Healthy: "a command that failed is run again and completed, or given up in favour of another",
			Suggest: "Read why " + quoted(r.Cmd) + " failed, remove that cause first, then run it again; if it cannot be removed, tell the user.",
		})
	}
	for _, f := range j.leftPhases(v) {
		p := f.phase
		j.add(Issue{
			Type: limits.ExplicitFailure, Session: v.ID, Confidence: f.known,
			Signature: signature(limits.ExplicitFailure, v.ID, f.Cmd, f.Wt, p.Name, p.End.Anchor()),
			Evidence:  []state.Mark{f.Start, p.Start, p.End}, Since: p.End,
			Says: "the phase " + quoted(p.Name) + " of " + quoted(f.Cmd) + " ended as failed" + p.End.Cited() +
				" and was not begun again since, nor was the command completed",
			Healthy: "a phase that failed is begun again and completed, or its command is logged as failed",
			Suggest: "Read why " + quoted(p.Name) + " failed, remove that cause first, then begin the phase again; if it cannot be removed, log " + quoted(f.Cmd) +
				" as failed and tell the user.",
		})
	}
}

// leftPhase is a phase that ended as failed and was left so. Its run is as it was then,
// with the phase's end as its own.
type leftPhase struct {
	*state.Run
	phase *state.Phase
	known float64
}

// beginsAgain is how long an agent may work after a phase's FAILED until it begins it
// again.
const beginsAgain = 5 * time.Minute

// leftPhases are the newest failed phase of each open command of the session, if the turn
// has ended since or work went on for long. What a rotation carried over may have gone on.
func (j *judgement) leftPhases(v *view) (left []leftPhase) {
	if v.Heard == 0 {
		return nil
	}
	runs := ownRuns(v.Session)
	for i, r := range runs {
		p := failedPhase(r)
		again := slices.ContainsFunc(runs[i+1:], func(later *state.Run) bool { return later.Cmd == r.Cmd })
		if p == nil || again || r.End.Is() {
			continue
		}
		if known := j.leftSince(v, r, p); known > 0 {
			then := *r
			then.End = p.End
			left = append(left, leftPhase{&then, p, known})
		}
	}
	return left
}

// failedPhase is the newest phase that failed and was not begun again.
func failedPhase(r *state.Run) *state.Phase {
	for i, p := range slices.Backward(r.Phases) {
		if p.Failed {
			again := slices.ContainsFunc(r.Phases[i+1:], func(later *state.Phase) bool { return later.Name == p.Name })
			if again {
				return nil
			}
			return p
		}
	}
	return nil
}

// leftSince is how sure it is that the phase was left. Where no turn's end is told, the
// next phase tells it.
func (j *judgement) leftSince(v *view, r *state.Run, p *state.Phase) float64 {
	if v.Turn.Ended.Ord > p.End.Ord || v.mode == state.Gone {
		return 0.95
	}
	passed := spent(p.EndAt, v.clock)
	if passed >= beginsAgain || turnEndsUnknown(v.Session) && r.Phases[len(r.Phases)-1] != p {
		return 0.93
	}
	j.at(j.now.Add(beginsAgain - passed))
	return 0
}

// openFailures are the session's failed commands, the newest of each name, without a
// later COMPLETE of that name.
func openFailures(s *state.Session) []*state.Run {
	var failed []*state.Run
	for _, r := range ownRuns(s) {
		if !r.End.Is() {
			continue
		}
		failed = slices.DeleteFunc(failed, func(f *state.Run) bool { return f.Cmd == r.Cmd })
		if r.Failed {
			failed = append(failed, r)
		}
	}
	return failed
}

// failedAgents finds sub-agents whose end, turn or call failed, unless another
// of their kind did it after them, or the command they worked for was completed.
func (j *judgement) failedAgents(v *view) {
	for _, a := range v.Agents {
		if !a.Failed || !a.Ended.Is() || doneAfter(v.Session, a) || finished(v.Session, a.Ended) {
			continue
		}
		says := "the sub-agent " + quoted(agentKind(a)) + " ended as failed" + a.Ended.Cited()
		if a.Status != "" {
			says += ", with the status " + quoted(a.Status)
		}
		j.add(Issue{
			Type: limits.AgentFailed, Session: v.ID, Agent: a.Name(), Confidence: 0.95,
			Signature: signature(limits.AgentFailed, v.ID, a.Name(), a.Ended.Anchor()),
			Evidence:  []state.Mark{a.Spawned, a.Ended}, Since: a.Ended,
			Says:    says,
			Healthy: "a sub-agent ends with its result, and that is checked before it is built upon",
			Suggest: "Do not build on the result of " + quoted(agentKind(a)) +
				". Find out what it left behind, then give the task to a new sub-agent in smaller pieces, or do it yourself.",
		})
	}
}

// doneAfter reports whether another sub-agent of the same kind was started after a
// and ended well.
func doneAfter(s *state.Session, a *state.Agent) bool {
	return slices.ContainsFunc(s.Agents, func(b *state.Agent) bool {
		return b != a && b.Type == a.Type && !b.Failed && !b.Cut.Is() && b.Ended.Is() && b.Spawned.Ord > a.Ended.Ord && !calledOff(b.Status)
	})
}

func calledOff(status string) bool {
	switch strings.ToLower(status) {
	case "cancelled", "canceled", "killed", "stopped", "interrupted", "aborted":
		return true
	}
	return false
}

func agentKind(a *state.Agent) string {
	if a.Type != "" {
		return a.Type
	}
	return a.ID
}
