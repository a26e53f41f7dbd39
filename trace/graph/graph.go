// Package graph arranges sessions in trees by their relationships, and adds up their numbers so that nothing is
// counted twice. It is pure, and accepts any relationships: it cuts circles, and unknown parents stand in the tree as
// such.
package graph

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"aburn/trace"
)

// Session is a session as the graph needs it. Its numbers exclude what was copied from other sessions.
type Session struct {
	Key        int64 // not 0
	Source, ID string
	Start, End time.Time
	Counts     trace.Counts
	Usage      trace.Usage
	ActiveMS   int64
}

// Link is one relationship of a session.
type Link struct {
	Key     int64 // of the session
	Related int64 // of the other session, 0 if unknown
	trace.SessionRelationship
}

// Node is a session in its tree, or, if Missing, a session that others name and nobody has.
type Node struct {
	*Session
	// Relation ties the node to its Parent; of a root it is its own root relationship, or an empty one. It is never
	// nil.
	Relation *trace.SessionRelationship
	// Others are the relationships that the tree does not show.
	Others  []trace.SessionRelationship
	Missing bool
	// Loop says that the relationships ran in a circle, which was cut here.
	Loop     bool
	Parent   *Node
	Children []*Node // oldest first
	Own      Totals
	Whole    Totals // Own, and those of all nodes below

	walk int       // used by cut: the number of the last walk through the node
	last time.Time // of a root: the latest start or end in its tree
}

// Build makes the trees, last active first. The nodes point into sessions and links. It drops links that name no
// session. A session with several parents gets one: the session that spawned it, else the one that it was copied from,
// else the one that it continues.
func Build(sessions []Session, links []Link) []*Node {
	b := builder{nodes: make(map[int64]*Node, len(sessions)), missing: map[[2]string]*Node{},
		order: make([]*Node, 0, len(sessions))}
	all := make([]Node, len(sessions))
	for i := range sessions {
		s := &sessions[i]
		if s.Key == 0 || b.nodes[s.Key] != nil {
			continue
		}
		n := &all[i]
		n.Session, n.Relation = s, &b.none
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
	order   []*Node             // in the order of the sessions; missing ones last
	none    trace.SessionRelationship
}

// hang gives each node its parent.
func (b *builder) hang(links []Link) {
	of := map[int64][]*Link{}
	for i := range links {
		if l := &links[i]; b.nodes[l.Key] != nil {
			of[l.Key] = append(of[l.Key], l)
		}
	}
	for _, n := range slices.Clone(b.order) {
		list := of[n.Key]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(x, y *Link) int { return cmp.Compare(b.weight(x), b.weight(y)) })
		n.Relation = &list[0].SessionRelationship
		for _, l := range list[1:] {
			n.Others = append(n.Others, l.SessionRelationship)
		}
		if n.Relation.Kind != trace.Root {
			n.Parent = b.parent(list[0])
		}
	}
}

// weight orders a session's relationships: the smallest gives its place in the tree.
func (b *builder) weight(l *Link) int {
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

// parent returns the node that a link leads to, and makes one for a missing session; nil if the link names none.
func (b *builder) parent(l *Link) *Node {
	if n := b.nodes[l.Related]; n != nil {
		return n
	}
	if l.SessionRelationship.Related == "" {
		return nil
	}
	name := [2]string{l.Source, l.SessionRelationship.Related}
	n := b.missing[name]
	if n == nil {
		n = &Node{Session: &Session{Source: name[0], ID: name[1]}, Relation: &b.none, Missing: true}
		b.missing[name] = n
		b.order = append(b.order, n)
	}
	return n
}

// cut opens each circle at its oldest session.
func (b *builder) cut() {
	for i, n := range b.order {
		at, walk := n, i+1
		for at != nil && at.walk == 0 {
			at.walk = walk
			at = at.Parent
		}
		if at == nil || at.walk != walk {
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

// before orders nodes by start, and equal starts in a stable way.
func before(a, b *Node) int {
	if c := a.Start.Compare(b.Start); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Key, b.Key))
}

// finish sets children and sums, and returns the roots.
func (b *builder) finish() (roots []*Node) {
	for _, n := range b.order {
		if n.Parent == nil {
			roots = append(roots, n)
		} else {
			n.Parent.Children = append(n.Parent.Children, n)
		}
	}
	for _, root := range roots {
		root.order()
		root.Sum()
	}
	slices.SortFunc(roots, func(a, b *Node) int {
		if c := b.last.Compare(a.last); c != 0 {
			return c
		}
		return before(a, b)
	})
	return roots
}

// order sorts the children of all nodes of a tree, and sets when it was last active.
func (root *Node) order() {
	for n := range root.All() {
		if len(n.Children) > 1 {
			slices.SortFunc(n.Children, before) // before All visits them
		}
		for _, t := range [...]time.Time{n.Start, n.End} {
			if t.After(root.last) {
				root.last = t
			}
		}
	}
}

// All yields the node and all below it with their depths, parents before children, oldest first.
func (n *Node) All() iter.Seq2[*Node, int] {
	return func(yield func(*Node, int) bool) {
		if len(n.Children) == 0 { // most nodes
			yield(n, 0)
			return
		}
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

// Root returns the node at the top of the tree.
func (n *Node) Root() *Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}
