package supervisor

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// milestones finds commands whose phases complete without a milestone although the
// model expects some. It skips commands whose START the log does not have, which may
// have had milestones, and sessions that are over, where nothing can be done.
func (j *judgement) milestones(v *view) {
	r := v.Own.Run
	if r == nil || v.End.Is() || v.mode == state.Gone || !r.Start.Is() || r.Reached > 0 || r.Failed || len(r.Phases) == 0 || r.Done < j.limits.MissingMilestonesPhases {
		return
	}
	if cmd, ok := j.model.Command(r.Cmd); !ok || cmd.Milestones == 0 {
		return
	}
	if !r.End.Is() && finishedRounds(j.model, v, r) == 0 {
		return
	}
	since := r.End
	if !since.Is() {
		since = r.Phases[len(r.Phases)-1].Start
	}
	c := 0.75 + 0.03*float64(min(4, r.Done-j.limits.MissingMilestonesPhases))
	j.add(Issue{
		Type: limits.MissingMilestone, Session: v.ID, Confidence: c,
		Signature: signature(limits.MissingMilestone, v.ID, r.Cmd, r.Start.Anchor()),
		Evidence:  phaseEnds(r), Since: since,
		Says:    quoted(r.Cmd) + " has completed " + count(r.Done, "phase") + " since " + r.Start.Entry() + " without one milestone",
		Healthy: "each slice of the work ends with a milestone that says what works now",
		Suggest: "Log what has been reached (aburn log " + logName(r.Cmd) + " MILESTONE --summary …), so that others can see how far it is.",
	})
}

// finishedRounds counts the rounds in which all required phases were complete, and
// after which the next round began or, with no phase left, a turn ended. A milestone is
// due at the end of each.
func finishedRounds(m *workflow.Model, v *view, r *state.Run) int {
	n, before := 0, -1
	done := map[int]bool{}
	for _, p := range r.Phases {
		at := phaseIndex(m, p.Name)
		if at < 0 {
			continue
		}
		if at < before {
			if allRequired(m, done) {
				n++
			}
			done = map[int]bool{}
		}
		done[at], before = p.End.Is() && !p.Failed, at
	}
	last := r.Phases[len(r.Phases)-1]
	if before == len(m.Phases)-1 && done[before] && allRequired(m, done) && v.Turn.Ended.Ord > last.End.Ord {
		n++
	}
	return n
}

func allRequired(m *workflow.Model, done map[int]bool) bool {
	for i := range m.Phases {
		if !m.Phases[i].Optional && !done[i] {
			return false
		}
	}
	return true
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

// velocity finds gaps between milestones that grow steadily, in time of work and by the
// clock alike: neither a pause of the user nor a long call counts as slow.
func (j *judgement) velocity(v *view) {
	r := v.Own.Active()
	if r == nil || v.End.Is() || v.mode == state.Gone {
		return
	}
	work, clock := gaps(r.Milestones)
	n := min(growing(work), growing(clock))
	if n < j.limits.DecliningVelocityGaps {
		return
	}
	work, clock = work[len(work)-n:], clock[len(clock)-n:]
	last, first := work[n-1], work[0]
	factor := max(2, j.limits.DecliningVelocityFactor*math.Pow(0.5, float64(n-j.limits.DecliningVelocityGaps)))
	if paused(work, clock) || last < 3*time.Minute || first <= 0 || float64(last) < factor*float64(first) {
		return
	}
	marks := make([]state.Mark, 0, n+1)
	for _, m := range r.Milestones[len(r.Milestones)-n-1:] {
		marks = append(marks, m.Mark)
	}
	j.add(Issue{
		Type: limits.Declining, Session: v.ID, Confidence: min(0.88, 0.72+0.06*float64(n-j.limits.DecliningVelocityGaps)),
		Signature: signature(limits.Declining, v.ID, r.Cmd, marks[0].Anchor()),
		Evidence:  marks, Since: marks[len(marks)-1],
		Says:    "the last " + strconv.Itoa(n) + " gaps between milestones of " + quoted(r.Cmd) + " grew one after the other, from " + lasting(first) + " to " + lasting(last) + " of work",
		Healthy: "milestones come at a pace that goes up and down",
		Suggest: "Say what makes each step longer than the one before (the scope, the test run, something that was built wrong early), and cut the next step smaller.",
	})
}

func gaps(milestones []state.Moment) (work, clock []time.Duration) {
	for i := 1; i < len(milestones); i++ {
		work = append(work, spent(milestones[i-1].Clock, milestones[i].Clock))
		clock = append(clock, milestones[i].Time().Sub(milestones[i-1].Time()))
	}
	return work, clock
}

// growing is how many of the newest gaps are each clearly longer than the one
// before; the first of them counts.
func growing(gaps []time.Duration) int {
	if len(gaps) == 0 {
		return 0
	}
	n := 1
	for i := len(gaps) - 1; i > 0 && float64(gaps[i]) >= 1.25*float64(gaps[i-1]) && gaps[i-1] > 0; i-- {
		n++
	}
	return n
}

// paused reports whether less than 60 % of a gap was work.
func paused(work, clock []time.Duration) bool {
	for i := range work {
		if float64(work[i]) < 0.6*float64(clock[i]) {
			return true
		}
	}
	return false
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
		Says:    "the command " + quoted(in.Cmd) + " was invoked" + in.Cited() + ", and since then " + count(in.Turns, "turn") + " with " + count(in.Calls, "call") + " passed without a lifecycle entry of it",
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
			Says:    "the advice about " + quoted(a.Type) + " was delivered" + a.Delivered.Cited() + " and seen, and " + count(a.Turns, "turn") + " later nothing has changed: " + of.Says,
			Healthy: "advice is followed, or the agent says why not",
			Suggest: "Say whether you disagree with it, and why; if not, do it now: " + of.Suggest,
		})
	}
}
