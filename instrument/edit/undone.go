package edit

import (
	"slices"

	"aburn/instrument/jsast"
)

// Undone is what [Undo] took out of a later file, and what else differs.
//
// Taken out is, where the original does not have it:
//
//   - imports of telemetry packages, and names added to one;
//   - declarations that hold a tracer, a span that is started, or the active span;
//   - the wrapper: startActiveSpan with a callback around all of a function's
//     statements, or around the last of them. A concise body stays one;
//   - a try whose catch only speaks to the span and throws, and whose finally only
//     speaks to the span; such a catch or finally added to a try of the original;
//   - statements that only call methods of a span, and an if around nothing else;
//   - a constant that holds a result between its making and its return;
//   - comments inside of all this, and directly above an added statement.
type Undone struct {
	Orig, New *jsast.Module

	Differences []Difference
	Captures    []Capture

	Spans   []*Span
	Tries   []*Try
	Calls   []*Call
	Tracers []*jsast.Node // calls of getTracer
	Imports []Import
	Exprs   []Expr
	Flaws   []Flaw

	// Stripped is the normal form of the later file without what was taken out.
	Stripped *jsast.Node

	statements []jsast.Range // added statements, other than wrappers and trys
	foreign    []*jsast.Node // statements in the try of a wrapper that do more than speak to a span
	taken      []jsast.Range // inserted code; what is kept inside of a wrapper is not in it
	starts     map[int]int   // identifiers and functions: offset in Orig to offset in New
	kept       map[int]bool  // offsets in New of identifiers that Orig has
	sorted     []int         // keys of starts
	wrapping   map[int]*Span // callbacks, by their offset in New
	spanNames  map[int]bool  // offsets in New of names in Exprs that mean a span
	refused    []Refusal
	judged     bool
	around     *surroundings
}

// Span is one added span.
type Span struct {
	Call     *jsast.Node // startActiveSpan(…) or startSpan(…)
	Active   bool        // startActiveSpan
	Tracer   *jsast.Node // what it is called on
	Name     *jsast.Node // the first argument; nil if there is none
	Options  *jsast.Node // the second one, where it is no function
	Callback *jsast.Node // nil for startSpan
	Variable string      // the name by which the code calls the span; "" for none
	// Orig and New are the function around it in both files; nil at the top level.
	Orig, New *jsast.Node
}

// Flaw is a way in which what was taken out changes what the code does.
type Flaw struct {
	Kind FlawKind
	Node *jsast.Node
}

// FlawKind says which.
type FlawKind string

const (
	NotArrow      FlawKind = "callback is no arrow function"
	AsyncDiffers  FlawKind = "callback is not async exactly as the function is"
	ResultDropped FlawKind = "result is not returned"
	Swallowed     FlawKind = "error is not thrown again"
	Rethrown      FlawKind = "another error is thrown"
	Overridden    FlawKind = "the finally leaves by itself"
)

// Try is a try that was taken out, or one of the original to which a catch or
// finally was added.
type Try struct {
	Span      *Span // the innermost added span around it or before it; nil for none
	Node      *jsast.Node
	Handler   *jsast.Node // the added catch clause; nil for none
	Finalizer *jsast.Node // the finally block that something was added to; nil for none
	Own       bool        // all of the try was added
}

// Place is where an added call stands.
type Place string

const (
	InBody        Place = "body"
	InHandler     Place = "catch"      // that was added
	InUserHandler Place = "user catch" // of the original
	InFinalizer   Place = "finally"
)

// Call is an added call of a method of a span.
type Call struct {
	Node   *jsast.Node
	Method string
	Args   []*jsast.Node
	Span   *Span // nil for a span of the original, or the active one
	On     *jsast.Node
	// Hidden: the name means something else here than the span that an added wrapper gave it to.
	Hidden  bool
	Place   Place
	Clause  *jsast.Node   // the catch clause or finally block of Place
	Guards  []*jsast.Node // conditions of the added ifs around it
	Catches string        // the variable of the catch clause around it
	New     *jsast.Node   // the function of the original around it, as it stands in the later file
}

// Import is an added load of a package.
type Import struct {
	Module string
	Form   jsast.ImportForm
	Node   *jsast.Node
}

// Expr is an expression that was added.
type Expr struct {
	Node *jsast.Node
	Call *Call // of which it is an argument; nil for all others
	// Data: it describes something: an attribute's value, a guard, a span's options.
	Data   bool
	Guards []*jsast.Node // conditions of the added ifs around it; behind an else they are negated
}

// Refused are the parts of added expressions that aren't known to be harmless, one for each expression.
func (u *Undone) Refused() []Refusal {
	if !u.judged {
		u.judged = true
		around := u.surroundings()
		for _, e := range u.Exprs {
			if r := around.refused(e.Node, e.Guards); r != nil {
				r.Call, r.Data = e.Call, e.Data
				u.refused = append(u.refused, *r)
			}
		}
	}
	return u.refused
}

// IsHarmless says whether nothing of an added expression is refused.
func (u *Undone) IsHarmless(n *jsast.Node) bool {
	return !slices.ContainsFunc(u.Refused(), func(r Refusal) bool { return n.Holds(r.Node.Range) })
}

// Unsure are the members in an expression that are read of what may be null or undefined, as far as
// its form and the guards around it show.
func (u *Undone) Unsure(e Expr) []*jsast.Node {
	j := &judge{surroundings: u.surroundings()}
	j.eval(e.Node, behind(e.Guards))
	return j.unsure
}

// Kind is the one type that the form of an expression and the guards around it show: string, number
// or boolean; "" otherwise.
func (u *Undone) Kind(n *jsast.Node, guards []*jsast.Node) string {
	j := &judge{surroundings: u.surroundings()}
	switch v := j.eval(n, behind(guards)); {
	case v.is(stringType):
		return "string"
	case v.is(numberType):
		return "number"
	case v.is(booleanType):
		return "boolean"
	}
	return ""
}

// Same says whether nothing but the additions differs: no difference, no capture.
func (u *Undone) Same() bool { return len(u.Differences) == 0 && len(u.Captures) == 0 }
