package supervisor

import (
	"cmp"
	"slices"

	"aburn/supervisor/state"
)

// view is one session in a judgement.
type view struct {
	*state.Session
	mode   state.Mode
	since  state.Mark
	clock  state.Clock // at now
	ending ending
}

// lines calls do for each line of work that goes on: the session's own and those
// of its running sub-agents.
func (v *view) lines(do func(agent string, l *state.Line)) {
	if v.End.Is() || v.mode == state.Gone {
		return
	}
	do("", &v.Own)
	for _, a := range v.Agents {
		if a.Running() {
			do(a.Name(), &a.Line)
		}
	}
}

// allLines are the session's own line and those of all its sub-agents.
func (v *view) allLines() []*state.Line {
	lines := []*state.Line{&v.Own}
	for _, a := range v.Agents {
		lines = append(lines, &a.Line)
	}
	return lines
}

// runs calls do for the newest command of each line of work. What a session left
// behind counts when it is over, too.
func (v *view) runs(do func(agent string, r *state.Run)) {
	if v.Own.Run != nil {
		do("", v.Own.Run)
	}
	for _, a := range v.Agents {
		if a.Line.Run != nil {
			do(a.Name(), a.Line.Run)
		}
	}
}

// completed calls do for the newest complete run of each command of the session,
// and those of its sub-agents.
func (v *view) completed(do func(agent string, r *state.Run)) {
	runs := ownRuns(v.Session)
	for i, r := range runs {
		again := slices.ContainsFunc(runs[i+1:], func(later *state.Run) bool { return later.Cmd == r.Cmd && later.Wt == r.Wt })
		if r.End.Is() && !r.Failed && !again {
			do("", r)
		}
	}
	for _, a := range v.Agents {
		if r := a.Line.Run; r != nil && r.End.Is() && !r.Failed {
			do(a.Name(), r)
		}
	}
}

// ownRuns are the session's own commands in order of their ends, open ones last.
func ownRuns(s *state.Session) []*state.Run {
	runs := slices.Clone(s.Own.Before)
	if s.Own.Run != nil {
		runs = append(runs, s.Own.Run)
	}
	slices.SortStableFunc(runs, func(a, b *state.Run) int {
		switch {
		case a.End.Is() == b.End.Is():
			return compareOrd(a.End, b.End)
		case a.End.Is():
			return -1
		}
		return 1
	})
	return runs
}

// finished reports whether a command of the session was completed after the mark.
func finished(s *state.Session, m state.Mark) bool {
	r := s.Own.Run
	return r != nil && r.End.Ord > m.Ord && !r.Failed
}

func (v *view) runStart() state.Mark {
	if v.Own.Run == nil {
		return state.Mark{}
	}
	return v.Own.Run.Start
}

func compareOrd(a, b state.Mark) int { return cmp.Compare(a.Ord, b.Ord) }
