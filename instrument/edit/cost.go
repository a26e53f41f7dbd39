package edit

import (
	"slices"

	"aburn/instrument/jsast"
)

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
		costly = costly || c.Type == "CallExpression" && !calls(c, cheap, cheap) && isKnownCall(c)
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

// isKnownCall says whether a call is of a built-in, by its name: what others do is not a matter of cost.
func isKnownCall(n *jsast.Node) bool {
	callee := n.Child("callee")
	if isBuiltin(jsast.Path(callee)) || slices.Contains(newArrayFunctions, jsast.Path(callee)) {
		return true
	}
	if callee.Type != "MemberExpression" {
		return false
	}
	name := propertyOf(callee)
	return stringMethods[name].gives.types != 0 || numberMethods[name].gives.types != 0 || slices.Contains(newArrayMethods, name) ||
		slices.Contains([]string{"join", "reduce", "replace", "replaceAll", "reverse", "some", "sort", "every", "find", "toISOString"}, name)
}
