package supervisor

import (
	"math"
	"path"
	"slices"
	"strings"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// milestones finds slices of a command that are over without a milestone although the
// model expects some: a milestone answers for its own slice, not for later ones. What
// COMPLETE says is the last slice's. It skips commands whose START the log does not
// have, which may have had milestones, and sessions that are over, where nothing can be
// done.
func (j *judgement) milestones(v *view) {
	r := v.Own.Run
	if r == nil || v.End.Is() || v.mode == state.Gone || !r.Start.Is() || r.Failed || r.Unsaid < j.limits.MissingMilestonesPhases {
		return
	}
	if cmd, ok := j.model.Command(r.Cmd); !ok || cmd.Milestones == 0 {
		return
	}
	since, from := r.Silent, r.Start
	if !since.Is() && r.Reached == 0 {
		since = r.End
	}
	if !since.Is() {
		return
	}
	parts := []string{r.Cmd, r.Start.Anchor()}
	if n := len(r.Milestones); n > 0 {
		from = r.Milestones[n-1].Mark
		parts = append(parts, from.Anchor())
	}
	c := 0.75 + 0.03*float64(min(4, r.Unsaid-j.limits.MissingMilestonesPhases))
	j.add(Issue{
		Type: limits.MissingMilestone, Session: v.ID, Confidence: c,
		Signature: signature(limits.MissingMilestone, v.ID, parts...),
		Evidence:  append(phaseEnds(r), from, since), Since: since,
		Says:    quoted(r.Cmd) + " has completed " + count(r.Unsaid, "phase") + " since " + from.Entry() + " without one milestone",
		Healthy: "each slice of the work ends with a milestone that says what works now",
		Suggest: "Log what has been reached (aburn log " + logName(r.Cmd) + " MILESTONE --summary …), so that others can see how far it is.",
	})
}

// phaseIndex is a phase's place in the model, -1 if it has none.
func phaseIndex(m *workflow.Model, phase string) int {
	for i := range m.Phases {
		if m.Phases[i].Name == phase {
			return i
		}
	}
	return -1
}

func phaseEnds(r *state.Run) []state.Mark {
	marks := []state.Mark{r.Start, r.End}
	for _, p := range r.Phases {
		if !p.Failed {
			marks = append(marks, p.End)
		}
	}
	return marks
}

// logName is a command's name as it may stand in a command line.
func logName(cmd string) string {
	for i := range len(cmd) {
		c := cmd[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return "CMD"
		}
	}
	return cmd
}

// undeclared finds commands of the chain that were invoked, and whose prompt has
// logged nothing although at least a turn of work has passed.
func (j *judgement) undeclared(v *view) {
	in := v.Invoked
	if in == nil || in.Declared || in.Turns < j.limits.UndeclaredCommandTurns || in.Calls == 0 || v.End.Is() || v.mode == state.Gone {
		return
	}
	if r := v.Own.Active(); r != nil && r.Cmd == in.Cmd || loggedNameless(j.s.Links, in) || triedToLog(v.Session, in.Cmd) {
		return
	}
	work := in.Calls + 2*(in.Turns-j.limits.UndeclaredCommandTurns)
	j.add(Issue{
		Type: limits.Undeclared, Session: v.ID, Confidence: 0.97 - 0.17*math.Pow(0.5, float64(work-1)),
		Signature: signature(limits.Undeclared, v.ID, in.Cmd, in.Anchor()),
		Evidence:  []state.Mark{in.Mark, v.Turn.Ended}, Since: in.Mark,
		Says: "the command " + quoted(in.Cmd) + " was invoked" + in.Cited() + ", and since then " + count(in.Turns, "turn") + " with " + count(in.Calls, "call") +
			" passed without a lifecycle entry of it",
		Healthy: "a command's prompt logs START first, and COMPLETE or FAILED at its end",
		Suggest: "Log what " + quoted(in.Cmd) + " is doing: aburn log " + logName(in.Cmd) + " START now, and COMPLETE or FAILED when it ends.",
	})
}

// loggedNameless reports whether an entry without a session began the command since:
// it may be of this session.
func loggedNameless(links []*state.Link, in *state.Invocation) bool {
	return slices.ContainsFunc(links, func(l *state.Link) bool {
		return l.Cmd == in.Cmd && l.Session == "" && newest(l).Ord > in.Ord
	})
}

// triedToLog reports whether a call tried to log the command.
func triedToLog(s *state.Session, cmd string) bool {
	return slices.ContainsFunc(s.Own.Recent, func(d state.Did) bool {
		return state.IsShell(d.Tool) && strings.Contains(d.Input, "aburn log "+cmd)
	})
}

// outputs finds files that a COMPLETE names and that do not exist. A file with a hash
// existed when it was logged; it may have been moved since.
func (j *judgement) outputs(v *view) {
	v.completed(func(agent string, r *state.Run) {
		if !j.isRecent(r.End) {
			return
		}
		var gone []string
		c := 0.0
		for _, o := range r.Outputs {
			if !checkable(o.Path) || j.o.Exists[state.OutputKey{Wt: r.Wt, Path: o.Path}] != state.No {
				continue
			}
			gone = append(gone, o.Path)
			if o.Hashed {
				c = max(c, 0.8)
			} else {
				c = 0.95
			}
		}
		if len(gone) == 0 || movedOn(j.model, j.s.Links, r, c < 0.9) {
			return
		}
		says := "the COMPLETE of " + quoted(r.Cmd) + r.End.Cited() + " names " + list(gone, 3) + ", which "
		if len(gone) == 1 {
			says += "does not exist"
		} else {
			says += "do not exist"
		}
		if c < 0.9 {
			says += " any more"
		}
		j.add(Issue{
			Type: limits.IncompleteOutput, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(limits.IncompleteOutput, v.ID, agent, r.Cmd, r.End.Anchor()),
			Evidence:  []state.Mark{r.End}, Since: r.End,
			Says:    says,
			Healthy: "every file that a COMPLETE names exists, so that the next command can read it",
			Suggest: "Write what is missing, or log COMPLETE again with the files that there are.",
		})
	})
}

// checkable reports whether an output is a path in the worktree, and not an
// address, a pattern, or a place elsewhere.
func checkable(name string) bool {
	if name == "" || strings.ContainsAny(name, "*?<>|\n\x00…") || strings.Contains(name, "://") {
		return false
	}
	switch name[0] {
	case '/', '~', '#', '@', '-', '$':
		return false
	}
	if strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':' {
		return false
	}
	return strings.ContainsAny(name, "/.") && !strings.Contains(name, " (") && !isVersion(name)
}

// isVersion reports whether a name is a version or a tag, like v1.2.0 and
// app-1.2.0-rc.1: its last part is a number, and not its only one.
func isVersion(name string) bool {
	last := path.Ext(name)
	return len(last) > 1 && strings.Trim(last[1:], "0123456789") == "" && strings.Contains(strings.TrimSuffix(name, last), ".") && !strings.Contains(name, "/")
}

// movedOn reports whether the next command was done in the same worktree, or
// begun where the outputs are known to have existed: nobody needs them any more.
func movedOn(m *workflow.Model, links []*state.Link, r *state.Run, existed bool) bool {
	for _, l := range links {
		if cmd, ok := m.Command(l.Cmd); ok && cmd.After == r.Cmd && l.Wt == r.Wt && (existed && l.Start.Ord > r.End.Ord || l.Complete.Ord > r.End.Ord) {
			return true
		}
	}
	return false
}

// advice finds tasks that an agent has seen and whose issue still stands after turns of
// work. It runs last, on the issues that were found.
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
			Says: "the advice about " + quoted(a.Type) + " was delivered" + a.Delivered.Cited() + " and seen, and " + count(a.Turns, "turn") +
				" later nothing has changed: " + of.Says,
			Healthy: "advice is followed, or the agent says why not",
			Suggest: "Say whether you disagree with it, and why; if not, do it now: " + of.Suggest,
		})
	}
}
