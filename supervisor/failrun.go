package supervisor

import (
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// failureRuns finds many failing calls in a row with different inputs; the same
// one again and again is a loop.
func (j *judgement) failureRuns(v *view) {
	v.lines(func(agent string, l *state.Line) {
		f := &l.Fails
		marks, unknown := failing(l.Recent, f)
		n := min(len(f.Inputs)+unknown, state.MaxInputs)
		c := counted(n, j.limits.ToolFailureRunFailures)
		if c == 0 {
			return
		}
		j.add(Issue{
			Type: limits.ToolFailureRun, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(limits.ToolFailureRun, v.ID, agent, f.First.Anchor()),
			Evidence:  append(marks, f.First, f.Last), Since: f.First,
			Says:    count(f.Count, "call") + " in a row failed, with " + atLeast(n, state.MaxInputs) + " different inputs",
			Healthy: "a failure is followed by something that works, and the next step builds on that",
			Suggest: "Stop and read the first of these errors again: later ones often follow from it. Check what they have in common (the folder, a missing program, a permission, a wrong path) with one call that is sure to work.",
		})
	})
}

// failing are the marks of the streak's calls that are still remembered, and of how
// many of them the input is not known.
func failing(recent []state.Did, f *state.Streak) (marks []state.Mark, unknown int) {
	for i := range recent {
		d := &recent[i]
		if !d.Failed || state.AnswersNo(d) || d.Ord < f.First.Ord || d.Ord > f.Last.Ord {
			continue
		}
		marks = append(marks, d.Mark)
		if d.Key == 0 {
			unknown++
		}
	}
	return marks, unknown
}
