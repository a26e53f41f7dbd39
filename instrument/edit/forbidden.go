package edit

import (
	"bytes"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// Forbidden says why a function is never wrapped; "" if it may be. A wrapper would
// change what it does, or its span would tell nothing.
func Forbidden(m *jsast.Module, f *jsast.Function) string {
	switch {
	case f.Generator:
		return "it is a generator"
	case f.Kind == jsast.Constructor:
		return "it is a constructor"
	case f.Kind == jsast.Getter || f.Kind == jsast.Setter:
		return "it is an accessor"
	case m.Scopes.Dynamic(f.Range):
		return "it uses eval or with"
	case isSent(m, f):
		return sentAway
	}
	own := ownParts(f.Node)
	switch {
	case own.asm:
		return "it is asm.js"
	case own.exits:
		return "it calls process.exit"
	case own.jsx:
		return "it returns JSX: a component renders again and again"
	case own.hook:
		return "it calls a React hook"
	case !f.Async && ReturnsPromise(m, f):
		return "it returns a promise without being async: the span would end too early"
	case !f.Async && registersOnly(f.Node):
		return "it only registers callbacks or timers"
	}
	return ""
}

const sentAway = "its text is used: where that runs there is no tracer"

// senders take a function's text and run it elsewhere: in a browser, mostly.
var senders = []string{"evaluate", "evaluateHandle", "evaluateAll", "evaluateOnNewDocument", "$eval", "$$eval", "addInitScript", "waitForFunction",
	"executeScript", "executeAsyncScript"}

// isSent says whether the text of a function, or of one around it, is used.
func isSent(m *jsast.Module, f *jsast.Function) bool {
	for ; ; f = &m.Functions[f.Parent] {
		if isHandedToSender(m, f) || f.Owner == "" && f.Name != "" && textIsUsed(m.Source, f.Name) {
			return true
		}
		if f.Parent < 0 {
			return false
		}
	}
}

func isHandedToSender(m *jsast.Module, f *jsast.Function) (sent bool) {
	if !slices.ContainsFunc(senders, func(s string) bool { return bytes.Contains(m.Source, []byte("."+s+"(")) }) {
		return false
	}
	jsast.Walk(m.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		callee := n.Child("callee")
		sent = sent || n.Type == "CallExpression" && callee.Type == "MemberExpression" && slices.Contains(senders, propertyOf(callee)) &&
			slices.Contains(n.List("arguments"), f.Node)
		return !sent && n.Holds(f.Node.Range)
	})
	return sent
}

// textIsUsed looks for a name in the forms in which code asks for a function's text, or hands it to
// a sender. It reads the source, so a comment counts too: a span less does no harm.
func textIsUsed(source []byte, name string) bool {
	for at := 0; ; at += len(name) {
		next := bytes.Index(source[at:], []byte(name))
		if next < 0 {
			return false
		}
		at += next
		before, behind := source[:at], source[at+len(name):]
		switch {
		case len(behind) == 0:
		case bytes.HasPrefix(behind, []byte(".toString(")):
			if len(before) == 0 || !isWord(before[len(before)-1]) {
				return true
			}
		case behind[0] == '}' && bytes.HasSuffix(before, []byte("${")):
			return true
		case behind[0] == ')' && bytes.HasSuffix(before, []byte("String(")):
			if word := bytes.TrimSuffix(before, []byte("String(")); len(word) == 0 || !isWord(word[len(word)-1]) {
				return true
			}
		case behind[0] == ')' || behind[0] == ',':
			if slices.ContainsFunc(senders, func(s string) bool { return bytes.HasSuffix(before, []byte("."+s+"(")) }) {
				return true
			}
		}
	}
}

// isWord says whether a byte can stand in a name, or before it in a path.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

type parts struct{ asm, exits, jsx, hook bool }

// ownParts looks at a function without the functions in it.
func ownParts(f *jsast.Node) (p parts) {
	body := f.Child("body")
	jsast.Walk(body, func(n *jsast.Node, above []*jsast.Node) bool {
		if isFunction(n) {
			return false
		}
		switch n.Type {
		case "ExpressionStatement":
			p.asm = p.asm || n.Text("directive") == "use asm"
		case "CallExpression":
			path := jsast.Path(n.Child("callee"))
			inCatch := slices.ContainsFunc(above, func(a *jsast.Node) bool { return a.Type == "CatchClause" })
			p.exits = p.exits || path == "process.exit" && !inCatch
			p.hook = p.hook || isHook(strings.TrimPrefix(path, "React."))
		case "ReturnStatement":
			p.jsx = p.jsx || isJSX(n.Child("argument"))
		}
		return true
	})
	p.jsx = p.jsx || isJSX(body)
	return p
}

func isHook(name string) bool {
	return len(name) > 3 && strings.HasPrefix(name, "use") && name[3] >= 'A' && name[3] <= 'Z'
}

func isJSX(n *jsast.Node) bool {
	switch {
	case n == nil:
		return false
	case n.Type == "JSXElement" || n.Type == "JSXFragment":
		return true
	case n.Type == "ConditionalExpression":
		return isJSX(n.Child("consequent")) || isJSX(n.Child("alternate"))
	case n.Type == "LogicalExpression":
		return isJSX(n.Child("right"))
	}
	return false
}

// listening hand a function to something that calls it later, or again and again.
// routing do so in frameworks for servers; elsewhere the same names do other things.
var (
	listening = []string{"on", "once", "addListener", "addEventListener", "subscribe", "setTimeout", "setInterval", "setImmediate", "queueMicrotask",
		"process.nextTick"}
	routing = []string{"get", "post", "put", "patch", "delete", "use", "all", "route"}
)

// registersOnly says whether each statement hands a function to something that
// calls it later. One whose result is returned waits for it, or may.
func registersOnly(f *jsast.Node) bool {
	calls := 0
	for _, n := range bodyOf(f.Child("body")) {
		if n.Type == "EmptyStatement" || n.Field("directive") != nil {
			continue
		}
		names := append(slices.Clone(listening), routing...)
		if n.Type == "ReturnStatement" {
			names = listening
		}
		e := wrapped(n)
		if e == nil || e.Type != "CallExpression" || !slices.ContainsFunc(e.List("arguments"), func(a *jsast.Node) bool { return a != nil && isFunction(a) }) {
			return false
		}
		callee := e.Child("callee")
		if !slices.Contains(names, jsast.Path(callee)) && !(callee.Type == "MemberExpression" && slices.Contains(names, propertyOf(callee))) {
			return false
		}
		calls++
	}
	return calls > 0
}

// Exits says whether a function calls process.exit, other than in a catch.
func Exits(f *jsast.Node) bool { return ownParts(f).exits }

// MakesSpans says whether a function starts a span itself.
func MakesSpans(f *jsast.Node) bool {
	found := false
	jsast.Walk(f.Child("body"), func(n *jsast.Node, above []*jsast.Node) bool {
		if n.Type == "CallExpression" && n.Child("callee").Type == "MemberExpression" {
			method := propertyOf(n.Child("callee"))
			found = found || method == "startActiveSpan" || method == "startSpan"
		}
		return !found && !isFunction(n)
	})
	return found
}
