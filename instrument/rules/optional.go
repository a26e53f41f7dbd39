package rules

import (
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// mayBeAbsent says whether the code around an added expression shows that a path may have no value
// there: a parameter's default or type allows it, or the code tests for it later and not before.
func (p *Pair) mayBeAbsent(e edit.Expr, path string) bool {
	f := e.Call.New
	if f == nil || strings.HasPrefix(path, "this") {
		return false
	}
	before, later := false, false
	jsast.Walk(f, func(n *jsast.Node, _ []*jsast.Node) bool {
		if tests(n, path) && !p.inAddition(n.Range) {
			before, later = before || n.Start < e.Node.Start, later || n.Start > e.Node.Start
		}
		return n == f || !isFunction(n) || n.Holds(e.Node.Range)
	})
	if before {
		return false
	}
	return later || slices.ContainsFunc(f.List("params"), func(param *jsast.Node) bool { return p.allowsAbsence(param, path) })
}

// tests says whether a node asks if a path has a value.
func tests(n *jsast.Node, path string) bool {
	is := func(n *jsast.Node) bool { return n != nil && jsast.Path(n) == path }
	switch n.Type {
	case "MemberExpression":
		return n.Is("optional") && is(n.Child("object"))
	case "UnaryExpression":
		return n.Text("operator") == "!" && is(n.Child("argument"))
	case "BinaryExpression":
		other := func(n *jsast.Node) bool { return n.Text("kind") == "null" || jsast.Path(n) == "undefined" }
		return is(n.Child("left")) && other(n.Child("right")) || is(n.Child("right")) && other(n.Child("left"))
	case jsast.LogicalChain:
		return is(n.List("operands")[0])
	case "IfStatement", "ConditionalExpression":
		return is(n.Child("test"))
	}
	return false
}

// allowsAbsence says whether a parameter's default is null or undefined, or its type allows them.
func (p *Pair) allowsAbsence(param *jsast.Node, path string) bool {
	id := param
	if param.Type == "AssignmentPattern" {
		id = param.Child("left")
		value := param.Child("right")
		if id.Text("name") == path && (value.Text("kind") == "null" || jsast.Path(value) == "undefined") {
			return true
		}
	}
	if id.Type != "Identifier" || id.Text("name") != path {
		return false
	}
	for _, t := range p.New.Types {
		if t.Start >= id.End && strings.TrimSpace(string(p.New.Source[id.End:t.Start])) == "" {
			text := strings.TrimSpace(t.Text)
			return strings.HasPrefix(text, "?") || slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" |:&()<>,", r) }),
				func(word string) bool { return word == "null" || word == "undefined" })
		}
	}
	return false
}
