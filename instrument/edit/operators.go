package edit

import (
	"slices"

	"aburn/instrument/jsast"
)

func (j *judge) unary(n *jsast.Node, k known) value {
	arg := n.Child("argument")
	op := n.Text("operator")
	if op == "delete" {
		return j.refuse(n, "it changes something", "")
	}
	v := j.eval(arg, k)
	switch op {
	case "typeof":
		return of(stringType)
	case "!":
		return of(booleanType)
	case "void":
		return of(undefinedType)
	}
	j.need(arg, v, numeric, "arithmetic calls valueOf of an object, and may throw on a bigint or symbol")
	return of(numberType)
}

func (j *judge) binary(n *jsast.Node, k known) value {
	op, left, right := n.Text("operator"), n.Child("left"), n.Child("right")
	switch op {
	case "in", "instanceof":
		if op == "instanceof" && j.isErrorTest(n) {
			return of(booleanType)
		}
		return j.refuse(n, op+" can run code of either side, and throw", "")
	}
	l, r := j.eval(left, k), j.eval(right, k)
	switch op {
	case "===", "!==":
		return of(booleanType)
	case "==", "!=":
		if l.is(nullish) || r.is(nullish) {
			return of(booleanType)
		}
		_ = j.need(left, l, primitives, "== calls valueOf of an object") && j.need(right, r, primitives, "== calls valueOf of an object")
		return of(booleanType)
	case "<", ">", "<=", ">=":
		wanted := numeric | bigintType
		_ = j.need(left, l, wanted, "a comparison calls valueOf of an object") && j.need(right, r, wanted, "a comparison calls valueOf of an object")
		return of(booleanType)
	case "+":
		const why = "+ calls valueOf of an object, and throws on a bigint next to a number"
		_ = j.need(left, l, numeric, why) && j.need(right, r, numeric, why)
		switch {
		case l.is(stringType) || r.is(stringType):
			return of(stringType)
		case (l.types|r.types)&(stringType|arrayType|objectType) == 0:
			return of(numberType)
		}
		return of(stringType | numberType)
	}
	const why = "arithmetic calls valueOf of an object, and throws on a bigint next to a number"
	_ = j.need(left, l, numeric, why) && j.need(right, r, numeric, why)
	return of(numberType)
}

// isErrorTest: what was caught is handed to recordException, which reads it anyway.
func (j *judge) isErrorTest(n *jsast.Node) bool {
	left, right := n.Child("left"), n.Child("right")
	return left.Type == "Identifier" && right.Type == "Identifier" && slices.Contains(errorClasses, right.Text("name")) && j.global(right) && j.caught(left)
}

func (j *judge) logical(n *jsast.Node, k known) value {
	op := n.Text("operator")
	var out value
	for i, o := range operands(n) {
		v := j.eval(o, k)
		switch op {
		case "&&":
			k = narrow(o, true, k)
		case "||":
			k = narrow(o, false, k)
		}
		if i == 0 {
			out = v
			continue
		}
		switch op { // what the operands before can give as the result
		case "&&":
			out.types &= anyType &^ (symbolType | arrayType | objectType)
		case "||", "??":
			out.types &^= nullish
		}
		if out.types == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	return out
}
