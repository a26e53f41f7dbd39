package graph

import (
	"cmp"
	"slices"
	"time"

	"aburn/trace"
)

// Totals are the sums of one session, or of a subtree.
type Totals struct {
	// Sessions counts the known sessions, sub-agents included. Missing parents do not count.
	Sessions int
	Counts   trace.Counts
	Usage    trace.Usage
	// ActiveMS adds up the active times in milliseconds: two sessions at work at once count twice.
	ActiveMS int64
	// SpanMS is the time covered by the sessions in milliseconds, each moment once, idle times included.
	SpanMS int64
}

func (t *Totals) add(o Totals) {
	t.Sessions += o.Sessions
	t.Counts.Add(o.Counts)
	t.Usage.Add(o.Usage)
	t.ActiveMS += o.ActiveMS
}

// Sum adds up a tree from its leaves to its root. Build has done that; call it after changing a Session's numbers, but
// not its times.
func (root *Node) Sum() {
	if len(root.Children) == 0 {
		root.Own = ownTotals(root)
		root.Whole = root.Own
		return
	}
	var nodes []*Node
	for n := range root.All() {
		n.Own, n.Whole = ownTotals(n), Totals{}
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
	}
}

// ownTotals returns the totals of a node's own session.
func ownTotals(n *Node) Totals {
	if n.Missing {
		return Totals{}
	}
	own := Totals{Sessions: 1, Counts: n.Counts, Usage: n.Usage, ActiveMS: n.ActiveMS}
	if !n.Start.IsZero() && n.End.After(n.Start) {
		own.SpanMS = n.End.Sub(n.Start).Milliseconds()
	}
	return own
}

// span is the time from start to end.
type span struct{ start, end time.Time }

// covered merges touching spans, oldest first. It may reuse its argument's memory.
func covered(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start.Compare(b.start) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && !s.start.After(merged[n-1].end) {
			if s.end.After(merged[n-1].end) {
				merged[n-1].end = s.end
			}
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

func lengthMS(spans []span) (ms int64) {
	for _, s := range spans {
		ms += s.end.Sub(s.start).Milliseconds()
	}
	return ms
}

// Measure says what nodes are ranked by.
type Measure string

// The measures. Duration is the active time.
const (
	Tokens   Measure = "tokens"
	Failures Measure = "failures"
	Duration Measure = "duration"
)

// Measures returns all measures.
func Measures() []Measure { return []Measure{Tokens, Failures, Duration} }

// Of returns the measure of some totals: tokens, failed calls, or milliseconds.
func (m Measure) Of(t Totals) int64 {
	switch m {
	case Tokens:
		return t.Usage.Total()
	case Failures:
		return int64(t.Counts.Failed)
	case Duration:
		return t.ActiveMS
	}
	return 0
}

// Top returns the nodes whose measure is not 0, largest first, equal ones in their order. whole ranks by subtrees,
// else by single sessions.
func Top(nodes []*Node, by Measure, whole bool) []*Node {
	value := func(n *Node) int64 {
		if whole {
			return by.Of(n.Whole)
		}
		return by.Of(n.Own)
	}
	top := slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return value(n) == 0 })
	slices.SortStableFunc(top, func(a, b *Node) int { return cmp.Compare(value(b), value(a)) })
	return top
}
