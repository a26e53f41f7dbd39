package supervisor

import (
	"slices"
	"strings"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// ending is how a session was cut off, as far as is known not by the user. Its issues
// take their signature from the turn, so that a late entry, or a SESSION_END after the
// process was seen to be gone, makes no new issue.
type ending struct {
	state.Mark
	known  float64 // how surely so; 0 = it was not
	inTurn bool
	calls  []*state.Call // that were open
	what   string
}

// endOf is how the session was cut off: it ended for a reason that is not the user's,
// or its process is gone without a SESSION_END.
func endOf(v *view) ending {
	switch {
	case v.End.Is():
		e := ending{Mark: v.End.Mark, known: notByUser(v.End.Reason), inTurn: v.End.InTurn, calls: v.End.Calls, what: "session ended"}
		if v.End.Reason != "" {
			e.what += " (" + quoted(v.End.Reason) + ")"
		}
		return e
	case v.mode == state.Gone:
		return ending{Mark: v.Last, known: 0.95, inTurn: v.Turn.Open && !turnEndsUnknown(v.Session), calls: v.Calls, what: "session's process vanished"}
	}
	return ending{}
}

// notByUser is the confidence that a session ended for another reason than the user's
// wish.
func notByUser(reason string) float64 {
	switch reason {
	case "clear", "resume", "logout", "bypass_permissions_disabled":
		return 0
	case "":
		return 0.78
	}
	for _, word := range []string{"exit", "quit", "user", "close", "complete", "finish", "done"} {
		if strings.Contains(strings.ToLower(reason), word) {
			return 0 // prompt_input_exit, and what other clients may call it
		}
	}
	return 0.95
}

// hardStops finds work that was cut off. Where a question to the user was open, the
// user may have ended the session.
func (j *judgement) hardStops(v *view) {
	e := v.ending
	if e.known == 0 {
		return
	}
	if v.mode == state.Gone {
		j.at(e.Time().Add(j.limits.AbruptStopAfter))
		j.at(e.Time().Add(j.limits.PartialCompletionAfter))
	}
	long := func(limit time.Duration) bool { return v.End.Is() || j.now.Sub(e.Time()) >= limit }
	if long(j.limits.PartialCompletionAfter) {
		j.partial(v, e)
	}
	if userWasAsked(v.Session) || !long(j.limits.AbruptStopAfter) {
		return
	}
	if e.inTurn {
		j.abrupt(v, e)
	}
	j.killed(v, e)
}

func userWasAsked(s *state.Session) bool { return len(s.Waits) > 0 || s.End.Waiting }

func (j *judgement) abrupt(v *view, e ending) {
	c := e.known
	if quiet := e.Time().Sub(v.lastWork().Time()); v.End.Is() && quiet > 10*time.Minute && len(foreground(e.calls)) == 0 {
		c = min(c, 0.72) // perhaps interrupted long before, which leaves no trace
	}
	if v.Turn.Calls == 0 && len(e.calls) == 0 {
		c = min(c, 0.8) // nothing was seen to be in progress
	}
	j.add(Issue{
		Type: limits.AbruptStop, Session: v.ID, Confidence: c,
		Signature: signature(limits.AbruptStop, v.ID, v.Turn.Start.Anchor()),
		Evidence:  []state.Mark{v.Turn.Start, v.lastWork(), e.Mark}, Since: e.Mark,
		Says:    "the " + e.what + " in the middle of a turn" + v.Turn.Start.Cited() + ", without a stop",
		Healthy: "a turn ends with a stop before its session does",
		Suggest: "Resume the session and see what the last turn left half done (git status, the last edited files) before going on.",
	})
}

// lastWork is the newest sign of the session's own work before its end.
func (v *view) lastWork() state.Mark {
	last := v.Turn.Start
	newer := func(m state.Mark) {
		if m.Ord > last.Ord {
			last = m
		}
	}
	if n := len(v.Own.Recent); n > 0 {
		newer(v.Own.Recent[n-1].Mark)
	}
	newer(v.Progress.Mark)
	for _, a := range v.Agents {
		newer(a.Last)
	}
	for _, c := range v.ending.calls {
		newer(c.Start)
	}
	return last
}

// foreground are the calls that the turn was waiting for.
func foreground(calls []*state.Call) []*state.Call {
	return slices.DeleteFunc(slices.Clone(calls), func(c *state.Call) bool { return c.Background || c.Cut.Is() })
}

// killed finds calls that were open when the session was cut off. Background calls
// prove less: they may have been meant to run on. Between two turns only calls of
// sub-agents count.
func (j *judgement) killed(v *view, e ending) {
	calls, c := foreground(e.calls), e.known
	switch {
	case !e.inTurn:
		calls, c = slices.DeleteFunc(calls, func(c *state.Call) bool { return c.Agent == "" }), min(c, 0.75)
	case len(calls) == 0:
		calls, c = slices.DeleteFunc(slices.Clone(e.calls), func(c *state.Call) bool { return c.Cut.Is() }), min(c, 0.75)
	}
	if len(calls) == 0 {
		return
	}
	j.killedCalls(v, e, v.Turn.Start, calls, c)
}

// lost finds calls that an earlier process of the session had open when another one took
// it up. That the earlier one has ended is not known where it is not known which it was.
func (j *judgement) lost(v *view) {
	l := &v.Lost
	if len(l.Calls) == 0 || v.End.Is() || j.o.Alive[l.Proc] == state.Yes {
		return
	}
	c := 0.95
	if l.Proc.PID == 0 {
		c = 0.78
	}
	j.killedCalls(v, ending{Mark: l.Mark, what: "session was taken up by another process"}, l.Turn, l.Calls, c)
}

func (j *judgement) killedCalls(v *view, e ending, turn state.Mark, calls []*state.Call, c float64) {
	marks := []state.Mark{e.Mark}
	var names []string
	for _, call := range calls {
		marks = append(marks, call.Start)
		names = append(names, call.Tool+": "+call.Input)
	}
	j.add(Issue{
		Type: limits.KilledTool, Session: v.ID, Agent: calls[0].Agent, Confidence: c,
		Signature: signature(limits.KilledTool, v.ID, turn.Anchor()),
		Evidence:  marks, Since: e.Mark,
		Says:    count(len(calls), "call") + " had not ended when the " + e.what + ": " + list(names, 3),
		Healthy: "every call ends before its session does",
		Suggest: "Nobody knows how far it got. Check what it changes (files, services, locks, the index of git) before running it again.",
	})
}

// partial finds commands that were left between their phases.
func (j *judgement) partial(v *view, e ending) {
	r := v.Own.Active()
	if r == nil || r.Done == 0 {
		return
	}
	c := min(e.known, 0.9)
	if !e.inTurn || userWasAsked(v.Session) {
		c = min(c, 0.78) // between turns it may have been the user
	}
	j.add(Issue{
		Type: limits.Partial, Session: v.ID, Confidence: c,
		Signature: signature(limits.Partial, v.ID, r.Cmd, v.Turn.Start.Anchor()),
		Evidence:  append(phaseEnds(r), e.Mark), Since: e.Mark,
		Says:    quoted(r.Cmd) + " has completed " + count(r.Done, "phase") + " and neither ended nor failed, and its " + e.what,
		Healthy: "a command that was begun is completed or logged as failed",
		Suggest: "Resume the session, or begin " + quoted(r.Cmd) + " again: find out from the code and the tests which part is done.",
	})
}
