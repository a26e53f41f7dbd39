package supervisor

import (
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"slices"
)

// advice finds tasks that an agent has seen and whose trouble goes on unchanged
// over turns of work. It runs last, on the issues that were found.
func (j *judgement) advice() {
	for _, a := range j.s.Advice {
		if a.Resolved.Is() || !a.Delivered.Is() || !a.Seen.Is() && j.o.Seen[a.Task] != state.Yes || a.Type == string(limits.IgnoredAdvice) {
			continue
		}
		c := counted(a.Turns, j.limits.IgnoredAdviceTurns)
		i := slices.IndexFunc(j.issues, func(i Issue) bool { return i.Signature == a.Signature })
		if c == 0 || i < 0 {
			continue
		}
		of := &j.issues[i]
		j.add(Issue{
			Type: limits.IgnoredAdvice, Session: a.Session, Agent: of.Agent, Confidence: min(c, of.Confidence),
			Signature: signature(limits.IgnoredAdvice, a.Session, a.Signature, a.Task),
			Evidence:  []state.Mark{a.Queued, a.Delivered, a.Seen}, Since: a.Delivered,
			Says:    "the advice about " + quoted(a.Type) + " was delivered" + a.Delivered.Cited() + " and seen, and " + count(a.Turns, "turn") + " later nothing has changed: " + of.Says,
			Healthy: "advice is followed, or the agent says why not",
			Suggest: "Say whether you disagree with it, and why; if not, do it now: " + of.Suggest,
		})
	}
}
