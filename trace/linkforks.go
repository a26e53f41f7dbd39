package trace

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// copiesEvidence is the Evidence of a fork that Link found.
const copiesEvidence = "it begins with records of that session"

// forkMember is one of the sessions that share a root.
type forkMember struct {
	*SessionTrace
	index          int            // in the family
	records        map[string]int // record → index of its first event
	predecessors   int            // how many others had the records before it
	explicitOrigin bool           // the source names the origin

	shares
}

// shares makes comparing two members quick: records of several members are numbers.
type shares struct {
	order    []sharedRecord  // its records
	uncopied []int32         // shared records that it cannot have copied
	has      []uint64        // a bit per number
	from     map[string]bool // the sessions that the source names as origins
}

// sharedRecord is a record's number, alone if no other session has it, and the index of its first event.
type sharedRecord struct {
	number int32
	event  int
}

const alone = -1

// linkForks links the sessions of one root.
func linkForks(family []*SessionTrace, group []int, changed []bool) {
	var members []*forkMember
	for _, i := range group {
		members = append(members, newForkMember(family[i], i))
	}
	numberRecords(members)
	for i, a := range members {
		for _, b := range members[i+1:] {
			if a.precedes(b) {
				b.predecessors++
			} else {
				a.predecessors++
			}
		}
	}
	slices.SortStableFunc(members, func(a, b *forkMember) int {
		return cmp.Or(a.predecessors-b.predecessors,
			strings.Compare(a.ID, b.ID))
	})
	owners := map[string]string{} // record → the session that had it first
	for _, m := range members {
		if m.markCopies(owners) {
			changed[m.index] = true
			m.Settle()
		}
	}
}

func newForkMember(t *SessionTrace, index int) *forkMember {
	k := &forkMember{SessionTrace: t, index: index, records: map[string]int{}}
	for i := range t.Events {
		if r := t.Events[i].Record; r != "" {
			if _, there := k.records[r]; !there {
				k.records[r] = i
			}
		}
	}
	k.explicitOrigin = t.hasExplicitOrigin()
	return k
}

// numberRecords sets the shares of each member.
func numberRecords(members []*forkMember) {
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
					m.uncopied = append(m.uncopied, n)
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

func (s *shares) holds(n int32) bool { return n != alone && s.has[n/64]>>(n%64)&1 != 0 }

// hasExplicitOrigin reports whether the source says that the session was made from another.
func (t *SessionTrace) hasExplicitOrigin() bool {
	return slices.ContainsFunc(t.Relationships, func(r SessionRelationship) bool {
		return (r.Kind == Fork || r.Kind == Continuation) && r.Provenance == Explicit
	})
}

// Unlink undoes what Link found about forks. A reader that continues a stored trace needs the source's own word.
func (t *SessionTrace) Unlink() {
	if t.hasExplicitOrigin() || !slices.ContainsFunc(t.Relationships,
		func(r SessionRelationship) bool { return r.Evidence == copiesEvidence }) {
		return
	}
	newForkMember(t, 0).markCopies(map[string]string{})
	t.Settle()
}

// precedes reports whether a had the shared records before b: by the source's word, else by records that cannot be
// copies, else by the time at which they diverged.
func (a *forkMember) precedes(b *forkMember) bool {
	if x, y := b.namesAsOrigin(a), a.namesAsOrigin(b); x != y {
		return x
	}
	if x, y := a.sharesOwn(b), b.sharesOwn(a); x != y {
		return x
	}
	x, xown := a.divergedAt(b)
	y, yown := b.divergedAt(a)
	if xown != yown {
		return yown // a is only the beginning of b
	}
	if !x.Equal(y) {
		return x.Before(y)
	}
	return a.ID < b.ID
}

// namesAsOrigin reports whether the source of a says that a copied from b.
func (a *forkMember) namesAsOrigin(b *forkMember) bool { return a.explicitOrigin && a.from[b.ID] }

// sharesOwn reports whether a shares with b a record that a cannot have copied.
func (a *forkMember) sharesOwn(b *forkMember) bool { return slices.ContainsFunc(a.uncopied, b.holds) }

// divergedAt returns when a first did something that b did not, and whether it ever did.
func (a *forkMember) divergedAt(b *forkMember) (time.Time, bool) {
	for _, r := range a.order {
		if !b.holds(r.number) {
			return a.Events[r.event].Time, true
		}
	}
	return time.Time{}, false
}

// markCopies marks the records that earlier sessions own, and adds the others to owners. It reports whether the trace
// changed.
func (k *forkMember) markCopies(owners map[string]string) (changed bool) {
	origin, since := "", time.Time{}
	for i := range k.Events {
		e := &k.Events[i]
		from := e.Copied
		if owner := owners[e.Record]; owner != "" && (from == "" || !k.explicitOrigin) {
			from = owner
		} else if !k.explicitOrigin {
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
		if s, ok := e.Body.(*SubagentSpawn); ok && s.moveTo(cmp.Or(from, k.ID)) {
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
		if from := k.copiedAt(r.Event); r.Copied != from && (r.Copied == "" || !k.explicitOrigin) {
			r.Copied, changed = from, true
		}
	}
	return k.relate(origin, since) || changed
}

func (t *SessionTrace) copiedAt(seq int) string {
	if seq < 1 || seq > len(t.Events) {
		return ""
	}
	return t.Events[seq-1].Copied
}

// moveTo renames a sub-agent that is named after a session to one of session's. It reports whether that changed
// anything.
func (s *SubagentSpawn) moveTo(session string) bool {
	is := session + "/" + s.AgentID
	if s.AgentID == "" || !strings.HasSuffix(s.Session, "/"+s.AgentID) || s.Session == is {
		return false
	}
	s.Session = is
	return true
}

// relate makes the session a fork of origin, or a root if origin is empty, unless its source says otherwise.
func (k *forkMember) relate(origin string, since time.Time) bool {
	if k.explicitOrigin {
		return false
	}
	want := SessionRelationship{V: Version, Kind: Root, Source: k.Source, Session: k.ID, Provenance: Explicit,
		SourceVersion: k.Agent.Version}
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
