package lesson

import (
	"cmp"
	"math"
	"slices"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// Find returns what recurs in all, ranked as of now: at most limit lessons, or all if limit is 0.
func Find(all []*insight.Digest, now time.Time, limit int) *Lessons {
	l := &Lessons{Lessons: []Lesson{}}
	shapes := &shapes{at: map[shape]int{}, newest: now}
	// The newest first, so that sums and their rounding do not depend on the order of all.
	sorted := slices.SortedFunc(slices.Values(all), insight.Newer)
	for _, d := range sorted {
		if d.Relation == trace.Subagent {
			l.Subagents++
		} else {
			l.Sessions++
		}
		shapes.add(d)
	}
	for i := range shapes.all {
		if one := &shapes.all[i]; one.Sessions >= MinSessions {
			one.Weight = math.Round(one.Weight*1000) / 1000
			l.Lessons = append(l.Lessons, *one)
		}
	}
	slices.SortStableFunc(l.Lessons, func(x, y Lesson) int {
		return cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(y.Times, x.Times), y.Last.Compare(x.Last))
	})
	l.Total = len(l.Lessons)
	if limit > 0 {
		l.Lessons = l.Lessons[:min(limit, l.Total)]
	}
	return l
}

// shape identifies a lesson.
type shape struct {
	kind                     Kind
	class                    failure.Class
	tool                     trace.ToolType
	hash                     string
	project, path, cmd, step string
}

// shapes collects lessons in the order in which they were found.
type shapes struct {
	all    []Lesson
	at     map[shape]int
	newest time.Time // end of the newest session, at most now: a wrong clock must not make a session newer
	begun  bool
}

// add counts the errors, loops and failed phases of a session.
func (s *shapes) add(d *insight.Digest) {
	if !s.begun && d.End.Before(s.newest) {
		s.newest = d.End
	}
	s.begun = true
	for i := range d.Errors {
		e := &d.Errors[i]
		if e.Head == "" || e.Class == failure.Cancelled { // nothing to compare, or not a failure
			continue
		}
		l := s.count(shape{kind: EqualError, class: e.Class, tool: e.Type, hash: e.Hash}, d, e.First, e.Count)
		l.Class, l.Type, l.Head = e.Class, e.Type, e.Head
		if e.Solved > 0 {
			l.solved(d)
		}
	}
	project := cmp.Or(d.Project.Key, d.Project.Path)
	for i := range d.Loops {
		e := &d.Loops[i]
		l := s.count(shape{kind: EditLoop, project: project, path: e.Path}, d, e.First, e.Edits)
		l.Project, l.Path = project, e.Path
	}
	for i := range d.Phases {
		p := &d.Phases[i]
		if p.Result != "failed" {
			continue
		}
		l := s.count(shape{kind: Phase, project: project, cmd: p.Command, step: p.Phase}, d, p.First, 1)
		l.Project, l.Command, l.Phase = project, p.Command, p.Phase
	}
}

// count adds a session to the lesson of a shape: times occurrences, the first at event.
func (s *shapes) count(what shape, d *insight.Digest, event, times int) *Lesson {
	i, ok := s.at[what]
	if !ok {
		i = len(s.all)
		s.at[what] = i
		s.all = append(s.all, Lesson{Kind: what.kind})
	}
	l := &s.all[i]
	l.Times += times
	if l.counted == d { // a second error group of the same session, which differs only in what the shape ignores
		if n := len(l.Evidence); n > 0 && l.Evidence[n-1].Source == d.Source && l.Evidence[n-1].Session == d.ID {
			l.Evidence[n-1].Times += times
		}
		return l
	}
	l.counted = d
	l.Sessions++
	l.subagents = l.subagents || d.Relation == trace.Subagent
	l.Weight += s.weight(d)
	switch {
	case d.Live:
	case d.Verdict.Failing():
		l.Failed++
	case d.Verdict.Outcome == insight.Completed:
		l.Completed++
	}
	if !d.End.IsZero() && (l.First.IsZero() || d.End.Before(l.First)) {
		l.First = d.End
	}
	if d.End.After(l.Last) {
		l.Last = d.End
	}
	if len(l.Evidence) < MaxEvidence {
		l.Evidence = append(l.Evidence, Evidence{Source: d.Source, Session: d.ID, End: d.End, Times: times, Event: event})
	}
	return l
}

// solved counts a session in which the failed call succeeded later.
func (l *Lesson) solved(d *insight.Digest) {
	if l.solvedIn != d {
		l.solvedIn = d
		l.Solved++
	}
}

// weight is 1 for the newest session and halves with each HalfLife of age.
func (s *shapes) weight(d *insight.Digest) float64 {
	if d.End.IsZero() {
		return 0
	}
	return math.Exp2(-float64(max(0, s.newest.Sub(d.End))) / float64(HalfLife))
}
