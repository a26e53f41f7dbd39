package supervisor

import (
	"slices"
	"strings"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

var (
	silenceRamp      = ramp{0.7, 0.88}
	agentSilenceRamp = ramp{0.75, 0.88}
	abandonedRamp    = ramp{0.78, 0.9}
)

// silence finds sessions that are at work on a command and log nothing, with no open
// call or wait that explains it.
func (j *judgement) silence(v *view) {
	if v.mode != state.Working || !v.Turn.Open || turnEndsUnknown(v.Session) || len(v.Calls) > 0 || len(v.Waits) > 0 {
		return
	}
	r := v.Own.Active()
	if r == nil {
		return
	}
	known := 0.9 // an interrupt may have left no trace, and the process may be gone
	if j.o.Alive[v.Proc] == state.Yes {
		known = 1
	}
	passed := j.elapsed(v, v.Last)
	c := j.timed(limits.Silence, silenceRamp, passed, j.limits.SilenceAfter, known)
	if c == 0 {
		return
	}
	j.add(Issue{
		Type: limits.Silence, Session: v.ID, Confidence: c,
		Signature: signature(limits.Silence, v.ID, v.Last.Anchor()),
		Evidence:  []state.Mark{r.Start, v.Turn.Start, v.Last}, Since: v.Last,
		Says: "nothing was heard for " + lasting(passed) + " since " + v.Last.Entry() + ", although " + quoted(r.Cmd) +
			" is being worked on and no call, question or permission is open",
		Healthy: "a session at work makes a call or ends its turn within " + lasting(j.limits.SilenceAfter),
		Suggest: "Look at the session: if it was interrupted, prompt it to go on; if the agent hangs, stop it and resume.",
	})
}

// turnEndsUnknown reports whether the ends of the session's turns cannot be known: no
// hook records it, or its client runs a review in it, whose end it never reports.
func turnEndsUnknown(s *state.Session) bool {
	return s.Source == "" || s.Turn.Machine && s.ReviewsNeverEnd()
}

// quietAgents finds sub-agents that never logged anything, and those that fell silent
// while their parent went on or finished.
func (j *judgement) quietAgents(v *view) {
	if v.End.Is() || v.mode == state.Gone {
		return
	}
	for _, a := range v.Agents {
		switch {
		case !a.Running() || a.ID == "" || isExplained(v.Session, a):
		case a.Begun.Is():
			j.abandoned(v, a)
		case a.Spawned.Is() && !agentsAreSilent(v.Session):
			j.agentSilence(v, a)
		}
	}
}

// isExplained reports whether an open call or question of the sub-agent explains that
// it is silent.
func isExplained(s *state.Session, a *state.Agent) bool {
	return slices.ContainsFunc(s.Calls, func(c *state.Call) bool { return c.Agent == a.Name() }) ||
		slices.ContainsFunc(s.Waits, func(w state.Wait) bool { return w.Agent == a.Name() })
}

// agentsAreSilent reports whether sub-agents log nothing in this session: some have
// ended, and none had made an entry.
func agentsAreSilent(s *state.Session) bool {
	ended := false
	for _, a := range s.Agents {
		if a.Begun.Is() {
			return false
		}
		ended = ended || a.Ended.Is()
	}
	return ended
}

func (j *judgement) agentSilence(v *view, a *state.Agent) {
	passed := j.elapsed(v, a.Spawned)
	c := j.timed(limits.AgentSilence, agentSilenceRamp, passed, j.limits.AgentSilenceAfter, 1)
	if c == 0 {
		return
	}
	j.add(Issue{
		Type: limits.AgentSilence, Session: v.ID, Agent: a.Name(), Confidence: c,
		Signature: signature(limits.AgentSilence, v.ID, a.Name(), a.Spawned.Anchor()),
		Evidence:  []state.Mark{a.Spawned}, Since: a.Spawned,
		Says: "the sub-agent " + quoted(agentKind(a)) + " was started " + lasting(passed) + " ago" + a.Spawned.Cited() +
			", and nothing was heard of it or its tools",
		Healthy: "a sub-agent makes its first call within " + lasting(j.limits.AgentSilenceAfter),
		Suggest: "Ask what " + quoted(agentKind(a)) + " is doing; if it does not answer, stop it and give the task out again.",
	})
}

func (j *judgement) abandoned(v *view, a *state.Agent) {
	on, how := v.wentOn(a)
	if !on.Is() {
		return
	}
	passed := j.elapsed(v, a.Last)
	c := j.timed(limits.AbandonedAgent, abandonedRamp, passed, j.limits.AbandonedAgentAfter, 1)
	if c == 0 {
		return
	}
	j.add(Issue{
		Type: limits.AbandonedAgent, Session: v.ID, Agent: a.Name(), Confidence: c,
		Signature: signature(limits.AbandonedAgent, v.ID, a.Name(), a.Last.Anchor()),
		Evidence:  []state.Mark{a.Spawned, a.Begun, a.Last, on}, Since: a.Last,
		Says: "the sub-agent " + quoted(agentKind(a)) + " had begun and has said nothing for " + lasting(passed) + " since " + a.Last.Entry() +
			", while its parent " + how,
		Healthy: "a sub-agent ends, and its parent takes its result before it goes on",
		Suggest: "Ask for the result of " + quoted(agentKind(a)) + ", or say that it is given up and check the files it was working on.",
	})
}

// wentOn is where the sub-agent's parent shows that it does not wait for it.
func (v *view) wentOn(a *state.Agent) (state.Mark, string) {
	parent := &v.Own
	if a.In != "" {
		if p := v.Agent(a.In); p != nil {
			if p.Ended.Ord > a.Last.Ord {
				return p.Ended, "has finished"
			}
			parent = &p.Line
		}
	}
	if r := parent.Run; r != nil && r.End.Ord > a.Last.Ord {
		return r.End, "has finished"
	}
	if a.In == "" && v.Turn.Ended.Ord > a.Last.Ord {
		return v.Turn.Ended, "has finished"
	}
	for i := range parent.Recent {
		if d := &parent.Recent[i]; d.Ord > a.Last.Ord && !onlyWaits(d) && !strings.Contains(d.Tool, "gent") {
			return d.Mark, "has gone on"
		}
	}
	return state.Mark{}, ""
}
