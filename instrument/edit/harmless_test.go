package edit

import (
	"strings"
	"testing"
)

// judged gives what [Undone.Refused] says of an expression as an attribute's value, in one line.
func judged(t *testing.T, orig, guard, expr string) string {
	t.Helper()
	statement := "span.setAttribute('a', " + expr + ");"
	if guard != "" {
		statement = "if (" + guard + ") { " + statement + " }"
	}
	at := strings.Index(orig, "{") + 1
	new := head0 + orig[:at] + around("", statement+"\n"+orig[at:len(orig)-1]) + "}"
	u := Undo(parse(t, orig), parse(t, new))
	if len(u.Differences)+len(u.Flaws)+len(u.Captures) > 0 {
		t.Fatalf("%s: %s", expr, said(u))
	}
	var out []string
	for _, r := range u.Refused() {
		kind := "runs"
		if r.Throws {
			kind = "throws"
		}
		out = append(out, kind+" "+u.New.Text(r.Node.Range))
	}
	return strings.Join(out, "; ")
}

const subject = "export function f(order, items, n, s) { return run(order, items, n, s) }"

// TestRunsCode holds expressions that can call code of the program.
func TestRunsCode(t *testing.T) {
	for _, expr := range []string{
		"`${{ toString: wipe }}`", "String({ toString: wipe })", "+{ valueOf: wipe }", "{ valueOf: wipe } > 1", "[{ toString: wipe }].join()",
		"order instanceof { [Symbol.hasInstance]: wipe }",
		"`${order}`", "String(order)", "Number(order.total)", "+n", "-n", "n > 1", "n == 1", "n + 1", "'a' + order.id", "items.join()",
		"items.map((i) => i.id)",
		"[order].join()", "[...items]", "[...items].length", "[[order]].join()", "[items].flat().join()", "Math.max(n, 1)", "parseInt(s)",
		"isNaN(n)", "order[n]",
		"order[items]", "({ [n]: 1 })", "({ ...order })", "({ get a() { return wipe() } })", "({ a() { wipe() } })",
		"({ toString() { return '' } }) + ''",
		"Object.keys(order)", "Object.entries(order).length", "Object.hasOwn(order, 'a')", "'id' in order", "order instanceof Date",
		"Array.from(items)",
		"JSON.stringify(order)", "JSON.stringify({ toJSON: order })", "s.trim()", "s.slice(0, 8)", "s.split(',').length", "n.toFixed(2)",
		"order.at.toISOString()",
		"order.toString()", "new Map(items).size", "new Set(items).size", "new URL(s).host", "new Date(order)", "new Error(order)",
		"new Error(s, order)",
		"new order.Class()", "order.id++", "(order.id = 1)", "delete order.id", "order`x`", "String.raw`${order}`", "(() => order)()",
		"(function () {})()",
		"class { static x = wipe() }", "import('./wipe.js')", "order?.save?.()", "items.length.toFixed(1)", "(s || '').trim()",
		"(s ?? '').length.toFixed(n)",
		"'a'.concat(order)", "'a'.includes(order)", "'a'.replace(s, 'b')", "'a'.replace('a', order)", "'a'.split(order)", "'a'.at(n)",
		"'a'[n]", "order.__proto__",
		"'a,b'.split(',').map(wipe)", "'a,b'.split(',').concat(items)", "[1].map((x) => order.save(x))", "[order].map((o) => `${o}`)",
		"[1].map((x = order.save()) => x)",
		"new (class extends order {})", "s.constructor('wipe()')", "(0, wipe)()", "globalThis.wipe()", "Reflect.get(order, 'a')",
		"Symbol.for(s)", "Date(n)",
		"isRecording()", "order.isRecording()", "[order].includes.call(order)", "[1, 2].reduce(wipe)", "[n].sort()", "[order].toString()",
		"[] + order",
		"[] == order", "[n] + ''", "'a' < [n]", "`${[n]}`", "`${() => 1}`", "String(Symbol)", "({}) + 1", "void order.save()",
		"typeof order.save()", "!order.save()",
	} {
		if got := judged(t, subject, "", expr); !strings.HasPrefix(got, "runs ") {
			t.Errorf("%s: %q, wanted as one that runs code", expr, got)
		}
	}
}

// TestThrows holds expressions that run no code of the program, and can throw.
func TestThrows(t *testing.T) {
	for _, expr := range []string{
		"null.x", "undefined.x", "(void 0).x", "null[0]", "'x'.repeat(n === 1 ? 3 : 4)", "'x'.repeat(-1)", "BigInt(1.5)", "BigInt('x')",
		"1 + 1n", "2n ** 3n", "1n / 0n", "+1n",
		"Math.max(1n)", "(5).toString(99)", "(5).toFixed(101)", "(5).toPrecision(0)", "'a'.normalize('x')", "'a'.replaceAll(/a/, 'b')",
		"'a'.padEnd(9999999999)",
		"'ab'.at(0).length", "'a'.codePointAt(0).toFixed()", "new Date(NaN).toISOString()", "encodeURIComponent('\\ud800')",
		"JSON.stringify(1n)", "[1n].map((x) => x * 2)",
		"f.caller", "f.arguments", "super_.x.y.z === null.z", "`${Symbol.iterator}`", "isFinite(1n)", "parseInt(Symbol.iterator)",
		"new Array(-1)", "'x'.toString(1n)",
	} {
		if expr == "super_.x.y.z === null.z" {
			expr = "true && null.z"
		}
		if got := judged(t, subject, "", expr); got == "" {
			t.Errorf("%s: not refused", expr)
		}
	}
	for _, c := range [][2]string{
		{"typeof n === 'bigint'", "n + 1"}, {"typeof n === 'bigint'", "n / n"}, {"typeof n === 'symbol'", "`${n}`"}, {"order == null",
			"order.id"}, {"!order", "order.id"},
		{"typeof n === 'number' || typeof n === 'bigint'", "n * 2"}, {"order === null || typeof order === 'string'", "order.length"},
		{"typeof n === 'number'", "'x'.repeat(n)"}, {"typeof n === 'number'", "n.toString(n)"}, {"typeof s === 'string'", "s.normalize(s)"},
		{"typeof n === 'number'", "BigInt(n)"}, {"typeof s === 'string'", "new RegExp(s).source"}, {"typeof s === 'string'",
			"decodeURIComponent(s)"},
	} {
		if got := judged(t, subject, c[0], c[1]); got == "" {
			t.Errorf("%s, if %s: not refused", c[1], c[0])
		}
	}
}

// TestHarmless holds what may stand in an added expression.
func TestHarmless(t *testing.T) {
	for _, c := range [][2]string{
		{"", "1"}, {"", "'a'"}, {"", "-1"}, {"", "order.id"}, {"", "order?.items?.[0]?.id"}, {"", "order['shop-id']"}, {"", "items[0]"}, {"",
			"items.length"},
		{"", "typeof order"}, {"", "!order"}, {"", "order === n"}, {"", "order != null"}, {"", "order ?? 'none'"}, {"", "order ? 'a' : 'b'"},
		{"", "order && order.id"},
		{"", "Boolean(order)"}, {"", "Array.isArray(items)"}, {"", "Array.isArray(items) ? items.length + 1 : 0"}, {"",
			"Number.isInteger(n) ? n * 2 : 0"},
		{"", "typeof s === 'string' ? s.slice(0, 8) : ''"}, {"", "typeof s === 'string' && s.trim().length > 0"}, {"",
			"typeof order.id === 'string' ? `o-${order.id}` : ''"},
		{"", "`${1} of ${'a'.length}`"}, {"", "Date.now() - performance.now()"}, {"", "new Date().toISOString()"}, {"",
			"['a', 'b'].join('-')"}, {"", "[order.id, n]"},
		{"", "({ a: order.id, 'b': 1, ['c']: 2 })"}, {"", "({ ...(order && { a: 1 }) })"}, {"", "'a,b'.split(',').map((x) => x.trim()).join()"},
		{"", "[1, 2].map((x, i) => x * i).includes(2)"}, {"", "String(order === n)"}, {"", "Math.round(1.5)"}, {"", "(5).toString(16)"}, {"",
			"(5).toFixed(2)"},
		{"", "'a'.replace(/[^a-z]+/g, '')"}, {"", "'a'.padStart(4, '0')"}, {"", "this.id"}, {"", "arguments.length"}, {"",
			"new.target === undefined"},
		{"", "trace.getActiveSpan()"}, {"", "n === null ? 0 : 1"}, {"", "Number.isFinite(n) && n > 3"}, {"",
			"typeof n !== 'number' ? '' : n.toFixed(1)"},
		{"", "typeof s === 'string' || typeof s === 'number' ? String(s) : ''"}, {"", "!Array.isArray(items) || items.length < 3"}, {"",
			"s === 'x' ? s.length : 0"},
		{"typeof order.id === 'string'", "order.id.toUpperCase()"}, {"typeof s === 'string' || typeof s === 'number'", "`s ${s}`"},
		{"Array.isArray(items)", "items.length > 3"},
		{"typeof n === 'number' && span.isRecording()", "n / 100"}, {"span.isRecording()", "order.id"},
		{"order != null && typeof order.total === 'number'", "order.total * 100"},
		{"typeof order?.id === 'string'", "order.id + '!'"}, {"typeof n === 'number'", "Math.max(n, 1)"}, {"!(typeof s !== 'string')",
			"s.length"},
	} {
		if got := judged(t, subject, c[0], c[1]); got != "" {
			t.Errorf("%s, if %q: %s", c[1], c[0], got)
		}
	}
}

// TestGuards holds guards that do not hold where the expression is evaluated.
func TestGuards(t *testing.T) {
	for name, statement := range map[string]string{
		"else":               "if (typeof s === 'string') { span.setAttribute('a', 1) } else { span.setAttribute('b', s.trim()) }",
		"or":                 "if (typeof s === 'string' || n) { span.setAttribute('b', s.trim()) }",
		"another":            "if (typeof order.s === 'string') { span.setAttribute('b', s.trim()) }",
		"negated":            "if (!(typeof s === 'string')) { span.setAttribute('b', s.trim()) }",
		"of the arrow":       "if (typeof s === 'string') { span.setAttribute('b', [order].map((s) => s.trim())) }",
		"behind":             "span.setAttribute('b', s.trim()); if (typeof s === 'string') { span.setAttribute('a', 1) }",
		"list is no text":    "if (Array.isArray(items)) { span.setAttribute('b', items.join()) }",
		"of its own kind":    "if (typeof order === 'object') { span.setAttribute('b', `${order}`) }",
		"compared loosely":   "if (s == 'x') { span.setAttribute('b', s.trim()) }",
		"what it is not":     "if (s !== 'x') { span.setAttribute('b', s.trim()) }",
		"declared otherwise": "if (Number.isInteger(n)) { span.setAttribute('b', n.trim()) }",
	} {
		new := head0 + "export function f(order, items, n, s) { " + around("", statement+" return run(order, items, n, s)") + "}"
		u := Undo(parse(t, subject), parse(t, new))
		if len(u.Refused()) == 0 {
			t.Errorf("%s: not refused\n%s", name, statement)
		}
	}
}

// TestFileMakesItRun holds what an expression reads where the file itself makes that run code.
func TestFileMakesItRun(t *testing.T) {
	for name, c := range map[string][2]string{
		"getter of a class":    {"export class A { get total() { return wipe() } f(o) { return o.total } }", "this.total"},
		"getter of an object":  {"export const o = { get total() { return wipe() } }; export function f(x) { return x }", "o.total"},
		"private getter":       {"export class A { get #total() { return wipe() } f(o) { return o } }", "this.#total"},
		"defined getter":       {"Object.defineProperty(o, 'total', { get: wipe }); export function f(x) { return x }", "o.total"},
		"built-in of the file": {"function String(x) { return wipe(x) } export function f(x) { return x }", "String(1)"},
		"parameter as a class": {"export function f(Error) { return Error }", "new Error('a')"},
		"API of the file":      {"export function f(otel) { return otel }", "otel.trace.getActiveSpan()"},
	} {
		orig := c[0]
		at := strings.LastIndex(orig, "f(")
		open := at + strings.Index(orig[at:], "{") + 1
		end := strings.Index(orig[open:], "}") + open
		new := head0 + orig[:open] + around("", "span.setAttribute('a', "+c[1]+");\n"+orig[open:end]) + orig[end:]
		if u := Undo(parse(t, orig), parse(t, new)); len(u.Refused()) == 0 {
			t.Errorf("%s: not refused\n%s\n%s", name, new, said(u))
		}
	}
}

// TestWhereTextCanBeAdded holds places of the syntax where an addition is no expression of a span.
func TestWhereTextCanBeAdded(t *testing.T) {
	const orig = "export function f(o) { g(o); return <a b={o}/> }"
	for name, new := range map[string]string{
		"attributes of an import": strings.Replace(head0, "api';", "api' with { type: 'json' };", 1) + orig,
		"attributes of another":   head0 + "import '@opentelemetry/sdk-node' with { type: 'css' };\n" + orig,
		"options of a load":       head0 + "const api = import('@opentelemetry/api', { with: { type: o } });\n" + orig,
		"path out of the package": head0 + "import '@opentelemetry/../evil.js';\n" + orig,
		"directive":               head0 + "export function f(o) { 'use strict'; g(o); return <a b={o}/> }",
		"label":                   head0 + "export function f(o) { wipe: g(o); return <a b={o}/> }",
		"label round an addition": head0 + "export function f(o) { g(o); wipe: trace.getActiveSpan()?.setAttribute('a', 1); return <a b={o}/> }",
		"JSX attribute":           head0 + "export function f(o) { g(o); return <a b={o} c={wipe()}/> }",
		"JSX spread":              head0 + "export function f(o) { g(o); return <a b={o} {...wipe()}/> }",
		"JSX child":               head0 + "export function f(o) { g(o); return <a b={o}>{wipe()}</a> }",
		"default of a parameter":  head0 + "export function f(o, p = wipe()) { g(o); return <a b={o}/> }",
		"key of a pattern":        head0 + "const { [wipe()]: api } = require('@opentelemetry/api');\n" + orig,
		"default in a pattern":    head0 + "const { missing = wipe() } = require('@opentelemetry/api');\n" + orig,
		"tracer's version":        "import { trace } from '@opentelemetry/api';\nconst tracer = trace.getTracer('a', `${{ toString: wipe }}`);\n" + orig,
		"guard":                   head0 + "export function f(o) { if (`${o}`) trace.getActiveSpan().setAttribute('a', 1); g(o); return <a b={o}/> }",
		"name of a span": head0 + "export function f(o) { " + strings.Replace(around("", "g(o); return <a b={o}/>"), "'a.b'",
			"`${o}`", 1) + " }",
		"options of a span": head0 + "export function f(o) { " + strings.Replace(around("", "g(o); return <a b={o}/>"), "'a.b'",
			"'a', { [o]: 1 }", 1) + " }",
		"message of a status":      head0 + "export function f(o) { trace.getActiveSpan().setStatus({ code: 2, message: String(o) }); g(o); return <a b={o}/> }",
		"argument too many":        head0 + "export function f(o) { trace.getActiveSpan().setAttribute('a', 1, o.save()); g(o); return <a b={o}/> }",
		"key of an attribute":      head0 + "export function f(o) { trace.getActiveSpan().setAttribute(`${o}`, 1); g(o); return <a b={o}/> }",
		"spread into a call":       head0 + "export function f(o) { trace.getActiveSpan().setAttribute(...o); g(o); return <a b={o}/> }",
		"prototype of attributes":  head0 + "export function f(o) { trace.getActiveSpan().setAttributes({ __proto__: o }); g(o); return <a b={o}/> }",
		"class's static block":     head0 + orig + "\nclass A { static { wipe() } }",
		"case of a switch":         head0 + "export function f(o) { switch (wipe()) { default: } g(o); return <a b={o}/> }",
		"second declaration":       head0 + "const t = trace.getTracer('a'), u = wipe();\n" + orig,
		"string of another import": head0 + "import { 'x' as y } from '@opentelemetry/api';\nexport { y as 'z' };\n" + orig,
	} {
		m, err := tryParse(t, new)
		if err != nil {
			continue
		}
		if u := Undo(parse(t, orig), m); u.Same() && len(u.Flaws)+len(u.Refused()) == 0 {
			t.Errorf("%s: not found\n%s", name, new)
		}
	}
}
