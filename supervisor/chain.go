package supervisor

import (
	"slices"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// chain judges the project's chain: commands that were begun although one before
// them was jumped over, failed or never finished.
func (j *judgement) chain() {
	for _, l := range j.s.Links {
		if !l.Start.Is() || !j.isRecent(newest(l)) {
			continue
		}
		if missing := stillMissing(j.s.Links, l); len(missing) > 0 {
			j.broken(l, roundConfidence(j.model, j.s.Links, l, missing), "jumped", state.Mark{}, "was begun"+l.Start.Cited()+" without "+list(missing, 3)+" before it",
				missing[0])
			continue
		}
		if p := predecessor(j.model, j.s.Links, l); p != nil {
			j.after(l, p)
		}
	}
}

// roundConfidence is the confidence that l belongs to the round of the chain that the
// commands before the missing ones began. That round may be an old one.
func roundConfidence(m *workflow.Model, links []*state.Link, l *state.Link, missing []string) float64 {
	first, _ := m.Command(missing[0])
	for _, name := range missing {
		if cmd, ok := m.Command(name); ok && !slices.Contains(missing, cmd.After) {
			first = cmd
		}
	}
	for _, p := range links {
		if p.Cmd == first.After && l.Start.Time().Sub(newest(p).Time()) < 7*24*time.Hour {
			return 0.94
		}
	}
	return 0.8
}

func newest(l *state.Link) state.Mark {
	newest := l.Start
	for _, m := range []state.Mark{l.Complete, l.Failed} {
		if m.Ord > newest.Ord {
			newest = m
		}
	}
	return newest
}

// stillMissing are the commands that were jumped over and not completed since.
func stillMissing(links []*state.Link, l *state.Link) []string {
	var missing []string
	for _, cmd := range l.Jumped {
		done := false
		for _, other := range links {
			done = done || other.Cmd == cmd && other.Complete.Ord > l.Start.Ord
		}
		if !done {
			missing = append(missing, cmd)
		}
	}
	return missing
}

// predecessor is the link before l in the same worktree, else in the only other
// worktree that has one; an empty Link if several others have one.
func predecessor(m *workflow.Model, links []*state.Link, l *state.Link) *state.Link {
	cmd, ok := m.Command(l.Cmd)
	if !ok || cmd.After == "" {
		return nil
	}
	var elsewhere *state.Link
	for _, p := range links {
		switch {
		case p.Cmd != cmd.After:
		case p.Wt == l.Wt:
			return p
		case elsewhere == nil:
			elsewhere = p
		default:
			elsewhere = &state.Link{} // of several, none is the one
		}
	}
	return elsewhere
}

// after judges l by its predecessor as it was when l began. It reports nothing if the
// predecessor was completed since, or another session may still work on it.
func (j *judgement) after(l, p *state.Link) {
	known := 1.0
	if p.Complete.Is() {
		known = 0.85 // an earlier round of it had been completed
	}
	if p.Wt != l.Wt {
		known = 0.8
	}
	if cmd, ok := j.model.Command(p.Cmd); ok && cmd.After == "" {
		known = min(known, 0.93) // the first one stands in no middle
	}
	switch {
	case p.Complete.Ord > l.Start.Ord:
	case p.Failed.Is() && p.Failed.Ord > p.Complete.Ord && p.Failed.Ord < l.Start.Ord && p.Failed.Ord > p.Start.Ord:
		j.broken(l, 0.95*known, "failed", p.Failed, "was begun"+l.Start.Cited()+" although "+quoted(p.Cmd)+" before it had failed"+p.Failed.Cited(), p.Cmd)
	case p.Open && p.Start.Ord > p.Complete.Ord && p.Start.Ord < l.Start.Ord && !j.mayStillWorkOn(l, p):
		j.broken(l, 0.94*known, "unfinished", p.Start, "was begun"+l.Start.Cited()+" although "+quoted(p.Cmd)+" before it"+p.Start.Cited()+" was never finished",
			p.Cmd)
	}
}

// mayStillWorkOn reports whether another session than l's may be working on p.
func (j *judgement) mayStillWorkOn(l, p *state.Link) bool {
	if p.Session == l.Session {
		return false
	}
	for _, s := range j.s.Sessions {
		if s.ID == p.Session {
			mode, _ := s.Mode(j.now, j.o)
			return mode != state.Ended && mode != state.Gone && j.within(s.Last, time.Hour)
		}
	}
	return false
}

func (j *judgement) broken(l *state.Link, c float64, how string, of state.Mark, says, missing string) {
	j.add(Issue{
		Type: limits.ChainBroken, Confidence: c,
		Signature: signature(limits.ChainBroken, "", how, l.Cmd, l.Wt, l.Start.Anchor()),
		Evidence:  []state.Mark{of, l.Start}, Since: l.Start,
		Says:    quoted(l.Cmd) + " " + says,
		Healthy: "each command of the chain begins when the one before it is complete",
		Suggest: "Find out whether what " + quoted(missing) +
			" should have left behind is there; if it is not, do that first, or ask the user whether to go on without it.",
	})
}
