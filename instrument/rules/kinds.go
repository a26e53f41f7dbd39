package rules

import (
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// integers are calls that give a whole number.
var integers = []string{"Math.floor", "Math.ceil", "Math.round", "Math.trunc", "parseInt", "Number.parseInt", "Date.now", "indexOf", "lastIndexOf", "findIndex",
	"getTime"}

// truths are calls that give true or false.
var truths = []string{"Boolean", "Array.isArray", "Number.isInteger", "Number.isFinite", "isNaN", "includes", "startsWith", "endsWith", "some", "every",
	"Object.hasOwn"}

// kindOf is what an expression gives, where its form tells it: string, int, double,
// number (either), boolean, their arrays, array, object; "" otherwise.
func (p *Pair) kindOf(n *jsast.Node, depth int) string {
	if n == nil || depth == 0 {
		return ""
	}
	switch n.Type {
	case "Identifier":
		if made := p.made(n); made != nil && made != n {
			return p.kindOf(made, depth-1)
		}
		return ""
	case "Literal":
		return literalKind(n)
	case "ConditionalExpression":
		return same(p.kindOf(n.Child("consequent"), depth-1), p.kindOf(n.Child("alternate"), depth-1))
	case "UnaryExpression":
		switch n.Text("operator") {
		case "!":
			return "boolean"
		case "typeof":
			return "string"
		case "-":
			return p.kindOf(n.Child("argument"), depth-1)
		}
	case "BinaryExpression":
		if op := n.Text("operator"); slices.Contains([]string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"}, op) {
			return "boolean"
		}
	case "ArrayExpression":
		kind := ""
		for i, e := range n.List("elements") {
			if k := p.kindOf(e, depth-1); i == 0 {
				kind = k
			} else {
				kind = same(kind, k)
			}
		}
		if kind == "" || strings.HasSuffix(kind, "]") {
			return "array"
		}
		return kind + "[]"
	case "ObjectExpression":
		return "object"
	case "MemberExpression":
		if property(n) == "length" {
			return "int"
		}
	case "CallExpression":
		return p.callKind(n)
	}
	switch {
	case p.isString(n):
		return "string"
	case isNumber(n):
		return "number"
	}
	return ""
}

func (p *Pair) callKind(n *jsast.Node) string {
	path, method := jsast.Path(n.Child("callee")), property(n.Child("callee"))
	is := func(list []string) bool { return slices.Contains(list, path) || slices.Contains(list, method) }
	switch {
	case is(integers):
		return "int"
	case is(truths):
		return "boolean"
	case path == "Object.keys" || method == "split":
		return "string[]"
	case edit.NewArray(n):
		return "array"
	case p.isString(n):
		return "string"
	case isNumber(n):
		return "number"
	}
	return ""
}

func literalKind(n *jsast.Node) string {
	switch kind := n.Text("kind"); kind {
	case "string", "boolean":
		return kind
	case "number":
		if strings.ContainsAny(n.Text("value"), ".eIN") {
			return "double"
		}
		return "int"
	}
	return ""
}

func same(a, b string) string {
	switch {
	case a == b:
		return a
	case slices.Contains([]string{"int", "double", "number"}, a) && slices.Contains([]string{"int", "double", "number"}, b):
		return "number"
	}
	return ""
}

var onlyStrings = []string{
	"charAt", "charCodeAt", "endsWith", "match", "padEnd", "padStart", "replace", "replaceAll", "split", "startsWith", "substring", "substr",
	"toLowerCase", "toUpperCase", "trim", "trimEnd", "trimStart",
}

// numeric are calls that give a number, by their path.
var numeric = []string{"Number", "parseInt", "parseFloat", "Number.parseInt", "Number.parseFloat", "Date.now", "performance.now", "Buffer.byteLength"}

// isNumber says whether an expression is a number for sure.
func isNumber(n *jsast.Node) bool {
	if n == nil {
		return false
	}
	op := n.Text("operator")
	switch n.Type {
	case "Literal":
		return n.Text("kind") == "number"
	case "UnaryExpression":
		return op == "+"
	case "BinaryExpression": // what is no number here is a bigint, or throws
		return op == "+" && isNumber(n.Child("left")) && isNumber(n.Child("right")) || slices.Contains([]string{"-", "*", "/", "%", "**"}, op)
	case "CallExpression":
		path := jsast.Path(n.Child("callee"))
		return slices.Contains(numeric, path) || strings.HasPrefix(path, "Math.") || property(n.Child("callee")) == "getTime"
	}
	return false
}

// isString says whether an expression is a string for sure.
func (p *Pair) isString(n *jsast.Node) bool {
	if n == nil {
		return false
	}
	switch n.Type {
	case "ConditionalExpression":
		return p.isString(n.Child("consequent")) && p.isString(n.Child("alternate"))
	case "TemplateLiteral":
		return true
	case "Literal":
		return n.Text("kind") == "string"
	case "ChainExpression":
		return p.isString(n.Child("expression"))
	case "BinaryExpression":
		return n.Text("operator") == "+" && (p.isString(n.Child("left")) || p.isString(n.Child("right")))
	case "CallExpression":
		path, method := jsast.Path(n.Child("callee")), property(n.Child("callee"))
		return path == "String" || slices.Contains([]string{"toString", "join", "toISOString", "toFixed", "stringify"}, method) ||
			slices.Contains(onlyStrings, method) && method != "split" && method != "match"
	}
	return false
}
