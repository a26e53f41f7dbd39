package edit

import (
	"slices"

	"aburn/instrument/jsast"
)

// addedTry takes an added try away from around its statements, or pairs a try with
// the original's.
func (u *undoer) addedTry(as []*jsast.Node, b *jsast.Node) (out []*jsast.Node, met int) {
	own := u.isAddedTry(b) || u.isWrapperTry(as, b)
	pairs := len(as) > 0 && as[0].Type == "TryStatement"
	m := u.mark()
	if pairs && (!own || u.tries > 0) {
		u.tries--
		if kept := u.try(as[0], b); !own || equal(as[0], kept) {
			return []*jsast.Node{kept}, 1
		}
		u.reset(m)
	}
	if !own {
		gone, added := resync(as, []*jsast.Node{b})
		if added || gone >= len(as) {
			return []*jsast.Node{b}, 0
		}
		return []*jsast.Node{u.node(as[gone], b)}, gone + 1
	}
	t := &Try{Span: u.innermost(), Node: b, Handler: b.Child("handler"), Finalizer: b.Child("finalizer"), Own: true}
	u.out.Tries = append(u.out.Tries, t)
	body := b.Child("block")
	u.take(jsast.Range{Start: b.Start, End: body.Start})
	u.take(jsast.Range{Start: body.End, End: b.End})
	if t.Handler != nil {
		u.recordHandler(t.Handler)
	}
	if t.Finalizer != nil {
		u.inFinalizer(t.Finalizer, func() { u.recordAround(t.Finalizer.List("body")) })
		u.overrides(t.Finalizer)
	}
	out, met = u.statements(as, body.List("body"), false)
	if pairs && speaks(as[0]) && !(met > 0 && len(out) > 0 && equal(as[0], out[0])) { // it is that of the user's own span
		u.reset(m)
		return []*jsast.Node{u.try(as[0], b)}, 1
	}
	return out, met
}

// speaks says whether a try of the original ends a span, or records an error in one, by the names
// of what it calls.
func speaks(try *jsast.Node) (found bool) {
	for _, part := range []string{"handler", "finalizer"} {
		if try.Child(part) == nil {
			continue
		}
		jsast.Walk(try.Child(part), func(n *jsast.Node, _ []*jsast.Node) bool {
			if c := n.Child("callee"); n.Type == "CallExpression" && c.Type == "MemberExpression" {
				name := c.Child("property").Text("name")
				found = found || name == "end" && len(n.List("arguments")) == 0 || name == "recordException"
			}
			return !found
		})
	}
	return found
}

// isWrapperTry says whether a try is all of a wrapper's callback and speaks to a span in its
// catch or finally, whatever else it does there. The rest is told as code that was added: a
// mistake in the wrapper does not make the code inside of it another one.
func (u *undoer) isWrapperTry(as []*jsast.Node, b *jsast.Node) bool {
	s := u.innermost()
	if s == nil || s.Callback == nil {
		return false
	}
	for _, n := range bodyOf(s.Callback.Child("body")) {
		if n != b && !u.isAddition(n) {
			return false
		}
	}
	body := b.Child("block").List("body")
	isTry := func(n *jsast.Node) bool { return n.Type == "TryStatement" }
	if len(as) > 0 && isTry(as[0]) && !slices.ContainsFunc(body, isTry) { // it is the original's
		return false
	}
	var around []*jsast.Node
	if h := b.Child("handler"); h != nil {
		if p := h.Child("param"); p != nil && p.Type != "Identifier" {
			return false
		}
		around = append(around, h.Child("body").List("body")...)
	}
	if f := b.Child("finalizer"); f != nil {
		around = append(around, f.List("body")...)
	}
	return slices.ContainsFunc(around, u.isAddition)
}

// recordAround records the statements of an added catch or finally.
func (u *undoer) recordAround(list []*jsast.Node) {
	for _, n := range list {
		if u.isAddition(n) {
			u.record(n)
		} else {
			u.out.foreign = append(u.out.foreign, n)
		}
	}
}

// overrides finds what leaves a finally by itself: that takes the place of the function's result.
func (u *undoer) overrides(finalizer *jsast.Node) {
	jsast.Walk(finalizer, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "ReturnStatement" || n.Type == "ThrowStatement" {
			u.flaw(Overridden, n)
		}
		return !isFunction(n)
	})
}

// isAddedTry says whether a try speaks to a span in its catch or finally, and does
// nothing else there but throw.
func (u *undoer) isAddedTry(b *jsast.Node) bool {
	handler, finalizer := b.Child("handler"), b.Child("finalizer")
	if handler != nil && !u.isAddedHandler(handler) || finalizer != nil && !u.allAdditions(finalizer.List("body")) {
		return false
	}
	// Without a word to the span it is somebody's own: try { } catch (e) { throw e }.
	speaks := finalizer != nil && len(finalizer.List("body")) > 0
	return speaks || handler != nil && slices.ContainsFunc(handler.Child("body").List("body"), u.isAddition)
}

// isAddedHandler allows a throw of anything, a return, and neither: all are flaws. A
// handler that does nothing at all is not ours.
func (u *undoer) isAddedHandler(n *jsast.Node) bool {
	body := n.Child("body").List("body")
	if p := n.Child("param"); p != nil && p.Type != "Identifier" || len(body) == 0 {
		return false
	}
	for i, s := range body {
		ends := s.Type == "ThrowStatement" || s.Type == "ReturnStatement"
		if !u.isAddition(s) && !(ends && i == len(body)-1) {
			return false
		}
	}
	return true
}

// declaring finds a statement that declares a name. A var in a catch may declare the caught
// error again, and gives it another value.
func declaring(name string) func(*jsast.Node) bool {
	return func(n *jsast.Node) bool {
		return slices.ContainsFunc(n.List("declarations"), func(d *jsast.Node) bool { return d.Child("id").Text("name") == name })
	}
}

func (u *undoer) recordHandler(n *jsast.Node) {
	place, clause, caught := u.place, u.clause, u.caught
	u.place, u.clause, u.caught = InHandler, n, n.Child("param").Text("name")
	body := n.Child("body").List("body")
	last := n.Child("body")
	if len(body) > 0 {
		last = body[len(body)-1]
	} else {
		u.out.foreign = append(u.out.foreign, n)
	}
	if last.Type == "ThrowStatement" || last.Type == "ReturnStatement" {
		body = body[:len(body)-1]
	}
	u.recordAround(body)
	u.place, u.clause, u.caught = place, clause, caught
	u.take(n.Range)
	switch name := n.Child("param").Text("name"); {
	case last.Type != "ThrowStatement":
		u.flaw(Swallowed, n)
	case name == "" || last.Child("argument").Type != "Identifier" || last.Child("argument").Text("name") != name || slices.ContainsFunc(body, declaring(name)):
		u.flaw(Rethrown, last)
	}
}
