package manager

import (
	"slices"

	"aburn/worker"
	"aburn/worker/slot"
)

// A worker may begin workers, one level deep. Each is a worker like others: it has a tree and a branch of its own and is ended only for
// itself. It may do at most what the worker may that began it.
//
//   - Permissions are at most those of its parent, and the agent is its parent's: another one means something else by the same word.
//   - What a parent gives its workers to use up comes off its own budget, so all of them together use up no more than it may.
//   - Nothing of a parent's process tree is needed for it: it runs under a holder of its own, which its parent's spares.

// careful orders permissions from what may least.
var careful = []slot.Permissions{slot.Plan, slot.Ask, slot.Edits, slot.Auto}

// AtMost are the permissions that a worker gives which has the second: those, or less.
func AtMost(want, has slot.Permissions) slot.Permissions {
	return careful[min(max(slices.Index(careful, want), 0), max(slices.Index(careful, has), 0))]
}

// Gives is AtMost of a member's own, by their words.
func (m *Member) Gives(want string) string {
	return string(AtMost(slot.Permissions(want), slot.Permissions(m.Request.Permissions)))
}

// Mark is what stands in the environment of all that its agent starts, "" if it was not launched.
func (m *Member) Mark() string {
	if l := m.Ledger.Last(worker.Launched); l != nil {
		return l.Mark
	}
	return ""
}

// Children are the workers that a worker began, of these.
func Children(members []*Member, name string) (list []*Member) {
	for _, m := range members {
		if m.Err == nil && m.Request.Parent == name && name != "" {
			list = append(list, m)
		}
	}
	return list
}

// ChildrenOf are the names of the workers that a worker began. What cannot be read has no parent.
func ChildrenOf(c *Manager, name string) (list []string) {
	names, _ := c.Store.Names()
	for _, other := range names {
		if r, err := c.Store.Book(other).Request(); err == nil && r.Parent == name {
			list = append(list, other)
		}
	}
	return list
}

// Given is what the workers that a worker began may use up together.
func Given(members []*Member, name string) (sum worker.Budget) {
	for _, m := range Children(members, name) {
		b := m.Limit()
		sum.Cents, sum.Tokens = sum.Cents+b.Cents, sum.Tokens+b.Tokens
	}
	return sum
}
