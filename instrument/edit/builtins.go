package edit

import (
	"slices"
	"strconv"
	"strings"

	"aburn/instrument/jsast"
)

// argument is what a built-in takes at one place.
type argument struct {
	types types // 0 is any value: it is only looked at
	// from and to bound a number that is written out; another number could throw.
	from, to int
}

var (
	anything = argument{}
	aText    = argument{types: stringType}
	aNumber  = argument{types: numeric}
	aValue   = argument{types: textual}
)

func written(from, to int) argument { return argument{numberType, from, to} }

// builtin is a function or method that calls nothing of the program and doesn't throw, with
// arguments of these types.
type builtin struct {
	args  []argument
	least int  // how many of args have to be there
	more  bool // the last of args may be there again
	gives value
}

func takes(gives types, least int, args ...argument) builtin {
	return builtin{args: args, least: least, gives: of(gives)}
}

func anyNumberOf(gives types, arg argument) builtin {
	return builtin{args: []argument{arg}, more: true, gives: of(gives)}
}

// functions are the built-in functions by their path.
var functions = map[string]builtin{
	"String": takes(stringType, 0, argument{types: primitives}), "Number": takes(numberType, 0, aValue), "Boolean": takes(booleanType, 0, anything),
	"parseInt": takes(numberType, 1, aValue, written(0, 36)), "parseFloat": takes(numberType, 1, aValue),
	"isNaN": takes(booleanType, 1, aNumber), "isFinite": takes(booleanType, 1, aNumber),
	"Number.isInteger": takes(booleanType, 1, anything), "Number.isSafeInteger": takes(booleanType, 1, anything),
	"Number.isFinite": takes(booleanType, 1, anything), "Number.isNaN": takes(booleanType, 1, anything),
	"Number.parseInt": takes(numberType, 1, aValue, written(0, 36)), "Number.parseFloat": takes(numberType, 1, aValue),
	"Array.isArray": takes(booleanType, 1, anything), "Object.is": takes(booleanType, 2, anything, anything),
	"Date.now": takes(numberType, 0), "performance.now": takes(numberType, 0),
	"Buffer.byteLength": takes(numberType, 1, aText, aText), "JSON.stringify": takes(stringType, 1, argument{types: numeric &^ undefinedType}),
	"Math.max": anyNumberOf(numberType, aNumber), "Math.min": anyNumberOf(numberType, aNumber), "Math.hypot": anyNumberOf(numberType, aNumber),
	"Math.pow": takes(numberType, 2, aNumber, aNumber), "Math.abs": ofNumber, "Math.cbrt": ofNumber, "Math.ceil": ofNumber, "Math.exp": ofNumber,
	"Math.floor": ofNumber, "Math.log": ofNumber, "Math.log10": ofNumber, "Math.log2": ofNumber, "Math.round": ofNumber, "Math.sign": ofNumber,
	"Math.sqrt": ofNumber, "Math.trunc": ofNumber,
}

var ofNumber = takes(numberType, 1, aNumber)

// maxPad bounds the text that padStart makes: a larger one would be no attribute.
const maxPad = 1000

var stringMethods = map[string]builtin{
	"at": takes(stringType|undefinedType, 0, aNumber), "charAt": takes(stringType, 0, aNumber), "charCodeAt": takes(numberType, 0, aNumber),
	"codePointAt": takes(numberType|undefinedType, 0, aNumber), "concat": anyNumberOf(stringType, aValue),
	"endsWith": takes(booleanType, 1, aText, aNumber), "includes": takes(booleanType, 1, aText, aNumber), "startsWith": takes(booleanType, 1, aText, aNumber),
	"indexOf": takes(numberType, 1, aText, aNumber), "lastIndexOf": takes(numberType, 1, aText, aNumber), "localeCompare": takes(numberType, 1, aText),
	"padEnd": takes(stringType, 1, written(0, maxPad), aText), "padStart": takes(stringType, 1, written(0, maxPad), aText),
	"repeat": takes(stringType, 1, written(0, maxPad)), "slice": takes(stringType, 0, aNumber, aNumber), "substring": takes(stringType, 0, aNumber, aNumber),
	"split":       {args: []argument{aText, aNumber}, gives: listOf(stringType)},
	"toLowerCase": takes(stringType, 0), "toUpperCase": takes(stringType, 0), "trim": takes(stringType, 0), "trimEnd": takes(stringType, 0),
	"trimStart": takes(stringType, 0), "normalize": takes(stringType, 0), "toString": takes(stringType, 0), "valueOf": takes(stringType, 0),
}

var numberMethods = map[string]builtin{
	"toFixed": takes(stringType, 0, written(0, 100)), "toPrecision": takes(stringType, 0, written(1, 100)), "toString": takes(stringType, 0, written(2, 36)),
	"valueOf": takes(numberType, 0),
}

var primitiveMethods = map[string]builtin{"toString": takes(stringType, 0)}

var dateMethods = map[string]builtin{"getTime": takes(numberType, 0), "toISOString": takes(stringType, 0), "valueOf": takes(numberType, 0)}

// errorClasses are built-in classes whose construction reads nothing but a text.
var errorClasses = []string{"Error", "TypeError", "RangeError", "SyntaxError"}

// apiCalls are calls of the telemetry API that only read, by the end of their path.
var apiCalls = []string{"context.active", "trace.getActiveSpan", "trace.getSpan", "trace.setSpan", "isSpanContextValid"}

var spanReads = []string{"isRecording", "spanContext"}

// isBuiltin says whether a path is a built-in that expressions may use, or the object of one.
func isBuiltin(path string) bool {
	if path == "" {
		return false
	}
	for f := range functions {
		if f == path || strings.HasPrefix(f, path+".") {
			return true
		}
	}
	return false
}

// call judges a call: of a built-in function, of a built-in method of a value whose type is known,
// or of the telemetry API.
func (j *judge) call(n *jsast.Node, k known) value {
	callee, args := n.Child("callee"), n.List("arguments")
	path := jsast.Path(callee)
	if f, ok := functions[path]; ok && j.global(rootOf(callee)) {
		return j.apply(n, f, args, k)
	}
	if api := slices.ContainsFunc(apiCalls, func(p string) bool { return path == p || strings.HasSuffix(path, "."+p) }); api && j.isAPI(rootOf(callee)) {
		for _, a := range args {
			j.eval(a, k)
		}
		return of(anyType)
	}
	if callee.Type == "ChainExpression" {
		callee = callee.Child("expression")
	}
	if callee.Type != "MemberExpression" || callee.Is("computed") {
		return j.refuse(n, "it calls a function that isn't a known built-in", "")
	}
	object, method := callee.Child("object"), propertyOf(callee)
	if j.isSpan(object) && slices.Contains(spanReads, method) && len(args) == 0 {
		return of(anyType)
	}
	v := j.eval(object, k)
	if !j.mayRead(callee, v) {
		return of(anyType)
	}
	return j.method(n, object, v, method, args, k)
}

func rootOf(n *jsast.Node) *jsast.Node {
	for n != nil && (n.Type == "MemberExpression" || n.Type == "ChainExpression") {
		if n.Type == "ChainExpression" {
			n = n.Child("expression")
		} else {
			n = n.Child("object")
		}
	}
	return n
}

func (j *judge) method(n, object *jsast.Node, v value, method string, args []*jsast.Node, k known) value {
	if v.types != anyType {
		v.types &^= nullish // an optional chain ends there
	}
	table := map[string]builtin(nil)
	switch {
	case v.fresh == freshList:
		return j.listMethod(n, v, method, args, k)
	case v.fresh == freshDate:
		table = dateMethods
	case v.fresh == freshRegexp && method == "test":
		table = map[string]builtin{"test": takes(booleanType, 1, aText)}
	case v.is(stringType) && (method == "replace" || method == "replaceAll"):
		return j.replace(n, method, args, k)
	case v.is(stringType):
		table = stringMethods
	case v.is(numberType):
		table = numberMethods
	case v.is(booleanType | bigintType | numberType | stringType):
		table = primitiveMethods
	}
	f, ok := table[method]
	if ok {
		return j.apply(n, f, args, k)
	}
	r := Refusal{Node: n, Why: "it calls a method that isn't known to be a built-in"}
	if path := jsast.Path(object); table == nil && path != "" {
		switch {
		case stringMethods[method].gives.types != 0 || method == "replace" || method == "replaceAll":
			r.path, r.types = path, stringType
		case numberMethods[method].gives.types != 0:
			r.path, r.types = path, numberType
		}
		if r.path != "" {
			r.Needs = "test typeof " + path + " first: it has to be " + namesOf(r.types)
		}
	}
	return j.refuseFor(r)
}

// apply judges the arguments of a built-in.
func (j *judge) apply(n *jsast.Node, f builtin, args []*jsast.Node, k known) value {
	if len(args) < f.least {
		return j.throws(n, "an argument is missing", "")
	}
	for i, a := range args {
		if i >= len(f.args) && !f.more {
			return j.refuse(n, "it has an argument too many", "")
		}
		want := f.args[min(i, len(f.args)-1)]
		if a.Type == "SpreadElement" {
			return j.refuse(a, "it runs an iterator of the program, and uses it up", "")
		}
		v := j.eval(a, k)
		if want.to > 0 {
			if x, err := strconv.Atoi(a.Text("value")); a.Text("kind") != "number" || err != nil || x < want.from || x > want.to {
				return j.throws(a, "some numbers throw there", "write a number from "+strconv.Itoa(want.from)+" to "+strconv.Itoa(want.to))
			}
		}
		if want.types != 0 && !j.need(a, v, want.types, "the built-in converts an object by its methods") {
			return of(anyType)
		}
	}
	return f.gives
}

// replace takes a text, or a regular expression that is written out and has no groups: those could
// take for ever. What replaces is a text, never a function.
func (j *judge) replace(n *jsast.Node, method string, args []*jsast.Node, k known) value {
	if len(args) != 2 {
		return j.throws(n, "it needs two arguments", "")
	}
	if args[0].Text("kind") != "regexp" {
		return j.apply(n, takes(stringType, 2, aText, aText), args, k)
	}
	switch pattern := args[0].Text("pattern"); {
	case method == "replaceAll" && !strings.Contains(args[0].Text("flags"), "g"):
		return j.throws(n, "replaceAll throws without the flag g", "")
	case strings.Contains(pattern, "(") || strings.Contains(pattern, `\k`):
		return j.throws(args[0], "a pattern with groups can run without end", "")
	}
	return j.apply(n, takes(stringType, 1, aText), args[1:], k)
}

// listMethod judges a method of a list that only the expression holds.
func (j *judge) listMethod(n *jsast.Node, v value, method string, args []*jsast.Node, k known) value {
	switch method {
	case "join", "toString":
		if v.elem&^textual != 0 {
			return j.refuse(n, "join calls toString of its elements", "the elements have to be strings, numbers or booleans")
		}
		return j.apply(n, takes(stringType, 0, aText), args, k)
	case "includes":
		return j.apply(n, takes(booleanType, 1, anything, aNumber), args, k)
	case "indexOf", "lastIndexOf":
		return j.apply(n, takes(numberType, 1, anything, aNumber), args, k)
	case "at":
		return j.apply(n, takes(v.elem|undefinedType, 0, aNumber), args, k)
	case "slice":
		f := takes(0, 0, aNumber, aNumber)
		f.gives = v
		return j.apply(n, f, args, k)
	case "reverse":
		return j.applyTo(n, v, args, k)
	case "sort":
		if v.elem&^textual != 0 {
			return j.refuse(n, "sort calls toString of its elements", "the elements have to be strings, numbers or booleans")
		}
		return j.applyTo(n, v, args, k)
	case "map", "filter", "some", "every", "find", "findIndex":
		given := j.arrow(n, v.elem, args, k)
		switch method {
		case "map":
			return listOf(given.types)
		case "filter":
			return v
		case "find":
			return of(v.elem | undefinedType)
		case "findIndex":
			return of(numberType)
		}
		return of(booleanType)
	}
	return j.refuse(n, "it calls a method of a list that isn't known to be harmless", "")
}

func (j *judge) applyTo(n *jsast.Node, v value, args []*jsast.Node, k known) value {
	return j.apply(n, builtin{gives: v}, args, k)
}

// arrow judges the function that a list's method calls for each element.
func (j *judge) arrow(n *jsast.Node, elem types, args []*jsast.Node, k known) value {
	if len(args) != 1 || args[0].Type != "ArrowFunctionExpression" || args[0].Is("async") || args[0].Child("body").Type == "BlockStatement" {
		return j.refuse(n, "it calls a function", "write it as an arrow with an expression")
	}
	inner := &judge{surroundings: j.surroundings, params: map[string]value{}, depth: j.depth}
	for name, v := range j.params {
		inner.params[name] = v
	}
	for i, p := range args[0].List("params") {
		if p.Type != "Identifier" || i > 1 {
			return j.refuse(p, "a pattern or default can run code", "")
		}
		name := p.Text("name")
		k = k.without(name)
		inner.params[name] = of([]types{elem, numberType}[i])
	}
	v := inner.eval(args[0].Child("body"), k)
	j.unsure = append(j.unsure, inner.unsure...)
	if inner.refused != nil && j.refused == nil {
		j.refused = inner.refused
	}
	return v
}

func (j *judge) construct(n *jsast.Node, k known) value {
	callee, args := n.Child("callee"), n.List("arguments")
	name := callee.Text("name")
	if callee.Type != "Identifier" || !j.global(callee) {
		return j.refuse(n, "it runs a constructor of the program", "")
	}
	switch {
	case name == "Date" && len(args) == 0:
		return value{types: objectType, fresh: freshDate}
	case slices.Contains(errorClasses, name) && len(args) <= 1:
		j.apply(n, takes(objectType, 0, aValue), args, k)
		return of(objectType)
	}
	return j.refuse(n, "it runs a constructor that isn't known to be harmless", "")
}
