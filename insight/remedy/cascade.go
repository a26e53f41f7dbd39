package remedy

import (
	"cmp"
	"slices"

	"aburn/insight"
	"aburn/insight/failure"
)

// ForSession answers for d. all are the sessions to compare with and may include d.
func ForSession(d *insight.Digest, all []*insight.Digest, rules []Rule) *Answer {
	a := &Answer{Subject: subjectOf(d), Tier: None}
	resolved := a.count(d, all)
	if a.Fix = known(d, rules); a.Fix != nil {
		a.Tier, a.Reason = KnownFix, RuleMatched
		return a
	}
	switch {
	case !failing(d):
		a.Reason, a.Failed, a.Resolved = NotFailing, 0, 0
	case d.Keys.Sub == "" && slices.ContainsFunc(d.Classes, isError):
		a.Reason = Unclassified
	case d.Keys.Sub == "":
		a.Reason = NoErrors
	case len(resolved) == 0:
		a.Reason = NoResolvedSibling
	default:
		a.rank(d, resolved)
		switch {
		case a.Shared == 0:
			a.Reason = NoSharedError
		case a.Shared < MediumFrom:
			a.Reason, a.Tier = ResolvedSiblings, Low
		default:
			a.Reason, a.Tier = ResolvedSiblings, Medium
		}
	}
	return a
}

// ForKey answers for the sessions that have key, through one of them. It picks the newest failing
// session with the most common sub-signature among the failing ones, or the newest session if
// none fails. It returns nil if no session has the key.
func ForKey(key string, all []*insight.Digest, rules []Rule) *Answer {
	var members []*insight.Digest
	alike := map[string]int{}
	for _, d := range all {
		if !d.Keys.Has(key) {
			continue
		}
		members = append(members, d)
		if failing(d) {
			alike[d.Keys.Sub]++
		}
	}
	if len(members) == 0 {
		return nil
	}
	subject := slices.MinFunc(members, func(x, y *insight.Digest) int {
		return cmp.Or(compareBool(failing(y), failing(x)), cmp.Compare(alike[y.Keys.Sub], alike[x.Keys.Sub]), insight.Newer(x, y))
	})
	a := ForSession(subject, all, rules)
	a.Subject.Key, a.Subject.Sessions = key, len(members)
	for _, d := range members {
		if d.Keys.Sub == subject.Keys.Sub {
			a.Subject.Alike++
		}
	}
	return a
}

func isError(c insight.ClassCount) bool { return c.Class != failure.Cancelled && c.Count > 0 }

func failing(d *insight.Digest) bool { return fails(d.Verdict, d.Live) }

// fails reports whether a session failed, or is failing while live. In a live session an open
// call is still running, and a kill has not happened.
func fails(v insight.Verdict, live bool) bool {
	return v.Failing() && (!live || v.Outcome == insight.Errored)
}

func subjectOf(d *insight.Digest) Subject {
	return Subject{Source: d.Source, Session: d.ID, Agent: d.Agent.Name, Verdict: d.Verdict, Live: d.Live, End: d.End, Keys: d.Keys, Classes: d.Classes}
}

// count counts the sessions with d's sub-signature outside of d's family, and returns the
// resolved ones. Other live sessions are left out, because their end is unknown.
func (a *Answer) count(d *insight.Digest, all []*insight.Digest) (resolved []*insight.Digest) {
	if failing(d) {
		a.Failed = 1
	}
	if d.Keys.Sub == "" {
		return nil
	}
	own := familyOf(d, all)
	for _, o := range all {
		if o.Keys.Sub != d.Keys.Sub || o.Live || own.has(o) {
			continue
		}
		switch {
		case o.Verdict.Failing():
			a.Failed++
		case o.Verdict.Outcome == insight.Completed:
			resolved = append(resolved, o)
		}
	}
	a.Resolved = len(resolved)
	return resolved
}

// rank takes the siblings that share an error with d: one that d did not get over, if there is any. Those that share more are the first, then by insight.Newer.
func (a *Answer) rank(d *insight.Digest, resolved []*insight.Digest) {
	mine := map[errorName]bool{}
	for _, gotOver := range [...]bool{false, true} {
		for i := range d.Errors {
			if e := &d.Errors[i]; e.Class != failure.Cancelled && gotOver == (e.Solved > 0) {
				mine[nameOf(e)] = true
			}
		}
		if len(mine) > 0 {
			break
		}
	}
	overlap := make(map[*insight.Digest]int, len(resolved))
	for _, o := range resolved {
		overlap[o] = len(shared(o, mine))
	}
	resolved = slices.DeleteFunc(resolved, func(o *insight.Digest) bool { return overlap[o] == 0 })
	a.Shared = len(resolved)
	slices.SortFunc(resolved, func(x, y *insight.Digest) int {
		return cmp.Or(cmp.Compare(overlap[y], overlap[x]), insight.Newer(x, y))
	})
	for _, o := range resolved[:min(len(resolved), MaxSiblings)] {
		a.Siblings = append(a.Siblings, siblingOf(o, shared(o, mine)))
	}
	a.More = len(resolved) - len(a.Siblings)
}

// errorName identifies equal errors.
type errorName struct{ class, tool, hash string }

func nameOf(e *insight.ErrorGroup) errorName {
	return errorName{string(e.Class), string(e.Type), e.Hash}
}

// shared lists d's distinct errors that are also in mine, in order.
func shared(d *insight.Digest, mine map[errorName]bool) (list []*insight.ErrorGroup) {
	for i := range d.Errors {
		e := &d.Errors[i]
		same := func(o *insight.ErrorGroup) bool { return nameOf(o) == nameOf(e) }
		if mine[nameOf(e)] && !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

// siblingOf presents a resolved session as evidence: the changes after the first error that it
// shares with the subject. A file that changed only once, after the call had succeeded, played no
// part in that success.
func siblingOf(d *insight.Digest, shared []*insight.ErrorGroup) Sibling {
	s := Sibling{Source: d.Source, Session: d.ID, Project: d.Project.Path, Overlap: len(shared), Known: len(d.Changes) > 0, Changes: []insight.Change{}}
	s.Error, s.Solved = shared[0].First, shared[0].Solved
	for _, c := range d.Changes {
		switch {
		case c.Event <= s.Error || s.Solved > 0 && c.Event > s.Solved && c.Times <= 1:
		case len(s.Changes) == MaxEvidence:
			s.More++
		default:
			s.Changes = append(s.Changes, c)
		}
	}
	s.More += d.More.Changes
	return s
}

// compareBool orders false before true.
func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}
