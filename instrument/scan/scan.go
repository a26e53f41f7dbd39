// Package scan says of each function in a JavaScript module whether a span belongs
// there, and why. It is pure: it reads nothing, starts nothing and calls no model.
//
// Promises.
//   - A function that instrument/edit would not wrap is forbidden, with its reason.
//   - A candidate names its tier: 1 for a call to the outside that no instrumentation
//     library covers, 2 for a function whose span the registry has, 3 for an exported
//     async function of a service or handler file. All else gets no span.
//   - Where a value comes from is followed from imports through constructors and
//     variables of the file. What comes in as a parameter is not followed: calls on
//     it count as calls inside of the program.
package scan

import (
	"path"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// Verdict is what a scan says of a function.
type Verdict string

const (
	Candidate Verdict = "candidate" // a span belongs there
	Covered   Verdict = "covered"   // a library makes the span
	Forbidden Verdict = "forbidden" // it is never wrapped
	Skip      Verdict = "skip"      // it may be wrapped, and nothing speaks for it
)

// File is what stands in one module.
type File struct {
	Path      string           `json:"path"`
	Source    string           `json:"source"` // SHA-256 in hex; a plan carries it
	Type      jsast.SourceType `json:"type"`
	Lines     int              `json:"lines"`
	Functions []Function       `json:"functions"`
	Libraries []Library        `json:"libraries"` // that would make spans for what it imports
	Note      string           `json:"note,omitempty"`
	links     *links
}

// Function is one function and its verdict.
type Function struct {
	ID         string   `json:"id"` // as in a plan
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Async      bool     `json:"async"`
	Exported   []string `json:"exported"`
	Line       int      `json:"line"`
	EndLine    int      `json:"endLine"`
	Params     []Value  `json:"params"`
	Locals     []Value  `json:"locals"` // declared in its own block: a plan can set attributes after them
	Calls      []Call   `json:"calls"`  // to the outside
	Spans      []string `json:"spans"`  // that it makes already, by name
	Verdict    Verdict  `json:"verdict"`
	Tier       int      `json:"tier,omitempty"`
	Rule       string   `json:"rule,omitempty"` // that forbids it
	Reason     string   `json:"reason"`
	Span       string   `json:"span,omitempty"`       // of the registry
	Attributes []string `json:"attributes,omitempty"` // that the registry wants on that span
	Through    []string `json:"through,omitempty"`    // functions of the project up to the call that leaves it
	CoveredBy  []string `json:"coveredBy,omitempty"`
	HandlerOf  string   `json:"handlerOf,omitempty"` // the server that calls it
	function   *jsast.Function
	node       *jsast.Node
	facts      *callFacts
	part       bool // of the function around it
}

// Value is a name with a guess of its type; "" where nothing tells.
type Value struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	Line int    `json:"line"`
}

// Options are what is known beside the module.
type Options struct {
	Path     string // as reports name it, with /
	Contract *Contract
}

// Inventory says what stands in a module.
func Inventory(m *jsast.Module, o Options) *File {
	f := &File{Path: o.Path, Type: m.Type, Lines: m.Pos(len(m.Source)).Line, Functions: []Function{}, Libraries: []Library{}}
	from := findOrigins(m)
	f.links = from.links()
	refuse := edit.Refusals(m)
	for i := range m.Functions {
		fn := describe(m, &m.Functions[i])
		fn.facts = from.callsOf(fn.function)
		fn.Calls = fn.facts.external()
		fn.HandlerOf = fn.facts.handlerOf
		fn.judge(refuse(fn.function), o)
		f.Functions = append(f.Functions, fn)
	}
	for _, i := range m.Imports {
		for _, l := range covering(packageOf(i.Module)) {
			if !slices.ContainsFunc(f.Libraries, func(had Library) bool { return had.Package == l.Package }) {
				f.Libraries = append(f.Libraries, l)
			}
		}
	}
	if n := f.Candidates(); n > 3 && 5*n > len(f.Functions) {
		f.Note = "more than a fifth of its functions would get a span: look whether each is an operation of its own"
	}
	return f
}

// Forget lets go of all that is not said of the file.
func (f *File) Forget() {
	f.links = nil
	f.ForgetTree()
}

// ForgetTree lets go of the syntax tree, which is far larger than what is said of it. Join needs none.
func (f *File) ForgetTree() {
	for i := range f.Functions {
		fn := &f.Functions[i]
		fn.function, fn.node, fn.facts = nil, nil, nil
	}
}

// Node is the function's syntax node; nil after Forget.
func (fn *Function) Node() *jsast.Node { return fn.node }

// Candidates counts them.
func (f *File) Candidates() (n int) {
	for _, fn := range f.Functions {
		if fn.Verdict == Candidate {
			n++
		}
	}
	return n
}

func describe(m *jsast.Module, f *jsast.Function) Function {
	out := Function{
		ID: f.ID, Name: f.Label(), Kind: string(f.Kind), Async: f.Async, Exported: append([]string{}, f.Exported...), Line: f.Start.Line, EndLine: f.End.Line,
		Params: []Value{}, Locals: []Value{}, Calls: []Call{}, Spans: []string{}, function: f, node: f.Node,
	}
	for i, p := range f.Params {
		for _, name := range p.Names {
			v := Value{Name: name, Line: m.Pos(p.Start).Line}
			if n := f.Node.List("params")[i]; n.Type == "AssignmentPattern" && n.Child("left").Type == "Identifier" {
				v.Type = guess(n.Child("right"))
			}
			out.Params = append(out.Params, v)
		}
	}
	for _, n := range f.Node.Child("body").List("body") {
		for _, d := range n.List("declarations") {
			if id := d.Child("id"); id.Type == "Identifier" {
				out.Locals = append(out.Locals, Value{id.Text("name"), guess(d.Child("init")), m.Pos(n.Start).Line})
			}
		}
	}
	jsast.Walk(f.Node.Child("body"), func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "CallExpression" && n.Child("callee").Type == "MemberExpression" {
			method := n.Child("callee").Child("property").Text("name")
			if args := n.List("arguments"); (method == "startActiveSpan" || method == "startSpan") && len(args) > 0 && args[0].Text("kind") == "string" {
				out.Spans = append(out.Spans, args[0].Text("value"))
			}
		}
		return n == f.Node.Child("body") || !isFunction(n)
	})
	return out
}

// guess is the type of an expression where its form tells it.
func guess(n *jsast.Node) string {
	if n == nil {
		return ""
	}
	switch n.Type {
	case "Literal":
		return strings.NewReplacer("regexp", "object", "null", "").Replace(n.Text("kind"))
	case "TemplateLiteral":
		return "string"
	case "ArrayExpression":
		return "array"
	case "ObjectExpression", "NewExpression":
		return "object"
	case "ArrowFunctionExpression", "FunctionExpression":
		return "function"
	case "AwaitExpression":
		return ""
	case "UnaryExpression":
		switch n.Text("operator") {
		case "!":
			return "boolean"
		case "typeof":
			return "string"
		case "-", "+", "~":
			return "number"
		}
	case "BinaryExpression":
		switch op := n.Text("operator"); {
		case strings.ContainsAny(op, "=<>!") && op != ">>" && op != "<<" && op != ">>>", op == "in", op == "instanceof":
			return "boolean"
		case op != "+":
			return "number"
		case guess(n.Child("left")) == "string" || guess(n.Child("right")) == "string":
			return "string"
		}
	case "MemberExpression":
		if !n.Is("computed") && n.Child("property").Text("name") == "length" {
			return "number"
		}
	}
	return ""
}

func isFunction(n *jsast.Node) bool {
	return n.Type == "FunctionDeclaration" || n.Type == "FunctionExpression" || n.Type == "ArrowFunctionExpression"
}

// ruleOf is the rule behind a reason of instrument/edit.
func ruleOf(reason string) string {
	switch {
	case reason == edit.AlreadyMakesSpans:
		return "RST-005"
	case strings.Contains(reason, "process.exit"):
		return "RST-006"
	case strings.Contains(reason, "accessor"):
		return "RST-002"
	case strings.Contains(reason, "declares") || strings.Contains(reason, "means something else"):
		return "SAF-001"
	}
	return "SAF-002"
}

func (fn *Function) judge(refused string, o Options) {
	span := o.Contract.spanFor(o.Path, fn.function)
	if refused != "" {
		fn.Verdict, fn.Rule, fn.Reason = Forbidden, ruleOf(refused), refused
		if span != nil {
			fn.Span = span.Name
		}
		return
	}
	uncovered, libraries := fn.facts.uncovered(), fn.facts.libraries()
	thin := ThinCall(fn.node)
	switch {
	case fn.anonymousInside():
		fn.part, fn.Verdict, fn.Reason = true, Skip, "it is a part of the function around it"
	case uncovered != nil:
		fn.Verdict, fn.Tier, fn.Reason = Candidate, 1, uncovered.reason()
	case span != nil:
		fn.Verdict, fn.Tier, fn.Reason = Candidate, 2, "the registry has the span "+span.Name
	case fn.facts.handlerOf != "":
		fn.Verdict, fn.Reason, fn.CoveredBy = Covered, "it handles requests of "+fn.facts.handlerOf, libraryNames(fn.facts.handlerOf)
	case len(libraries) > 0 && !fn.facts.ownWork:
		fn.Verdict, fn.Reason, fn.CoveredBy = Covered, "all that it waits for gets a span by a library", libraries
	case fn.Async && len(fn.Exported) > 0 && isService(o.Path) && thin == "":
		fn.Verdict, fn.Tier, fn.Reason = Candidate, 3, "an exported async function of a service or handler file"
	default:
		fn.Verdict, fn.Reason = Skip, fn.nothing(o.Path, thin)
	}
	if span != nil && fn.Verdict == Candidate {
		fn.Span, fn.Attributes = span.Name, span.Wanted
	}
}

func (fn *Function) anonymousInside() bool {
	f := fn.function
	return f.Parent >= 0 && (f.Name == "" || f.Kind == jsast.Arrow && f.Callee != "")
}

// nothing says why no span belongs to a function that could have one.
func (fn *Function) nothing(file, thin string) string {
	switch {
	case thin != "" && fn.Async && len(fn.Exported) > 0:
		return "it only calls " + thin
	case !fn.Async:
		return "it calls nothing outside, and is not async"
	case len(fn.Exported) == 0:
		return "it calls nothing outside, and is not exported"
	case !isService(file):
		return "it calls nothing outside, and the file is no service or handler by its name"
	}
	return "it calls nothing outside"
}

// serving are words in a path by which a file serves requests, jobs or commands.
var serving = []string{"service", "handler", "controller", "route", "router", "resolver", "api", "server", "job", "worker", "consumer", "usecase", "endpoint",
	"lambda"}

func isService(file string) bool {
	words := strings.FieldsFunc(strings.ToLower(strings.TrimSuffix(file, path.Ext(file))), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(serving, strings.TrimSuffix(w, "s")) })
}

// ThinCall names what a function calls, if that is all it does; "" otherwise. Working
// out the arguments is no work of its own, unless they hold functions or wait.
func ThinCall(f *jsast.Node) string {
	value := f.Child("body")
	if value.Type == "BlockStatement" {
		value = onlyValue(value.List("body"))
	}
	if value != nil && value.Type == "AwaitExpression" {
		value = value.Child("argument")
	}
	if value == nil || value.Type != "CallExpression" {
		return ""
	}
	works := false
	for _, a := range value.List("arguments") {
		jsast.Walk(a, func(n *jsast.Node, _ []*jsast.Node) bool {
			works = works || isFunction(n) || n.Type == "AwaitExpression"
			return !works
		})
	}
	if works {
		return ""
	}
	return jsast.Path(value.Child("callee"))
}

// onlyValue is the one expression that a body works out: that of its only statement,
// or of a constant that the next statement returns.
func onlyValue(list []*jsast.Node) *jsast.Node {
	switch {
	case len(list) == 1 && list[0].Type == "ReturnStatement":
		return list[0].Child("argument")
	case len(list) == 1 && list[0].Type == "ExpressionStatement":
		return list[0].Child("expression")
	case len(list) == 2 && list[0].Type == "VariableDeclaration" && len(list[0].List("declarations")) == 1 && list[1].Type == "ReturnStatement":
		d, name := list[0].List("declarations")[0], jsast.Path(list[1].Child("argument"))
		if name != "" && d.Child("id").Text("name") == name {
			return d.Child("init")
		}
	}
	return nil
}
