package supervisor

import "slices"

// phaseOrder finds phases that were begun without one that the model requires
// before them. Making up for it later clears it.
func (j *judgement) phaseOrder(v *view) {
	v.runs(func(agent string, r *Run) {
		for i, p := range r.Phases {
			if p.Skipped == "" || slices.ContainsFunc(r.Phases[i+1:], func(q *Phase) bool { return q.Name == p.Skipped }) {
				continue
			}
			before := r.Start
			if i > 0 {
				before = r.Phases[i-1].Start
			}
			j.add(Issue{
				Type: OutOfOrder, Session: v.ID, Agent: agent, Confidence: 0.95,
				Signature: signature(OutOfOrder, v.ID, agent, r.Cmd, p.Name, p.Start.anchor()),
				Evidence:  []Mark{before, p.Start}, Since: p.Start,
				Says:    "in " + quoted(r.Cmd) + " the phase " + quoted(p.Name) + " was begun" + p.Start.at() + " without " + quoted(p.Skipped) + " before it",
				Healthy: "phases follow one another in the order of the model, round and round; only optional ones are left out",
				Suggest: "Go back to " + quoted(p.Skipped) + " before going on, and log it; if it was done, log it as it was.",
			})
		}
	})
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
