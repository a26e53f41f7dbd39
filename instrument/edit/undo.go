package edit

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// Undo takes out of a later file what [Undone] lists, and compares the rest with
// the original.
func Undo(orig, later *jsast.Module) *Undone {
	u := &undoer{
		orig: orig, new: later, references: map[int]jsast.Reference{}, tracers: map[*jsast.Variable]bool{},
		spanVars: map[*jsast.Variable]bool{}, spanOf: map[*jsast.Variable]*Span{}, place: InBody, tries: 200,
		out: &Undone{Orig: orig, New: later, starts: map[int]int{}, kept: map[int]bool{}, wrapping: map[int]*Span{}, spanNames: map[int]bool{}},
	}
	u.index()
	a := jsast.Normal(orig.Tree)
	u.out.Stripped = u.node(a, jsast.Normal(later.Tree))
	u.out.compare(a)
	return u.out
}

type undoer struct {
	orig, new   *jsast.Module
	references  map[int]jsast.Reference // of new, by offset
	definitions map[int]*jsast.Variable // of new, by offset of the name
	api         map[string]bool         // its names for telemetry packages
	tracers     map[*jsast.Variable]bool
	spanVars    map[*jsast.Variable]bool
	spanOf      map[*jsast.Variable]*Span
	out         *Undone

	// Where the walk is.
	open    []*Span // added spans around or before it, the innermost last
	a, b    *jsast.Node
	place   Place
	clause  *jsast.Node
	caught  string
	guards  []*jsast.Node
	loading *jsast.Node // the pattern that takes names of the API apart
	tries   int         // how many trys may still be tried in two ways
}

func (u *undoer) spanNamed(name string) *Span {
	for _, s := range slices.Backward(u.open) {
		if s.Variable == name {
			return s
		}
	}
	return nil
}

// node takes the additions out of b, which stands where a stood. Both are normal
// forms. Where they do not meet, b stays as it is.
func (u *undoer) node(a, b *jsast.Node) *jsast.Node {
	if a == nil || b == nil {
		return b
	}
	if a.Type != b.Type {
		return u.exported(a, b)
	}
	switch b.Type {
	case "FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression":
		return u.function(a, b)
	case "TryStatement":
		return u.try(a, b)
	case "VariableDeclarator":
		if loaded(b.Child("init")) == API {
			u.loading = b.Child("id")
		}
	}
	out := &jsast.Node{Type: b.Type, Range: b.Range, Fields: slices.Clone(b.Fields)}
	for i := range out.Fields {
		f := &out.Fields[i]
		g := a.Field(f.Name)
		switch {
		case g == nil:
		case f.Kind == jsast.NodeField && branch(b.Type, f.Name):
			u.branch(g, f)
		case f.Kind == jsast.NodeField && g.Kind == jsast.NodeField:
			f.Node = u.node(g.Node, f.Node)
		case f.Kind == jsast.ListField && g.Kind == jsast.ListField:
			f.List = u.list(a, b, f.Name, g.List, f.List)
		}
	}
	return out
}

// exported takes the additions out of a declaration that is exported in one file only. That
// stays a difference; the declaration is no other one for it.
func (u *undoer) exported(a, b *jsast.Node) *jsast.Node {
	was, now := declaration(a), declaration(b)
	if was == a && now == b || was.Type != now.Type {
		return b
	}
	kept := u.node(was, now)
	if now == b {
		return kept
	}
	return with(b, jsast.Field{Name: "declaration", Kind: jsast.NodeField, Node: kept})
}

// declaration is what an export declares; anything else is itself.
func declaration(n *jsast.Node) *jsast.Node {
	if n.Type != "ExportNamedDeclaration" && n.Type != "ExportDefaultDeclaration" {
		return n
	}
	if d := n.Child("declaration"); d != nil && strings.HasSuffix(d.Type, "Declaration") {
		return d
	}
	return n
}

func (u *undoer) list(a, b *jsast.Node, field string, as, bs []*jsast.Node) []*jsast.Node {
	switch {
	case b.Type == "Program" || b.Type == "BlockStatement" || b.Type == "StaticBlock" || b.Type == "SwitchCase" && field == "consequent":
		list, _ := u.statements(as, bs, false)
		return list
	case b.Type == "ImportDeclaration" && field == "specifiers" && b.Child("source").Text("value") == API && len(bs) > len(as):
		return u.names(jsast.ImportStatic, as, bs)
	case b == u.loading && field == "properties" && len(bs) > len(as):
		return u.names(jsast.ImportRequire, as, bs)
	case b.Type == "VariableDeclaration" && len(bs) > len(as) && !isUsing(b):
		return u.declarators(as, bs)
	}
	out := slices.Clone(bs)
	for i := range min(len(as), len(bs)) {
		out[i] = u.node(as[i], bs[i])
	}
	return out
}

// names takes out what was added to an import, or to a pattern that destructures one.
func (u *undoer) names(form jsast.ImportForm, as, bs []*jsast.Node) []*jsast.Node {
	var out []*jsast.Node
	for _, b := range bs {
		if i := len(out); i < len(as) && equal(as[i], b) {
			out = append(out, b)
			continue
		}
		u.take(b.Range)
		u.out.Imports = append(u.out.Imports, Import{API, form, b})
		u.addExprs(nil, hidden(b)...)
	}
	return out
}

func (u *undoer) declarators(as, bs []*jsast.Node) []*jsast.Node {
	var out []*jsast.Node
	for _, b := range bs {
		i := len(out)
		if (i >= len(as) || !equal(as[i], b)) && u.isAddedDeclarator(b) {
			u.recordDeclarator(b, b)
			u.take(b.Range)
			continue
		}
		if i < len(as) {
			b = u.node(as[i], b)
		}
		out = append(out, b)
	}
	return out
}

func branch(typ, field string) bool {
	switch typ {
	case "IfStatement":
		return field == "consequent" || field == "alternate"
	case "ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement":
		return field == "body"
	}
	return false
}

// branch handles a statement that may have lost its braces with the additions in it.
func (u *undoer) branch(g, f *jsast.Field) {
	bs := statementsOf(f.Node)
	if g.Node == nil {
		if u.allAdditions(bs) {
			u.recordAll(bs)
			*f = jsast.Field{Name: f.Name, Kind: jsast.NullField}
		}
		return
	}
	list, _ := u.statements(statementsOf(g.Node), bs, false)
	f.Node = jsast.WithoutBraces(block(f.Node, list))
}

func statementsOf(n *jsast.Node) []*jsast.Node {
	if n.Type == "BlockStatement" {
		return n.List("body")
	}
	return []*jsast.Node{n}
}

func block(at *jsast.Node, list []*jsast.Node) *jsast.Node {
	return &jsast.Node{Type: "BlockStatement", Range: at.Range, Fields: []jsast.Field{{Name: "body", Kind: jsast.ListField, List: list}}}
}

func with(n *jsast.Node, fields ...jsast.Field) *jsast.Node {
	out := &jsast.Node{Type: n.Type, Range: n.Range, Fields: slices.Clone(n.Fields)}
	for _, f := range fields {
		if g := out.Field(f.Name); g != nil {
			*g = f
		}
	}
	return out
}

func equal(a, b *jsast.Node) bool { return jsast.DiffNormal(a, b) == nil }

// function pairs the bodies of two functions. A body without braces counts as one
// return, and loses what it got with the additions.
func (u *undoer) function(a, b *jsast.Node) *jsast.Node {
	defer u.enter(a, b)()
	out := with(b)
	for i := range out.Fields {
		f, g := &out.Fields[i], a.Field(out.Fields[i].Name)
		if f.Kind == jsast.ListField && g != nil && g.Kind == jsast.ListField { // parameters
			f.List = u.list(a, b, f.Name, g.List, f.List)
		}
	}
	from, to := a.Child("body"), b.Child("body")
	concise := from.Type != "BlockStatement"
	if concise && to.Type != "BlockStatement" {
		if call, active := u.startedBy(to); call == nil || !active || equal(from, to) {
			return with(out, jsast.Field{Name: "body", Kind: jsast.NodeField, Node: u.node(from, to)})
		}
	}
	before := len(u.out.taken)
	list, _ := u.statements(bodyOf(from), bodyOf(to), true)
	body := to
	switch {
	case len(u.out.taken) == before && (concise || to.Type != "BlockStatement") && concise != (to.Type != "BlockStatement"):
		return out // nothing was added, so the form of the body is a difference
	case concise && len(list) == 1 && list[0].Type == "ReturnStatement" && list[0].Child("argument") != nil:
		body = list[0].Child("argument")
		out = with(out, flag("expression", true))
	default:
		body = block(to, list)
		out = with(out, flag("expression", false))
	}
	return with(out, jsast.Field{Name: "body", Kind: jsast.NodeField, Node: body})
}

func flag(name string, on bool) jsast.Field {
	if on {
		return jsast.Field{Name: name, Kind: jsast.TrueField}
	}
	return jsast.Field{Name: name, Kind: jsast.FalseField}
}

// bodyOf is a function's statements; of a body without braces one return.
func bodyOf(body *jsast.Node) []*jsast.Node {
	if body.Type == "BlockStatement" {
		return body.List("body")
	}
	return []*jsast.Node{returning(body)}
}

func returning(n *jsast.Node) *jsast.Node {
	return &jsast.Node{Type: "ReturnStatement", Range: n.Range, Fields: []jsast.Field{{Name: "argument", Kind: jsast.NodeField, Node: n}}}
}

// enter begins a function; the result ends it.
func (u *undoer) enter(a, b *jsast.Node) (leave func()) {
	was := *u
	u.a, u.b, u.place, u.clause, u.caught, u.guards = a, b, InBody, nil, "", nil
	u.open = slices.Clone(u.open)
	return func() {
		tries := u.tries
		*u = was
		u.tries = tries
	}
}

// try pairs two trys: a catch or finally may have been added, and statements to both.
func (u *undoer) try(a, b *jsast.Node) *jsast.Node {
	t := &Try{Span: u.innermost(), Node: b}
	body, _ := u.statements(a.Child("block").List("body"), b.Child("block").List("body"), false)
	out := with(b, jsast.Field{Name: "block", Kind: jsast.NodeField, Node: block(b.Child("block"), body)})
	switch from, to := a.Child("handler"), b.Child("handler"); {
	case to == nil:
	case from == nil && u.isAddedHandler(to):
		t.Handler = to
		u.recordHandler(to)
		out = with(out, jsast.Field{Name: "handler", Kind: jsast.NullField})
	case from != nil:
		out = with(out, jsast.Field{Name: "handler", Kind: jsast.NodeField, Node: u.handler(from, to)})
	}
	switch from, to := a.Child("finalizer"), b.Child("finalizer"); {
	case to == nil:
	case from == nil && u.allAdditions(to.List("body")):
		t.Finalizer = to
		u.inFinalizer(to, func() { u.recordAll(to.List("body")) })
		u.take(to.Range)
		out = with(out, jsast.Field{Name: "finalizer", Kind: jsast.NullField})
	case from != nil:
		before := len(u.out.taken)
		u.inFinalizer(to, func() {
			list, _ := u.statements(from.List("body"), to.List("body"), false)
			out = with(out, jsast.Field{Name: "finalizer", Kind: jsast.NodeField, Node: block(to, list)})
		})
		if len(u.out.taken) > before {
			t.Finalizer = to
		}
	}
	if t.Handler != nil || t.Finalizer != nil {
		u.out.Tries = append(u.out.Tries, t)
	}
	return out
}

// handler pairs two catch clauses of the user.
func (u *undoer) handler(from, to *jsast.Node) *jsast.Node {
	place, clause, caught := u.place, u.clause, u.caught
	u.place, u.clause, u.caught = InUserHandler, to, to.Child("param").Text("name")
	list, _ := u.statements(from.Child("body").List("body"), to.Child("body").List("body"), false)
	u.place, u.clause, u.caught = place, clause, caught
	out := with(to, jsast.Field{Name: "body", Kind: jsast.NodeField, Node: block(to.Child("body"), list)})
	if from.Child("param") == nil && to.Child("param") != nil && to.Child("param").Type == "Identifier" {
		u.take(to.Child("param").Range)
		return with(out, jsast.Field{Name: "param", Kind: jsast.NullField})
	}
	return with(out, jsast.Field{Name: "param", Kind: kindOf(to.Child("param")), Node: u.node(from.Child("param"), to.Child("param"))})
}

func kindOf(n *jsast.Node) jsast.FieldKind {
	if n == nil {
		return jsast.NullField
	}
	return jsast.NodeField
}

func (u *undoer) inFinalizer(clause *jsast.Node, f func()) {
	place, was := u.place, u.clause
	u.place, u.clause = InFinalizer, clause
	f()
	u.place, u.clause = place, was
}

func (u *undoer) innermost() *Span {
	if len(u.open) == 0 {
		return nil
	}
	return u.open[len(u.open)-1]
}

func (u *undoer) take(r jsast.Range) { u.out.taken = append(u.out.taken, r) }

func (u *undoer) flaw(kind FlawKind, n *jsast.Node) {
	u.out.Flaws = append(u.out.Flaws, Flaw{kind, n})
}

type mark struct {
	spans, tries, calls, tracers, imports, exprs, taken, statements, open, flaws, foreign int
}

func (u *undoer) mark() mark {
	o := u.out
	return mark{len(o.Spans), len(o.Tries), len(o.Calls), len(o.Tracers), len(o.Imports), len(o.Exprs), len(o.taken), len(o.statements), len(u.open), len(o.Flaws),
		len(o.foreign)}
}

// reset forgets what was recorded since the mark.
func (u *undoer) reset(m mark) {
	o := u.out
	o.Spans, o.Tries, o.Calls, o.Tracers = o.Spans[:m.spans], o.Tries[:m.tries], o.Calls[:m.calls], o.Tracers[:m.tracers]
	o.Imports, o.Exprs, o.taken, o.Flaws = o.Imports[:m.imports], o.Exprs[:m.exprs], o.taken[:m.taken], o.Flaws[:m.flaws]
	o.statements, o.foreign = o.statements[:m.statements], o.foreign[:m.foreign]
	u.open = u.open[:m.open]
}
