package claude

import (
	"slices"

	"aburn/trace"
)

// chain follows the parents of a session's records, to know which of them the user went back over. A branch begins with
// each prompt; all other records are of their parent's. The branches that do not lead to the last one are abandoned.
// What stands on no branch of its own is not: parallel calls fork the chain too, and only one result of them goes on.
//
// As long as each prompt follows from the branch before it, its last records are all that is kept. The first one that
// does not sends the reader back to the beginning of the file, to keep all.
type chain struct {
	ring    []string         // the last records of the last branch
	rewound bool             // an earlier reading kept all: not all branches lead here
	all     map[string]int32 // the branch of each record; nil while only the ring is kept
	parents []int32          // the branch that each branch begins on, -1 for none
	parts   []part           // which events are of which branch
}

// part is the events from one index on.
type part struct {
	from   int
	branch int32
}

// How many records are kept of a branch, and in a cursor.
const (
	ringSize   = 64
	cursorRing = 8
)

func (c *chain) keepAll() { c.all = map[string]int32{} }

// last is the part of the ring that a cursor keeps.
func (c *chain) last() []string { return slices.Clone(c.ring[max(0, len(c.ring)-cursorRing):]) }

// link takes a record whose events come after the first n.
func (c *chain) link(r *record, n int) error {
	if r.uuid == nil {
		return nil
	}
	id, begins := r.record(), r.beginsBranch()
	if c.all == nil {
		follows := len(c.ring) == 0 || c.isLast(r.parent) || c.holds(r.follows())
		switch {
		case !follows && (begins || c.rewound):
			return errAgain
		case begins:
			c.ring = c.ring[:0]
		case !follows:
			return nil // an earlier branch's: a prompt that follows from it sends us back
		}
		c.remember(id)
		return nil
	}
	c.place(id, r.follows(), begins, n)
	return nil
}

// isLast is whether a record is the last one of the ring, as it mostly is.
func (c *chain) isLast(id []byte) bool { return len(id) > 2 && is(id, c.ring[len(c.ring)-1]) }

// follows is the record that r says it follows.
func (r *record) follows() string {
	if parent := r.ids.token(r.parent); parent != "" {
		return parent
	}
	return r.ids.token(r.logical)
}

// holds is whether the ring has a record.
func (c *chain) holds(id string) bool {
	for i := len(c.ring) - 1; i >= 0; i-- {
		if c.ring[i] == id {
			return true
		}
	}
	return false
}

// remember puts a record of the last branch into the ring.
func (c *chain) remember(id string) {
	if len(c.ring) == ringSize {
		c.ring = slices.Delete(c.ring, 0, ringSize/2)
	}
	c.ring = append(c.ring, id)
}

// place puts a record on its branch.
func (c *chain) place(id, parent string, begins bool, n int) {
	branch, ok := c.all[parent]
	switch {
	case !ok && len(c.parents) == 0:
		branch = -1
	case !ok && (!begins || parent != ""):
		branch = int32(len(c.parents) - 1) // its parent is not in the file: it follows from what is there
	case !ok:
		branch = -1 // the first prompt was gone back over
	}
	if begins || branch < 0 {
		c.parents = append(c.parents, branch)
		branch = int32(len(c.parents) - 1)
		c.ring = c.ring[:0]
	}
	c.all[id] = branch
	if int(branch) == len(c.parents)-1 {
		c.remember(id)
	}
	if len(c.parts) == 0 || c.parts[len(c.parts)-1].branch != branch {
		c.parts = append(c.parts, part{n, branch})
	}
}

// abandon marks the events of abandoned branches.
func (c *chain) abandon(events []trace.Event) {
	if c.all == nil {
		return
	}
	live := make([]bool, len(c.parents))
	for b := int32(len(c.parents) - 1); b >= 0; b = c.parents[b] {
		live[b] = true
	}
	for i, p := range c.parts {
		to := len(events)
		if i+1 < len(c.parts) {
			to = c.parts[i+1].from
		}
		for j := p.from; j < to && j < len(events); j++ {
			events[j].Abandoned = !live[p.branch]
		}
	}
}

// beginsBranch is whether a user can go back to before the record: whether a person wrote it.
func (r *record) beginsBranch() bool {
	if !is(r.kind, "user") || r.meta || r.summary {
		return false
	}
	words := r.message.words()
	return words != nil && !r.message.isResults() && wroteOf(r, words) <= byUser
}
