package rules

import (
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

func accessors(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		f := p.original(s)
		if f == nil {
			continue
		}
		if f.Kind == jsast.Getter || f.Kind == jsast.Setter {
			list = append(list, at(s.Call.Start, "the span is on an accessor"))
		} else if !f.Async && p.returnsProperty(f) {
			list = append(list, at(s.Call.Start, "the function only returns a property"))
		}
	}
	return list
}

// returnsProperty says whether a function does nothing but return a member of something.
func (p *Pair) returnsProperty(f *jsast.Function) bool {
	n := f.Node.Child("body")
	if !f.Concise {
		list := n.List("body")
		if len(list) != 1 || list[0].Type != "ReturnStatement" || list[0].Child("argument") == nil {
			return false
		}
		n = list[0].Child("argument")
	}
	if n.Type == "ChainExpression" {
		n = n.Child("expression")
	}
	if n.Type != "MemberExpression" {
		return false
	}
	member := true // all the way down: a call or a key that is worked out is more than a property
	for n.Type == "MemberExpression" && member {
		member = !n.Is("computed") || n.Child("property").Type == "Literal" || p.ofFile(n.Child("property"))
		n = n.Child("object")
	}
	return member && (n.Type == "Identifier" || n.Type == "ThisExpression")
}

// ofFile says whether a name of the original is a constant of the file, such as a symbol.
func (p *Pair) ofFile(n *jsast.Node) bool {
	if n.Type != "Identifier" {
		return false
	}
	v := p.Orig.Scopes.Lookup(n.Start, n.Text("name"))
	return v != nil && v.Scope <= 1 && len(v.Definitions) == 1 && v.Definitions[0].Kind == "const"
}

func ownSpans(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		if s.Orig != nil && edit.MakesSpans(s.Orig) {
			list = append(list, at(s.Call.Start, "the function made spans before"))
		}
	}
	return list
}

func exits(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		if s.Orig != nil && (edit.Exits(s.Orig) || p.callsExit(s.Orig)) {
			list = append(list, at(s.Call.Start, "the function calls process.exit"))
		}
	}
	return list
}

// callsExit says whether a function calls exit by a name that it imported, other than in a catch.
func (p *Pair) callsExit(f *jsast.Node) bool {
	i := slices.IndexFunc(p.Orig.Imports, func(i jsast.Import) bool {
		return i.Imported == "exit" && strings.TrimPrefix(i.Module, "node:") == "process"
	})
	if i < 0 {
		return false
	}
	calls := false
	jsast.Walk(f.Child("body"), func(n *jsast.Node, _ []*jsast.Node) bool {
		calls = calls || n.Type == "CallExpression" && jsast.Path(n.Child("callee")) == p.Orig.Imports[i].Local
		return !calls && !isFunction(n) && n.Type != "CatchClause"
	})
	return calls
}
