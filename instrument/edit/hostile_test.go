package edit

import (
	"strings"
	"testing"
)

const headCommon = "const { trace, SpanStatusCode } = require('@opentelemetry/api');\nconst tracer = trace.getTracer('shop');\n"

// TestUndoFindsWhatHides holds additions that look like telemetry, and change what the code does.
func TestUndoFindsWhatHides(t *testing.T) {
	const orig = "export function f(o, save) { o.g(); return save }"
	with := func(statement string) string {
		return head0 + "export function f(o, save) { " + around("", statement+"\no.g(); return save") + "}"
	}
	for name, c := range map[string]struct{ orig, new, want string }{
		"default of an arrow":    {orig, with("span.setAttribute('a', o.list.map((x = save()) => x).length);"), "4: refused CallExpression"},
		"key in an arrow":        {orig, with("span.setAttribute('a', o.list.map(({ [save()]: x }) => x).length);"), "4: refused CallExpression"},
		"default in a sort":      {orig, with("span.setAttribute('a', o.list.map((x) => x).sort((a, b = save()) => 1).length);"), "4: refused CallExpression"},
		"replaced by a function": {orig, with("span.setAttribute('a', o.id.replace('x', save));"), "4: refused CallExpression"},
		"all replaced by one":    {orig, with("span.setAttribute('a', o.id.replaceAll('x', o.save));"), "4: refused CallExpression"},
		"replaced by a text":     {orig, with("span.setAttribute('a', (typeof o.id === 'string' ? o.id : '').replace('x', 'y'));"), ""},
		"printed by a function":  {orig, with("span.setAttribute('a', JSON.stringify(1, save));"), "4: refused CallExpression"},
		"query without a filter": {orig, with("span.setAttribute('a', o.orders.find());"), "4: refused CallExpression"},
		"built-in declared anew": {"export function f(o, String) { o.g() }",
			head0 + "export function f(o, String) { " + around("", "span.setAttribute('a', String(o.id));\no.g()") + "}", "4: refused CallExpression"},
		"class declared anew": {"import { URL } from './url.js'; export function f(o) { o.g() }",
			head0 + "import { URL } from './url.js'; export function f(o) { " + around("", "span.setAttribute('a', new URL(o.id).port);\no.g()") + "}",
			"4: refused NewExpression"},
		"filter declared anew": {"export function f(o, Boolean) { o.g() }",
			head0 + "export function f(o, Boolean) { " + around("", "span.setAttribute('a', o.list.filter(Boolean).length);\no.g()") + "}", "4: refused CallExpression"},
		"iterator read": {"export function f(o) { return o.next() }",
			head0 + "export function f(o) { " + around("", "span.setAttribute('a', Array.from(o).length);\nreturn o.next()") + "}", "4: refused CallExpression"},
		"iterator spread": {"export function f(o) { for (const x of o) g(x) }",
			head0 + "export function f(o) { " + around("", "span.setAttribute('a', [...o].length);\nfor (const x of o) g(x)") + "}", "4: refused SpreadElement"},
		"iterator in a set": {"export function f(o) { for (const x of o) g(x) }",
			head0 + "export function f(o) { " + around("", "span.setAttribute('a', new Set(o).size);\nfor (const x of o) g(x)") + "}", "4: refused NewExpression"},
		"var called arguments": {"function f() { var arguments; return arguments }",
			headCommon + "function f() { " + around("", "var arguments; return arguments") + "}", "4: captured arguments"},
		"disposed of when held": {"export function f(o) { return o.open() }",
			head0 + "export function f(o) { " + around("", "using held = o.open(); span.addEvent('a'); return held") + "}",
			"4: is VariableDeclaration, was ReturnStatement"},
		"named when held": {"export function f() { return () => 1 }",
			head0 + "export function f() { " + around("", "const held = () => 1; span.addEvent('a'); return held") + "}",
			"4: is VariableDeclaration, was ReturnStatement"},
		"class named when held": {"export function f() { return class {} }",
			head0 + "export function f() { " + around("", "const held = class {}; span.addEvent('a'); return held") + "}",
			"4: is VariableDeclaration, was ReturnStatement"},
		"wrapper disposed of": {"export function f() { g() }",
			head0 + "export function f() { using held = tracer.startActiveSpan('a', (span) => { try { g() " + handled + " }); return held }",
			"3: is VariableDeclaration, was ExpressionStatement"},
		"directive moved": {"function f() { 'use strict'; return this }",
			headCommon + "function f() { return tracer.startActiveSpan('a.b', (span) => { 'use strict'; try {\nreturn this\n" + handled + " }) }", "3: code was added"},
		"error declared anew": {"function f() { g() }", headCommon +
			"function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e); var e = trace.getTracer('b'); throw e } " +
			"finally { span.end() } }) }", "3: another error is thrown"},
		"tracer of nobody": {"export class A { f() { g() } }",
			"export class A { f() { return this.tracer.startActiveSpan('a', (span) => { try { g() } finally { span.end() } }) } }", "1: code was added"},
		"tracer of the class": {"export class A { f() { g() } h() { this.tracer.startSpan('b').end() } }",
			"export class A { f() { return this.tracer.startActiveSpan('a', (span) => { try { g() } finally { span.end() } }) } h() { " +
				"this.tracer.startSpan('b').end() } }", ""},
		"tracer too late": {"export const a = f(); function f() { g() }",
			"import { trace, SpanStatusCode } from '@opentelemetry/api'; export const a = f(); const tracer = trace.getTracer('a'); function f() { " +
				around("", "g()") + "}", "1: f runs before tracer has its value, and needs it"},
		"tracer too late by far": {"(() => { h() })(); function h() { f() } function f() { g() }",
			"const { trace, SpanStatusCode } = require('@opentelemetry/api'); (() => { h() })(); const tracer = trace.getTracer('a'); function h() { f() } " +
				"function f() { " + around("", "g()") + "}", "1: h runs before tracer has its value, and needs it"},
		"tracer behind a callback": {"on(() => { f() }); function f() { g() }",
			"const { trace, SpanStatusCode } = require('@opentelemetry/api'); on(() => { f() }); const tracer = trace.getTracer('a'); function f() { " +
				around("", "g()") + "}", ""},
		"user's span ended": {head0 + "export function f() { const span = tracer.startSpan('b'); g(); span.end() }",
			head0 + "export function f() { const span = tracer.startSpan('b'); span.end(); g(); span.end() }", "3: code was added"},
		"user's span renamed": {head0 + "export function f() { const span = tracer.startSpan('b'); g(); span.end() }",
			head0 + "export function f() { const span = tracer.startSpan('b'); span.updateName('c'); g(); span.end() }", "3: code was added"},
		"somebody's span ended": {"import { trace } from '@opentelemetry/api'; export function f() { g() }",
			"import { trace } from '@opentelemetry/api'; export function f() { trace.getActiveSpan()?.end(); g() }", "1: code was added"},
		"started in no context": {"export function f(o) { g() }",
			head0 + "export function f(o) { return tracer.startActiveSpan('a', {}, o.next, (span) => { try { g() } finally { span.end() } }) }", "3: code was added"},
		"started in a context": {"export function f(o) { g() }",
			"import { trace, context } from '@opentelemetry/api'; const tracer = trace.getTracer('a'); export function f(o) { return tracer.startActiveSpan('a', " +
				"{}, context.active(), (span) => { try { g() } finally { span.end() } }) }", ""},
		"JSX compiled otherwise": {"export {}", "/** @jsxImportSource evil */\nimport { trace } from '@opentelemetry/api';\nexport {}",
			`1: a comment that tools obey was added: "* @jsxImportSource evil "`},
		"JSX, in lines": {"export {}", "/**\n * @jsx h\n */\nimport { trace } from '@opentelemetry/api';\nexport {}",
			`1: a comment that tools obey was added: "*\n * @jsx h\n "`},
		"no linter": {"export {}", "/* eslint-disable */\nimport { trace } from '@opentelemetry/api';\nexport {}",
			`1: a comment that tools obey was added: " eslint-disable "`},
		"no linter for a line": {"export {}", "// eslint-disable-next-line import/order\nimport { trace } from '@opentelemetry/api';\nexport {}", ""},
		"other sources": {"export function f() { g() }",
			head0 + "export function f() { return tracer.startActiveSpan('a', (span) => { try {\n g() } finally {\n//# sourceMappingURL=a.map\nspan.end() } }) }",
			`5: a comment that tools obey was added: "# sourceMappingURL=a.map"`},
		"awaited load": {"export {}", "const { trace } = await import('@opentelemetry/api');\nexport {}", "1: code was added"},
		"load that waits": {"export async function f() { g() }",
			head0 + "export async function f() { await import('@opentelemetry/api'); " + around("async", "g()") + "}", "3: code was added"},
		"tracer that waits": {"export async function f() { g() }",
			head0 + "export async function f() { const t = (await import('@opentelemetry/api')).trace.getTracer('a'); g() }", "3: code was added"},
		"require of the function": {"function f(require) { g() }", headCommon + "function f(require) { const api = require('@opentelemetry/api'); g() }",
			"3: code was added"},
		"tracer by the function's": {"function f(require) { g() }",
			headCommon + "function f(require) { const t = require('@opentelemetry/api').trace.getTracer('a'); g() }", "3: code was added"},
		"two children of JSX":      {"export const a = <a>x{'y'}</a>", "export const a = <a>xy</a>", ""},
		"lines of a string in JSX": {"export const a = <a b={'x\\n  y'}/>", "export const a = <a b='x\n  y'/>", ""},
	} {
		got := said(Undo(parse(t, c.orig), parse(t, c.new)))
		if strings.Contains(name, "JSX") && c.want == "" && strings.HasPrefix(c.orig, "export const a") { // in whatever words
			if got == "" {
				t.Errorf("%s: not found", name)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s\n%s", name, got, c.want, c.new)
		}
	}
}

// TestWhoseTextIsUsed is not wrapped: where its text runs, a browser for example, there is no tracer.
func TestWhoseTextIsUsed(t *testing.T) {
	for _, c := range []struct {
		source string
		sent   string // labels of the functions whose text is used
	}{
		{"export async function f(page) { return page.evaluate(async () => { const g = () => 1; return g() }) }", "callback of page.evaluate g"},
		{"export async function f() { return page().$eval('a', async () => fetch('/x')) }", "anonymous"},
		{"async function f() { g() }\npage.evaluate(f, 1)", "f"},
		{"async function f() { g() }\nexport const text = f.toString()", "f"},
		{"async function f() { g() }\nnew Worker(`(${f})()`)", "f"},
		{"async function f() { g() }\nnew Function(String(f))", "f"},
		{"async function f() { g() }\nexport const text = other.f.toString() + ofString(f) + String(ff)", ""},
	} {
		m := parse(t, c.source)
		var sent []string
		for i := range m.Functions {
			if Forbidden(m, &m.Functions[i]) == sentAway {
				sent = append(sent, m.Functions[i].Label())
			}
		}
		if got := strings.Join(sent, " "); got != c.sent {
			t.Errorf("%s: %q, want %q", c.source, got, c.sent)
		}
	}
}
