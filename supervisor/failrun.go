package supervisor

// failureRuns finds many failing calls in a row with different inputs; the same
// one again and again is a loop.
func (j *judgement) failureRuns(v *view) {
	v.lines(func(agent string, l *Line) {
		f := &l.Fails
		marks, unknown := failing(l.Recent, f)
		n := min(len(f.Inputs)+unknown, maxInputs)
		c := counted(n, j.limits.ToolFailureRunFailures)
		if c == 0 {
			return
		}
		j.add(Issue{
			Type: ToolFailureRun, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(ToolFailureRun, v.ID, agent, f.First.anchor()),
			Evidence:  append(marks, f.First, f.Last), Since: f.First,
			Says:    count(f.Count, "call") + " in a row failed, with " + atLeast(n, maxInputs) + " different inputs",
			Healthy: "a failure is followed by something that works, and the next step builds on that",
			Suggest: "Stop and read the first of these errors again: later ones often follow from it. Check what they have in common (the folder, a missing program, a permission, a wrong path) with one call that is sure to work.",
		})
	})
}

// failing are the marks of the streak's calls that are still remembered, and of how
// many of them the input is not known.
func failing(recent []Did, f *Streak) (marks []Mark, unknown int) {
	for i := range recent {
		d := &recent[i]
		if !d.Failed || answersNo(d) || d.Ord < f.First.Ord || d.Ord > f.Last.Ord {
			continue
		}
		marks = append(marks, d.Mark)
		if d.Key == 0 {
			unknown++
		}
	}
	return marks, unknown
}
