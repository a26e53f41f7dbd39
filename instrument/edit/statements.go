package edit

import (
	"slices"

	"aburn/instrument/jsast"
)

// statements takes the additions out of bs, which stand where as stood. atTop: it
// is the list of a function, so a wrapper may stand in it. It also tells how many
// of as it met: inside of a wrapper or a try the list may end earlier.
//
// A statement that equals the next of as is always the original's, even if it
// looks like an addition: of two equal ones it does not matter which is which.
func (u *undoer) statements(as, bs []*jsast.Node, atTop bool) (out []*jsast.Node, met int) {
	opened := len(u.open)
	defer func() { u.open = u.open[:opened] }()
	for j := 0; j < len(bs); j++ {
		b, rest := bs[j], as[met:]
		if len(rest) > 0 && equal(rest[0], b) {
			out, met = append(out, b), met+1
			continue
		}
		if u.isAddition(b) {
			if kept := u.extended(rest, b); kept != nil {
				out, met = append(out, kept), met+1
				continue
			}
			u.record(b)
			continue
		}
		if atTop && j+2 <= len(bs) {
			if value := u.heldWrapper(bs[j:]); value != nil {
				u.take(jsast.Range{Start: b.Start, End: value.Start})
				u.take(bs[j+1].Range)
				b = returning(value)
				j++
			}
		}
		if atTop && u.isWrapper(b, bs[j+1:]) {
			list, n := u.wrapper(rest, b, len(bs)-j-1)
			out, met = append(out, list...), met+n
			continue
		}
		if b.Type == "TryStatement" {
			list, n := u.addedTry(rest, b)
			out, met = append(out, list...), met+n
			continue
		}
		if length, value := u.held(rest, bs[j:]); length > 0 {
			u.recordHeld(bs[j : j+length])
			out, met = append(out, u.node(rest[0], returning(value))), met+1
			j += length - 1
			continue
		}
		gone, added := resync(rest, bs[j:])
		met += gone
		if added || met >= len(as) {
			out = append(out, b)
			continue
		}
		out, met = append(out, u.node(as[met], b)), met+1
	}
	return out, met
}

// extended gives b without the names that were added to it, if it is the next
// statement of the original: an import, or a declaration; nil otherwise.
func (u *undoer) extended(as []*jsast.Node, b *jsast.Node) *jsast.Node {
	if len(as) == 0 || as[0].Type != b.Type || b.Type != "ImportDeclaration" && b.Type != "VariableDeclaration" {
		return nil
	}
	m := u.mark()
	if kept := u.node(as[0], b); equal(as[0], kept) {
		return kept
	}
	u.reset(m)
	return nil
}

// resyncs is how far a statement is looked for: two unlike files would else take
// the square of their length.
const resyncs = 50

// resync says how many statements of as are gone before bs[0], or that bs[0] was
// added. It only decides where a difference is told, not whether there is one.
func resync(as, bs []*jsast.Node) (gone int, added bool) {
	if len(as) == 0 || head(as[0]) == head(bs[0]) {
		return 0, false
	}
	for k := 1; k < min(resyncs, max(len(as), len(bs))); k++ {
		if k < len(bs) && head(as[0]) == head(bs[k]) {
			return 0, true
		}
		if k < len(as) && head(as[k]) == head(bs[0]) {
			return k, false
		}
	}
	return 0, false
}

// head is what a statement is recognised by.
func head(n *jsast.Node) string {
	if n == nil {
		return ""
	}
	key := ""
	switch n = declaration(n); n.Type {
	case "FunctionDeclaration", "ClassDeclaration":
		key = n.Child("id").Text("name")
	case "VariableDeclaration":
		if d := n.List("declarations"); len(d) > 0 {
			key = d[0].Child("id").Text("name")
		}
	case "ImportDeclaration":
		key = n.Child("source").Text("value")
	case "ExpressionStatement":
		key = head(n.Child("expression"))
	case "AwaitExpression":
		key = head(n.Child("argument"))
	case "CallExpression":
		key = jsast.Path(n.Child("callee"))
	case "AssignmentExpression":
		key = jsast.Path(n.Child("left"))
	case "ExportNamedDeclaration", "ExportDefaultDeclaration":
		key = head(n.Child("declaration"))
	}
	return n.Type + " " + key
}

// isWrapper says whether a statement is startActiveSpan with a callback. Behind a
// return only declarations of functions may follow: nothing else would be reached.
func (u *undoer) isWrapper(b *jsast.Node, behind []*jsast.Node) bool {
	call, active := u.startedBy(wrapped(b))
	if call == nil || !active || callback(call) == nil {
		return false
	}
	return b.Type == "ExpressionStatement" ||
		!slices.ContainsFunc(behind, func(n *jsast.Node) bool { return n.Type != "FunctionDeclaration" })
}

func wrapped(statement *jsast.Node) *jsast.Node {
	switch statement.Type {
	case "ReturnStatement":
		return statement.Child("argument")
	case "ExpressionStatement":
		return statement.Child("expression")
	}
	return nil
}

// wrapper goes on inside of a wrapper's callback. If the next statement of the
// original is a wrapper itself and b is that one, it is kept. So is one that changed, unless all
// that the original has is inside of b: then b is an added one around it.
func (u *undoer) wrapper(as []*jsast.Node, b *jsast.Node, behind int) (out []*jsast.Node, met int) {
	m, own := u.mark(), false
	if len(as) > 0 && u.tries > 0 {
		if _, own = u.startedBy(wrapped(as[0])); own {
			u.tries--
			if kept := u.node(as[0], b); equal(as[0], kept) {
				return []*jsast.Node{kept}, 1
			}
			u.reset(m)
		}
	}
	call, _ := u.startedBy(wrapped(b))
	f := callback(call)
	s := u.newSpan(call, true)
	s.Callback = f
	if params := f.List("params"); len(params) == 1 {
		s.Variable = params[0].Text("name")
		u.spanOf[u.definitions[params[0].Start]] = s
	}
	body := f.Child("body")
	u.take(jsast.Range{Start: b.Start, End: body.Start})
	u.take(jsast.Range{Start: body.End, End: b.End})
	u.out.wrapping[f.Start] = s
	for _, n := range bodyOf(body) { // there a directive holds for the callback, no longer for the function
		if n.Field("directive") != nil {
			u.out.foreign = append(u.out.foreign, n)
		}
	}
	u.open = append(u.open, s)
	out, met = u.statements(as, bodyOf(body), true)
	u.open = u.open[:len(u.open)-1]
	if own && !(met > 0 && len(out) > 0 && equal(as[0], out[0])) {
		u.reset(m)
		delete(u.out.wrapping, f.Start)
		return []*jsast.Node{u.node(as[0], b)}, 1
	}
	u.judge(s, b, out, behind)
	return out, met
}

// judge tells how a wrapper's result leaves the function. kept is what the
// original has inside of it, behind how many statements follow.
func (u *undoer) judge(s *Span, b *jsast.Node, kept []*jsast.Node, behind int) {
	if s.Callback.Type != "ArrowFunctionExpression" {
		u.flaw(NotArrow, s.Callback)
	}
	if s.New != nil && s.Callback.Is("async") != s.New.Is("async") {
		u.flaw(AsyncDiffers, s.Callback)
	}
	if b.Type == "ReturnStatement" {
		return
	}
	waits := b.Child("expression").Type == "AwaitExpression"
	value, leaves := returns(kept)
	if s.Callback.Is("async") && !waits || value || leaves && behind > 0 {
		u.flaw(ResultDropped, s.Call)
	}
}

// returns says whether statements return, and whether they return a value, other
// than in functions of their own.
func returns(list []*jsast.Node) (value, leaves bool) {
	for _, n := range list {
		jsast.Walk(n, func(n *jsast.Node, _ []*jsast.Node) bool {
			if n.Type == "ReturnStatement" {
				leaves = true
				value = value || n.Child("argument") != nil
			}
			return !isFunction(n)
		})
	}
	return value, leaves
}

func isFunction(n *jsast.Node) bool {
	return n.Type == "FunctionDeclaration" || n.Type == "FunctionExpression" || n.Type == "ArrowFunctionExpression"
}

// held finds const v = E; …; return v with nothing but additions in between, where
// the original has return E.
func (u *undoer) held(as, bs []*jsast.Node) (length int, value *jsast.Node) {
	if len(as) == 0 || as[0].Type != "ReturnStatement" || as[0].Child("argument") == nil || bs[0].Type != "VariableDeclaration" {
		return 0, nil
	}
	d := bs[0].List("declarations")
	if len(d) != 1 || d[0].Child("id").Type != "Identifier" || d[0].Child("init") == nil || !holds(bs[0]) || isNamedByPlace(d[0].Child("init")) {
		return 0, nil
	}
	for i, b := range bs[1:] {
		if b.Type == "ReturnStatement" {
			arg := b.Child("argument")
			if arg != nil && arg.Type == "Identifier" && arg.Text("name") == d[0].Child("id").Text("name") {
				return i + 2, d[0].Child("init")
			}
			return 0, nil
		}
		if !u.isAddition(b) {
			return 0, nil
		}
	}
	return 0, nil
}

// holds says whether a declaration only holds a value in its block: a var reaches beyond it,
// and using disposes of it.
func holds(n *jsast.Node) bool { return n.Text("kind") == "const" || n.Text("kind") == "let" }

// isNamedByPlace says whether a value gets the name of the variable that it is given to.
func isNamedByPlace(n *jsast.Node) bool {
	return (isFunction(n) || n.Type == "ClassExpression") && n.Child("id") == nil
}

// heldWrapper finds const v = startActiveSpan(…); return v.
func (u *undoer) heldWrapper(bs []*jsast.Node) *jsast.Node {
	if len(bs) < 2 || bs[0].Type != "VariableDeclaration" || !holds(bs[0]) || len(bs[0].List("declarations")) != 1 || bs[1].Type != "ReturnStatement" {
		return nil
	}
	d, arg := bs[0].List("declarations")[0], bs[1].Child("argument")
	if d.Child("init") == nil || d.Child("id").Type != "Identifier" || arg == nil || arg.Type != "Identifier" || arg.Text("name") != d.Child("id").Text("name") {
		return nil
	}
	if !u.isWrapper(returning(d.Child("init")), bs[2:]) {
		return nil
	}
	return d.Child("init")
}

func (u *undoer) recordHeld(bs []*jsast.Node) {
	init := bs[0].List("declarations")[0].Child("init")
	last := bs[len(bs)-1]
	u.take(jsast.Range{Start: bs[0].Start, End: init.Start})
	u.take(last.Range)
	u.recordAll(bs[1 : len(bs)-1])
}
