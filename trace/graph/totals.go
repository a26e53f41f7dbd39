package graph

import (
	"slices"
	"time"

	"aburn/trace"
)

// Totals is what one session, or a subtree, adds up to.
type Totals struct {
	// Sessions counts the sessions that are known, sub-agents among them. An unknown parent is none.
	Sessions int
	Counts   trace.Counts
	Usage    trace.Usage
	// ActiveMS adds up the active times of the sessions: two at work at once count both.
	ActiveMS int64
	// SpanMS is the time from start to end of any of the sessions, each moment once, idle times included.
	SpanMS int64
}

func (t *Totals) add(o Totals) {
	t.Sessions += o.Sessions
	t.Counts.Add(o.Counts)
	t.Usage.Add(o.Usage)
	t.ActiveMS += o.ActiveMS
}

// Sum adds up a tree from its leaves to its root. Build has done that; it is for who changes a Session after that, though not
// its times.
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

// ownTotals is what the session of a node adds up to by itself.
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

// span is some time, from start to end.
type span struct{ start, end time.Time }

// covered merges spans that touch, oldest first. It may reuse the memory of its argument.
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
