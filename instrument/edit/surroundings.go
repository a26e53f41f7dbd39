package edit

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// refused evaluates an expression behind guards, and gives what isn't harmless in it; nil for nothing.
func (s surroundings) refused(n *jsast.Node, guards []*jsast.Node) *Refusal {
	j := &judge{surroundings: s}
	j.eval(n, behind(guards))
	return j.refused
}

// behind is what is known where all guards are true.
func behind(guards []*jsast.Node) (k known) {
	for _, g := range guards {
		k = narrow(g, true, k)
	}
	return k
}

// surroundings are those of the expressions that were added to a file.
func (u *Undone) surroundings() surroundings {
	if u.around == nil {
		around := u.lookAround()
		u.around = &around
	}
	return *u.around
}

func (u *Undone) lookAround() surroundings {
	accessors := accessors(u.New.Tree)
	return surroundings{
		global:   func(n *jsast.Node) bool { return isGlobal(u.New, n) },
		constant: func(n *jsast.Node) *jsast.Node { return constantOf(u.New, n) },
		isSpan:   func(n *jsast.Node) bool { return u.spanNames[n.Start] },
		isAPI:    u.isAPI,
		accessor: func(name string) bool { return accessors[name] },
		caught: func(n *jsast.Node) bool {
			v := u.New.Scopes.Lookup(n.Start, n.Text("name"))
			return v != nil && len(v.Definitions) == 1 && v.Definitions[0].Kind == "CatchClause"
		},
	}
}

func isGlobal(m *jsast.Module, n *jsast.Node) bool {
	return n != nil && n.Type == "Identifier" && m.Scopes.Lookup(n.Start, n.Text("name")) == nil
}

// constantOf is the expression that gave a constant its value; nil for all other names.
func constantOf(m *jsast.Module, n *jsast.Node) (value *jsast.Node) {
	v := m.Scopes.Lookup(n.Start, n.Text("name"))
	if v == nil || len(v.Definitions) != 1 || v.Definitions[0].Kind != "const" {
		return nil
	}
	jsast.Walk(m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "VariableDeclarator" && n.Range == v.Definitions[0].Node && n.Child("id").Type == "Identifier" {
			value = n.Child("init")
		}
		return value == nil && n.Holds(v.Definitions[0].Node)
	})
	return value
}

// isAPI says whether a name is one under which the file loads a telemetry package.
func (u *Undone) isAPI(n *jsast.Node) bool {
	if n == nil || n.Type != "Identifier" {
		return isTelemetry(loaded(n))
	}
	v := u.New.Scopes.Lookup(n.Start, n.Text("name"))
	return v != nil && len(v.Definitions) == 1 && slices.ContainsFunc(u.New.Imports, func(i jsast.Import) bool {
		d := v.Definitions[0].Node
		return i.Local == v.Name && isTelemetry(i.Module) && (i.Node.Holds(d) || d.Holds(i.Node.Range))
	})
}

// accessors are the members that a file gives getters, by their name; private ones begin with #.
func accessors(tree *jsast.Node) map[string]bool {
	names := map[string]bool{}
	jsast.Walk(tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		switch {
		case (n.Type == "MethodDefinition" || n.Type == "Property") && n.Text("kind") == "get":
			key := n.Child("key")
			if key.Type == "PrivateIdentifier" {
				names["#"+key.Text("name")] = true
			} else if name := keyText(key); name != "" {
				names[name] = true
			}
		case n.Type == "CallExpression":
			definedAccessors(n, names)
		}
		return true
	})
	return names
}

// definedAccessors adds what defineProperty and its like define.
func definedAccessors(n *jsast.Node, names map[string]bool) {
	args := n.List("arguments")
	path := jsast.Path(n.Child("callee"))
	switch name := path[strings.LastIndexByte(path, '.')+1:]; {
	case name == "defineProperty" && len(args) > 1:
		names[args[1].Text("value")] = true
	case name == "__defineGetter__" && len(args) > 0:
		names[args[0].Text("value")] = true
	case name == "defineProperties" && len(args) > 1:
		for _, p := range args[1].List("properties") {
			names[keyText(p.Child("key"))] = true
		}
	}
	delete(names, "")
}
