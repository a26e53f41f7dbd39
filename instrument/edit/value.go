package edit

import (
	"maps"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// types is a set of types that a value can have.
type types uint16

const (
	undefinedType types = 1 << iota
	nullType
	booleanType
	numberType
	bigintType
	stringType
	symbolType
	arrayType  // of the program: it may have methods of its own
	objectType // anything else, functions too

	anyType    = undefinedType | nullType | booleanType | numberType | bigintType | stringType | symbolType | arrayType | objectType
	nullish    = undefinedType | nullType
	primitives = anyType &^ (arrayType | objectType)
	// textual are the types that a template takes: it calls nothing for them, and doesn't throw.
	textual = primitives &^ symbolType
	// numeric are the types that arithmetic takes. A bigint throws next to a number.
	numeric = textual &^ bigintType
)

// value is what the form of an expression says of its value.
type value struct {
	types types
	// fresh is a built-in object that only the expression holds, so its methods are the built-in ones.
	fresh fresh
	elem  types // of the elements of a fresh list
}

type fresh uint8

const (
	notFresh fresh = iota
	freshList
	freshDate
	freshRegexp
	freshObject
)

func of(t types) value          { return value{types: t} }
func listOf(elem types) value   { return value{arrayType, freshList, elem} }
func (v value) is(t types) bool { return v.types != 0 && v.types&^t == 0 }

func join(a, b value) value {
	out := value{types: a.types | b.types}
	if a.fresh == b.fresh {
		out.fresh, out.elem = a.fresh, a.elem|b.elem
	}
	return out
}

// known are the types of paths, where guards say them. The maps are never changed.
type known map[string]types

func (k known) with(path string, t types) known {
	if path == "" {
		return k
	}
	out := maps.Clone(k)
	if out == nil {
		out = known{}
	}
	was, ok := out[path]
	if !ok {
		was = anyType
	}
	out[path] = was & t
	return out
}

// without forgets all that is known of a name.
func (k known) without(name string) known {
	out := maps.Clone(k)
	maps.DeleteFunc(out, func(path string, _ types) bool { return path == name || strings.HasPrefix(path, name+".") })
	return out
}

// either is what is known if one of two is true.
func either(a, b known) known {
	out := known{}
	for path, t := range a {
		if u, ok := b[path]; ok {
			out[path] = t | u
		}
	}
	return out
}

var typeofTypes = map[string]types{
	"string": stringType, "number": numberType, "boolean": booleanType, "bigint": bigintType, "symbol": symbolType,
	"undefined": undefinedType, "object": nullType | arrayType | objectType, "function": objectType,
}

// narrow is what is known where a condition is true, or where it is false.
func narrow(n *jsast.Node, truth bool, k known) known {
	switch n.Type {
	case "Identifier", "MemberExpression", "ChainExpression":
		if truth {
			return present(k, n)
		}
		return k.with(jsast.Path(n), anyType&^(symbolType|arrayType|objectType))
	case "UnaryExpression":
		if n.Text("operator") == "!" {
			return narrow(n.Child("argument"), !truth, k)
		}
	case jsast.LogicalChain, "LogicalExpression":
		return narrowChain(n, truth, k)
	case "BinaryExpression":
		return narrowComparison(n, truth, k)
	case "CallExpression":
		args := n.List("arguments")
		if !truth || len(args) != 1 || args[0] == nil {
			return k
		}
		switch jsast.Path(n.Child("callee")) {
		case "Array.isArray":
			return present(k, args[0]).with(jsast.Path(args[0]), arrayType)
		case "Number.isFinite", "Number.isInteger", "Number.isSafeInteger", "Number.isNaN":
			return present(k, args[0]).with(jsast.Path(args[0]), numberType)
		}
	}
	return k
}

// present is what is known where an expression has a value: so has each part of its path.
func present(k known, n *jsast.Node) known {
	path := jsast.Path(n)
	for path != "" && path != "this" {
		k = k.with(path, anyType&^nullish)
		path = path[:max(strings.LastIndexByte(path, '.'), 0)]
	}
	return k
}

func operands(n *jsast.Node) []*jsast.Node {
	if n.Type == jsast.LogicalChain {
		return n.List("operands")
	}
	return []*jsast.Node{n.Child("left"), n.Child("right")}
}

func narrowChain(n *jsast.Node, truth bool, k known) known {
	op := n.Text("operator")
	if op == "??" {
		return k
	}
	list := operands(n)
	if truth == (op == "&&") { // each operand is as the whole
		for _, o := range list {
			k = narrow(o, truth, k)
		}
		return k
	}
	var out known
	for i, o := range list {
		one := narrow(o, truth, k)
		if i == 0 {
			out = one
		} else {
			out = either(out, one)
		}
		k = narrow(o, !truth, k)
	}
	return out
}

func narrowComparison(n *jsast.Node, truth bool, k known) known {
	op, left, right := n.Text("operator"), n.Child("left"), n.Child("right")
	equal := truth == strings.HasPrefix(op, "=")
	if !slices.Contains([]string{"==", "===", "!=", "!=="}, op) {
		return k
	}
	if left.Type == "Literal" || isUndefined(left) {
		left, right = right, left
	}
	if left.Type == "UnaryExpression" && left.Text("operator") == "typeof" && right.Text("kind") == "string" {
		t, of := typeofTypes[right.Text("value")], left.Child("argument")
		if !equal {
			return k.with(jsast.Path(of), anyType&^t)
		}
		if t&nullish == 0 {
			k = present(k, of)
		}
		return k.with(jsast.Path(of), t)
	}
	literal, ok := literalTypes(right)
	loose := len(op) == 2
	switch {
	case !ok || loose && literal&nullish == 0:
		return k
	case loose:
		literal = nullish
	}
	switch {
	case !equal && literal == nullish:
		return present(k, left)
	case !equal && literal&nullish != 0:
		return k.with(jsast.Path(left), anyType&^literal)
	case !equal:
		return k
	case literal&nullish == 0:
		k = present(k, left)
	}
	return k.with(jsast.Path(left), literal)
}

func isUndefined(n *jsast.Node) bool {
	return n.Type == "Identifier" && n.Text("name") == "undefined" || n.Type == "UnaryExpression" && n.Text("operator") == "void"
}

func literalTypes(n *jsast.Node) (types, bool) {
	if isUndefined(n) {
		return undefinedType, true
	}
	if n.Type != "Literal" {
		return 0, false
	}
	switch n.Text("kind") {
	case "null":
		return nullType, true
	case "boolean":
		return booleanType, true
	case "number":
		return numberType, true
	case "bigint":
		return bigintType, true
	case "string":
		return stringType, true
	}
	return objectType, false
}
