package supervisor

import "slices"

// phaseOrder finds phases that were begun without one that the model requires
// before them. Making up for it later clears it.
func (j *judgement) phaseOrder(v *view) {
	v.runs(func(agent string, r *Run) {
		for i, p := range r.Phases {
			skipped, c := p.Skipped, 0.95
			if skipped == "" && i > 0 {
				skipped, c = j.newRound(r, r.Phases[i-1], p), 0.88
			}
			if skipped == "" || slices.ContainsFunc(r.Phases[i+1:], func(q *Phase) bool { return q.Name == skipped }) {
				continue
			}
			before := r.Start
			if i > 0 {
				before = r.Phases[i-1].Start
			}
			j.add(Issue{
				Type: OutOfOrder, Session: v.ID, Agent: agent, Confidence: c,
				Signature: signature(OutOfOrder, v.ID, agent, r.Cmd, p.Name, p.Start.anchor()),
				Evidence:  []Mark{before, p.Start}, Since: p.Start,
				Says:    "in " + quoted(r.Cmd) + " the phase " + quoted(p.Name) + " was begun" + p.Start.at() + " without " + quoted(skipped) + " before it",
				Healthy: "phases follow one another in the order of the model, round and round; only optional ones are left out",
				Suggest: "Go back to " + quoted(skipped) + " before going on, and log it; if it was done, log it as it was.",
			})
		}
	})
}

// newRound is what was skipped when a phase begins again after it was complete and
// a milestone came: that is the next slice of the work. Without one it is the same
// phase taken up again, which is legal.
func (j *judgement) newRound(r *Run, before, p *Phase) string {
	at := j.position(p.Name)
	if at < 0 || before.Name != p.Name || !before.End.Is() || before.Failed || !p.Start.Is() ||
		!slices.ContainsFunc(r.Milestones, func(m Moment) bool { return m.Ord > before.End.Ord && m.Ord < p.Start.Ord }) {
		return ""
	}
	phases := j.model.Phases
	for i := (at + 1) % len(phases); i != at; i = (i + 1) % len(phases) {
		if !phases[i].Optional {
			return phases[i].Name
		}
	}
	return ""
}

// runs calls do for the newest command of each line of work. What a session left
// behind counts when it is over, too.
func (v *view) runs(do func(agent string, r *Run)) {
	if v.Own.Run != nil {
		do("", v.Own.Run)
	}
	for _, a := range v.Agents {
		if a.Line.Run != nil {
			do(a.Name(), a.Line.Run)
		}
	}
}
