package edit

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// pureFunctions are calls that change nothing, by their path.
var pureFunctions = []string{
	"String", "Number", "Boolean", "BigInt", "parseInt", "parseFloat", "isNaN", "isFinite", "Date.now",
	"Array.isArray", "Array.from", "Object.keys", "Object.values", "Object.entries", "Object.hasOwn",
	"JSON.stringify", "Number.isInteger", "Number.isFinite", "Number.isNaN", "Buffer.byteLength",
	"Math.abs", "Math.cbrt", "Math.ceil", "Math.exp", "Math.floor", "Math.hypot", "Math.log", "Math.log10", "Math.log2", "Math.max", "Math.min", "Math.pow",
	"Math.round",
	"Math.sign", "Math.sqrt", "Math.trunc", "performance.now",
}

// pureAPI are pure calls of the telemetry API, by the end of their path.
var pureAPI = []string{"context.active", "trace.getActiveSpan", "trace.getSpan", "trace.setSpan", "isSpanContextValid"}

// pureClasses are built-in classes whose construction changes nothing.
var pureClasses = []string{"Error", "TypeError", "RangeError", "SyntaxError", "Date", "URL", "Map", "Set"}

// pureMethods are methods of strings, arrays, numbers and dates that change
// nothing. A class of the project that gives one of these names to a method with
// an effect is not noticed.
var pureMethods = []string{
	"at", "charAt", "charCodeAt", "codePointAt", "concat", "endsWith", "every", "filter", "find", "findIndex", "findLast",
	"flat", "flatMap", "getTime", "includes", "indexOf", "isRecording", "join", "lastIndexOf", "localeCompare", "map", "padEnd", "padStart",
	"reduce", "repeat", "replace", "replaceAll", "slice", "some", "split", "startsWith", "substring", "toFixed",
	"toISOString", "toJSON", "toLowerCase", "toPrecision", "toString", "toUpperCase", "trim", "trimEnd", "trimStart", "valueOf",
}

// cheap are the calls that cost no more than reading a property.
var cheap = []string{
	"String", "Number", "Boolean", "Array.isArray", "Date.now", "Math.abs", "Math.ceil", "Math.floor", "Math.max", "Math.min", "Math.round", "Math.sqrt",
	"Math.trunc",
	"isRecording", "at", "charAt", "includes", "startsWith", "endsWith", "toString", "getTime",
}

// Methods and functions that give an array which nobody else holds. slice is none:
// that of a Buffer shares its bytes.
var (
	newArrayMethods   = []string{"concat", "filter", "flat", "flatMap", "map", "split"}
	newArrayFunctions = []string{"Array.from", "Object.entries", "Object.keys", "Object.values"}
)

// NewArray says whether an expression gives an array that only it holds: what
// changes that array changes nothing else.
func NewArray(n *jsast.Node) bool {
	if n == nil || n.Type != "CallExpression" {
		return n != nil && n.Type == "ArrayExpression"
	}
	callee := n.Child("callee")
	if slices.Contains(newArrayFunctions, jsast.Path(callee)) || orders(n) {
		return true
	}
	return callee.Type == "MemberExpression" && slices.Contains(newArrayMethods, propertyOf(callee))
}

// orders says whether a call sorts or reverses a new array. A function that compares
// must stand there, so that it is judged.
func orders(n *jsast.Node) bool {
	callee, args := n.Child("callee"), n.List("arguments")
	if callee.Type != "MemberExpression" || !NewArray(callee.Child("object")) {
		return false
	}
	switch propertyOf(callee) {
	case "reverse":
		return true
	case "sort":
		return len(args) == 0 || len(args) == 1 && args[0].Type == "ArrowFunctionExpression"
	}
	return false
}

// Impure gives the first part of an expression that can change something or wait:
// an assignment, an await, a call that is not known to be pure. nil is none. A
// member access counts as pure: getters and proxies are not seen.
func Impure(n *jsast.Node) *jsast.Node {
	if n == nil {
		return nil
	}
	switch n.Type {
	case "Identifier", "Literal", "ThisExpression", "TemplateElement", "Super", "PrivateIdentifier", jsast.Key, "MetaProperty":
		return nil
	case "TemplateLiteral", "MemberExpression", "ChainExpression", "ConditionalExpression", "LogicalExpression", jsast.LogicalChain,
		"BinaryExpression", "ArrayExpression", "ObjectExpression", "SequenceExpression":
	case "Property":
		if n.Is("method") || n.Text("kind") != "init" {
			return n
		}
	case "UnaryExpression":
		if n.Text("operator") == "delete" {
			return n
		}
	case "SpreadElement": // of a plain value: an iterator of the project could do anything
		if a := n.Child("argument").Type; a != "Identifier" && a != "MemberExpression" && a != "ObjectExpression" && a != "ConditionalExpression" &&
			a != jsast.LogicalChain {
			return n
		}
	case "ArrowFunctionExpression": // what a pure method calls for each element
		if n.Is("async") || n.Child("body").Type == "BlockStatement" {
			return n
		}
		for _, p := range n.List("params") {
			for _, e := range hidden(p) {
				if bad := Impure(e); bad != nil {
					return bad
				}
			}
		}
		return Impure(n.Child("body"))
	case "CallExpression":
		if !pureCall(n) || callsUnknown(n) {
			return n
		}
	case "NewExpression":
		if !slices.Contains(pureClasses, jsast.Path(n.Child("callee"))) {
			return n
		}
	default:
		return n
	}
	for c := range n.Children() {
		if bad := Impure(c); bad != nil {
			return bad
		}
	}
	return nil
}

func pureCall(n *jsast.Node) bool {
	path := "." + jsast.Path(n.Child("callee"))
	return calls(n, pureFunctions, pureMethods) || orders(n) || slices.ContainsFunc(pureAPI, func(p string) bool { return strings.HasSuffix(path, "."+p) })
}

// calling are pure methods that call their first argument.
var calling = []string{"every", "filter", "find", "findIndex", "findLast", "flatMap", "map", "reduce", "some"}

// callsUnknown says whether a call hands on a function by its name, and that one is
// not known to be pure: list.map(save) does what save does. Where a text or a list may
// stand in its place, only one that is written out counts: a name may mean a function.
func callsUnknown(n *jsast.Node) bool {
	callee, args := n.Child("callee"), n.List("arguments")
	path, method := jsast.Path(callee), ""
	if callee.Type == "MemberExpression" {
		method = propertyOf(callee)
	}
	switch {
	case path == "Array.from" && len(args) > 1:
		args = args[1:2]
	case path == "JSON.stringify" && len(args) > 1, (method == "replace" || method == "replaceAll") && len(args) > 1:
		args = args[1:2]
		if isWritten(args[0]) {
			return false
		}
	case path == "Array.from" || path == "JSON.stringify" || !slices.Contains(calling, method):
		return false
	case len(args) == 0: // no array's method: a query of a database, for example
		return true
	}
	return args[0].Type != "ArrowFunctionExpression" && !slices.Contains(pureFunctions, jsast.Path(args[0]))
}

// isWritten says whether an expression is a value that stands in the code, and no function.
func isWritten(n *jsast.Node) bool {
	return slices.Contains([]string{"Literal", "TemplateLiteral", "ArrayExpression"}, n.Type) || jsast.Path(n) == "undefined"
}

// redefined gives the first name of a built-in that an added expression calls, and that
// the file declares itself: what it does then is not known.
func (u *Undone) redefined(e *jsast.Node) (found *jsast.Node) {
	builtin := func(path string) bool {
		return slices.Contains(pureFunctions, path) || slices.Contains(pureClasses, path)
	}
	check := func(n *jsast.Node) {
		if n == nil || !builtin(jsast.Path(n)) {
			return
		}
		for n.Type == "MemberExpression" {
			n = n.Child("object")
		}
		if found == nil && u.New.Scopes.Lookup(n.Start, n.Text("name")) != nil {
			found = n
		}
	}
	jsast.Walk(e, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "CallExpression" || n.Type == "NewExpression" {
			check(n.Child("callee"))
			for _, a := range n.List("arguments") {
				check(a)
			}
		}
		return found == nil
	})
	return found
}

// ofLists are what the code reads of lists, and of nothing that a first reading uses up.
var ofLists = []string{"length", "size", "map", "filter", "forEach", "some", "every", "find", "findIndex", "reduce", "slice", "join", "includes", "indexOf",
	"at", "push", "concat", "sort", "has"}

// consumed gives the first name in an added expression whose value may be an iterator: to
// read all of it would leave nothing to the code. A value that the code uses as a list is none.
func (u *Undone) consumed(e *jsast.Node) (found *jsast.Node) {
	check := func(list []*jsast.Node) {
		if found == nil && len(list) > 0 && list[0] != nil && list[0].Type == "Identifier" && !u.isList(list[0]) {
			found = list[0]
		}
	}
	jsast.Walk(e, func(n *jsast.Node, above []*jsast.Node) bool {
		switch path := jsast.Path(n.Child("callee")); {
		case n.Type == "SpreadElement" && len(above) > 0 && above[len(above)-1].Type != "ObjectExpression":
			check([]*jsast.Node{n.Child("argument")})
		case n.Type == "CallExpression" && path == "Array.from", n.Type == "NewExpression" && (path == "Set" || path == "Map"):
			check(n.List("arguments"))
		}
		return found == nil
	})
	return found
}

func (u *Undone) isList(id *jsast.Node) bool {
	name := id.Text("name")
	list := false
	jsast.Walk(u.Orig.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		switch {
		case n.Type == "MemberExpression" && n.Child("object").Type == "Identifier" && n.Child("object").Text("name") == name:
			list = list || slices.Contains(ofLists, propertyOf(n))
		case n.Type == "VariableDeclarator" && n.Child("id").Text("name") == name:
			made := n.Child("init")
			list = list || NewArray(made) || made != nil && made.Type == "NewExpression" &&
				slices.Contains([]string{"Set", "Map", "Array"}, jsast.Path(made.Child("callee")))
		}
		return !list
	})
	return list
}

func calls(n *jsast.Node, functions, methods []string) bool {
	callee := n.Child("callee")
	if path := jsast.Path(callee); path != "" && slices.Contains(functions, path) {
		return true
	}
	return callee.Type == "MemberExpression" && slices.Contains(methods, propertyOf(callee))
}

// Costly says whether working out an expression costs more than reading
// properties: where no span is recorded it would be for nothing.
func Costly(n *jsast.Node) bool {
	costly := false
	jsast.Walk(n, func(c *jsast.Node, _ []*jsast.Node) bool {
		costly = costly || c.Type == "CallExpression" && !calls(c, cheap, cheap)
		return !costly
	})
	return costly
}

// propertyOf is p of o.p and o["p"]; "" where it is computed.
func propertyOf(member *jsast.Node) string {
	p := member.Child("property")
	switch {
	case p == nil || p.Type == "PrivateIdentifier":
		return ""
	case !member.Is("computed"):
		return p.Text("name")
	case p.Text("kind") == "string":
		return p.Text("value")
	}
	return ""
}
