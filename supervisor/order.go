package supervisor

import (
	"slices"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// phaseOrder finds phases that were begun without one that the model requires
// before them. Going back to it clears it, the next round does not.
func (j *judgement) phaseOrder(v *view) {
	v.runs(func(agent string, r *state.Run) {
		for i, p := range r.Phases {
			skipped, c := p.Skipped, 0.95
			if skipped == "" && i > 0 {
				skipped, c = skippedInNewRound(j.model, r, r.Phases[i-1], p), 0.88
				if v.doneByOtherLine(r, skipped, r.Phases[i-1].Start, p.Start) {
					skipped = ""
				}
			}
			if skipped == "" || wentBack(r.Phases[i:], skipped) {
				continue
			}
			before := r.Start
			if i > 0 {
				before = r.Phases[i-1].Start
			}
			j.skipped(v, agent, r.Cmd, p, skipped, before, c)
		}
	})
}

func (j *judgement) skipped(v *view, agent, cmd string, p *state.Phase, skipped string, before state.Mark, c float64) {
	j.add(Issue{
		Type: limits.OutOfOrder, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.OutOfOrder, v.ID, agent, cmd, p.Name, p.Start.Anchor()),
		Evidence:  []state.Mark{before, p.Start}, Since: p.Start,
		Says:    "in " + quoted(cmd) + " the phase " + quoted(p.Name) + " was begun" + p.Start.Cited() + " without " + quoted(skipped) + " before it",
		Healthy: "phases follow one another in the order of the model, round and round; only optional ones are left out",
		Suggest: "Go back to " + quoted(skipped) + " before going on, and log it; if it was done, log it as it was.",
	})
}

// wentBack reports whether the first phase was left unfinished for the skipped one.
func wentBack(phases []*state.Phase, skipped string) bool {
	p := phases[0]
	return len(phases) > 1 && phases[1].Name == skipped && (!p.End.Is() || p.Failed)
}

// skippedInNewRound is the required phase that was skipped when a phase begins again
// after it was complete and a milestone came: that is a new round. Without a milestone
// the same phase is taken up again, which is legal.
func skippedInNewRound(m *workflow.Model, r *state.Run, before, p *state.Phase) string {
	at := phaseIndex(m, p.Name)
	if at < 0 || before.Name != p.Name || !before.End.Is() || before.Failed || !p.Start.Is() ||
		!slices.ContainsFunc(r.Milestones, func(m state.Moment) bool { return m.Ord > before.End.Ord && m.Ord < p.Start.Ord }) {
		return ""
	}
	phases := m.Phases
	for i := (at + 1) % len(phases); i != at; i = (i + 1) % len(phases) {
		if !phases[i].Optional {
			return phases[i].Name
		}
	}
	return ""
}

// doneByOtherLine reports whether another line of the session did the phase for the
// same command in that time.
func (v *view) doneByOtherLine(r *state.Run, phase string, from, to state.Mark) bool {
	found := false
	v.runs(func(_ string, o *state.Run) {
		found = found || o != r && o.Cmd == r.Cmd && slices.ContainsFunc(o.Phases, func(p *state.Phase) bool {
			return p.Name == phase && !p.Failed && p.End.Ord > from.Ord && p.Start.Ord < to.Ord
		})
	})
	return found
}
