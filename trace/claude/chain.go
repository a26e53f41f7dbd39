package claude

import (
	"slices"

	"aburn/trace"
)

// chain follows the parents of a session's records to find the ones that the user went back over. Each prompt begins a
// branch; every other record belongs to its parent's branch. Branches that do not lead to the last one are abandoned.
// Records without a branch of their own are not: parallel calls fork the chain too, and only one of their results goes
// on.
//
// As long as each prompt follows from the branch before it, only the last records of that branch are kept. The first
// prompt that does not follow sends the reader back to the beginning of the file, to keep all.
type chain struct {
	ring    []string         // the last records of the last branch
	rewound bool             // an earlier reading kept all: not all branches lead here
	all     map[string]int32 // the branch of each record; nil while only the ring is kept
	parents []int32          // the branch that each branch begins on, -1 for none
	parts   []part           // which events are of which branch
}

// part is a run of events on one branch, up to the next part.
type part struct {
	from   int
	branch int32
}

// The numbers of records that are kept of a branch, and in a cursor.
const (
	ringSize   = 64
	cursorRing = 8
)

func (c *chain) keepAll() { c.all = map[string]int32{} }

func (c *chain) last() []string { return slices.Clone(c.ring[max(0, len(c.ring)-cursorRing):]) }

// link adds a record. The trace has n events before those of the record.
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
			return nil // on an earlier branch: a prompt that follows it returns errAgain
		}
		c.remember(id)
		return nil
	}
	c.place(id, r.follows(), begins, n)
	return nil
}

// isLast is the fast path of holds: most records follow the last one.
func (c *chain) isLast(id []byte) bool { return len(id) > 2 && is(id, c.ring[len(c.ring)-1]) }

// follows is the id of the record's parent. After a compaction only logicalParentUuid holds it.
func (r *record) follows() string {
	if parent := r.ids.token(r.parent); parent != "" {
		return parent
	}
	return r.ids.token(r.logicalParent)
}

func (c *chain) holds(id string) bool {
	for i := len(c.ring) - 1; i >= 0; i-- {
		if c.ring[i] == id {
			return true
		}
	}
	return false
}

func (c *chain) remember(id string) {
	if len(c.ring) == ringSize {
		c.ring = slices.Delete(c.ring, 0, ringSize/2)
	}
	c.ring = append(c.ring, id)
}

// place adds a record to the branch of its parent, or begins a branch with it.
func (c *chain) place(id, parent string, begins bool, n int) {
	branch, ok := c.all[parent]
	switch {
	case !ok && len(c.parents) == 0:
		branch = -1
	case !ok && (!begins || parent != ""):
		branch = int32(len(c.parents) - 1) // its parent is not in the file: it follows the last branch
	case !ok:
		branch = -1 // the user went back over the first prompt
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

// beginsBranch reports whether a person wrote the record, which makes it a point to rewind to.
func (r *record) beginsBranch() bool {
	if !is(r.kind, "user") || r.meta || r.summary {
		return false
	}
	words := r.message.words()
	return words != nil && !r.message.isResults() && authorOf(r, words) <= byUser
}
