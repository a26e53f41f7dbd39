package graph

import (
	"cmp"
	"slices"
)

// Measure is what nodes are ranked by.
type Measure string

// The measures. Duration is the active time.
const (
	Tokens   Measure = "tokens"
	Failures Measure = "failures"
	Duration Measure = "duration"
)

// Measures are all of them.
func Measures() []Measure { return []Measure{Tokens, Failures, Duration} }

// Of is the measure's value of some totals: tokens, failed calls, or milliseconds.
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

// Top is the nodes that have any of it, those with the most first; equal ones stay in their order. whole ranks by the
// subtrees, else each by itself.
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
