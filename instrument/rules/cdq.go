package rules

import (
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// ended wants exactly one end, at the top level of the finally of a try around all
// that the span is about.
func ended(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		var ends []*edit.Call
		for _, c := range p.Undone().Calls {
			if c.Method == "end" && c.Span == s {
				ends = append(ends, c)
			}
		}
		switch {
		case len(ends) == 0:
			list = append(list, p.notEnded(s))
			continue
		case len(ends) > 1:
			slices.SortStableFunc(ends, func(a, b *edit.Call) int { return a.Node.Start - b.Node.Start })
			list = append(list, at(ends[0].Node.Start, "%s", severalEnds(ends)))
			continue
		}
		if end := ends[0]; end.Place != edit.InFinalizer { // what lacks is a finally around all of it
			list = append(list, at(s.Call.Start, "the span ends on line %d, but not when the code before throws or returns", p.New.Pos(end.Node.Start).Line))
		} else if why := p.misplaced(s, end); why != "" {
			list = append(list, at(end.Node.Start, "%s", why))
		}
	}
	return append(list, p.tooEarly()...)
}

// notEnded tells of a span without an end that is a statement of its own.
func (p *Pair) notEnded(s *edit.Span) found {
	f := at(s.Call.Start, "the span never ends")
	jsast.Walk(s.New, func(n *jsast.Node, _ []*jsast.Node) bool {
		callee := n.Child("callee")
		if n.Type == "CallExpression" && s.Variable != "" && jsast.Path(callee) == s.Variable+".end" &&
			p.Undone().Added(jsast.Reference{Range: callee.Child("object").Range}) {
			f = at(n.Start, "the span ends later, on some path or never: its end is no statement of a finally")
		}
		return true
	})
	return f
}

// severalEnds tells of calls of end that may stand on different paths: how often the
// span ends on one is not known.
func severalEnds(ends []*edit.Call) string {
	if slices.ContainsFunc(ends, func(c *edit.Call) bool { return c.Place == edit.InFinalizer }) {
		return fmt.Sprintf("end is called in %d places, not only once in a finally", len(ends))
	}
	return fmt.Sprintf("end is called in %d places, and in no finally", len(ends))
}

// misplaced says on which path a span's one end is missed, although it stands in a finally.
func (p *Pair) misplaced(s *edit.Span, end *edit.Call) string {
	if !slices.ContainsFunc(end.Clause.List("body"), func(n *jsast.Node) bool { return n.Type == "ExpressionStatement" && n.Holds(end.Node.Range) }) {
		return "the span ends under a condition only"
	}
	for _, t := range p.Undone().Tries {
		if t.Finalizer != end.Clause || !s.Active {
			continue
		}
		body := s.Callback.Child("body")
		for _, n := range body.List("body") {
			if n.Range != t.Node.Range && n.Start < t.Node.Start && !p.Undone().Taken(n.Range) {
				return "code before the try can throw, and the span does not end then"
			}
		}
	}
	return ""
}

// tooEarly finds functions that return a promise without being async: their finally
// runs before the promise settles.
func (p *Pair) tooEarly() (list []found) {
	for _, s := range p.Undone().Spans {
		if f := p.original(s); f != nil && !f.Async && (s.Callback == nil || !s.Callback.Is("async")) && edit.ReturnsPromise(p.Orig, f) {
			list = append(list, at(s.Call.Start, "the span ends before the returned promise settles"))
		}
	}
	return list
}

// recordedInFull looks at each catch in which something was recorded, and at those
// that were added.
func recordedInFull(p *Pair) []found {
	var list []found
	clauses := map[*jsast.Node][]*edit.Call{}
	var order []*jsast.Node
	add := func(clause *jsast.Node, c *edit.Call) {
		if _, seen := clauses[clause]; !seen {
			order = append(order, clause)
		}
		if c != nil {
			clauses[clause] = append(clauses[clause], c)
		}
	}
	for _, t := range p.Undone().Tries {
		if t.Handler != nil {
			clauses[t.Handler] = nil
			order = append(order, t.Handler)
		}
	}
	for _, c := range p.Undone().Calls {
		if c.Method == "recordException" || c.Method == "setStatus" && isError(c) {
			// In a catch that handles its errors NDS-007 wants nothing recorded, not more.
			if c.Place == edit.InHandler || c.Place == edit.InUserHandler && throwsAfter(c.Clause.Child("body").List("body"), c.Node.Range, false) {
				add(c.Clause, c)
			}
		}
		if key := keyOf(c); c.Method == "setAttribute" && key == "error" {
			list = append(list, at(c.Node.Start, "setAttribute('error', …) takes the place of recordException and setStatus"))
		}
	}
	for _, clause := range order {
		list = append(list, p.inFull(clause, clauses[clause])...)
	}
	return list
}

func (p *Pair) inFull(clause *jsast.Node, calls []*edit.Call) (list []found) {
	recorded, status := false, false
	for _, c := range calls {
		if c.Method == "setStatus" {
			status = status || setsError(c)
			continue
		}
		recorded = true
		if len(c.Args) == 0 || c.Catches == "" || !mentions(c.Args[0], c.Catches) {
			list = append(list, at(c.Node.Start, "recordException records something else than the error that was caught"))
		}
	}
	place := clause.Start
	if len(calls) > 0 {
		place = calls[0].Node.Start
	}
	if !recorded {
		list = append(list, at(place, "the catch does not call recordException"))
	}
	if !status {
		list = append(list, at(place, "the catch does not call setStatus with SpanStatusCode.ERROR"))
	}
	return list
}

// mentions says whether an expression uses a name.
func mentions(n *jsast.Node, name string) bool {
	found := false
	jsast.Walk(n, func(n *jsast.Node, _ []*jsast.Node) bool {
		found = found || n.Type == "Identifier" && n.Text("name") == name
		return !found
	})
	return found
}

// keyOf is the key of setAttribute; "" where it is no constant.
func keyOf(c *edit.Call) string {
	if len(c.Args) == 0 {
		return ""
	}
	key, _ := text(c.Args[0])
	return key
}

// errorsRecorded wants an added catch, or a catch of the user in which the error is
// recorded. A function whose only statement is a try that handles its errors has
// nothing to record.
func errorsRecorded(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		handled := false
		for _, c := range p.Undone().Calls {
			inCatch := c.Place == edit.InHandler || c.Place == edit.InUserHandler
			handled = handled || c.Span == s && inCatch && (c.Method == "recordException" || c.Method == "setStatus" && isError(c))
		}
		f := p.original(s)
		if f != nil && !f.Async && s.Callback != nil && !s.Callback.Is("async") && edit.ReturnsPromise(p.Orig, f) && !p.inPromise(s) {
			list = append(list, at(s.Call.Start, "the span does not record that the promise is rejected"))
			continue
		}
		if handled || f != nil && handlesAll(f) {
			continue
		}
		list = append(list, at(s.Call.Start, "the span does not record errors"))
	}
	return list
}

// inPromise says whether the span is used in a function within the wrapper, such as one given to catch.
func (p *Pair) inPromise(s *edit.Span) (used bool) {
	jsast.Walk(s.Callback.Child("body"), func(n *jsast.Node, above []*jsast.Node) bool {
		used = used || n.Type == "Identifier" && n.Text("name") == s.Variable && slices.ContainsFunc(above, isFunction)
		return !used
	})
	return used
}

// handlesAll says whether a function is one try whose catch throws nothing.
func handlesAll(f *jsast.Function) bool {
	list := f.Node.Child("body").List("body")
	if len(list) != 1 || list[0].Type != "TryStatement" || list[0].Child("handler") == nil {
		return false
	}
	throws := false
	jsast.Walk(list[0].Child("handler"), func(n *jsast.Node, _ []*jsast.Node) bool {
		throws = throws || n.Type == "ThrowStatement"
		return !isFunction(n)
	})
	return !throws
}

func active(p *Pair) []found {
	var list []found
	for _, s := range p.Undone().Spans {
		if !s.Active {
			list = append(list, at(s.Call.Start, "startSpan makes a span that is not active"))
		}
	}
	return list
}

func costly(p *Pair) []found {
	var list []found
	for _, a := range p.attributes() {
		recording := slices.ContainsFunc(a.call.Guards, func(g *jsast.Node) bool { return strings.Contains(p.New.Text(g.Range), "isRecording") })
		if !recording && edit.Costly(a.value) {
			list = append(list, at(a.value.Start, "%s is worked out even if nothing is recorded", excerpt(p.New, a.value)))
		}
	}
	return list
}

// nullTest is x !== null, x !== undefined or typeof x !== 'undefined', either way round.
type nullTest struct {
	node, of *jsast.Node
	lets     string // what else is no value, and passes
}

func nullTestOf(n *jsast.Node) (t nullTest, ok bool) {
	op := n.Text("operator")
	if n.Type != "BinaryExpression" || op != "!==" && op != "!=" {
		return t, false
	}
	for _, side := range [][2]string{{"left", "right"}, {"right", "left"}} {
		x, none := n.Child(side[0]), n.Child(side[1])
		typeOf := x.Type == "UnaryExpression" && x.Text("operator") == "typeof"
		switch {
		case typeOf && none.Text("value") == "undefined":
			return nullTest{n, x.Child("argument"), "null"}, true
		case op == "!=":
		case none.Type == "Identifier" && none.Text("name") == "undefined", none.Type == "UnaryExpression" && none.Text("operator") == "void":
			return nullTest{n, x, "null"}, true
		case none.Type == "Literal" && none.Text("kind") == "null":
			return nullTest{n, x, "undefined"}, true
		}
	}
	return t, false
}

// nullGuards wants guards that let neither null nor undefined through. Two tests of
// the same value do so too, and one of what gives null and never undefined.
func nullGuards(p *Pair) []found {
	var list []found
	seen := map[*jsast.Node]bool{}
	for _, c := range p.Undone().Calls {
		var tests []nullTest
		for _, g := range c.Guards {
			jsast.Walk(g, func(n *jsast.Node, _ []*jsast.Node) bool {
				if t, ok := nullTestOf(n); ok {
					tests = append(tests, t)
				}
				return !isFunction(n)
			})
		}
		for _, t := range tests {
			other := func(o nullTest) bool { return o.lets != t.lets && p.New.Text(o.of.Range) == p.New.Text(t.of.Range) }
			if seen[t.node] || slices.ContainsFunc(tests, other) || t.lets == "undefined" && p.matched(t.of) {
				continue
			}
			seen[t.node] = true
			list = append(list, at(t.node.Start, "%s lets %s through", excerpt(p.New, t.node), t.lets))
		}
	}
	return list
}

// matched says whether a value is the result of a regular expression: null, or an array.
func (p *Pair) matched(n *jsast.Node) bool {
	method := property(p.made(n).Child("callee"))
	return method == "match" || method == "exec"
}

// ofListsToo are methods of strings that arrays have too, and numbers have not.
var ofListsToo = []string{"at", "concat", "includes", "indexOf", "lastIndexOf", "slice"}

func stringMethods(p *Pair) []found {
	var list []found
	for _, a := range p.attributes() {
		jsast.Walk(a.value, func(n *jsast.Node, _ []*jsast.Node) bool {
			if n.Type != "CallExpression" || n.Child("callee").Type != "MemberExpression" {
				return true
			}
			method, object := property(n.Child("callee")), n.Child("callee").Child("object")
			ofStrings := slices.Contains(onlyStrings, method)
			switch {
			case !ofStrings && !slices.Contains(ofListsToo, method):
			case isNumber(p.made(object)) || p.Undone().Kind(object, a.call.Guards) == "number":
				list = append(list, at(n.Start, "%s is a number, which has no %s", excerpt(p.New, object), method))
			case p.Undone().IsHarmless(n):
			case ofStrings && !p.isString(object) && !p.isString(p.made(object)) && !p.isString(p.defaultOf(object)) && !p.asString(a.call, object):
				list = append(list, at(n.Start, "%s may be no string", excerpt(p.New, object)))
			}
			return true
		})
	}
	return list
}

// defaultOf is the default of a parameter, or of a name in a pattern; nil for none.
// It shows what the author means the value to be.
func (p *Pair) defaultOf(n *jsast.Node) (value *jsast.Node) {
	if n.Type != "Identifier" {
		return nil
	}
	v := p.New.Scopes.Lookup(n.Start, n.Text("name"))
	if v == nil || len(v.Definitions) != 1 {
		return nil
	}
	jsast.Walk(p.New.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "AssignmentPattern" && n.Child("left").Range == v.Definitions[0].Name {
			value = n.Child("right")
		}
		return value == nil
	})
	return value
}

// asString says whether the function itself calls a string's method on the same path.
func (p *Pair) asString(c *edit.Call, n *jsast.Node) bool {
	path := jsast.Path(n)
	if path == "" || c.New == nil {
		return false
	}
	used := false
	jsast.Walk(c.New, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "CallExpression" && jsast.Path(n.Child("callee").Child("object")) == path && slices.Contains(onlyStrings, property(n.Child("callee"))) {
			used = used || !p.inAddition(n.Range)
		}
		return true
	})
	return used
}

func (p *Pair) inAddition(r jsast.Range) bool { return p.Undone().Taken(r) }
