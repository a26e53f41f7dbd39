package reportpage

import (
	"cmp"
	"slices"
	"time"

	"aburn/insight"
	"aburn/insight/report"
)

// Bounds of the page's lists. A page of ten thousand sessions would be slow to open; the commands show the rest.
const (
	mostSessions = 1000
	mostFailures = 20
)

// listed is what the lists below the plots show: sessions, and the failures that they share. They repeat what digests say
// of each session and add up nothing but themselves.
type listed struct {
	*report.Report
	Zone     string // of the times on the page
	Sessions []session
	All      int // sessions and sub-agents of the report
	Projects []string
	ByError  []failureGroup // by the main error, in the report's order
	ByShape  []failureGroup
}

// session is a row of the list. N is its number on the page.
type session struct {
	*insight.Digest
	N        int
	Name     string
	Outcome  string // running, or how it ended
	Failing  bool
	Fine     string   // key of its main error; "" without one
	Links    []string // keys of the listed failures that it has
	Decisive *insight.ErrorGroup
}

// failureGroup is one failure and the listed sessions that have it.
type failureGroup struct {
	Key, Title, Text string // Text is what the latest said
	Units, Of        int
	Failing          int // of Units; 0 where all of them are
	Sessions         []*session
}

// Unlisted is how many sessions with the failure are not in the page's list.
func (f failureGroup) Unlisted() int { return max(f.Units-len(f.Sessions), 0) }

// list prepares the page of r. name is the short name of a session.
func list(r *report.Report, units []*insight.Digest, name func(source, id string) string) *listed {
	l := &listed{Report: r, Zone: zone(r.Made), All: len(units), Sessions: choose(units, name)}
	byKey := map[string][]*session{}
	projects := map[string]bool{}
	for i := range l.Sessions {
		s := &l.Sessions[i]
		s.N = i + 1
		if p := s.Project.Key; p != "" && !projects[p] {
			projects[p] = true
			l.Projects = append(l.Projects, p)
		}
		if s.Live {
			continue // it has no outcome yet: no failure counts it
		}
		if s.Failing {
			byKey[s.Keys.Coarse] = append(byKey[s.Keys.Coarse], s)
		}
		if s.Fine != "" {
			byKey[s.Fine] = append(byKey[s.Fine], s)
		}
	}
	slices.Sort(l.Projects)
	for _, e := range r.Errors[:min(len(r.Errors), mostFailures)] {
		l.ByError = append(l.ByError, failureGroup{Key: e.Key, Title: string(e.Class) + ": " + e.Head, Text: e.Text, Units: e.Units, Of: e.OfErring,
			Failing: e.Failing, Sessions: byKey[e.Key]})
	}
	for _, s := range r.Failures[:min(len(r.Failures), mostFailures)] {
		l.ByShape = append(l.ByShape, failureGroup{Key: s.Key, Title: shapeWords(s.Shape), Units: s.Units, Of: s.OfFailing, Sessions: byKey[s.Key]})
	}
	for _, group := range slices.Concat(l.ByError, l.ByShape) {
		for _, s := range group.Sessions {
			s.Links = append(s.Links, group.Key)
		}
	}
	return l
}

// choose returns the sessions of the page, the latest first: all of them, else those that failed or had an error before the others.
func choose(units []*insight.Digest, name func(source, id string) string) []session {
	all := make([]session, 0, len(units))
	for _, d := range units {
		s := session{Digest: d, Name: name(d.Source, d.ID), Outcome: string(d.Verdict.Outcome), Failing: !d.Live && d.Verdict.Failing()}
		if d.Live {
			s.Outcome = "running"
		}
		if d.Decisive >= 0 && d.Decisive < len(d.Errors) {
			s.Fine, s.Decisive = d.Keys.Fine, &d.Errors[d.Decisive]
		}
		all = append(all, s)
	}
	latest := func(a, b session) int {
		return cmp.Or(b.End.Compare(a.End), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(all, func(a, b session) int { return cmp.Or(cmp.Compare(rank(&a), rank(&b)), latest(a, b)) })
	all = all[:min(len(all), mostSessions)]
	slices.SortFunc(all, latest)
	return all
}

func rank(s *session) int {
	switch {
	case s.Failing:
		return 0
	case s.Decisive != nil:
		return 1
	}
	return 2
}

// zone names the time zone of a time.
func zone(t time.Time) string { return t.Local().Format("MST") }
