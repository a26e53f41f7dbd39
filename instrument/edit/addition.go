package edit

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// isAddition says whether a statement does nothing but speak to spans, or declare
// what is needed for it.
func (u *undoer) isAddition(n *jsast.Node) bool {
	switch n.Type {
	case "ImportDeclaration":
		return isTelemetry(n.Child("source").Text("value"))
	case "VariableDeclaration":
		return !isUsing(n) && !slices.ContainsFunc(n.List("declarations"), func(d *jsast.Node) bool { return !u.isAddedDeclarator(d) })
	case "ExpressionStatement":
		if n.Field("directive") != nil {
			return false
		}
		e := n.Child("expression")
		return isTelemetry(loaded(e)) || u.spanCalls(e) != nil
	case "IfStatement":
		then, other := n.Child("consequent"), n.Child("alternate")
		return u.onlyCalls(then) && (other == nil || u.onlyCalls(other))
	}
	return false
}

// onlyCalls says whether a branch of an if only calls methods of spans.
func (u *undoer) onlyCalls(n *jsast.Node) bool {
	list := statementsOf(n)
	return len(list) > 0 && !slices.ContainsFunc(list, func(s *jsast.Node) bool {
		return s.Type != "ExpressionStatement" && s.Type != "IfStatement" || !u.isAddition(s)
	})
}

func (u *undoer) allAdditions(list []*jsast.Node) bool {
	return !slices.ContainsFunc(list, func(s *jsast.Node) bool { return !u.isAddition(s) })
}

func (u *undoer) isAddedDeclarator(d *jsast.Node) bool {
	init := d.Child("init")
	if init == nil {
		return false
	}
	if isTelemetry(loaded(init)) && !getTracer(init, u.api) {
		return true
	}
	call, active := u.startedBy(init)
	return d.Child("id").Type == "Identifier" &&
		(getTracer(init, u.api) || call != nil && !active && init.Type == "CallExpression" || activeSpan(init))
}

// isUsing: a declaration that disposes of its value does more than hold it.
func isUsing(n *jsast.Node) bool { return strings.HasSuffix(n.Text("kind"), "using") }

// hidden are expressions that a pattern, or the load of a module, can hold: defaults,
// computed members, options.
func hidden(n *jsast.Node) []*jsast.Node {
	var list []*jsast.Node
	jsast.Walk(n, func(n *jsast.Node, _ []*jsast.Node) bool {
		switch {
		case n.Type == "AssignmentPattern":
			list = append(list, n.Child("right"))
		case n.Type == "MemberExpression" && n.Is("computed"):
			list = append(list, n.Child("property"))
		case n.Type == "Property" && n.Is("computed"):
			list = append(list, n.Child("key"))
		case n.Type == "ImportExpression" && n.Child("options") != nil:
			list = append(list, n.Child("options"))
		}
		return true
	})
	return list
}

func (u *undoer) recordAll(list []*jsast.Node) {
	for _, n := range list {
		u.record(n)
	}
}

// record keeps what an addition is, and takes it out.
func (u *undoer) record(n *jsast.Node) {
	u.take(n.Range)
	u.out.statements = append(u.out.statements, n.Range)
	switch n.Type {
	case "ImportDeclaration":
		u.out.Imports = append(u.out.Imports, Import{n.Child("source").Text("value"), jsast.ImportStatic, n})
		u.out.foreign = append(u.out.foreign, n.List("attributes")...)
	case "VariableDeclaration":
		for _, d := range n.List("declarations") {
			u.recordDeclarator(d, n)
		}
	case "ExpressionStatement":
		e := n.Child("expression")
		if module := loaded(e); isTelemetry(module) {
			u.load(module, e, n)
			u.addExprs(nil, hidden(e)...)
			return
		}
		for _, c := range u.spanCalls(e) {
			u.recordCall(c)
		}
	case "IfStatement":
		test := n.Child("test")
		u.addExpr(Expr{Node: test, Data: true})
		u.guards = append(slices.Clone(u.guards), test)
		u.recordAll(statementsOf(n.Child("consequent")))
		if other := n.Child("alternate"); other != nil {
			u.guards[len(u.guards)-1] = not(test)
			u.recordAll(statementsOf(other))
		}
		u.guards = u.guards[:len(u.guards)-1]
	}
}

// load keeps an added load of a module. Two of them do more: import() makes the code wait,
// and a require of the function's own is not node's.
func (u *undoer) load(module string, e, statement *jsast.Node) {
	form := loadForm(e)
	u.out.Imports = append(u.out.Imports, Import{module, form, statement})
	if form == jsast.ImportDynamic || u.ownRequire(e) {
		u.out.foreign = append(u.out.foreign, statement)
	}
}

func (u *undoer) ownRequire(e *jsast.Node) (own bool) {
	jsast.Walk(e, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "Identifier" && n.Text("name") == "require" {
			v := u.variable(n)
			own = own || v != nil && v.Scope > fileScope
		}
		return true
	})
	return own
}

func loadForm(e *jsast.Node) jsast.ImportForm {
	form := jsast.ImportRequire
	jsast.Walk(e, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "ImportExpression" {
			form = jsast.ImportDynamic
		}
		return true
	})
	return form
}

func (u *undoer) recordDeclarator(d, statement *jsast.Node) {
	id, init := d.Child("id"), d.Child("init")
	if getTracer(init, u.api) {
		u.addTracer(init)
		return
	}
	if module := loaded(init); module != "" {
		u.load(module, init, statement)
		u.addExprs(nil, hidden(d)...)
		return
	}
	if call, _ := u.startedBy(init); call != nil {
		s := u.newSpan(call, false)
		if id.Type == "Identifier" {
			s.Variable = id.Text("name")
			u.spanOf[u.definitions[id.Start]] = s
		}
		u.open = append(u.open, s)
	}
}

// addTracer keeps a call of getTracer, with all that could have an effect in it.
func (u *undoer) addTracer(call *jsast.Node) {
	u.out.Tracers = append(u.out.Tracers, call)
	u.addExprs(nil, call.List("arguments")...)
	object := call.Child("callee").Child("object")
	if loaded(object) == "" {
		u.addExprs(nil, object)
		return
	}
	u.addExprs(nil, hidden(object)...)
	if loadForm(object) == jsast.ImportDynamic || u.ownRequire(object) {
		u.out.foreign = append(u.out.foreign, call)
	}
}

func (u *undoer) newSpan(call *jsast.Node, active bool) *Span {
	s := &Span{Call: call, Active: active, Tracer: call.Child("callee").Child("object"), Orig: u.a, New: u.b}
	args := call.List("arguments")
	if active && callback(call) != nil {
		args = args[:len(args)-1]
	}
	if len(args) > 0 {
		s.Name = args[0]
	}
	if len(args) > 1 {
		s.Options = args[1]
	}
	switch {
	case getTracer(s.Tracer, u.api):
		u.addTracer(s.Tracer)
	case s.Tracer.Type == "MemberExpression" && !u.hasPath(jsast.Path(s.Tracer)): // nothing says that there is one
		u.out.foreign = append(u.out.foreign, s.Tracer)
	}
	if len(args) > 2 && !isContext(args[2]) {
		u.out.foreign = append(u.out.foreign, args[2])
	}
	for i, arg := range args {
		u.addExpr(Expr{Node: arg, Data: i > 0})
	}
	u.out.Spans = append(u.out.Spans, s)
	return s
}

// hasPath says whether the original reads a path.
func (u *undoer) hasPath(path string) (has bool) {
	jsast.Walk(u.orig.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		has = has || n.Type == "MemberExpression" && jsast.Path(n) == path
		return !has
	})
	return has
}

// isContext says whether an expression gives a context, by its name: starting a span in
// anything else throws.
func isContext(n *jsast.Node) bool {
	if n.Type == "CallExpression" {
		n = n.Child("callee")
	}
	path := strings.ToLower(jsast.Path(n))
	return strings.Contains(path, "context") || strings.Contains(path, "ctx") || strings.HasSuffix(path, "trace.setspan")
}

func (u *undoer) recordCall(c spanCall) {
	call := &Call{
		Node: c.call, Method: c.method, Args: c.call.List("arguments"), On: c.on,
		Place: u.place, Clause: u.clause, Guards: slices.Clone(u.guards), Catches: u.caught, New: u.b,
	}
	if c.on.Type == "Identifier" {
		named := u.spanNamed(c.on.Text("name"))
		v := u.variable(c.on)
		call.Span = u.spanOf[v]
		if v == nil || !u.spanVars[v] {
			call.Span, call.Hidden = named, v != nil
		}
	}
	if call.Span == nil && !call.Hidden && (c.method == "end" || c.method == "updateName") { // it is not ours to end
		u.out.foreign = append(u.out.foreign, c.call)
	}
	u.out.Calls = append(u.out.Calls, call)
	u.addExprs(call, call.Args...)
}

func (u *undoer) addExprs(call *Call, list ...*jsast.Node) {
	data := call != nil && (call.Method == "setAttribute" || call.Method == "setAttributes" || call.Method == "addEvent")
	for _, n := range list {
		u.addExpr(Expr{Node: n, Call: call, Data: data})
	}
}

func (u *undoer) addExpr(e Expr) {
	e.Guards = slices.Clone(u.guards)
	jsast.Walk(e.Node, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "Identifier" && u.isSpan(n) {
			u.out.spanNames[n.Start] = true
		}
		return true
	})
	u.out.Exprs = append(u.out.Exprs, e)
}

func not(test *jsast.Node) *jsast.Node {
	return &jsast.Node{Type: "UnaryExpression", Range: test.Range, Fields: []jsast.Field{
		{Name: "argument", Kind: jsast.NodeField, Node: test}, {Name: "operator", Kind: jsast.TextField, Text: "!"},
	}}
}
