package jsast

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/internal/lab/world"
)

// line draws a function: what a table of them would say.
func (f Function) line(m *Module) string {
	flags := ""
	if f.Async {
		flags += " async"
	}
	if f.Generator {
		flags += " generator"
	}
	if f.Static {
		flags += " static"
	}
	if f.Concise {
		flags += " concise"
	}
	if f.Owner != "" || f.Class {
		flags += " of:" + f.Owner
	}
	if f.Class {
		flags += " class"
	}
	if f.Callee != "" {
		flags += " to:" + f.Callee
	}
	if f.Parent >= 0 {
		flags += " in:" + m.Functions[f.Parent].ID
	}
	var params []string
	for _, p := range f.Params {
		s := strings.Join(p.Names, "+")
		if p.Default {
			s += "="
		}
		if p.Rest {
			s = "..." + s
		}
		params = append(params, s)
	}
	if len(f.Exported) > 0 {
		flags += " exported:" + strings.Join(f.Exported, ",")
	}
	return fmt.Sprintf("%s %d %s %s(%s)%s", f.ID, f.Start.Line, f.Kind, f.Name, strings.Join(params, ","), flags)
}

func TestFunctions(t *testing.T) {
	world.Unshared(t)
	for name, want := range map[string]string{
		"service.js": `
f1 7 arrow list(req,res) async of:handlers exported:handlers.list
f2 8 method get(req,res) async of:handlers exported:handlers.get
f3 9 expression deep() of:handlers.nested
f4 13 declaration placeOrder(order,span) async exported:placeOrder
f5 21 arrow () concise to:audit in:f4
f6 24 arrow (req,res) async to:app.get
f7 25 expression named(req,res,next) to:app.use
f8 28 arrow make() static concise of:Basket class exported:Basket.make
f9 29 method #secret() of:Basket class
f10 30 method add(item) async of:Basket class exported:Basket.add
f11 31 getter size() of:Basket class exported:Basket.size
f12 34 declaration audit(x) exported:check
f13 36 arrow default() concise exported:default`,
		"common.cjs": `
f1 9 expression exports.place(order) async exported:place
f2 11 arrow module.exports.more() exported:more
f3 12 declaration named(a,b=) exported:named,other
f4 13 method inline() of:module.exports exported:inline
f5 13 arrow arrow() async of:module.exports exported:arrow
f6 13 expression own() of:module.exports exported:quoted
f7 13 getter x() of:module.exports exported:x`,
		"esm.mjs": `
f1 10 arrow fn() async exported:fn
f2 11 declaration place(order,id+others=,...more) exported:place
f3 12 declaration stream() async generator exported:stream
f4 17 constructor constructor() of:Cart class exported:Cart.constructor
f5 18 getter size() of:Cart class exported:Cart.size
f6 19 setter size(n) of:Cart class exported:Cart.size
f7 20 method add(item) async of:Cart class exported:Cart.add
f8 21 arrow from(x) async static concise of:Cart class exported:Cart.from
f9 22 method [Symbol.iterator]() generator of:Cart class exported:Cart.[Symbol.iterator]
f10 23 method quoted name() of:Cart class exported:Cart.quoted name
f11 24 method #hidden() async generator of:Cart class`,
	} {
		m := parse(t, files(t, "corpus")[name])
		var got []string
		for _, f := range m.Functions {
			got = append(got, f.line(m))
			if text := m.Text(f.Body); !f.Concise && (text[0] != '{' || text[len(text)-1] != '}') {
				t.Errorf("%s %s: body %q", name, f.ID, text)
			}
		}
		if d := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestExported(t *testing.T) {
	world.Unshared(t)
	for source, want := range map[string]string{
		"export default class { run() {} }":                   "default.run",
		"export default async function () {}":                 "default",
		"const f = () => {}; export { f as g, f as h }":       "g,h",
		"module.exports = async () => {}":                     "module.exports",
		"module.exports = class A { run() {} }":               "module.exports.run",
		"const api = { run() {} }; module.exports = api":      "run",
		"module.exports = run; function run() {}":             "module.exports",
		"exports['run'] = () => {}":                           "run",
		"exports.a = exports.b = () => {}":                    "a,b",
		"function f() {} var f; exports.f = f":                "", // which one it is, is not known
		"{ let exports = {}; exports.run = () => {} }":        "",
		"export { f } from './f'; function f() {}":            "",
		"function f() {}":                                     "",
		"export const { a = () => {} } = b":                   "",
		"exports.api = { inner: { run() {} } }":               "",
		"import f from 'f'; export { f }; const g = () => {}": "",
	} {
		if got := strings.Join(parse(t, source).Functions[0].Exported, ","); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

func TestImportsAndExports(t *testing.T) {
	world.Unshared(t)
	for name, want := range map[string]string{
		"esm.mjs": `
import ./one.js default>def
import ./one.js a>a
import ./one.js b>c
import ./one.js odd name>odd
import ./two.js *>all
import ./effect.js >
import ./data.json default>data
import() ./lazy.js >
export a a 
export renamed c 
export other name odd 
export *  ./three.js
export four  ./four.js
export default x ./five.js
export y y ./five.js
export one one 
export two two 
export four2 four2 
export rest rest 
export fn fn 
export place place 
export stream stream 
export Cart Cart `,
		"common.cjs": `
require fs *>fs
require node:fs/promises readFile>readFile
require node:fs/promises writeFile>write
require node:fs/promises *>others
require pg Pool>pool
require ./effect >
require ./late *>late
require  *>dynamic
export place  
export named named 
export more  
export named named 
export other named 
export inline  
export arrow  
export quoted own 
export x  `,
	} {
		m := parse(t, files(t, "corpus")[name])
		var got []string
		for _, i := range m.Imports {
			got = append(got, fmt.Sprintf("%s %s %s>%s", i.Form, i.Module, i.Imported, i.Local))
		}
		for _, e := range m.Exports {
			got = append(got, fmt.Sprintf("export %s %s %s", e.Name, e.Local, e.From))
		}
		if d := cmp.Diff(strings.Split(strings.TrimPrefix(want, "\n"), "\n"), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	m := parse(t, "const { a } = await import('x'); function f(require) { require('no') }")
	if len(m.Imports) != 1 || m.Imports[0].Imported != "a" || m.Imports[0].Form != ImportDynamic {
		t.Errorf("%+v", m.Imports)
	}
}

// TestCollides asks whether span can be bound around the body of the first function.
func TestCollides(t *testing.T) {
	world.Unshared(t)
	for source, want := range map[string]string{
		"function f() { return 1 }":                               "",
		"function f(span) { return 1 }":                           "", // hidden, and nobody minds
		"function f(span) { return span }":                        "uses",
		"function f() { const span = 1 }":                         "declares",
		"function f() { if (a) { var span = 1 } }":                "declares",
		"function f() { function span() {} }":                     "declares",
		"function f() { { const span = 1; span } }":               "",
		"function f() { (span) => span }":                         "",
		"function f() { () => span }":                             "uses", // a free global
		"const span = 1; function f() { return span }":            "uses",
		"const span = 1; function f() { return 1 }":               "",
		"import span from 'x'; function f() { () => { span() } }": "uses",
		"function f() { try { a() } catch (span) { span } }":      "",
		"function f() { class span {} }":                          "declares",
		"function f() { (class span { a = span }) }":              "",
		"function f() { return <span>{1}</span> }":                "",
		"function f() { return typeof span }":                     "uses",
		"function f() { return { span: 1 }.span }":                "",
		"function f() { return { span } }":                        "uses",
		"function f() { span: for (;;) break span }":              "",
		"function f() { for (let span of a) span }":               "",
		"const f = function span() { return span }":               "uses",
	} {
		m := parse(t, source)
		got := ""
		if c := m.Scopes.Collides(m.Functions[0].Body, "span"); c != nil {
			got = "uses"
			if c.Declared {
				got = "declares"
			}
			if m.Text(c.Range) != "span" {
				t.Errorf("%s: collides at %q", source, m.Text(c.Range))
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	m := parse(t, "function f(span) { return span + otelSpan }")
	if got := m.Scopes.Free(m.Functions[0].Body, "span", "otelSpan", "otelSpan2"); got != "otelSpan2" {
		t.Errorf("free: %q", got)
	}
}

// TestReady asks at the mark what x is worth.
func TestReady(t *testing.T) {
	for source, want := range map[string]string{
		"function f(x) { /*?*/ }":                         "ready",
		"function f({ a: [x = 1] }) { /*?*/ }":            "ready",
		"function f() { /*?*/ const x = 1 }":              "unready",
		"function f() { const x = 1; /*?*/ }":             "ready",
		"function f() { const x = g(/*?*/) }":             "unready",
		"function f() { if (a) { var x = 1 } /*?*/ }":     "unready",
		"function f() { if (a) { var x = 1; /*?*/ } }":    "ready",
		"const x = 1; function f() { /*?*/ }":             "outer",
		"function f() { /*?*/ } const x = 1":              "outer",
		"import x from 'x'; function f() { /*?*/ }":       "ready",
		"function f() { /*?*/ function x() {} }":          "ready",
		"function f() { /*?*/ class x {} }":               "unready",
		"function f() { class x {} /*?*/ }":               "ready",
		"try {} catch (x) { /*?*/ }":                      "ready",
		"switch (a) { case 1: let x = 1; case 2: /*?*/ }": "unready",
		"for (const x of a) { /*?*/ }":                    "ready",
		"function f() { /*?*/ }":                          "undeclared",
	} {
		m := parse(t, source)
		at := strings.Index(source, "/*?*/")
		got := "undeclared"
		if v := m.Scopes.Lookup(at, "x"); v != nil {
			got = []string{"unready", "ready", "outer"}[m.Scopes.Ready(v, at)]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	source := "import a from 'a'; const b = 1; function f(c, b) { { let d; /*?*/ } let e }"
	m := parse(t, source)
	var got []string
	for _, v := range m.Scopes.Visible(strings.Index(source, "/*?*/")) {
		got = append(got, fmt.Sprintf("%s:%d", v.Name, v.Scope))
	}
	if d := cmp.Diff([]string{"d:3", "arguments:2", "c:2", "b:2", "e:2", "a:1", "f:1"}, got); d != "" {
		t.Error(d)
	}
}

func TestDynamic(t *testing.T) {
	for source, want := range map[string]bool{
		"function f() { eval('a') }": true, "function f() { with (a) b }": true, "function f() { () => eval(a) }": true,
		"function f() { (0, eval)('a') }": false, "function f() {} eval('a')": true, "function f() {}": false,
	} {
		m := parse(t, source)
		if got := m.Scopes.Dynamic(m.Functions[0].Range); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
