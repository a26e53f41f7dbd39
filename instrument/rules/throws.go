package rules

import (
	"slices"

	"aburn/instrument/jsast"
)

// throwsAfter says whether each path from the statement that holds r throws. after
// is what follows the list.
func throwsAfter(list []*jsast.Node, r jsast.Range, after bool) bool {
	for i, n := range list {
		if !n.Holds(r) {
			continue
		}
		rest := alwaysThrows(list[i+1:], after)
		switch n.Type {
		case "IfStatement":
			for _, part := range []string{"consequent", "alternate"} {
				if c := n.Child(part); c != nil && c.Holds(r) {
					return throwsAfter(statements(c), r, rest)
				}
			}
		case "BlockStatement":
			return throwsAfter(n.List("body"), r, rest)
		case "SwitchStatement":
			for j, c := range n.List("cases") {
				if c.Holds(r) {
					return throwsAfter(c.List("consequent"), r, casesThrow(n.List("cases")[j+1:], rest)) && !breaksOut(n)
				}
			}
		case "TryStatement":
			if b := n.Child("block"); b.Holds(r) && n.Child("handler") == nil {
				return throwsAfter(b.List("body"), r, rest)
			}
		}
		return rest
	}
	return after
}

// alwaysThrows says whether a list throws on every path. after is what follows it.
func alwaysThrows(list []*jsast.Node, after bool) bool {
	if len(list) == 0 {
		return after
	}
	n, rest := list[0], list[1:]
	switch n.Type {
	case "ThrowStatement":
		return true
	case "ReturnStatement", "BreakStatement", "ContinueStatement":
		return false
	}
	after = alwaysThrows(rest, after)
	switch n.Type {
	case "IfStatement":
		if !alwaysThrows(statements(n.Child("consequent")), after) {
			return false
		}
		if other := n.Child("alternate"); other != nil {
			return alwaysThrows(statements(other), after)
		}
		return after
	case "BlockStatement":
		return alwaysThrows(n.List("body"), after)
	case "SwitchStatement":
		cases := n.List("cases")
		closed := slices.ContainsFunc(cases, func(c *jsast.Node) bool { return c.Child("test") == nil })
		for i := range cases {
			if !casesThrow(cases[i:], after) {
				return false
			}
		}
		return (closed || after) && !breaksOut(n)
	}
	leaves := false
	jsast.Walk(n, func(n *jsast.Node, _ []*jsast.Node) bool {
		leaves = leaves || n.Type == "ReturnStatement" || n.Type == "BreakStatement" || n.Type == "ContinueStatement"
		return !isFunction(n)
	})
	return !leaves && after
}

// casesThrow says whether what begins in the first of cases throws on every path. after
// is what follows the switch.
func casesThrow(cases []*jsast.Node, after bool) bool {
	for _, c := range slices.Backward(cases) {
		after = alwaysThrows(c.List("consequent"), after)
	}
	return after
}

// breaksOut says whether a switch is left by a break, return or continue of its own.
func breaksOut(n *jsast.Node) (out bool) {
	jsast.Walk(n, func(n *jsast.Node, _ []*jsast.Node) bool {
		out = out || n.Type == "BreakStatement" || n.Type == "ReturnStatement" || n.Type == "ContinueStatement"
		return !out && !isFunction(n)
	})
	return out
}

func statements(n *jsast.Node) []*jsast.Node {
	if n.Type == "BlockStatement" {
		return n.List("body")
	}
	return []*jsast.Node{n}
}
