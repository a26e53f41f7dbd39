package graph

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"aburn/trace"
)

// Session is a session as the graph needs it. What is copied into it from others is in none of its numbers.
type Session struct {
	Key        int64 // names it; not 0
	Source, ID string
	Start, End time.Time
	Counts     trace.Counts
	Usage      trace.Usage
	ActiveMS   int64
}

// Link is one relationship of a session.
type Link struct {
	Key     int64 // the session's
	Related int64 // the other one's, 0 if it is not known
	trace.SessionRelationship
}

// Node is a session in its tree, or, if Missing, a session that others name and nobody has.
type Node struct {
	Session
	// Relation is how it hangs under its Parent; of a root, its own root relationship, or none.
	Relation trace.SessionRelationship
	// Others are further relationships, which the tree does not show.
	Others  []trace.SessionRelationship
	Missing bool
	// Loop says that the relationships run in a circle, which is cut here.
	Loop     bool
	Parent   *Node
	Children []*Node // oldest first
	Own      Totals
	Whole    Totals // Own and those of all nodes below
}

// Build makes the trees, those that were last active first. A link that names no session is passed over; a session
// with several parents hangs under one: who spawned it before whom it was copied from, and that before what it continues.
func Build(sessions []Session, links []Link) []*Node {
	b := builder{nodes: make(map[int64]*Node, len(sessions)), missing: map[[2]string]*Node{}}
	for i := range sessions {
		s := &sessions[i]
		if s.Key == 0 || b.nodes[s.Key] != nil {
			continue
		}
		n := &Node{Session: *s, Own: Totals{Sessions: 1, Counts: s.Counts, Usage: s.Usage, ActiveMS: s.ActiveMS}}
		if !s.Start.IsZero() && s.End.After(s.Start) {
			n.Own.SpanMS = s.End.Sub(s.Start).Milliseconds()
		}
		b.nodes[s.Key] = n
		b.order = append(b.order, n)
	}
	b.hang(links)
	b.cut()
	return b.finish()
}

type builder struct {
	nodes   map[int64]*Node
	missing map[[2]string]*Node // by source and id
	order   []*Node             // as they came; missing ones behind
}

// hang gives each node its parent.
func (b *builder) hang(links []Link) {
	of := map[int64][]Link{}
	for _, l := range links {
		if b.nodes[l.Key] != nil {
			of[l.Key] = append(of[l.Key], l)
		}
	}
	for _, n := range slices.Clone(b.order) {
		list := of[n.Key]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(x, y Link) int { return cmp.Compare(b.weight(x), b.weight(y)) })
		n.Relation = list[0].SessionRelationship
		for _, l := range list[1:] {
			n.Others = append(n.Others, l.SessionRelationship)
		}
		if n.Relation.Kind != trace.Root {
			n.Parent = b.parent(list[0])
		}
	}
}

// weight orders the relationships of a session: the smallest one is its place in the tree.
func (b *builder) weight(l Link) int {
	w := 0
	switch l.Kind {
	case trace.Subagent:
	case trace.Fork:
		w = 1
	case trace.Continuation:
		w = 2
	default:
		return 100
	}
	if b.nodes[l.Related] == nil {
		w += 20
	}
	if l.Provenance != trace.Explicit {
		w += 10
	}
	return w
}

// parent is the node that a link leads to: the session, or one that stands for it; nil if the link names none.
func (b *builder) parent(l Link) *Node {
	if n := b.nodes[l.Related]; n != nil {
		return n
	}
	if l.SessionRelationship.Related == "" {
		return nil
	}
	name := [2]string{l.Source, l.SessionRelationship.Related}
	n := b.missing[name]
	if n == nil {
		n = &Node{Session: Session{Source: name[0], ID: name[1]}, Missing: true}
		b.missing[name] = n
		b.order = append(b.order, n)
	}
	return n
}

// cut opens each circle at its oldest session.
func (b *builder) cut() {
	state := make(map[*Node]int, len(b.order)) // the number of the walk that came by
	for walk, n := range b.order {
		at := n
		for at != nil && state[at] == 0 {
			state[at] = walk + 1
			at = at.Parent
		}
		if at == nil || state[at] != walk+1 {
			continue
		}
		oldest := at
		for m := at.Parent; m != at; m = m.Parent {
			if before(m, oldest) < 0 {
				oldest = m
			}
		}
		oldest.Parent, oldest.Loop = nil, true
	}
}

// before orders by the start; of equal starts, always in the same way.
func before(a, b *Node) int {
	return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Key, b.Key), cmp.Compare(a.ID, b.ID))
}

// finish fills in children and sums and returns the roots.
func (b *builder) finish() (roots []*Node) {
	for _, n := range b.order {
		if n.Parent == nil {
			roots = append(roots, n)
		} else {
			n.Parent.Children = append(n.Parent.Children, n)
		}
	}
	latest := make(map[*Node]time.Time, len(roots))
	for _, root := range roots {
		latest[root] = sum(root)
	}
	slices.SortFunc(roots, func(a, b *Node) int {
		return cmp.Or(latest[b].Compare(latest[a]), before(a, b))
	})
	return roots
}

// sum orders the children of all nodes of a tree, adds up from the leaves to the root, and returns the last end.
func sum(root *Node) (last time.Time) {
	var nodes []*Node
	for n := range root.All() {
		slices.SortFunc(n.Children, before) // All has not looked at them yet
		nodes = append(nodes, n)
	}
	spans := make(map[*Node][]span, len(nodes))
	for _, n := range slices.Backward(nodes) {
		n.Whole.add(n.Own)
		if n.Own.SpanMS > 0 {
			spans[n] = append(spans[n], span{n.Start, n.End})
		}
		spans[n] = covered(spans[n])
		n.Whole.SpanMS = lengthMS(spans[n])
		if n.Parent != nil {
			n.Parent.Whole.add(n.Whole)
			spans[n.Parent] = append(spans[n.Parent], spans[n]...)
			delete(spans, n)
		}
		for _, t := range []time.Time{n.Start, n.End} {
			if t.After(last) {
				last = t
			}
		}
	}
	return last
}

// All is the node and all below it with their depths, parents before children, oldest first.
func (n *Node) All() iter.Seq2[*Node, int] {
	return func(yield func(*Node, int) bool) {
		type at struct {
			*Node
			depth int
		}
		for stack := []at{{n, 0}}; len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !yield(top.Node, top.depth) {
				return
			}
			for _, c := range slices.Backward(top.Children) {
				stack = append(stack, at{c, top.depth + 1})
			}
		}
	}
}

// Root is the node at the top of the tree.
func (n *Node) Root() *Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}
