package trace

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// copiesEvidence is the Evidence of a fork that Link found.
const copiesEvidence = "it begins with records of that session"

// kin is a session among those that share its root.
type kin struct {
	*SessionTrace
	index   int            // in the family
	records map[string]int // the index of the first event of each record
	older   int            // how many of the others had the records before it
	told    bool           // its source says what it was made from
}

// linkForks links the sessions of one root.
func linkForks(family []*SessionTrace, group []int, changed []bool) {
	var members []*kin
	for _, i := range group {
		members = append(members, newKin(family[i], i))
	}
	for i, a := range members {
		for _, b := range members[i+1:] {
			if a.first(b) {
				b.older++
			} else {
				a.older++
			}
		}
	}
	slices.SortStableFunc(members, func(a, b *kin) int { return cmp.Or(a.older-b.older, strings.Compare(a.ID, b.ID)) })
	owners := map[string]string{} // record → the session that had it first
	for _, m := range members {
		if m.mark(owners) {
			changed[m.index] = true
			m.Settle()
		}
	}
}

func newKin(t *SessionTrace, index int) *kin {
	k := &kin{SessionTrace: t, index: index, records: map[string]int{}}
	for i := range t.Events {
		if r := t.Events[i].Record; r != "" {
			if _, there := k.records[r]; !there {
				k.records[r] = i
			}
		}
	}
	k.told = t.toldCopy()
	return k
}

// toldCopy is whether the source says that the session was made from another.
func (t *SessionTrace) toldCopy() bool {
	return slices.ContainsFunc(t.Relationships, func(r SessionRelationship) bool {
		return (r.Kind == Fork || r.Kind == Continuation) && r.Provenance == Explicit
	})
}

// Unlink takes back that Link found the session to be a fork, as a reader must that goes on with a trace.
func (t *SessionTrace) Unlink() {
	if t.toldCopy() || !slices.ContainsFunc(t.Relationships, func(r SessionRelationship) bool { return r.Evidence == copiesEvidence }) {
		return
	}
	newKin(t, 0).mark(map[string]string{})
	t.Settle()
}

// first is whether a had the records that it shares with b before b had them.
func (a *kin) first(b *kin) bool {
	if x, y := b.copies(a), a.copies(b); x != y {
		return x
	}
	if x, y := a.wrote(b), b.wrote(a); x != y {
		return x
	}
	x, xown := a.parts(b)
	y, yown := b.parts(a)
	if xown != yown {
		return yown // a is no more than the beginning of b
	}
	if !x.Equal(y) {
		return x.Before(y)
	}
	return a.ID < b.ID
}

// copies is whether the source of a says that a has something from b.
func (a *kin) copies(b *kin) bool {
	return a.told && (slices.ContainsFunc(a.Relationships, func(r SessionRelationship) bool { return r.Provenance == Explicit && r.Related == b.ID }) ||
		slices.ContainsFunc(a.Events, func(e Event) bool { return e.Copied == b.ID }))
}

// wrote is whether a shares a record with b that a cannot have copied.
func (a *kin) wrote(b *kin) bool {
	for r, i := range a.records {
		if _, shared := b.records[r]; shared && i >= a.Lineage.MayCopy {
			return true
		}
	}
	return false
}

// parts is when a first did something that b did not, and whether it did.
func (a *kin) parts(b *kin) (time.Time, bool) {
	for i := range a.Events {
		if r := a.Events[i].Record; r != "" {
			if _, shared := b.records[r]; !shared {
				return a.Events[i].Time, true
			}
		}
	}
	return time.Time{}, false
}

// mark marks what sessions before it had, and takes what is new into owners. It says whether that changed the trace.
func (k *kin) mark(owners map[string]string) (changed bool) {
	origin, since := "", time.Time{}
	for i := range k.Events {
		e := &k.Events[i]
		from := e.Copied
		if owner := owners[e.Record]; owner != "" && (from == "" || !k.told) {
			from = owner
		} else if !k.told {
			from = ""
		}
		if e.Copied != from {
			e.Copied, changed = from, true
		}
		switch {
		case from != "":
			origin = from
		case since.IsZero():
			since = e.Time
		}
		if s, ok := e.Body.(*SubagentSpawn); ok && s.move(cmp.Or(from, k.ID)) {
			k.spawned(s)
			changed = true
		}
	}
	for r := range k.records {
		if owners[r] == "" {
			owners[r] = k.ID
		}
	}
	for i := range k.Responses {
		r := &k.Responses[i]
		if from := k.copiedAt(r.Event); r.Copied != from && (r.Copied == "" || !k.told) {
			r.Copied, changed = from, true
		}
	}
	return k.relate(origin, since) || changed
}

// copiedAt is the session that the event with this number was copied from.
func (t *SessionTrace) copiedAt(seq int) string {
	if seq < 1 || seq > len(t.Events) {
		return ""
	}
	return t.Events[seq-1].Copied
}

// move says that the sub-agent is one of session's, if it is named after a session, and whether that is new.
func (s *SubagentSpawn) move(session string) bool {
	is := session + "/" + s.AgentID
	if s.AgentID == "" || !strings.HasSuffix(s.Session, "/"+s.AgentID) || s.Session == is {
		return false
	}
	s.Session = is
	return true
}

// relate makes the session a fork of origin, or a root if that is empty, as far as its source does not say it.
func (k *kin) relate(origin string, since time.Time) bool {
	if k.told {
		return false
	}
	want := SessionRelationship{V: Version, Kind: Root, Source: k.Source, Session: k.ID, Provenance: Explicit, SourceVersion: k.Agent.Version}
	if origin != "" {
		want.Kind, want.Related, want.Time, want.Provenance, want.Evidence = Fork, origin, since, Inferred, copiesEvidence
	}
	for i := range k.Relationships {
		if r := &k.Relationships[i]; r.Kind == Root || r.Evidence == copiesEvidence {
			if *r == want || r.Kind == Root && want.Kind == Root {
				return false
			}
			*r = want
			return true
		}
	}
	return false
}
