package supervisor

import (
	"slices"
	"strings"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// failures finds commands that ended as failed and were not completed later in
// the same session.
func (j *judgement) failures(v *view) {
	for _, r := range openFailures(v.Session) {
		j.add(Issue{
			Type: limits.ExplicitFailure, Session: v.ID, Confidence: 0.97,
			Signature: signature(limits.ExplicitFailure, v.ID, r.Cmd, r.Wt, r.End.Anchor()),
			Evidence:  []state.Mark{r.Start, r.End}, Since: r.End,
			Says:    "the command " + quoted(r.Cmd) + " ended as failed" + r.End.Cited() + " and was not completed since",
			Healthy: "a command that failed is run again and completed, or given up in favour of another",
			Suggest: "Read why " + quoted(r.Cmd) + " failed, remove that cause first, then run it again; if it cannot be removed, tell the user.",
		})
	}
}

// openFailures are the session's failed commands, the newest of each name, without a
// later COMPLETE of that name.
func openFailures(s *state.Session) []*state.Run {
	var failed []*state.Run
	for _, r := range ownRuns(s) {
		if !r.End.Is() {
			continue
		}
		failed = slices.DeleteFunc(failed, func(f *state.Run) bool { return f.Cmd == r.Cmd })
		if r.Failed {
			failed = append(failed, r)
		}
	}
	return failed
}

// failedAgents finds sub-agents whose end says that they failed, unless another
// of their kind did it after them, or the command they worked for was completed.
func (j *judgement) failedAgents(v *view) {
	for _, a := range v.Agents {
		if !a.Failed || !a.Ended.Is() || doneAfter(v.Session, a) || finished(v.Session, a.Ended) {
			continue
		}
		says := "the sub-agent " + quoted(agentKind(a)) + " ended as failed" + a.Ended.Cited()
		if a.Status != "" {
			says += ", with the status " + quoted(a.Status)
		}
		j.add(Issue{
			Type: limits.AgentFailed, Session: v.ID, Agent: a.Name(), Confidence: 0.95,
			Signature: signature(limits.AgentFailed, v.ID, a.Name(), a.Ended.Anchor()),
			Evidence:  []state.Mark{a.Spawned, a.Ended}, Since: a.Ended,
			Says:    says,
			Healthy: "a sub-agent ends with its result, and that is checked before it is built upon",
			Suggest: "Do not build on the result of " + quoted(agentKind(a)) + ". Find out what it left behind, then give the task to a new sub-agent in smaller pieces, or do it yourself.",
		})
	}
}

// doneAfter reports whether another sub-agent of the same kind was started after a
// and ended well.
func doneAfter(s *state.Session, a *state.Agent) bool {
	return slices.ContainsFunc(s.Agents, func(b *state.Agent) bool {
		return b != a && b.Type == a.Type && !b.Failed && !b.Cut.Is() && b.Ended.Is() && b.Spawned.Ord > a.Ended.Ord && !calledOff(b.Status)
	})
}

func calledOff(status string) bool {
	switch strings.ToLower(status) {
	case "cancelled", "canceled", "killed", "stopped", "interrupted", "aborted":
		return true
	}
	return false
}

func agentKind(a *state.Agent) string {
	if a.Type != "" {
		return a.Type
	}
	return a.ID
}
