package edit

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// ReturnsPromise says whether a function returns a promise for sure, async or not: itself, or in a
// list or object. What it returns is followed through variables and functions of the file.
func ReturnsPromise(m *jsast.Module, f *jsast.Function) bool {
	return (&promises{m: m}).returned(f.Node)
}

// maxFollowed bounds how many variables and functions are followed.
const maxFollowed = 6

type promises struct {
	m        *jsast.Module
	depth    int
	awaited  map[string]bool // callees that the file awaits somewhere
	function *jsast.Node
}

func (p *promises) returned(f *jsast.Node) (found bool) {
	if f.Is("async") && !f.Is("generator") {
		return true
	}
	was := p.function
	p.function = f
	defer func() { p.function = was }()
	body := f.Child("body")
	if body.Type != "BlockStatement" {
		return p.is(body)
	}
	jsast.Walk(body, func(n *jsast.Node, _ []*jsast.Node) bool {
		found = found || n.Type == "ReturnStatement" && p.is(n.Child("argument"))
		return !found && !isFunction(n)
	})
	return found
}

func (p *promises) any(list []*jsast.Node) bool { return slices.ContainsFunc(list, p.is) }

// is says whether an expression gives a promise, or holds one.
func (p *promises) is(n *jsast.Node) bool {
	if n == nil || p.depth > maxFollowed {
		return false
	}
	switch n.Type {
	case "ImportExpression":
		return true
	case "ConditionalExpression":
		return p.is(n.Child("consequent")) || p.is(n.Child("alternate"))
	case "LogicalExpression":
		return p.is(n.Child("left")) || p.is(n.Child("right"))
	case "AssignmentExpression":
		return p.is(n.Child("right"))
	case "SequenceExpression":
		list := n.List("expressions")
		return p.is(list[len(list)-1])
	case "ChainExpression":
		return p.is(n.Child("expression"))
	case "ArrayExpression":
		return p.any(n.List("elements"))
	case "SpreadElement":
		return p.is(n.Child("argument"))
	case "ObjectExpression":
		return slices.ContainsFunc(n.List("properties"), func(o *jsast.Node) bool {
			if o.Type == "SpreadElement" {
				return p.is(o)
			}
			return o.Is("method") && keyText(o.Child("key")) == "then" || p.is(o.Child("value"))
		})
	case "Identifier", "MemberExpression":
		return p.given(n)
	case "NewExpression":
		return jsast.Path(n.Child("callee")) == "Promise"
	case "CallExpression":
		return p.called(n)
	}
	return false
}

// given says whether a variable or member is given a promise in the function.
func (p *promises) given(n *jsast.Node) (found bool) {
	path := jsast.Path(n)
	if path == "" || p.function == nil {
		return false
	}
	p.depth++
	defer func() { p.depth-- }()
	name, member, _ := strings.Cut(path, ".")
	jsast.Walk(p.function, func(c *jsast.Node, _ []*jsast.Node) bool {
		switch c.Type {
		case "VariableDeclarator":
			if c.Child("id").Type != "Identifier" || c.Child("id").Text("name") != name || c.Child("init") == nil {
				break
			}
			init := c.Child("init")
			if member == "" {
				found = found || p.is(init)
			}
			for _, o := range init.List("properties") {
				found = found || member != "" && keyText(o.Child("key")) == member && p.is(o.Child("value"))
			}
		case "AssignmentExpression":
			found = found || jsast.Path(c.Child("left")) == path && p.is(c.Child("right"))
		case "CallExpression": // list.push(save())
			callee := c.Child("callee")
			pushes := callee.Type == "MemberExpression" && propertyOf(callee) == "push" && jsast.Path(callee.Child("object")) == path
			found = found || pushes && p.any(c.List("arguments"))
		}
		return !found && (c == p.function || !isFunction(c))
	})
	return found
}

// called says whether a call gives a promise.
func (p *promises) called(n *jsast.Node) bool {
	callee, args := n.Child("callee"), n.List("arguments")
	path := jsast.Path(callee)
	if strings.HasPrefix(path, "Promise.") || path == "fetch" && isGlobal(p.m, callee) {
		return true
	}
	if isFunction(callee) {
		return p.inFunction(callee)
	}
	if callee.Type == "MemberExpression" {
		switch method := propertyOf(callee); method {
		case "then", "catch", "finally":
			return true
		case "map": // a list of promises
			return len(args) > 0 && args[0] != nil && isFunction(args[0]) && args[0].Is("async")
		default:
			if callee.Child("object").Type == "ThisExpression" && p.methodGives(n, method) {
				return true
			}
		}
	}
	if f := p.function; f != nil && p.declared(callee) {
		return true
	}
	return path != "" && p.isAwaited(path)
}

func (p *promises) inFunction(f *jsast.Node) bool {
	p.depth++
	defer func() { p.depth-- }()
	return p.depth <= maxFollowed && p.returned(f)
}

// declared says whether a callee is a function of the file that gives a promise.
func (p *promises) declared(callee *jsast.Node) bool {
	if callee.Type != "Identifier" {
		return false
	}
	v := p.m.Scopes.Lookup(callee.Start, callee.Text("name"))
	if v == nil || len(v.Definitions) != 1 || v.Definitions[0].Kind == "Parameter" { // whose node is its function
		return false
	}
	at := v.Definitions[0].Node
	return slices.ContainsFunc(p.m.Functions, func(f jsast.Function) bool {
		return !f.Generator && (f.Node.Range == at || at.Holds(f.Node.Range) && f.Node.End == at.End) && p.inFunction(f.Node)
	})
}

// methodGives says whether a method of the class around a call gives a promise.
func (p *promises) methodGives(call *jsast.Node, method string) bool {
	owner := ""
	for _, f := range p.m.Functions {
		if f.Owner != "" && f.Node.Holds(call.Range) {
			owner = f.Owner
		}
	}
	return owner != "" && slices.ContainsFunc(p.m.Functions, func(f jsast.Function) bool {
		return f.Owner == owner && f.Name == method && !f.Generator && p.inFunction(f.Node)
	})
}

// isAwaited says whether the file awaits calls of the same path elsewhere.
func (p *promises) isAwaited(path string) bool {
	if p.awaited == nil {
		p.awaited = map[string]bool{}
		jsast.Walk(p.m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
			if a := n.Child("argument"); n.Type == "AwaitExpression" && a.Type == "CallExpression" {
				p.awaited[jsast.Path(a.Child("callee"))] = true
			}
			return true
		})
	}
	root, _, _ := strings.Cut(path, ".")
	v := p.m.Scopes.Lookup(0, root) // the same name in another function may mean something else
	return v != nil && v.Scope <= fileScope && p.awaited[path]
}
