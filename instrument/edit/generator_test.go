package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random modules: all syntax that matters, in any layout. What it
// writes always parses.
type generator struct {
	*rand.Rand
	b              strings.Builder
	module         bool
	semi           string
	nl, unit       string
	depth          int
	async, gen     bool
	loop, function bool
	method         bool // super.x may be used
	names          []string
	label          int
}

func randomModule(r *rand.Rand) string {
	g := &generator{Rand: r, module: r.IntN(2) == 0, semi: ";", nl: "\n", unit: []string{"  ", "    ", "\t"}[r.IntN(3)],
		names: []string{"a", "b", "order", "span", "tracer", "error"}}
	if r.IntN(3) == 0 {
		g.semi = ""
	}
	if r.IntN(8) == 0 {
		g.nl = "\r\n"
	}
	if r.IntN(10) == 0 {
		g.b.WriteString("\uFEFF")
	}
	if r.IntN(10) == 0 {
		g.line("#!/usr/bin/env node")
	}
	if r.IntN(6) == 0 {
		g.line("// © a licence 😀" + g.nl)
	}
	if r.IntN(4) == 0 {
		g.line("'use strict';")
	}
	g.loads()
	for range 1 + r.IntN(5) {
		g.comment()
		g.topLevel()
	}
	return g.b.String()
}

func (g *generator) line(s string) {
	g.b.WriteString(s + g.nl)
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) name() string { return g.names[g.IntN(len(g.names))] }

func (g *generator) fresh() string {
	g.label++
	return fmt.Sprintf("%s%d", g.pick("v", "item", "ü"), g.label)
}

func (g *generator) loads() {
	for i := range g.IntN(3) {
		switch {
		case g.module:
			g.line(g.pick(fmt.Sprintf("import m%d, { x as y%d } from './m.js'", i, i), "import './effect.js'", fmt.Sprintf("import * as all%d from \"all\"", i)) +
				g.semi + g.pick("", " // why"))
		default:
			g.line(g.pick(fmt.Sprintf("const m%d = require('m')", i), fmt.Sprintf("const { x: y%d } = require('n'), z%d = require(\"z\").z", i, i),
				"require('./effect')") + ";")
		}
	}
	if g.IntN(6) == 0 {
		if g.module {
			g.line(g.pick("import { trace } from '@opentelemetry/api'", "import * as otel from '@opentelemetry/api'",
				"import { SpanStatusCode as S, trace as t } from '@opentelemetry/api'") + g.semi)
		} else {
			g.line(g.pick("const { trace, } = require('@opentelemetry/api')", "const otel = require('@opentelemetry/api')",
				"const { SpanStatusCode: S, trace: t } = require('@opentelemetry/api')") + ";")
		}
	}
}

func (g *generator) comment() {
	if g.IntN(3) == 0 {
		g.line(g.pad() + g.pick("// "+g.name(), "/* block */", "/**"+g.nl+g.pad()+" * lines"+g.nl+g.pad()+" */", "//"))
	}
}

func (g *generator) pad() string { return strings.Repeat(g.unit, g.depth) }

func (g *generator) topLevel() {
	export := ""
	if g.module && g.IntN(2) == 0 {
		export = "export "
	}
	switch g.IntN(6) {
	case 0, 1:
		name := g.fresh()
		g.b.WriteString(export + g.functionHead("function", name))
		g.functionBody()
		g.line("")
		g.names = append(g.names, name)
	case 2:
		name := g.fresh()
		g.line(export + "const " + name + " = " + g.functionExpression() + ";")
		g.names = append(g.names, name)
	case 3:
		g.b.WriteString(export)
		g.class()
	case 4:
		g.line("const " + g.fresh() + " = {" + g.nl + g.members() + "};")
	default:
		g.statement()
	}
}

// scoped runs f as the inside of a function.
func (g *generator) scoped(async, gen, method bool, f func()) string {
	was, text := *g, g.b.String()
	g.b = strings.Builder{}
	g.async, g.gen, g.method, g.loop, g.function = async, gen, method, false, true
	g.names = append([]string(nil), g.names...)
	f()
	inner, label := g.b.String(), g.label
	*g = was
	g.b = strings.Builder{}
	g.b.WriteString(text)
	g.label = label
	return inner
}

func (g *generator) functionHead(keyword, name string) string {
	g.async, g.gen = g.IntN(2) == 0, g.IntN(8) == 0
	head := keyword + " " + name
	if g.gen {
		head = keyword + "* " + name
	}
	if g.async {
		head = "async " + head
	}
	return head + "(" + g.params() + ") "
}

func (g *generator) params() string {
	return g.pick("", "order", "a, b", "order = {}", "{ id, ...rest }", "...args", "[first, second = 2]", "order, options = { deep: [1] }", "span")
}

func (g *generator) functionBody() {
	async, gen := g.async, g.gen
	g.async, g.gen = false, false
	inner := g.scoped(async, gen, false, func() { g.block(g.IntN(10) == 0) })
	g.b.WriteString(inner)
}

// block writes { statements } in one of several layouts.
func (g *generator) block(directive bool) {
	switch g.IntN(8) {
	case 0:
		g.b.WriteString("{}")
		return
	case 1:
		g.b.WriteString("{ " + g.flat() + " }")
		return
	}
	g.b.WriteString("{" + g.pick("", "", " // on the line", " /* c */"))
	g.b.WriteString(g.nl)
	g.depth++
	if directive && g.function {
		g.line(g.pad() + "\"use custom\";")
	}
	before := len(g.names)
	for range g.IntN(4) {
		g.comment()
		g.statement()
	}
	g.comment()
	g.names = g.names[:before]
	g.depth--
	g.b.WriteString(g.pad() + "}")
}

func (g *generator) flat() string {
	return g.pick("f("+g.expression(2)+");", "return;", "throw a;", ";", "var q = 1; g(q);")
}

func (g *generator) statement() {
	if !g.function || g.depth > 6 {
		g.line(g.pad() + g.name() + ".run(" + g.expression(2) + ");")
		return
	}
	p := g.pad()
	switch g.IntN(18) {
	case 0, 1:
		name := g.fresh()
		g.line(p + g.pick("const ", "let ", "var ") + name + " = " + g.expression(3) + g.end())
		g.names = append(g.names, name)
	case 2:
		g.line(p + "const { " + g.fresh() + ": " + g.fresh() + " = 1 } = " + g.name() + ";")
	case 3, 4:
		g.line(p + "return " + g.expression(3) + g.end())
	case 5:
		g.b.WriteString(p + "if (" + g.expression(2) + ") ")
		g.block(false)
		if g.IntN(2) == 0 {
			g.b.WriteString(" else ")
			g.block(false)
		}
		g.line("")
	case 6:
		g.line(p + "if (" + g.expression(1) + ") " + g.flat())
	case 7, 8:
		g.b.WriteString(p + "try ")
		g.block(false)
		if g.IntN(3) > 0 {
			g.b.WriteString(" catch " + g.pick("(error) ", "(e) ", "", "({ message }) "))
			g.block(false)
		} else {
			g.b.WriteString(" finally ")
			g.block(false)
		}
		g.line("")
	case 9:
		g.b.WriteString(p + g.pick("for (const x of "+g.expression(1)+") ", "for (let i = 0; i < 3; i++) ", "while (next()) ", "for (var k in a) "))
		was := g.loop
		g.loop = true
		g.block(false)
		g.loop = was
		g.line("")
	case 10:
		g.line(p + "switch (" + g.name() + ") {" + g.nl + p + "case 1:" + g.nl + p + g.unit + g.flat() + g.nl + p + "default: f(); }")
	case 11:
		g.line(p + "throw new Error(" + g.expression(1) + ")" + g.end())
	case 12:
		if g.loop {
			g.line(p + g.pick("break;", "continue;"))
			return
		}
		g.line(p + "lab: { f(); break lab; }")
	case 13:
		name := g.fresh()
		g.b.WriteString(p)
		head := g.inner(func() string { return g.functionHead("function", name) })
		g.b.WriteString(head)
		g.functionBodyOf(head)
		g.line("")
		g.names = append(g.names, name)
	case 14:
		g.line(p + g.name() + "." + g.pick("n", "n.m") + g.pick(" = ", " += ", " ??= ") + g.expression(2) + ";")
	case 15:
		g.line(p + "span.setAttribute('a', " + g.name() + ");")
	case 16:
		g.line(p + ";" + g.pick("[a, b] = [b, a]", "(a)(b)", "`t`.length", "/re/.test(a)") + ";")
	default:
		g.line(p + g.name() + ".call(" + g.expression(2) + ")" + ";")
	}
}

// end ends a statement that the next cannot continue.
func (g *generator) end() string { return g.semi }

func (g *generator) inner(f func() string) string {
	async, gen := g.async, g.gen
	s := f()
	g.async, g.gen = async, gen
	return s
}

func (g *generator) functionBodyOf(head string) {
	inner := g.scoped(strings.HasPrefix(head, "async"), strings.Contains(head, "*"), false, func() { g.block(g.IntN(10) == 0) })
	g.b.WriteString(inner)
}

func (g *generator) expression(n int) string {
	if n <= 0 {
		return g.pick(g.name(), "1", "'text'", "null", "this", g.name()+".id", "`t`")
	}
	e := func() string { return g.expression(n - 1) }
	switch g.IntN(17) {
	case 0:
		return g.name() + ".do(" + e() + ", " + e() + ")"
	case 1:
		return "(" + e() + g.pick(" + ", " && ", " || ", " === ", ", ") + e() + ")"
	case 2:
		return "`a ${" + e() + "}" + g.nl + "   b\\`${" + e() + "} `"
	case 3:
		return "{ x: " + e() + ", [" + e() + "]: 1, 'odd-key': 2, m() { return this.x; } }.x"
	case 4:
		return "[" + e() + ", , ...[" + e() + "]]"
	case 5, 6:
		return "f(" + g.functionExpression() + ")"
	case 7:
		if g.async {
			return "(await " + g.name() + ")"
		}
		return "typeof " + g.name()
	case 8:
		return g.name() + "?.x?.[" + e() + "]"
	case 9:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 10:
		if g.function && !g.method {
			return g.pick("arguments", "arguments.length", "this.x", "new.target")
		}
		return "this.y"
	case 11:
		if g.method {
			return "super.base(" + e() + ")"
		}
		return "0x1F"
	case 12:
		return g.pick("/[/\\]]+/g", "/x/u", "'it\\'s'", "\"q\"", "'multi\\"+g.nl+"  line'", "1_000n", "'😀'")
	case 13:
		return "(" + g.pick("<div a='b' {...a}>text {a} <b/>"+g.nl+"  more</div>", "<></>", "<A.B c={"+g.name()+"}/>") + ")"
	case 14:
		return "new (class { static s = 1; #p = " + g.pick("1", "this", "[]") + "; get p() { return this.#p; } })()"
	case 15:
		if g.gen {
			return "(yield " + e() + ")"
		}
		return "void 0"
	}
	return e()
}

func (g *generator) functionExpression() string {
	async := g.IntN(2) == 0
	prefix := ""
	if async {
		prefix = "async "
	}
	body := func(method bool) string {
		return g.scoped(async, false, method, func() { g.depth++; g.block(false); g.depth-- })
	}
	switch g.IntN(6) {
	case 0:
		return "(" + prefix + "function " + g.pick("", "named") + "(" + g.params() + ") " + body(false) + ")"
	case 1:
		return prefix + "(" + g.params() + ") => " + body(g.method)
	case 2:
		return prefix + "(" + g.params() + ") =>" + g.nl + g.pad() + g.unit + g.scoped(async, false, true, func() { g.b.WriteString(g.concise()) })
	case 3:
		return prefix + g.pick("x", "(x)", "(x /* c */)") + g.pick(" => ", " => /* c */ ", " => // c"+g.nl) +
			g.scoped(async, false, true, func() { g.b.WriteString(g.concise()) })
	case 4:
		return prefix + "() => (/* c */ { a: 1 })"
	}
	return prefix + "() => " + g.pick("{}", "null", "((a, b))", "x => x")
}

// concise is an expression that may stand behind =>. Arrows use no super: they may
// stand outside of a method.
func (g *generator) concise() string {
	g.method = false
	g.function = false
	e := g.expression(2)
	if strings.HasPrefix(e, "{") {
		e = "(" + e + ")"
	}
	return e
}

func (g *generator) class() {
	g.line("class " + strings.ToUpper(g.fresh()) + " extends Base {")
	g.b.WriteString(g.scoped(false, false, true, func() {
		g.depth++
		g.line(g.pad() + "static #count = 0; field = " + g.pick("1", "() => this.x", "async (a) => { await a; }") + ";")
		if g.IntN(3) == 0 {
			g.line(g.pad() + "constructor() { super(); this.x = 1; }")
		}
		g.depth--
	}))
	g.b.WriteString(g.classMembers())
	g.line("}")
}

func (g *generator) classMembers() string {
	out := ""
	for range 1 + g.IntN(2) {
		async := g.IntN(2) == 0
		head := g.pick("", "static ")
		if async {
			head += "async "
		}
		g.label++
		out += g.unit + head + g.pick("run", fmt.Sprint("#hidden", g.label), "'quoted name'", "[Symbol.iterator]", "get") + "(" + g.params() + ") " +
			g.scoped(async, false, true, func() { g.depth++; g.block(false); g.depth-- }) + g.nl
	}
	if g.IntN(3) == 0 {
		out += g.unit + "get value() { return 1 }" + g.nl + g.unit + "set value(v) { this.v = v }" + g.nl
	}
	return out
}

func (g *generator) members() string {
	out := ""
	for range 1 + g.IntN(2) {
		async := g.IntN(2) == 0
		prefix := ""
		if async {
			prefix = "async "
		}
		out += g.unit + prefix + g.fresh() + "(" + g.params() + ") " + g.scoped(async, false, true, func() { g.depth++; g.block(false); g.depth-- }) + "," + g.nl
	}
	return out + g.unit + "handler: " + g.functionExpression() + "," + g.nl
}
