package edit

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// expressions writes random expressions of the whole grammar of ECMAScript, up to a depth.
type expressions struct{ *rand.Rand }

func (g expressions) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g expressions) variable() string { return g.pick("order", "items", "n", "s", "x", "y") }

func (g expressions) member() string {
	return g.pick("id", "items", "length", "total", "name", "toString", "valueOf", "constructor", "toFixed", "trim", "slice", "join",
		"map", "at", "size", "then", "toJSON",
		"__proto__", "prototype", "caller", "arguments", "callee", "isRecording", "replace", "split", "includes", "concat", "repeat",
		"toISOString", "getTime", "test",
		"filter", "find", "indexOf", "sort", "reverse", "padStart", "toUpperCase", "charAt", "localeCompare", "normalize", "every", "some",
		"flat", "reduce",
		"toPrecision", "codePointAt", "hasOwnProperty", "call", "bind")
}

func (g expressions) literal() string {
	return g.pick("1", "-1", "0", "1.5", "NaN", "Infinity", "3n", "'a'", "'a,b'", "''", "null", "undefined", "true", "/a/", "/a/g",
		"/(a+)+/", "`t`", "1e999", "2", "36", "99",
		"Symbol.iterator", "Symbol.toPrimitive", "this", "arguments", "new.target", "[]", "({})", "function () { order() }", "() => 1",
		"class {}")
}

func (g expressions) global() string {
	if g.IntN(3) == 0 {
		return g.pick("Object.keys", "Object.values", "Object.entries", "Object.hasOwn", "Object.assign", "Array.from", "JSON.stringify",
			"Reflect.get", "BigInt", "Symbol",
			"String.raw", "Object", "Function", "eval", "Array", "encodeURIComponent", "decodeURI", "structuredClone", "queueMicrotask",
			"Promise.resolve", "Number.parseInt")
	}
	var known []string
	for f := range functions {
		known = append(known, f)
	}
	slices.Sort(known)
	return known[g.IntN(len(known))]
}

// guard is a test as people write one.
func (g expressions) guard() string {
	v := g.pick(g.variable(), g.variable()+"."+g.pick("id", "items", "length"), g.variable()+"?.id")
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		return "typeof " + v + g.pick(" === ", " == ", " !== ") + "'" + g.pick("string", "number", "boolean", "object", "undefined",
			"bigint", "symbol", "function") + "'"
	case 4:
		return "Array.isArray(" + v + ")"
	case 5:
		return g.pick("Number.isFinite(", "Number.isInteger(", "Number.isNaN(") + v + ")"
	case 6:
		return v + g.pick(" != null", " !== null", " === undefined", " == null", " !== undefined", " === 'a'", " === 1", " === true",
			" == 1", " == 'a'")
	case 7:
		return v
	case 8:
		return "!(" + g.guard() + ")"
	}
	return "(" + g.guard() + g.pick(" && ", " || ") + g.guard() + ")"
}

// guarded is a guard and an expression of the very value that it tests.
func (g expressions) guarded(depth int) string {
	v := g.pick(g.variable(), g.variable()+".id")
	typ := g.pick("string", "number", "boolean", "bigint", "symbol")
	use := g.pick(v+"."+g.member(), v+"."+g.member()+"("+g.pick("", "1", "'a'", "n", g.expression(depth-1))+")", "`${"+v+"}`",
		v+" + "+g.expression(depth-1), "+"+v, "-"+v,
		"String("+v+")", v+g.pick(" * ", " < ", " == ", " % ")+g.pick("1", "2n", "'a'", v, g.expression(depth-1)), g.global()+"("+v+")", v+"[0]")
	test := "typeof " + v + " === '" + typ + "'"
	if g.IntN(5) == 0 {
		test = "Array.isArray(" + v + ")"
	}
	return g.pick("("+test+" ? "+use+" : "+g.literal()+")", "("+test+" && "+use+")", "("+test+" || "+use+")",
		"(!("+test+") ? "+use+" : 1)", "(!("+test+") || "+use+")")
}

func (g expressions) expression(depth int) string {
	if depth <= 0 {
		return g.pick(g.variable(), g.variable(), g.literal(), g.variable()+"."+g.member())
	}
	e := func() string { return g.expression(depth - 1 - g.IntN(2)) }
	switch g.IntN(30) {
	case 0, 1:
		return g.guarded(depth)
	case 2:
		return "(" + g.guard() + " ? " + e() + " : " + e() + ")"
	case 3:
		return "`a${" + e() + "}" + g.pick("", "b${"+e()+"}") + "`"
	case 4:
		return "(" + e() + g.pick(" + ", " - ", " * ", " / ", " % ", " ** ", " & ", " | ", " ^ ", " << ", " >> ", " >>> ") + "(" + e() + "))"
	case 5:
		return "(" + e() + g.pick(" < ", " > ", " <= ", " >= ", " == ", " != ", " === ", " !== ", " in ", " instanceof ") + e() + ")"
	case 6:
		return "(" + e() + g.pick(" && ", " || ", ", ") + e() + ")"
	case 7:
		return "(" + e() + " ?? " + e() + ")"
	case 8:
		return g.pick("!", "+", "-", "~", "typeof ", "void ", "delete ") + "(" + e() + ")"
	case 9:
		return "[" + e() + g.pick("", ", "+e(), ", , "+e(), ", ..."+e()) + "]"
	case 10:
		return "({ " + g.pick("a: "+e(), "'b': "+e(), "["+e()+"]: "+e(), "..."+e(), g.variable(), "toString: "+e(), "valueOf: "+e(),
			"__proto__: "+e(),
			"get a() { return "+e()+" }", "[Symbol.toPrimitive]: "+e(), "m() { return "+e()+" }", "toJSON: "+e(), "...("+e()+" && { a: 1 })") + " })"
	case 11, 12:
		return e() + g.pick(".", "?.") + g.member()
	case 13:
		return e() + g.pick("[", "?.[") + e() + "]"
	case 14, 15, 16:
		return e() + g.pick(".", "?.") + g.member() + g.pick("(", "?.(") + g.arguments(e) + ")"
	case 17, 18:
		return g.global() + "(" + g.arguments(e) + ")"
	case 19:
		return "new " + g.pick("Date", "Error", "TypeError", "Map", "Set", "URL", "RegExp", "Array", "Proxy", "Function",
			"(class extends Object { static a = n })") + "(" +
			g.arguments(e) + ")"
	case 20:
		return "[" + g.pick("1, 2", "'a', 'b'", e(), "order") + "]." + g.pick("map", "filter", "some", "every", "find", "flatMap", "forEach",
			"sort", "reduce") + "(" +
			g.pick("(x) => ", "(x, y) => ", "x => ", "async (x) => ", "(x = n) => ", "({ id }) => ") + "(" + e() + "))"
	case 21:
		return "'a,b'." + g.pick("split(',')", "split('')") + "." + g.pick("map((x) => ", "filter((x) => ", "some((x) => ") + e() + ")"
	case 22:
		return "(" + e() + ")" + g.pick("`x`", "`${"+e()+"}`")
	case 23:
		return "(" + g.variable() + g.pick(" = ", " += ", " ??= ", ".id = ") + e() + ")"
	case 24:
		return g.pick(g.variable()+"++", "--"+g.variable()+".id", "(() => "+e()+")()", "(function () { return "+e()+" })()",
			"import('node:fs')", "order?.()", "n()",
			"order.id()", "new order()", "new order.id("+e()+")")
	case 25:
		return "'a-b'." + g.pick("replace", "replaceAll") + "(" + g.pick("'a'", "/a/", "/a/g", "/(a)/g", e()) + ", " + g.pick("'b'",
			"(x) => x", e()) + ")"
	case 26:
		return g.pick("new Date()", "new Date("+e()+")") + "." + g.pick("toISOString()", "getTime()", "toString()", "valueOf()", "toJSON()")
	}
	return e()
}

func (g expressions) arguments(e func() string) string {
	return g.pick("", e(), e(), e()+", "+e(), "..."+e(), "1", "'a'", "2, 3", "','")
}

// Expressions of a type, as harmless ones are: now and then a part of them is anything.
func (g expressions) wild(depth int) (string, bool) {
	if g.IntN(20) == 0 {
		return g.expression(depth), true
	}
	return "", false
}

func (g expressions) test(typ string, use func(v string) string, other string) string {
	v := g.pick(g.variable(), g.variable()+"."+g.pick("id", "name"), g.variable()+"?.id")
	is := "typeof " + v + " === '" + typ + "'"
	plain := strings.ReplaceAll(v, "?.", ".")
	return g.pick("("+is+" ? "+use(plain)+" : "+other+")", "(!("+is+") ? "+other+" : "+use(plain)+")",
		"("+is+" && "+g.guard()+" ? "+use(plain)+" : "+other+")")
}

func (g expressions) text(depth int) string {
	if e, ok := g.wild(depth); ok {
		return e
	}
	if depth <= 0 {
		return g.pick("'a'", "'a,b'", "`t`", "''", "typeof "+g.variable())
	}
	d := depth - 1
	switch g.IntN(10) {
	case 0:
		return g.test("string", func(v string) string { return v }, g.text(d))
	case 1:
		return "`${" + g.any(d) + "}-${" + g.any(d) + "}`"
	case 2:
		return "(" + g.text(d) + " + " + g.any(d) + ")"
	case 3:
		return "String(" + g.any(d) + ")"
	case 4:
		return "(" + g.text(d) + ")." + g.pick("trim()", "slice("+g.number(d)+", "+g.number(d)+")", "toUpperCase()", "padStart("+g.pick("4",
			"n", "1e9")+", '0')", "repeat(3)",
			"concat("+g.any(d)+")", "charAt("+g.number(d)+")", "replace("+g.pick("'a'", "/a/", "/a|b/g", g.text(d))+", "+g.text(d)+")",
			"normalize()", "substring("+g.number(d)+")")
	case 5:
		return g.list(d) + ".join(" + g.text(d) + ")"
	case 6:
		return g.pick("new Date().toISOString()", "(5).toFixed(2)", "(255).toString(16)", "("+g.number(d)+").toFixed("+g.pick("1", "n",
			"200")+")")
	case 7:
		return "(" + g.truth(d) + " ? " + g.text(d) + " : " + g.text(d) + ")"
	case 8:
		return g.test("string", func(v string) string {
			return v + "." + g.pick("trim()", "slice(0, 8)", "toLowerCase()", "split(',').join()", "at(0)")
		}, g.text(d))
	}
	return "JSON.stringify(" + g.pick(g.text(d), g.number(d), g.truth(d)) + ")"
}

func (g expressions) number(depth int) string {
	if e, ok := g.wild(depth); ok {
		return e
	}
	if depth <= 0 {
		return g.pick("0", "1", "-1", "1.5", "NaN", "Infinity", "1e9")
	}
	d := depth - 1
	switch g.IntN(9) {
	case 0:
		return g.test("number", func(v string) string { return g.pick(v, v+" * 2", "-"+v, v+" % "+v, "Math.round("+v+")") }, g.number(d))
	case 1:
		return "(" + g.number(d) + g.pick(" + ", " - ", " * ", " / ", " % ", " ** ", " | ", " << ", " >>> ") + "(" + g.number(d) + "))"
	case 2:
		return "(" + g.text(d) + ")." + g.pick("length", "indexOf("+g.text(d)+")", "charCodeAt("+g.number(d)+")", "localeCompare("+g.text(d)+")")
	case 3:
		return g.pick("Math.max", "Math.min", "Math.abs", "Math.hypot", "Number", "parseInt", "Date.now", "performance.now",
			"Math.trunc") + "(" + g.pick("", g.number(d), g.any(d)) + ")"
	case 4:
		return g.list(d) + "." + g.pick("length", "indexOf("+g.any(d)+")", "findIndex((x) => "+g.truth(d)+")")
	case 5:
		return g.pick("+", "-", "~") + "(" + g.any(d) + ")"
	case 6:
		return "(Array.isArray(items) ? items.length : " + g.number(d) + ")"
	case 7:
		return "(" + g.truth(d) + " ? " + g.number(d) + " : " + g.number(d) + ")"
	}
	return g.pick("new Date().getTime()", "(Number.isInteger(n) ? n + 1 : 0)", "(Number.isFinite(order.id) ? order.id : 0)")
}

func (g expressions) truth(depth int) string {
	if e, ok := g.wild(depth); ok {
		return e
	}
	if depth <= 0 {
		return g.pick("true", "false", "!"+g.variable(), "order === n", "items == null")
	}
	d := depth - 1
	switch g.IntN(8) {
	case 0:
		return g.guard()
	case 1:
		return "(" + g.any(d) + g.pick(" < ", " >= ", " == ", " != ") + g.any(d) + ")"
	case 2:
		return "(" + g.expression(d) + g.pick(" === ", " !== ") + g.expression(d) + ")"
	case 3:
		return "(" + g.truth(d) + g.pick(" && ", " || ") + g.truth(d) + ")"
	case 4:
		return "(" + g.text(d) + ")." + g.pick("includes(", "startsWith(", "endsWith(") + g.text(d) + ")"
	case 5:
		return g.list(d) + "." + g.pick("includes("+g.any(d)+")", "some((x) => "+g.truth(d)+")", "every((x, y) => x === y)")
	case 6:
		return g.pick("Boolean(", "Array.isArray(", "Number.isInteger(", "Object.is(n, ", "!(") + g.any(d) + ")"
	}
	return "/a+/." + g.pick("test("+g.text(d)+")", "exec("+g.text(d)+")")
}

func (g expressions) list(depth int) string {
	if e, ok := g.wild(depth); ok {
		return "[" + e + "]"
	}
	d := depth - 1
	if d <= 0 {
		return g.pick("['a', 'b']", "[1, 2]", "'a,b'.split(',')", "[]")
	}
	switch g.IntN(7) {
	case 0:
		return "[" + g.any(d) + ", " + g.any(d) + "]"
	case 1:
		return "(" + g.text(d) + ").split(" + g.text(d) + ")"
	case 2:
		return g.list(d) + ".map((x) => " + g.pick("x", g.text(d), "x.trim()", "x + 1", "x.length", "`${x}`") + ")"
	case 3:
		return g.list(d) + ".filter((x, i) => " + g.pick("x", g.truth(d), "i > 1", "x === i") + ")"
	case 4:
		return "[..." + g.list(d) + ", ..." + g.pick(g.list(d), g.text(d)) + "]"
	case 5:
		return g.list(d) + "." + g.pick("slice(1)", "reverse()", "sort()")
	}
	return "[" + g.text(d) + "]"
}

func (g expressions) any(depth int) string {
	switch g.IntN(6) {
	case 0:
		return g.number(depth)
	case 1:
		return g.truth(depth)
	case 2:
		return g.pick("null", "undefined", "true", g.test("boolean", func(v string) string { return v }, "false"))
	}
	return g.text(depth)
}

// typed is a harmless expression, mostly; what isn't read further may be of any type.
func (g expressions) typed(depth int) string {
	switch g.IntN(6) {
	case 0:
		return g.pick(g.variable()+"."+g.member(), g.variable()+"?."+g.member()+"?."+g.member(), g.variable()+"["+g.any(depth-1)+"]",
			g.list(depth)+"["+g.number(depth-1)+"]",
			"({ a: "+g.any(depth-1)+", ["+g.any(depth-1)+"]: "+g.variable()+" })", "["+g.variable()+", "+g.any(depth-1)+"]")
	case 1:
		return "(" + g.guard() + " && " + g.any(depth-1) + ")"
	case 2:
		return "(" + g.variable() + g.pick(" ?? ", " || ") + g.any(depth-1) + ")"
	}
	return g.any(depth)
}
