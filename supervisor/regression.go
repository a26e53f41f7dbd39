package supervisor

import (
	"slices"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// regressions finds failed commands and phases in which something broke that had passed,
// outside a phase that wants a failing test, and was not repaired.
func (j *judgement) regressions(v *view) {
	for _, r := range openFailures(v.Session) {
		if t := brokenTest(j.model, v, r); t != nil {
			j.regression(v, r, t, 0.93)
		} else if t := brokenOtherwise(j.model, v, r); t != nil {
			j.regression(v, r, t, 0.89)
		} else if t := brokenCheck(j.model, v, r); t != nil {
			j.regression(v, r, t, 0.8)
		} else if p := brokenPhase(j.model, r); p != nil && len(v.Tests) == 0 {
			j.phaseRegression(v, r, p)
		}
	}
	for _, f := range j.leftPhases(v) {
		if t := brokenTest(j.model, v, f.Run); t != nil {
			j.regression(v, f.Run, t, min(0.93, f.known))
		} else if t := brokenOtherwise(j.model, v, f.Run); t != nil {
			j.regression(v, f.Run, t, 0.89)
		} else if t := brokenCheck(j.model, v, f.Run); t != nil {
			j.regression(v, f.Run, t, 0.8)
		} else if f.phase.Regressed && workedBefore(j.model, f) {
			j.declaredRegression(v, f)
		}
	}
}

// workedBefore reports whether a phase that makes tests pass was complete in the run
// before the one that failed.
func workedBefore(m *workflow.Model, f leftPhase) bool {
	failed, ok := m.Phase(f.phase.Name)
	return ok && !failed.FailingTest && slices.ContainsFunc(f.Phases, func(p *state.Phase) bool {
		kind, ok := m.Phase(p.Name)
		return ok && !kind.FailingTest && !p.Failed && p.End.Is() && p.End.Ord < f.phase.End.Ord
	})
}

// declaredRegression says what a phase's FAILED says itself. Its words are not repeated:
// an agent is told no text of the log that somebody else may have written.
func (j *judgement) declaredRegression(v *view, f leftPhase) {
	p := f.phase
	j.add(Issue{
		Type: limits.Regression, Session: v.ID, Confidence: 0.8,
		Signature: signature(limits.Regression, v.ID, f.Cmd, "declared", p.End.Anchor()),
		Evidence:  []state.Mark{p.Start, p.End}, Since: p.End,
		Says: "the phase " + quoted(p.Name) + " of " + quoted(f.Cmd) + " ended as failed" + p.End.Cited() +
			", and its FAILED says that something is broken which had worked",
		Healthy: "what passed before still passes when a phase ends, or the change that broke it is taken back",
		Suggest: "Go back to the state at the end of the phase before, see that it works, and take " + quoted(p.Name) + " up again in smaller steps.",
	})
}

// brokenTest is the test command that was broken when the command failed: of several,
// the one that broke last.
func brokenTest(m *workflow.Model, v *view, r *state.Run) *state.Test {
	var newest *state.Test
	for _, t := range v.Tests {
		switch {
		case !t.FirstPass.Is(), !t.Broke.Is(), t.Broke.Ord > r.End.Ord, t.Broke.Ord < r.Start.Ord:
		case wantsFailureAt(m, r, t.Broke):
		case newest == nil || t.Broke.Ord > newest.Broke.Ord:
			newest = t
		}
	}
	return newest
}

// wantsFailureAt reports whether the run was then in a phase that has to show a failing
// test.
func wantsFailureAt(m *workflow.Model, r *state.Run, at state.Mark) bool {
	var in *state.Phase
	for _, p := range r.Phases {
		if p.Start.Is() && p.Start.Ord < at.Ord {
			in = p
		}
	}
	if in == nil || in.End.Is() && in.End.Ord < at.Ord {
		return false
	}
	kind, ok := m.Phase(in.Name)
	return ok && kind.FailingTest
}

// brokenOtherwise is brokenTest where the tests passed under one command and failed under
// another: the last pass, then an edit of production code and of no test, and no
// pass of anything after the last failure.
func brokenOtherwise(m *workflow.Model, v *view, r *state.Run) *state.Test {
	var pass, fail *state.Test
	for _, t := range v.Tests {
		if t.LastPass.Ord > r.Start.Ord && t.LastPass.Ord < r.End.Ord && (pass == nil || t.LastPass.Ord > pass.LastPass.Ord) {
			pass = t
		}
		if t.LastFail.Ord > r.Start.Ord && t.LastFail.Ord < r.End.Ord && (fail == nil || t.LastFail.Ord > fail.LastFail.Ord) {
			fail = t
		}
	}
	if pass == nil || fail == nil || fail.LastFail.Ord < pass.LastPass.Ord || wantsFailureAt(m, r, fail.LastFail) {
		return nil
	}
	if wantsFailureBetween(m, r, pass.LastPass, fail.LastFail) || !onlyProductionEdited(m, v, pass.LastPass, fail.LastFail) {
		return nil
	}
	return &state.Test{Key: fail.Key, Input: pass.Input + " / " + fail.Input, LastPass: pass.LastPass, Broke: fail.LastFail, LastFail: fail.LastFail}
}

// wantsFailureBetween reports whether a phase that has to show a failing test was begun
// between the two marks.
func wantsFailureBetween(m *workflow.Model, r *state.Run, from, to state.Mark) bool {
	return slices.ContainsFunc(r.Phases, func(p *state.Phase) bool {
		kind, ok := m.Phase(p.Name)
		return ok && kind.FailingTest && p.Start.Ord > from.Ord && p.Start.Ord < to.Ord
	})
}

// onlyProductionEdited reports whether production code was edited between the two marks,
// and no test.
func onlyProductionEdited(m *workflow.Model, v *view, from, to state.Mark) bool {
	production := false
	for _, f := range v.Files {
		if !slices.ContainsFunc(f.Hashes, func(x state.Version) bool { return x.Ord > from.Ord && x.Ord < to.Ord }) {
			continue
		}
		if m.IsTestPath(f.Path) || likelyTest(f.Path) {
			return false
		}
		production = production || !m.IsDocPath(f.Path)
	}
	return production
}

// brokenCheck is brokenTest for builds and linters. The state has only the newest of
// those calls.
func brokenCheck(m *workflow.Model, v *view, r *state.Run) *state.Test {
	checks := map[uint32]*state.Test{}
	var newest *state.Test
	for i := range v.Own.Recent {
		d := &v.Own.Recent[i]
		if d.Key == 0 || d.Unsure || d.Denied || d.Ord > r.End.Ord || !checksCode(d) {
			continue
		}
		t := checks[d.Key]
		if t == nil {
			t = &state.Test{Key: d.Key, Input: d.Input}
			checks[d.Key] = t
		}
		switch {
		case !d.Failed:
			t.LastPass, t.Broke = d.Mark, state.Mark{}
		case t.LastPass.Is() && !t.Broke.Is():
			t.Broke, t.LastFail = d.Mark, d.Mark
		default:
			t.LastFail = d.Mark
		}
	}
	for _, t := range checks {
		if t.Broke.Ord > r.Start.Ord && !wantsFailureAt(m, r, t.Broke) && (newest == nil || t.Broke.Ord > newest.Broke.Ord) {
			newest = t
		}
	}
	return newest
}

func (j *judgement) regression(v *view, r *state.Run, t *state.Test, c float64) {
	if t.LastFail.Ord > t.Broke.Ord {
		c += 0.02 // it failed more than once
	}
	for _, other := range v.Tests {
		if other.Key != t.Key && other.LastPass.Ord > t.LastFail.Ord && other.LastPass.Ord < r.End.Ord {
			c = min(c, 0.85) // perhaps the same tests, called otherwise
		}
	}
	if v.End.Is() || v.failedOtherwise(t.LastFail, r.End) {
		c = min(c, 0.8) // perhaps the command failed because of that
	}
	j.add(Issue{
		Type: limits.Regression, Session: v.ID, Confidence: c,
		Signature: signature(limits.Regression, v.ID, r.Cmd, t.Broke.Anchor()),
		Evidence:  []state.Mark{t.LastPass, t.Broke, t.LastFail, r.End}, Since: r.End,
		Says:    quoted(t.Input) + " had passed" + t.LastPass.Cited() + ", fails since " + t.Broke.Entry() + ", and " + quoted(r.Cmd) + " failed with it broken",
		Healthy: "what passed before still passes when a command ends, or the change that broke it is taken back",
		Suggest: "Compare the changes made between the last pass and the first failure, take back the one that broke " + quoted(t.Input) +
			", and run it again before anything else.",
	})
}

// failedOtherwise reports whether a call that acts failed between the two marks.
func (v *view) failedOtherwise(from, to state.Mark) bool {
	return slices.ContainsFunc(v.Own.Recent, func(d state.Did) bool {
		return d.Failed && d.Ord > from.Ord && d.Ord < to.Ord && !onlyLooks(&d) && !state.AnswersNo(&d)
	})
}

// brokenPhase is the last phase if it failed after one that was complete, and neither
// wants a failing test.
func brokenPhase(m *workflow.Model, r *state.Run) *state.Phase {
	n := len(r.Phases)
	if n < 2 || !r.Phases[n-1].Failed {
		return nil
	}
	before, last := r.Phases[n-2], r.Phases[n-1]
	made, known := m.Phase(before.Name)
	broke, also := m.Phase(last.Name)
	if !known || !also || made.FailingTest || broke.FailingTest || before.Failed || !before.End.Is() {
		return nil
	}
	return last
}

func (j *judgement) phaseRegression(v *view, r *state.Run, p *state.Phase) {
	j.add(Issue{
		Type: limits.Regression, Session: v.ID, Confidence: 0.75,
		Signature: signature(limits.Regression, v.ID, r.Cmd, p.Start.Anchor(), r.End.Anchor()),
		Evidence:  []state.Mark{p.Start, p.End, r.End}, Since: r.End,
		Says:    "the phase " + quoted(p.Name) + " failed after the one before it was complete, and " + quoted(r.Cmd) + " failed with it",
		Healthy: "what worked at the end of one phase works at the end of the next, or the change is taken back",
		Suggest: "Go back to the state at the end of the phase before, see that it works, and take the failed phase up again in smaller steps.",
	})
}
