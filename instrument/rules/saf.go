package rules

import (
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

func shadowing(p *Pair) []found {
	var list []found
	type key struct {
		name string
		by   int
	}
	told := map[key]bool{} // the first use tells
	for _, c := range p.Undone().Captures {
		k := key{c.Name, c.By}
		if told[k] || c.Name == "arguments" && c.By < 0 && p.inFunctionCallback(c.Offset) {
			continue
		}
		told[k] = true
		if p.inWrapper(c.By) { // the name to change is ours
			list = append(list, at(c.By, "%s hides the file's own %s, which line %d uses", c.Name, c.Name, p.New.Pos(c.Offset).Line))
		} else if c.By >= 0 {
			list = append(list, at(c.Offset, "%s means what line %d declares, no longer what it meant", c.Name, p.New.Pos(c.By).Line))
		} else {
			list = append(list, at(c.Offset, "%s no longer means what the file declares", c.Name))
		}
	}
	for _, c := range p.Undone().Calls {
		if c.Hidden {
			list = append(list, at(c.Node.Start, "%s is not the span here: the file's own %s hides it", c.On.Text("name"), c.On.Text("name")))
		}
	}
	helpers := p.helpers()
	for _, r := range p.known().uses {
		if v := p.New.Scopes.Resolve(r); v != nil && helpers[r.Name] != nil && v != helpers[r.Name] && !r.Initialises && !p.declares(v, r) {
			list = append(list, at(r.Start, "%s is not the file's %s here: a name of the function hides it", r.Name, r.Name))
		}
	}
	return list
}

// inWrapper says whether an added wrapper declares the name at a place.
func (p *Pair) inWrapper(offset int) bool {
	return p.Undone().Taken(jsast.Range{Start: offset, End: offset}) && slices.ContainsFunc(p.Undone().Spans, func(s *edit.Span) bool {
		return s.Call.Start <= offset && offset < s.Call.End
	})
}

// inFunctionCallback says whether a place is in a wrapper whose callback is no arrow: what
// arguments means there SAF-002 tells.
func (p *Pair) inFunctionCallback(offset int) bool {
	return slices.ContainsFunc(p.Undone().Flaws, func(f edit.Flaw) bool {
		return f.Kind == edit.NotArrow && f.Node.Start <= offset && offset < f.Node.End
	})
}

// helpers are the variables at the top level that hold a tracer or a name of the API.
func (p *Pair) helpers() map[string]*jsast.Variable {
	all := map[string]*jsast.Variable{}
	add := func(name string) {
		for i := range min(2, len(p.New.Scopes.All)) {
			for j := range p.New.Scopes.All[i].Variables {
				if v := &p.New.Scopes.All[i].Variables[j]; v.Name == name {
					all[name] = v
				}
			}
		}
	}
	for _, i := range p.New.Imports {
		if strings.HasPrefix(i.Module, "@opentelemetry/") {
			add(i.Local)
		}
	}
	for _, t := range p.Undone().Tracers {
		for _, n := range p.New.Tree.List("body") {
			for _, d := range n.List("declarations") {
				if d != nil && d.Holds(t.Range) {
					add(d.Child("id").Text("name"))
				}
			}
		}
	}
	return all
}

// declares says whether a use is the declaration of its variable.
func (p *Pair) declares(v *jsast.Variable, r jsast.Reference) bool {
	return slices.ContainsFunc(v.Definitions, func(d jsast.Definition) bool { return d.Name == r.Range })
}

var flawTold = map[edit.FlawKind]string{
	edit.NotArrow:      "the callback is no arrow function, so this, arguments and super mean something else in it",
	edit.AsyncDiffers:  "the callback is not async exactly as the function is",
	edit.ResultDropped: "the wrapper's result is not returned",
	edit.Swallowed:     "the error is not thrown again",
	edit.Rethrown:      "another error is thrown than the one that was caught",
	edit.Overridden:    "what leaves the finally takes the place of the function's result",
}

func meaning(p *Pair) []found {
	var list []found
	for _, f := range p.Undone().Flaws {
		list = append(list, at(f.Node.Start, "%s", flawTold[f.Kind]))
	}
	for _, s := range p.Undone().Spans {
		if f := p.original(s); f != nil {
			if why := edit.Forbidden(p.Orig, f); why != "" {
				list = append(list, at(s.Call.Start, "this function must not be wrapped: %s", why))
			}
		}
	}
	return append(list, p.generating()...)
}

// generating finds added calls of startActiveSpan whose callback is a generator: it is called
// and never runs.
func (p *Pair) generating() (list []found) {
	jsast.Walk(p.New.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		callee := n.Child("callee")
		if n.Type != "CallExpression" || callee.Type != "MemberExpression" || callee.Child("property").Text("name") != "startActiveSpan" {
			return true
		}
		args := n.List("arguments")
		if len(args) == 0 || args[len(args)-1] == nil || !args[len(args)-1].Is("generator") ||
			!p.Undone().Added(jsast.Reference{Range: callee.Child("property").Range}) {
			return true
		}
		list = append(list, at(n.Start, "the callback is a generator: calling it runs nothing of it"))
		return true
	})
	return list
}

func helpersImported(p *Pair) []found {
	var list []found
	told := map[string]bool{} // the first use tells
	for _, r := range p.known().uses {
		if p.undeclared(r) && isHelper(r.Name) && !told[r.Name] {
			told[r.Name] = true
			list = append(list, at(r.Start, "%s is used and not imported", r.Name))
		}
	}
	for _, i := range p.known().imports {
		if i.Module == edit.API && i.Imported != "" && !slices.Contains(apiExports, i.Imported) {
			list = append(list, at(i.Node.Start, "%s exports no %s", edit.API, i.Imported))
		}
	}
	return append(list, p.missingMembers()...)
}

// missingMembers finds api.X where api is all of the API, or its default export, and
// that has no X.
func (p *Pair) missingMembers() (list []found) {
	has := map[string][]string{}
	what := map[string]string{}
	for _, i := range p.New.Imports {
		switch {
		case i.Module != edit.API || i.Local == "":
		case i.Imported == "*":
			has[i.Local], what[i.Local] = apiExports, edit.API+" exports"
		case i.Imported == "default":
			has[i.Local], what[i.Local] = apiDefault, "the default export of "+edit.API+" has"
		}
	}
	if len(has) == 0 {
		return nil
	}
	jsast.Walk(p.New.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		root, name := n.Child("object"), property(n)
		if n.Type != "MemberExpression" || root.Type != "Identifier" || has[root.Text("name")] == nil || name == "" || slices.Contains(has[root.Text("name")], name) {
			return true
		}
		if i := slices.IndexFunc(p.known().uses, func(r jsast.Reference) bool { return r.Range == root.Range }); i >= 0 {
			list = append(list, at(n.Start, "%s no %s", what[root.Text("name")], name))
		}
		return true
	})
	return list
}

func unused(p *Pair) []found {
	var list []found
	say := func(name string, node *jsast.Node) {
		if name != "" && !p.isUsed(name) {
			list = append(list, at(node.Start, "%s is never used", name))
		}
	}
	for _, i := range p.known().imports {
		if strings.HasPrefix(i.Module, "@opentelemetry/") {
			say(i.Local, i.Node)
		}
	}
	for _, t := range p.Undone().Tracers {
		jsast.Walk(p.New.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
			if n.Type == "VariableDeclarator" && n.Child("init") != nil && n.Child("init").Range == t.Range {
				say(n.Child("id").Text("name"), n)
			}
			return n.Holds(t.Range)
		})
	}
	return list
}

// isUsed says whether a name is read anywhere.
func (p *Pair) isUsed(name string) bool {
	for i := range p.New.Scopes.All {
		if slices.ContainsFunc(p.New.Scopes.All[i].References, func(r jsast.Reference) bool { return r.Name == name && r.Reads }) {
			return true
		}
	}
	return slices.ContainsFunc(p.New.Exports, func(e jsast.Export) bool { return e.Local == name })
}

func expressions(p *Pair) []found {
	var list []found
	for _, r := range p.Undone().Refused() {
		if !r.Data {
			continue
		}
		f := at(r.Node.Start, "the expression can run code of the program: %s: %s", excerpt(p.New, r.Node), &r)
		if r.Throws {
			f.message = fmt.Sprintf("the expression can throw: %s: %s", excerpt(p.New, r.Node), &r)
		}
		f.severity = Blocking
		list = append(list, f)
	}
	for _, e := range p.Undone().Exprs {
		if !e.Data {
			continue
		}
		list = append(list, p.namesOf(e)...)
		if e.Call != nil && p.Undone().IsHarmless(e.Node) {
			list = append(list, p.canThrow(e)...)
		}
	}
	return list
}

// namesOf judges the names in an added expression: each is declared and has its value.
func (p *Pair) namesOf(e edit.Expr) (list []found) {
	for _, r := range p.known().uses {
		if !e.Node.Holds(r.Range) {
			continue
		}
		v := p.New.Scopes.Resolve(r)
		f := found{severity: Blocking, offset: r.Start}
		switch {
		case p.undeclared(r) && !isHelper(r.Name):
			f.message = r.Name + " is not declared"
		case v != nil && p.New.Scopes.Ready(v, r.Start) == jsast.Unready:
			f.message = r.Name + " has no value yet"
		default:
			continue
		}
		list = append(list, f)
	}
	return list
}

// canThrow finds members that are read of what may be null or undefined. A path that
// the function reads members of anywhere, or that a guard tests, is taken to be there.
func (p *Pair) canThrow(e edit.Expr) (list []found) {
	present := p.readPaths(e)
	for _, n := range p.Undone().Unsure(e) {
		object := n.Child("object")
		path := jsast.Path(object)
		absent := path != "" && p.mayBeAbsent(e, path)
		if path == "" || path == "this" || !absent && (present[path] || p.constant(object)) {
			continue
		}
		f := at(n.Start, "%s throws if %s is null or undefined", excerpt(p.New, n), path)
		if absent {
			f.message += ", which the code expects"
			f.severity = Blocking
		}
		list = append(list, f)
	}
	if len(list) > 1 {
		list = list[:1]
	}
	return list
}

// constant says whether a name is an import, a built-in, the span, a class, a function,
// declared at the top level, or made with something that is never null or undefined.
func (p *Pair) constant(n *jsast.Node) bool {
	if n.Type != "Identifier" {
		return false
	}
	v := p.New.Scopes.Lookup(n.Start, n.Text("name"))
	if v == nil {
		return slices.Contains(globals, n.Text("name")) || isHelper(n.Text("name"))
	}
	if v.Scope <= 1 || len(v.Definitions) > 0 && slices.Contains([]string{"CatchClause", "ClassName", "FunctionName"}, v.Definitions[0].Kind) {
		return true
	}
	return p.isPresent(p.made(n))
}

// isPresent says whether an expression is neither null nor undefined for sure.
func (p *Pair) isPresent(n *jsast.Node) bool {
	if n == nil {
		return false
	}
	switch n.Type {
	case "ObjectExpression", "NewExpression", "ArrowFunctionExpression", "FunctionExpression", "ClassExpression":
		return true
	case "Literal":
		return n.Text("kind") != "null"
	}
	return edit.NewArray(n) || p.isString(n) || isNumber(n)
}

// readPaths are the paths that the original's function reads members of, and those
// in the conditions around an expression.
func (p *Pair) readPaths(e edit.Expr) map[string]bool {
	present := map[string]bool{}
	if e.Call.On.Type == "Identifier" {
		present[e.Call.On.Text("name")] = true
	}
	note := func(n *jsast.Node, _ []*jsast.Node) bool {
		switch n.Type { // these throw on null too
		case "ForOfStatement":
			present[jsast.Path(n.Child("right"))] = true
		case "SpreadElement":
			present[jsast.Path(n.Child("argument"))] = true
		case "VariableDeclarator":
			if id := n.Child("id").Type; id == "ObjectPattern" || id == "ArrayPattern" {
				present[jsast.Path(n.Child("init"))] = true
			}
		}
		if object := n.Child("object"); n.Type == "MemberExpression" && !n.Is("optional") {
			if path := jsast.Path(object); path != "" {
				present[path] = true
			}
		}
		return true
	}
	for i := range p.Orig.Functions {
		f := &p.Orig.Functions[i]
		if e.Call.New != nil && p.Undone().Later(f) == e.Call.New.Start {
			jsast.Walk(f.Node, note)
		}
	}
	for _, guard := range append(slices.Clone(e.Call.Guards), e.Node) {
		jsast.Walk(guard, func(n *jsast.Node, above []*jsast.Node) bool {
			// In a && a.b and a ? a.b : 0 the test is the guard.
			tests := guard != e.Node || len(above) > 0 && (above[len(above)-1].Type == jsast.LogicalChain || above[len(above)-1].Type == "ConditionalExpression" &&
				above[len(above)-1].Child("test") == n)
			if path := jsast.Path(n); path != "" && tests {
				for path != "" {
					present[path] = true
					path = path[:max(0, strings.LastIndexByte(path, '.'))]
				}
			}
			return true
		})
	}
	return present
}
