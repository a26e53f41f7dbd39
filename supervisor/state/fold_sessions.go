package state

import (
	"slices"

	"aburn/logfmt"
)

func (x *step) session() *Session {
	id := x.sessionID()
	for i := len(x.Sessions) - 1; i >= 0; i-- {
		if s := x.Sessions[i]; s.ID == id && (id != "" || s.Wt == x.e.Wt) {
			return s
		}
	}
	s := &Session{ID: id, Wt: x.e.Wt}
	x.Sessions = append(x.Sessions, s)
	x.forget()
	return s
}

// sessionID is the entry's, bounded: other tools may write longer ones.
func (x *step) sessionID() logfmt.SessionID {
	if id := x.e.Session; len(id) <= logfmt.MaxSession {
		return id
	}
	return logfmt.SessionID(logfmt.Token(string(x.e.Session), logfmt.MaxSession))
}

// forget keeps the number of sessions bounded. The newest is never forgotten.
func (s *State) forget() {
	ended := 0
	var oldest, oldestEnded *Session
	for _, v := range s.Sessions[:len(s.Sessions)-1] {
		if oldest == nil || v.Last.Ord < oldest.Last.Ord {
			oldest = v
		}
		if !v.End.Is() {
			continue
		}
		if ended++; oldestEnded == nil || v.Last.Ord < oldestEnded.Last.Ord {
			oldestEnded = v
		}
	}
	switch {
	case ended > maxEnded, len(s.Sessions) > maxSessions && ended > 0:
		oldest = oldestEnded
	case len(s.Sessions) <= maxSessions:
		return
	}
	s.Sessions = slices.DeleteFunc(s.Sessions, func(v *Session) bool { return v == oldest })
	s.Forgot++
}

// sessionStart closes what was open, which belonged to another process. After a
// compaction the same process goes on. At a start the hook of the first prompt may
// have been quicker than this one.
func (x *step) sessionStart() {
	s := x.ses
	s.End = End{}
	x.leave(Mark{})
	if string(x.d.Source) == "compact" {
		return
	}
	if s.Turn.Open && s.Turn.Calls == 0 && len(s.Calls) == 0 && x.soonAfter(s.Turn.Start) {
		return
	}
	if x.was.PID == 0 || x.d.Proc == nil { // else it is the same one, or on another host, where the earlier one may live
		x.lose(Proc{})
	}
	s.closeTurn(logfmt.SessionStart, x.at)
	s.stopAll(x.at)
}

// noteProc notes the process of the session. Another one on the same host ends what the
// earlier one had open, whichever of its first two hooks is quicker.
func (x *step) noteProc(p Proc) {
	s, was := x.ses, x.ses.Proc
	s.Proc = p
	if was.PID == 0 || was == p || was.Host != p.Host || x.e.Agent != nil {
		return
	}
	x.lose(was)
	s.closeTurn(logfmt.SessionStart, x.at)
	s.stopAll(x.at)
}

// lose notes the calls that the end of an earlier process cut off. Calls in the background
// may have been meant to end with it. Where the user was asked, the user may have ended it.
func (x *step) lose(was Proc) {
	s := x.ses
	if s.End.Is() || len(s.Waits) > 0 {
		return
	}
	calls := slices.DeleteFunc(slices.Clone(s.Calls), func(c *Call) bool {
		if c.Agent != "" {
			a := s.Agent(c.Agent)
			return c.Background || c.Cut.Is() || a == nil || !a.Running()
		}
		return c.Background || c.Cut.Is() || !s.Turn.Open
	})
	if len(calls) > 0 {
		s.Lost = Lost{Mark: x.at, Turn: s.Turn.Start, Proc: was, Calls: calls}
	}
}

// findLost forgets lost calls that the entry ends after all, or that it made again.
func (x *step) findLost(id string) {
	l := &x.ses.Lost
	if len(l.Calls) == 0 || x.e.Event == logfmt.ToolDenied {
		return
	}
	tool, input, key := text(x.d.Tool, maxName), inputOf(&x.d), keyOf(&x.d)
	l.Calls = slices.DeleteFunc(l.Calls, func(c *Call) bool {
		if id != "" && c.ID == id {
			return string(x.d.Outcome) != "unknown" // the hook closes so what nobody knows the end of
		}
		return c.Tool == tool && (c.Key == key && key != 0 || c.Input == input && input != "")
	})
	if len(l.Calls) == 0 {
		*l = Lost{}
	}
}

// maxLostTurns is after how many turns of work nobody asks for a lost call any more.
const maxLostTurns = 2

// soonAfter reports whether the entry may be recorded after m although it happened
// before: hooks run side by side.
func (x *step) soonAfter(m Mark) bool {
	since := x.at.At - m.At
	return 0 <= since && since <= 3000
}

func (x *step) sessionEnd() {
	s := x.ses
	end := End{Mark: x.at, Reason: text(x.d.Reason, maxName), InTurn: s.Turn.Open, Waiting: len(s.Waits) > 0}
	for _, c := range s.Calls {
		if !c.Cut.Is() && !slices.ContainsFunc(s.Waits, func(w Wait) bool { return w.Call == c.ID && w.Agent == c.Agent && w.Call != "" }) {
			end.Calls = append(end.Calls, c)
		}
	}
	s.closeTurn(logfmt.SessionEnd, x.at)
	s.stopAll(x.at)
	s.End = end
	x.leave(x.at)
	s.Lost, s.Blocked, s.Compactions = Lost{}, Blocked{}, nil
	s.Own.Recent, s.Own.Fails, s.Files = nil, Streak{}, nil // what goes on no more is no loop
}

// stopAll forgets what cannot run on.
func (s *Session) stopAll(at Mark) {
	s.Calls, s.Waits = nil, nil
	for _, a := range s.Agents {
		if a.Running() {
			a.Cut = at
			a.forgetCalls()
		}
	}
}

// prompt begins a turn. A prompt within a turn may be steering, which goes on with its
// calls, or it may follow an interrupt that nobody reported.
func (x *step) prompt() {
	s := x.ses
	if x.agent != nil {
		return
	}
	s.End = End{}
	x.leave(Mark{})
	if x.d.Machine {
		x.endReported()
	} else {
		x.beginEpoch()
		s.Asked, s.Wanted = x.at, wantedTimes(x.d.Head.String())
	}
	if s.Turn.Open && s.traits().PromptsCut {
		s.cutCalls(x.at)
	}
	s.clearWaits("")
	if c := s.Invoked; c != nil && c.Turns == 0 && s.Turn.Open && !x.d.Machine {
		s.Invoked = nil // the user has said something else before it had ended a turn
	}
	s.Turn = Turn{Open: true, Start: x.at, Machine: x.d.Machine, Steered: s.Turn.Open, Ended: s.Turn.Ended, By: s.Turn.By}
	s.Turns++
}

// cutCalls marks the calls and sub-agents that an unreported interrupt would have
// stopped.
func (s *Session) cutCalls(at Mark) {
	for _, c := range s.Calls {
		if c.Agent == "" && !c.Background && !c.Cut.Is() {
			c.Cut = at
		}
	}
	for _, a := range s.Agents {
		if a.Running() && !a.Background && a.ID != "" {
			a.Cut = at
		}
	}
}

// beginWork notes that the session itself is at work: a turn is open, and calls that
// were cut do not run any more.
func (x *step) beginWork() {
	s := x.ses
	s.End = End{}
	s.Calls = slices.DeleteFunc(s.Calls, func(c *Call) bool { return c.Cut.Is() && c.Agent == "" })
	if !s.Turn.Open {
		s.Turn = Turn{Open: true, Start: x.at, Ended: s.Turn.Ended, By: s.Turn.By}
	}
}

// turnEnd folds STOP, TURN_FAILED or INTERRUPT of the session itself.
func (x *step) turnEnd() {
	s := x.ses
	if x.agent != nil {
		if x.e.Event == logfmt.TurnFailed && len(x.d.Inferred) == 0 { // a failed request that is inferred may be tried again
			x.agent.end(x.at, "")
			x.agent.Failed = true
			s.closeAgent(x.agent)
		}
		return
	}
	x.noteService()
	if x.e.Event == logfmt.Stop && s.Turn.Open && s.Turn.Calls > 0 {
		x.countTurn()
	}
	if kinds := claimedKinds(x.d.Claim); len(kinds) > 0 && x.e.Event == logfmt.Stop {
		x.claim(ByWords, "", s.Turn.Start, kinds)
	}
	s.closeTurn(x.e.Event, x.at)
	if r := s.Own.Active(); r != nil && x.e.Event == logfmt.Stop {
		x.endSlice(r, true)
	}
	switch {
	case x.e.Event == logfmt.Interrupt:
		s.cutCalls(x.at)
	case !s.traits().CallsRunOn:
		s.Calls = slices.DeleteFunc(s.Calls, func(c *Call) bool { return c.Agent == "" && !c.Background })
	case x.e.Event == logfmt.Stop: // what the hook could not close then runs on
		for _, c := range s.Calls {
			c.Background = c.Background || c.Agent == ""
		}
	}
}

func (s *Session) closeTurn(by logfmt.Event, at Mark) {
	t := &s.Turn
	if t.Open || by == logfmt.Stop || by == logfmt.SessionEnd {
		t.Open, t.Ended, t.By = false, at, by
	}
	s.clearWaits("")
}

// countTurn counts a turn of work for the invoked command, for lost calls and for advice.
func (x *step) countTurn() {
	if c := x.ses.Invoked; c != nil && !c.Declared {
		c.Turns++
	}
	if l := &x.ses.Lost; len(l.Calls) > 0 {
		if l.Turns++; l.Turns >= maxLostTurns {
			*l = Lost{}
		}
	}
	for _, a := range x.Advice {
		if a.Session == x.ses.ID && a.Session != "" && a.Delivered.Is() && !a.Resolved.Is() {
			a.Turns++
		}
	}
}

func (x *step) command() {
	x.ses.End = End{}
	name := text(x.d.Command, maxName)
	if _, ok := x.model.Command(name); ok && x.agent == nil {
		x.ses.Invoked = &Invocation{Mark: x.at, Cmd: name}
	}
}

// advanceClock advances the session's clock to this entry. The time before a person's
// prompt or a process's start may not be work: not every client reports an interrupt,
// and nothing reports a crash.
func (x *step) advanceClock() {
	switch x.e.Event {
	case logfmt.SessionStart:
		if string(x.d.Source) != "compact" {
			return
		}
	case logfmt.Prompt:
		if !x.d.Machine && !x.ses.traits().TellsInterrupts {
			return
		}
	}
	x.ses.Clock = x.ses.clockAt(x.at.At)
}
