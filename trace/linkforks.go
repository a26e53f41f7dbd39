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

	shares
}

// shares is what comparing a session with each of its family needs, in which records that others have too are numbers.
type shares struct {
	order []sharedRecord  // of its records
	late  []int32         // those that it cannot have copied and that others have too
	has   []uint64        // a bit for each number
	from  map[string]bool // the sessions that its source says it has something from
}

// sharedRecord is a record by its number, alone if no other session has it, and the index of its first event.
type sharedRecord struct {
	number int32
	event  int
}

const alone = -1

// linkForks links the sessions of one root.
func linkForks(family []*SessionTrace, group []int, changed []bool) {
	var members []*kin
	for _, i := range group {
		members = append(members, newKin(family[i], i))
	}
	number(members)
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

// number works out the shares of each of the members.
func number(members []*kin) {
	holders := map[string]int{}
	for _, m := range members {
		for r := range m.records {
			holders[r]++
		}
	}
	numbers := map[string]int32{}
	for _, m := range members {
		m.from = map[string]bool{}
		for _, r := range m.Relationships {
			if r.Provenance == Explicit {
				m.from[r.Related] = true
			}
		}
		for i := range m.Events {
			e := &m.Events[i]
			m.from[e.Copied] = true
			if first, ok := m.records[e.Record]; !ok || first != i {
				continue
			}
			n := int32(alone)
			if holders[e.Record] > 1 {
				var known bool
				if n, known = numbers[e.Record]; !known {
					n = int32(len(numbers))
					numbers[e.Record] = n
				}
				if i >= m.Lineage.MayCopy {
					m.late = append(m.late, n)
				}
			}
			m.order = append(m.order, sharedRecord{n, i})
		}
	}
	for _, m := range members {
		m.has = make([]uint64, len(numbers)/64+1)
		for _, r := range m.order {
			if r.number != alone {
				m.has[r.number/64] |= 1 << (r.number % 64)
			}
		}
	}
}

// holds is whether the session has the record with this number.
func (s *shares) holds(n int32) bool { return n != alone && s.has[n/64]>>(n%64)&1 != 0 }

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
func (a *kin) copies(b *kin) bool { return a.told && a.from[b.ID] }

// wrote is whether a shares a record with b that a cannot have copied.
func (a *kin) wrote(b *kin) bool { return slices.ContainsFunc(a.late, b.holds) }

// parts is when a first did something that b did not, and whether it did.
func (a *kin) parts(b *kin) (time.Time, bool) {
	for _, r := range a.order {
		if !b.holds(r.number) {
			return a.Events[r.event].Time, true
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
