package supervisor

import (
	"slices"
	"strings"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// How many turns in a row prove that a service blocks the session: an overload passes, what is used up stays so.
const (
	blockedTurns = 3
	usedUpTurns  = 2
)

// blocked finds turns in a row that a service ended. Nothing that the agent does mends that, so it is the user who is told, once.
func (j *judgement) blocked(v *view) {
	b := &v.Blocked
	least, what := blockedTurns, "the service's rate limit"
	switch b.Kind {
	case state.Overload:
		what = "an overload of the service"
	case state.Quota:
		least, what = usedUpTurns, "a quota that is used up"
	case state.Context:
		least, what = usedUpTurns, "a context that is used up"
	}
	c := counted(b.Count, least)
	if c == 0 || v.End.Is() || v.mode == state.Gone {
		return
	}
	says := count(b.Count, "turn") + " in a row ended in " + what
	suggest := "Wait before you prompt this session again."
	switch {
	case b.Resets != "":
		says += ", which resets " + quoted(b.Resets)
	case b.Kind == state.Context:
		suggest = "Compact the session, or begin a new one."
	}
	j.add(Issue{
		Type: limits.BlockedByService, Session: v.ID, Confidence: c,
		Signature: signature(limits.BlockedByService, v.ID, b.First.Anchor()),
		Evidence:  []state.Mark{b.First, b.Last}, Since: b.First,
		Says:    says,
		Healthy: "a turn ends when its work is done",
		Suggest: suggest,
	})
}

var hangsRamp = ramp{0.78, 0.9}

// hangingAgents finds sub-agents in the background with an open call and no other entry for long, while their parent went on.
// Commands that take long get more time.
func (j *judgement) hangingAgents(v *view) {
	if v.End.Is() || v.mode == state.Gone {
		return
	}
	for _, a := range v.Agents {
		if !a.Running() || !a.Background || slices.ContainsFunc(v.Waits, func(w state.Wait) bool { return w.Agent == a.Name() }) {
			continue
		}
		i := slices.IndexFunc(v.Calls, func(c *state.Call) bool { return c.Agent == a.Name() && !c.Background })
		if on, how := v.wentOn(a); i >= 0 && on.Is() {
			j.hanging(v, a, v.Calls[i], on, how)
		}
	}
}

// mayRunOn reports whether a call is of a kind that runs for an hour: a build, or a script that nobody knows.
func mayRunOn(c *state.Call) bool {
	if !state.IsShell(c.Tool) {
		return false
	}
	program, _, _ := strings.Cut(c.Input, " ")
	switch program {
	case "make", "ninja", "bazel", "cargo", "go", "mvn", "gradle", "docker", "podman", "npm", "pnpm", "yarn", "bash", "sh", "node", "python", "python3":
		return true
	}
	return strings.Contains(program, "/") || takesTime(c.Input)
}

func (j *judgement) hanging(v *view, a *state.Agent, c *state.Call, on state.Mark, how string) {
	limit := j.limits.AgentHangsAfter
	if mayRunOn(c) || j.model.IsTestCommand(c.Input) {
		limit *= silentWorks
	}
	passed := j.elapsed(v, a.Last)
	sure := j.timed(limits.AgentHangs, hangsRamp, passed, limit, 1)
	if sure == 0 {
		return
	}
	j.add(Issue{
		Type: limits.AgentHangs, Session: v.ID, Agent: a.Name(), Confidence: sure,
		Signature: signature(limits.AgentHangs, v.ID, a.Name(), c.Start.Anchor()),
		Evidence:  []state.Mark{a.Spawned, c.Start, on}, Since: a.Last,
		Says: "the sub-agent " + quoted(agentKind(a)) + " waits for " + called(c.Tool, c.Input) + " since " + c.Start.Entry() + ", for " + lasting(passed) +
			", while its parent " + how,
		Healthy: "a call of a sub-agent ends within " + lasting(limit),
		Suggest: "Look whether " + called(c.Tool, c.Input) + " still works; if not, stop " + quoted(agentKind(a)) + " and give its task out again.",
	})
}
