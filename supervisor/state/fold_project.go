package state

import (
	"slices"

	"aburn/logfmt"
)

func (x *step) link(cmd string, ev logfmt.Event) {
	if _, ok := x.model.Command(cmd); !ok || ev != logfmt.Start && ev != logfmt.Complete && ev != logfmt.Failed {
		return
	}
	l := x.linkOf(cmd, x.e.Wt)
	l.Session, l.Heard = x.ses.ID, true
	switch ev {
	case logfmt.Start:
		l.Start, l.Open, l.Jumped = x.at, true, x.skippedCommands(cmd)
	case logfmt.Complete:
		l.Complete, l.Open = x.at, false
	case logfmt.Failed:
		l.Failed, l.Open = x.at, false
	}
}

// workOn notes the session that works on a command of the chain.
func (x *step) workOn(cmd string) {
	for _, l := range x.Links {
		if l.Cmd == cmd && l.Wt == x.e.Wt {
			l.By, l.Left = x.ses.ID, Mark{}
		}
	}
}

// leave notes that the session ended, or with a zero mark that it came back.
func (x *step) leave(at Mark) {
	for _, l := range x.Links {
		if l.By == x.ses.ID && l.By != "" {
			l.Left = at
		}
	}
}

// pastLink is link for a carried line: it only fills in what this segment does not
// say.
func (x *step) pastLink(cmd string, ev logfmt.Event) {
	if _, ok := x.model.Command(cmd); !ok || ev != logfmt.Start && ev != logfmt.Complete && ev != logfmt.Failed {
		return
	}
	l := x.linkOf(cmd, x.e.Wt)
	to := &l.Start
	switch ev {
	case logfmt.Complete:
		to = &l.Complete
	case logfmt.Failed:
		to = &l.Failed
	}
	if l.Heard && to.Is() {
		return
	}
	*to = x.at
	if !l.Heard {
		l.Session, l.By, l.Open = x.ses.ID, x.ses.ID, ev == logfmt.Start
	}
}

func (s *State) linkOf(cmd, wt string) *Link {
	for _, l := range s.Links {
		if l.Cmd == cmd && l.Wt == wt {
			return l
		}
	}
	l := &Link{Cmd: cmd, Wt: wt}
	s.Links = push(s.Links, l, maxLinks)
	return l
}

// skippedCommands lists the commands before cmd that are unknown in this round of the
// chain, back to the first known one. If none is known, the log began after them.
func (x *step) skippedCommands(cmd string) []string {
	round := x.roundEnd(x.e.Wt)
	var list []string
	for c, ok := x.model.Command(cmd); ok && c.After != "" && len(list) < maxJumped; c, ok = x.model.Command(c.After) {
		if slices.ContainsFunc(x.Links, func(l *Link) bool { return l.Cmd == c.After && max(l.Start.Ord, l.Complete.Ord, l.Failed.Ord) > round }) {
			return list
		}
		list = append(list, c.After)
	}
	return nil
}

// roundEnd is when the last command of the chain was last complete in the worktree.
// Other worktrees may be in the middle of a round of their own.
func (s *State) roundEnd(wt string) (end uint64) {
	for _, l := range s.Links {
		if l.Wt == wt && s.model.Next(l.Cmd) == "" {
			end = max(end, l.Complete.Ord)
		}
	}
	return end
}

// foldOwn folds an entry that aburn wrote about its own interventions.
func (x *step) foldOwn() {
	switch x.e.Event {
	case logfmt.Intervention:
		x.intervention()
	case logfmt.Delivered:
		if a := x.advice(); a != nil {
			to := &a.Delivered
			if x.d.Seen {
				to = &a.Seen
			}
			if !to.Is() {
				*to = x.at
				a.InTurn = a.InTurn || x.d.InTurn
			}
		}
	case logfmt.Resolved:
		x.resolved()
	case logfmt.WorkerDone:
		x.workerDone()
	}
}

// resolved notes that an issue is gone, or that its task ended untold. A task that expired, or
// made room, says nothing about its issue.
func (x *step) resolved() {
	reason, a := string(x.d.Reason), x.advice()
	untold := reason == Expired || reason == Full
	if a != nil && !a.Delivered.Is() && (untold || reason == Over) {
		a.Untold = reason
	}
	if untold {
		return
	}
	if a != nil && !a.Resolved.Is() {
		a.Resolved, a.SameTurn = x.at, x.isTurnOf(a)
	}
	if signature := text(x.d.Signature, maxID); signature != "" {
		x.Told = slices.DeleteFunc(x.Told, func(t Told) bool { return t.Signature == signature })
	}
}

// isTurnOf reports whether the turn goes on, or has just ended, in which the advice was delivered.
func (x *step) isTurnOf(a *Advice) bool {
	i := slices.IndexFunc(x.Sessions, func(s *Session) bool { return s.ID == a.Session })
	return a.Delivered.Is() && a.Session != "" && i >= 0 && x.Sessions[i].Turn.Start.Ord < a.Delivered.Ord
}

func (x *step) intervention() {
	signature := text(x.d.Signature, maxID)
	switch task := text(x.d.TaskID, maxID); {
	case task == "":
		x.Told = slices.DeleteFunc(x.Told, func(t Told) bool { return t.Signature == signature })
		x.Told = push(x.Told, Told{x.at, signature}, maxTold)
	case x.advice() == nil:
		if len(x.Advice) >= maxAdvice {
			i := max(0, slices.IndexFunc(x.Advice, func(a *Advice) bool { return a.Resolved.Is() }))
			x.Advice = slices.Delete(x.Advice, i, i+1)
		}
		x.Advice = append(x.Advice, &Advice{
			Task: task, Type: text(x.d.Type, maxName), Signature: signature, Session: x.sessionID(), Queued: x.at,
		})
	}
}

// advice is the advice that the entry is about; nil if it was forgotten.
func (x *step) advice() *Advice {
	task := text(x.d.TaskID, maxID)
	for _, a := range x.Advice {
		if a.Task == task && task != "" {
			return a
		}
	}
	return nil
}
