package supervisor

import (
	"slices"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// unproved finds claims of success that the records do not carry, until the check runs again. Two claims that lack the same are
// one issue, as sure as the surer one.
func (j *judgement) unproved(v *view) {
	found := map[string]Issue{}
	var order []string
	for _, c := range v.Claims {
		if len(c.Lacks) == 0 || slices.ContainsFunc(c.Lacks, func(l state.Lack) bool { return CheckedSince(v.Session, c, l) }) {
			continue
		}
		l := c.Lacks[0]
		i := Issue{
			Type: limits.UnprovedDone, Session: v.ID, Confidence: unprovedBy(c, l),
			Signature: signature(limits.UnprovedDone, v.ID, string(l.Check), string(l.Why), l.Wt, l.Run.Anchor(), c.From.Anchor()),
			Evidence:  []state.Mark{l.Run, l.Edit, c.Mark}, Since: c.Mark,
			Says:    Claimed(c) + ", but " + Lacking(l),
			Healthy: "a claim of success comes after the checks that carry it, on the code as it is then",
			Suggest: proveBy(l),
		}
		if old, ok := found[i.Signature]; !ok || old.Confidence < i.Confidence {
			if !ok {
				order = append(order, i.Signature)
			}
			found[i.Signature] = i
		}
	}
	for _, s := range order {
		j.add(found[s])
	}
}

// CheckedSince reports whether the check that a claim lacks ran after it, whatever it said.
func CheckedSince(s *state.Session, c *state.Claim, l state.Lack) bool {
	return slices.ContainsFunc(s.Checks, func(v *state.Checked) bool {
		return v.Kind == l.Check && v.Wt == l.Wt && (v.Last.Ord > c.Ord || v.Unsure.Ord > c.Ord)
	})
}

// unprovedBy is how sure it is that the claim is not carried. Words alone may mean something else.
func unprovedBy(c *state.Claim, l state.Lack) float64 {
	sure := 0.8
	switch {
	case l.Known: // it changed nothing about that
		sure = 0.7
	case l.Why == state.CheckFailed && l.Check == workflow.Lint:
		sure = 0.85
	case l.Why == state.CheckFailed && l.Check == workflow.Types && l.Edit.Is():
		sure = 0.85
	case l.Why == state.CheckFailed && l.Edit.Is(): // the change may have mended it
		sure = 0.93
	case l.Why == state.CheckFailed:
		sure = 0.95
	case l.Why == state.CheckStale && !l.Before && l.Check == workflow.Tests:
		sure = 0.93
	}
	if c.By == state.ByWords {
		sure = map[state.Reason]float64{state.CheckFailed: 0.7, state.CheckStale: 0.65}[l.Why]
		sure = max(sure, 0.6)
	}
	return sure
}

// Claimed says who claims what.
func Claimed(c *state.Claim) string {
	switch c.By {
	case state.ByCommand:
		return "the command " + quoted(c.Name) + " was called complete" + c.Cited()
	case state.ByPhase:
		return "the phase " + quoted(c.Name) + " was called complete" + c.Cited()
	case state.ByWorker:
		return "the worker called its task finished" + c.Cited()
	}
	return "the last message claims success" + c.Cited()
}

// Lacking says what the records have instead of the proof.
func Lacking(l state.Lack) string {
	run := checkName(l.Check)
	if l.Input != "" {
		run = quoted(l.Input)
	}
	switch l.Why {
	case state.CheckFailed:
		says := "the last run of " + run + " failed" + l.Run.Cited()
		if l.Known {
			says += ", as it did before anything was changed"
		}
		if l.Edit.Is() {
			says += "; " + quoted(l.Path) + " was changed after it" + l.Edit.Cited() + ", and it did not run again"
		}
		return says
	case state.CheckStale:
		return quoted(l.Path) + " was changed" + l.Edit.Cited() + " after the last run of " + run + l.Run.Cited() + ", which passed"
	case state.CheckOther:
		return run + " ran in another worktree" + l.Run.Cited() + ", and not in the one where " + quoted(l.Path) + " was changed" + l.Edit.Cited()
	}
	return "aburn saw no run of " + checkName(l.Check) + " after " + quoted(l.Path) + " was changed" + l.Edit.Cited()
}

func checkName(c workflow.Check) string {
	switch c {
	case workflow.Tests:
		return "the tests"
	case workflow.Build:
		return "the build"
	case workflow.Types:
		return "the type check"
	case workflow.Lint:
		return "the linter"
	}
	return "a check"
}

func proveBy(l state.Lack) string {
	run := "Run " + checkName(l.Check) + " now"
	if l.Input != "" {
		run = "Run " + quoted(l.Input) + " now"
	}
	return run + ". If it fails, fix the cause or say plainly that it fails; do not call the work done before it passes."
}
