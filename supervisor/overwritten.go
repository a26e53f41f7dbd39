package supervisor

import (
	"cmp"
	"slices"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// How often a file has to change hands between two sessions, and within which time each time, to be theirs at once.
const (
	leastSwitches = 3
	turnsWithin   = 30 * time.Minute
)

// version is a content of a file, and the session that wrote it.
type version struct {
	state.Mark
	by *state.Session
}

// overwritten finds files of one worktree that two sessions change in turns. Sub-agents are part of their session.
func (j *judgement) overwritten() {
	var writers []*state.Session
	for _, s := range j.s.Sessions {
		if j.writes(s) {
			writers = append(writers, s)
		}
	}
	for i, a := range writers {
		for _, b := range writers[:i] {
			for _, f := range a.Files {
				k := slices.IndexFunc(b.Files, func(o *state.File) bool { return o.Path == f.Path && o.Wt == f.Wt })
				if k >= 0 && mayAlternate(f.Hashes, b.Files[k].Hashes) {
					j.inTurns(f, versionsOf(f, a, b.Files[k], b))
				}
			}
		}
	}
}

// writes reports whether a session may still write: it names itself, was heard today and has not ended.
func (j *judgement) writes(s *state.Session) bool {
	return s.ID != "" && s.Heard > 0 && !s.End.Is() && len(s.Files) > 0 && j.isRecent(s.Last)
}

// mayAlternate reports whether each has changed the file twice, and neither only after the other: most files end here.
func mayAlternate(a, b []state.Version) bool {
	return len(a) > 1 && len(b) > 1 && a[len(a)-1].Ord > b[0].Ord && b[len(b)-1].Ord > a[0].Ord
}

func versionsOf(f *state.File, a *state.Session, g *state.File, b *state.Session) (list []version) {
	for _, v := range f.Hashes {
		list = append(list, version{v.Mark, a})
	}
	for _, v := range g.Hashes {
		list = append(list, version{v.Mark, b})
	}
	slices.SortFunc(list, func(x, y version) int { return cmp.Compare(x.Ord, y.Ord) })
	return list
}

// inTurns judges the newest row of changes of hands. The session that came later is told.
func (j *judgement) inTurns(f *state.File, list []version) {
	var marks []state.Mark
	var later *state.Session
	for i := 1; i < len(list); i++ {
		before, now := list[i-1], list[i]
		switch {
		case before.by == now.by:
			continue
		case now.At-before.At > turnsWithin.Milliseconds() || now.At < before.At:
			marks, later = nil, nil
			continue
		case len(marks) == 0:
			marks, later = append(marks, before.Mark), now.by
		}
		marks = append(marks, now.Mark)
	}
	c := counted(len(marks)-1, leastSwitches)
	if c == 0 {
		return
	}
	other := list[slices.IndexFunc(list, func(v version) bool { return v.by != later })].by
	j.add(Issue{
		Type: limits.Overwritten, Session: later.ID, Confidence: c,
		Signature: signature(limits.Overwritten, later.ID, string(other.ID), f.Wt, f.Path),
		Evidence:  marks, Since: marks[0],
		Says: "the sessions " + quoted(string(other.ID)) + " and " + quoted(string(later.ID)) + " change " + quoted(f.Path) + " in turns, " +
			count(len(marks), "time"),
		Healthy: "one session at a time changes a file, or each works in a worktree of its own",
		Suggest: "Read " + quoted(f.Path) + " again before you change it: another session writes it too. Let one of them wait, or give it a worktree.",
	})
}

// How many compactions have to follow each other, and what each has to repeat of the one before, with at most so many edits
// between.
const (
	leastCompactions = 3
	leastRepeated    = 2
	mostEdits        = 1
)

// compactions finds compactions that follow each other while the same is looked at after each, and nothing gets done.
func (j *judgement) compactions(v *view) {
	if v.End.Is() || v.mode == state.Gone {
		return
	}
	list := v.Compactions
	n := len(list)
	for n > 0 && list[n-1].Edits <= mostEdits && (n == len(list) || alike(list[n-1], list[n])) {
		n--
	}
	if row := list[n:]; len(row) >= leastCompactions {
		var marks []state.Mark
		for i := range row {
			marks = append(marks, row[i].Mark)
		}
		j.add(Issue{
			Type: limits.CompactionChurn, Session: v.ID, Confidence: counted(len(row), leastCompactions),
			Signature: signature(limits.CompactionChurn, v.ID, row[0].Anchor()),
			Evidence:  marks, Since: marks[0],
			Says:    count(len(row), "compaction") + " followed each other, and the same was read after each",
			Healthy: "after a compaction the work goes on from its summary",
			Suggest: "What this task reads does not fit into the context. Read smaller parts, give parts to sub-agents, or write down what you found.",
		})
	}
}

// alike reports whether after both compactions the same was looked at.
func alike(a, b state.Compaction) bool {
	same := 0
	for _, key := range b.Looks {
		if slices.Contains(a.Looks, key) {
			same++
		}
	}
	return same >= leastRepeated
}
