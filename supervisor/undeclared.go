package supervisor

import (
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"math"
	"slices"
	"strings"
)

// undeclared finds commands of the chain that were invoked, and whose prompt has
// logged nothing although at least a turn of work has passed.
func (j *judgement) undeclared(v *view) {
	in := v.Invoked
	if in == nil || in.Declared || in.Turns < j.limits.UndeclaredCommandTurns || in.Calls == 0 || v.End.Is() || v.mode == state.Gone {
		return
	}
	if r := v.Own.Active(); r != nil && r.Cmd == in.Cmd || j.loggedNameless(in) || triedToLog(v.Session, in.Cmd) {
		return
	}
	work := in.Calls + 2*(in.Turns-j.limits.UndeclaredCommandTurns)
	j.add(Issue{
		Type: limits.Undeclared, Session: v.ID, Confidence: 0.97 - 0.17*math.Pow(0.5, float64(work-1)),
		Signature: signature(limits.Undeclared, v.ID, in.Cmd, in.Anchor()),
		Evidence:  []state.Mark{in.Mark, v.Turn.Ended}, Since: in.Mark,
		Says:    "the command " + quoted(in.Cmd) + " was invoked" + in.Cited() + ", and since then " + count(in.Turns, "turn") + " with " + count(in.Calls, "call") + " passed without a lifecycle entry of it",
		Healthy: "a command's prompt logs START first, and COMPLETE or FAILED at its end",
		Suggest: "Log what " + quoted(in.Cmd) + " is doing: aburn log " + logName(in.Cmd) + " START now, and COMPLETE or FAILED when it ends.",
	})
}

// loggedNameless reports whether the command was begun since by a prompt that did
// not know its session: it may have been this one.
func (j *judgement) loggedNameless(in *state.Invocation) bool {
	return slices.ContainsFunc(j.s.Links, func(l *state.Link) bool {
		return l.Cmd == in.Cmd && l.Session == "" && newest(l).Ord > in.Ord
	})
}

// triedToLog reports whether a call shows that the prompt did its part.
func triedToLog(s *state.Session, cmd string) bool {
	return slices.ContainsFunc(s.Own.Recent, func(d state.Did) bool {
		return state.IsShell(d.Tool) && strings.Contains(d.Input, "aburn log "+cmd)
	})
}
