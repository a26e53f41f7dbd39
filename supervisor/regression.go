package supervisor

import (
	"slices"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// regressions finds failed commands in which something broke that had passed:
// outside the phase that wants a failing test, and not mended since.
func (j *judgement) regressions(v *view) {
	for _, r := range unmended(v.Session) {
		if t := j.broke(v, r); t != nil {
			j.regression(v, r, t, 0.93)
		} else if t := j.brokeElsewhere(v, r); t != nil {
			j.regression(v, r, t, 0.89)
		} else if t := j.brokeCheck(v, r); t != nil {
			j.regression(v, r, t, 0.8)
		} else if p := j.brokenPhase(r); p != nil && len(v.Tests) == 0 {
			j.phaseRegression(v, r, p)
		}
	}
}

// broke is the test command whose failure the command ended with: the one that
// broke last.
func (j *judgement) broke(v *view, r *state.Run) *state.Test {
	var newest *state.Test
	for _, t := range v.Tests {
		switch {
		case !t.FirstPass.Is(), !t.Broke.Is(), t.Broke.Ord > r.End.Ord, t.Broke.Ord < r.Start.Ord:
		case j.wantsFailure(r, t.Broke):
		case newest == nil || t.Broke.Ord > newest.Broke.Ord:
			newest = t
		}
	}
	return newest
}

// wantsFailure reports whether the run was in a phase then that has to show a
// failing test.
func (j *judgement) wantsFailure(r *state.Run, m state.Mark) bool {
	var in *state.Phase
	for _, p := range r.Phases {
		if p.Start.Is() && p.Start.Ord < m.Ord {
			in = p
		}
	}
	if in == nil || in.End.Is() && in.End.Ord < m.Ord {
		return false
	}
	kind, ok := j.model.Phase(in.Name)
	return ok && kind.FailingTest
}

// brokeElsewhere is broke where the tests passed under one command and failed under
// another: the last pass, then an edit of production code and of no test, and no
// pass of anything after the last failure.
func (j *judgement) brokeElsewhere(v *view, r *state.Run) *state.Test {
	var pass, fail *state.Test
	for _, t := range v.Tests {
		if t.LastPass.Ord > r.Start.Ord && t.LastPass.Ord < r.End.Ord && (pass == nil || t.LastPass.Ord > pass.LastPass.Ord) {
			pass = t
		}
		if t.LastFail.Ord > r.Start.Ord && t.LastFail.Ord < r.End.Ord && (fail == nil || t.LastFail.Ord > fail.LastFail.Ord) {
			fail = t
		}
	}
	if pass == nil || fail == nil || fail.LastFail.Ord < pass.LastPass.Ord || j.wantsFailure(r, fail.LastFail) {
		return nil
	}
	if j.wantedFailure(r, pass.LastPass, fail.LastFail) || !j.onlyProduction(v, pass.LastPass, fail.LastFail) {
		return nil
	}
	return &state.Test{Key: fail.Key, Input: pass.Input + " / " + fail.Input, LastPass: pass.LastPass, Broke: fail.LastFail, LastFail: fail.LastFail}
}

// wantedFailure reports whether a phase that has to show a failing test was begun
// between the two marks.
func (j *judgement) wantedFailure(r *state.Run, from, to state.Mark) bool {
	return slices.ContainsFunc(r.Phases, func(p *state.Phase) bool {
		kind, ok := j.model.Phase(p.Name)
		return ok && kind.FailingTest && p.Start.Ord > from.Ord && p.Start.Ord < to.Ord
	})
}

// onlyProduction reports whether production code was edited between the two marks,
// and no test.
func (j *judgement) onlyProduction(v *view, from, to state.Mark) bool {
	production := false
	for _, f := range v.Files {
		if !slices.ContainsFunc(f.Hashes, func(x state.Version) bool { return x.Ord > from.Ord && x.Ord < to.Ord }) {
			continue
		}
		if j.model.IsTestPath(f.Path) || likelyTest(f.Path) {
			return false
		}
		production = production || !j.model.IsDocPath(f.Path)
	}
	return production
}

// brokeCheck is broke for what is no test but checks too: a build, a linter. Of
// those only the newest calls are remembered.
func (j *judgement) brokeCheck(v *view, r *state.Run) *state.Test {
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
		if t.Broke.Ord > r.Start.Ord && !j.wantsFailure(r, t.Broke) && (newest == nil || t.Broke.Ord > newest.Broke.Ord) {
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
		Suggest: "Compare the changes made between the last pass and the first failure, take back the one that broke " + quoted(t.Input) + ", and run it again before anything else.",
	})
}

// failedOtherwise reports whether a call that acts failed between the two marks.
func (v *view) failedOtherwise(from, to state.Mark) bool {
	return slices.ContainsFunc(v.Own.Recent, func(d state.Did) bool {
		return d.Failed && d.Ord > from.Ord && d.Ord < to.Ord && !onlyLooks(&d) && !state.AnswersNo(&d)
	})
}

// brokenPhase is a phase that failed after one that had made things work, with
// which the command failed, where nothing is known of tests.
func (j *judgement) brokenPhase(r *state.Run) *state.Phase {
	n := len(r.Phases)
	if n < 2 || !r.Phases[n-1].Failed {
		return nil
	}
	before, last := r.Phases[n-2], r.Phases[n-1]
	made, known := j.model.Phase(before.Name)
	broke, also := j.model.Phase(last.Name)
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
