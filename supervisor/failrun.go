package supervisor

// failureRuns finds many failing calls in a row with different inputs; the same
// one again and again is a loop.
func (j *judgement) failureRuns(v *view) {
	v.lines(func(agent string, l *Line) {
		f := &l.Fails
		c := counted(f.Count, j.limits.ToolFailureRunFailures)
		kinds := len(f.Inputs)
		if c == 0 || kinds < 3 || kinds*2 < min(f.Count, maxInputs) {
			return
		}
		j.add(Issue{
			Type: ToolFailureRun, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(ToolFailureRun, v.ID, agent, f.First.anchor()),
			Evidence:  append(failing(l.Recent, f), f.First, f.Last), Since: f.First,
			Says:    count(f.Count, "call") + " in a row failed, with " + atLeast(kinds, maxInputs) + " different inputs",
			Healthy: "a failure is followed by something that works, and the next step builds on that",
			Suggest: "Stop and read the first of these errors again: later ones often follow from it. Check what they have in common (the folder, a missing program, a permission, a wrong path) with one call that is sure to work.",
		})
	})
}

// failing are the marks of the streak's calls that are still known.
func failing(recent []Did, f *Streak) []Mark {
	var marks []Mark
	for i := range recent {
		if d := &recent[i]; d.Failed && d.Ord >= f.First.Ord && d.Ord <= f.Last.Ord {
			marks = append(marks, d.Mark)
		}
	}
	return marks
}
