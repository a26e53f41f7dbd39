package supervisor

import (
	"slices"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

var (
	// proven: calls came and went all the time. unproven: perhaps nobody works there.
	stuckProven   = ramp{0.75, 0.97}
	stuckUnproven = ramp{0.75, 0.85}
)

// stuckPhases finds phases that are open longer than their timeout while the
// session, or the sub-agent that declared them, works and achieves nothing.
func (j *judgement) stuckPhases(v *view) {
	if v.mode != state.Working && v.mode != state.Idle || v.Source == "" {
		return
	}
	if p := v.Own.Active().Open(); p != nil && p.Start.Is() && len(v.Calls) == 0 && len(v.Waits) == 0 && !j.agentsAtWork(v) {
		j.stuckPhase(v, p)
	}
	for _, a := range v.Agents {
		if p := a.Line.Active().Open(); p != nil && p.Start.Is() && a.Running() && !isExplained(v.Session, a) {
			j.stuckAgent(v, a, p)
		}
	}
}

// stuckAgent judges a sub-agent's phase by its calls: the session's clock stands
// still while it waits for the sub-agent. Each counts for two minutes at most.
func (j *judgement) stuckAgent(v *view, a *state.Agent, p *state.Phase) {
	from := p.Start
	if v.Progress.Ord > from.Ord {
		from = v.Progress.Mark
	}
	passed, last := time.Duration(0), from
	for i := range a.Line.Recent {
		if d := &a.Line.Recent[i]; d.Ord > from.Ord {
			passed += min(max(0, d.Time().Sub(last.Time())), 2*time.Minute)
			last = d.Mark
		}
	}
	limit := j.limits.PhaseTimeout(j.model.TimeoutOf(p.Name))
	c := stuckUnproven.after(passed, limit)
	if c == 0 || v.editedUnseen() {
		return
	}
	if v.wroteUnseen() {
		c = min(c, 0.8)
	}
	j.stuck(v, a.Name(), p, from, passed, limit, c)
}

func (j *judgement) stuckPhase(v *view, p *state.Phase) {
	limit := j.limits.PhaseTimeout(j.model.TimeoutOf(p.Name))
	since := max(p.At, v.Progress.Clock)
	proven, passed := spent(since, v.Clock), spent(since, v.clock)
	c := stuckProven.after(proven, limit)
	if v.clock > v.Clock || v.mode == state.Working { // it grows as time passes
		c = max(c, j.timed(limits.PhaseStuck, stuckUnproven, passed, limit, 1))
	}
	if c == 0 || v.editedUnseen() {
		return
	}
	if v.wroteUnseen() {
		c = min(c, 0.8)
	}
	from := p.Start
	if v.Progress.Ord > from.Ord {
		from = v.Progress.Mark
	}
	j.stuck(v, "", p, from, passed, limit, c)
}

func (j *judgement) stuck(v *view, agent string, p *state.Phase, from state.Mark, passed, limit time.Duration, c float64) {
	j.add(Issue{
		Type: limits.PhaseStuck, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.PhaseStuck, v.ID, agent, p.Name, p.Start.Anchor(), from.Anchor()),
		Evidence:  []state.Mark{p.Start, from, v.Last}, Since: from,
		Says: "the phase " + quoted(p.Name) + p.Start.Cited() + " has been worked on for " + lasting(passed) +
			" without progress; it should take " + lasting(limit),
		Healthy: "within its timeout a phase ends, or a file, a test result or a milestone changes",
		Suggest: "Say in one sentence what keeps this phase from ending. Make the next step smaller, so that a test result or a file changes, or log the phase " +
			"as failed and tell the user why.",
	})
}

// editedUnseen reports whether a file got an unknown content since the newest progress:
// likely that was progress.
func (v *view) editedUnseen() bool {
	return slices.ContainsFunc(v.Files, func(f *state.File) bool {
		n := len(f.Hashes)
		return n > 0 && f.Hashes[n-1].Hash == 0 && f.Hashes[n-1].Ord > v.Progress.Ord
	})
}

// wroteUnseen reports whether a shell may have changed files since the newest
// progress, which would be progress too.
func (v *view) wroteUnseen() bool {
	for _, l := range v.allLines() {
		for i := range l.Recent {
			if d := &l.Recent[i]; d.Ord > v.Progress.Ord && !d.Failed && writes(d) {
				return true
			}
		}
	}
	return false
}

func spent(from, to state.Clock) time.Duration {
	return time.Duration(max(0, to-from)) * time.Millisecond
}

// agentsAtWork reports whether a sub-agent runs that has logged something recently.
func (j *judgement) agentsAtWork(v *view) bool {
	return slices.ContainsFunc(v.Agents, func(a *state.Agent) bool {
		last := a.Last
		if a.Spawned.Ord > last.Ord {
			last = a.Spawned
		}
		return a.ID != "" && a.Running() && j.within(last, j.limits.AbandonedAgentAfter)
	})
}
