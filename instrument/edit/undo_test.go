package edit

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"aburn/instrument/jsast"
)

// engine is node where it is there: the storms are three times as fast with it.
var engine = sync.OnceValue(func() jsast.Engine { return jsast.Start(context.Background()) })

func TestMain(m *testing.M) {
	code := m.Run()
	engine().Close()
	os.Exit(code)
}

func tryParse(t testing.TB, source string) (*jsast.Module, error) {
	t.Helper()
	return jsast.Parse(context.Background(), engine(), []byte(source), jsast.Auto)
}

func parse(t testing.TB, source string) *jsast.Module {
	t.Helper()
	m, err := tryParse(t, source)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	return m
}

// said is what Undo found, one line each.
func said(u *Undone) string {
	var out []string
	for _, d := range u.Differences {
		out = append(out, fmt.Sprintf("%d: %s", u.New.Pos(d.Offset).Line, d.What))
	}
	for _, c := range u.Captures {
		out = append(out, fmt.Sprintf("%d: captured %s", u.New.Pos(c.Offset).Line, c.Name))
	}
	for _, f := range u.Flaws {
		out = append(out, fmt.Sprintf("%d: %s", u.New.Pos(f.Node.Start).Line, f.Kind))
	}
	for _, r := range u.Refused() {
		out = append(out, fmt.Sprintf("%d: refused %s", u.New.Pos(r.Node.Start).Line, r.Node.Type))
	}
	return strings.Join(out, "\n")
}

const head0 = "import { trace, SpanStatusCode } from '@opentelemetry/api';\nconst tracer = trace.getTracer('shop');\n"
const handled = "} catch (error) { span.recordException(error); span.setStatus({ code: SpanStatusCode.ERROR }); throw error; } finally { span.end(); }"

// around is a body in the canonical wrapper.
func around(async, body string) string {
	return "return tracer.startActiveSpan('a.b', " + async + "(span) => { try {\n" + body + "\n" + handled + " });"
}

// TestUndoTakesOut holds what counts as an addition.
func TestUndoTakesOut(t *testing.T) {
	for name, c := range map[string]struct{ orig, new string }{
		"nothing": {"f(a)", "f(a);"},
		"canonical": {"export async function f(a) { await g(a); return a }",
			head0 + "export async function f(a) { " + around("async ", "span.setAttribute('a.b', a.id); await g(a); return a") + "}"},
		"synchronous": {"export function f(a) { return a }", head0 + "export function f(a) { " + around("", "return a") + "}"},
		"directive":   {"export function f() { 'use strict'; return this }", head0 + "export function f() { 'use strict'; " + around("", "return this") + "}"},
		"concise":     {"export const f = (a) => a.b;", head0 + "export const f = (a) => { " + around("", "return a.b") + "};"},
		"concise twice": {"export const f = (a) => a.b;", head0 + "export const f = (a) => tracer.startActiveSpan('a', (span) => { try { return a.b; " + handled +
			" });"},
		"braces to none": {"export const f = (a) => { return a.b };",
			head0 + "export const f = (a) => tracer.startActiveSpan('a', (span) => { try { return a.b; " + handled + " });"},
		"options": {"export function f() { g() }",
			head0 + "export function f() { return tracer.startActiveSpan('a', { kind: 1, attributes: { a: 'b' } }, (span) => { try { g() " + handled + " }) }"},
		"awaited": {"export async function f() { await g() }",
			head0 + "export async function f() { await tracer.startActiveSpan('a', async (span) => { try { await g() " + handled + " }) }"},
		"no semantics": {"export function f() { g() }", head0 + "export function f() { return tracer.startActiveSpan('a', (span) => { g(); span.end() }) }"},
		"tail": {"export function f(a) { if (!a) throw x; const b = a + 1; return b }",
			head0 + "export function f(a) { if (!a) throw x; " + around("", "const b = a + 1; return b") + "}"},
		"hoisted behind": {"export function f(a) { return g(a); function g() {} }",
			head0 + "export function f(a) { " + around("", "return g(a)") + " function g() {} }"},
		"started by hand": {"export async function f() { await g(); return 1 }",
			head0 +
				"export async function f() { const span = tracer.startSpan('a'); try { await g(); return 1 } catch (e) { span.recordException(e); throw e } finally { " +
				"span.end() } }"},
		"held": {"export async function f(a) { return await g(a) }",
			head0 + "export async function f(a) { " + around("async ", "const result = await g(a); span.setAttribute('a', result.n); return result") + "}"},
		"result held": {"export async function f(a) { await g(a) }",
			head0 + "export async function f(a) { const result = await tracer.startActiveSpan('a', async (span) => { try { await g(a) " + handled +
				" }); return result }"},
		"error wrapped": {"export function f(a) { g() }", strings.Replace(head0, "trace,", "context, trace,", 1) +
			"export function f(a) { return tracer.startActiveSpan('a', {}, context.active(), (span) => { try { g() } catch (e) { span.recordException(e instanceof " +
			"Error ? e : new Error(typeof e === 'string' ? e : typeof e)); throw e } finally { span.end() } }) }"},
		"guards": {"export function f(a) { g() }", head0 + "export function f(a) { " +
			around("",
				"if (a?.b != null) { span.setAttribute('a', a.b) } else span.addEvent('none'); if (span.isRecording()) span.setAttribute('b', ['x'].map((x) => "+
					"x.trim()).join()); g()") + "}"},
		"chained": {"export function f(a) { g() }", head0 + "export function f(a) { " +
			around("", "span.setAttribute('a', 1).setAttributes({ b: a.b }); g()") + "}"},
		"try of the user": {"export function f() { try { g() } catch (e) { log(e); throw e } }",
			head0 +
				"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e); log(e); throw e } finally { " +
				"span.end() } }) }"},
		"finally of user": {"export function f() { try { g() } finally { h() } }",
			head0 +
				"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e); throw e } finally { h(); " +
				"span.end() } }) }"},
		"useless try": {"export function f() { try { g() } catch (e) { throw e } }",
			head0 +
				"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e); throw e } finally { " +
				"span.end() } }) }"},
		"try in try": {"export function f() { try { g() } catch (e) { throw e } }",
			head0 + "export function f() { " + around("", "try { g() } catch (e) { throw e }") + "}"},
		"catch without name": {"export function f() { try { g() } catch { throw x } }",
			head0 + "export function f() { " + around("", "try { g() } catch (e) { span.recordException(e); throw x }") + "}"},
		"branch": {"export function f(a) { if (a) g(); else { let b; h() } for (;;) g() }",
			head0 + "export function f(a) { " +
				around("", "if (a) { span.addEvent('a'); g() } else { let b; span.addEvent('b'); h() } for (;;) { span.addEvent('c'); g() }") + "}"},
		"added else": {"export function f(a) { if (a) g() }", head0 + "export function f(a) { " + around("", "if (a) g(); else span.addEvent('b')") + "}"},
		"own spans stay": {head0 +
			"export function f(a) { span.setAttribute('a', 1); tracer.startActiveSpan('a', (span) => { span.end() }) }\nexport function g() { h() }",
			head0 + "export function f(a) { span.setAttribute('a', 1); tracer.startActiveSpan('a', (span) => { span.end() }) }\nexport function g() { " +
				around("", "h()") + " }"},
		"names added": {"import { trace } from '@opentelemetry/api'; export function f() { g() }",
			"import { trace, SpanStatusCode } from '@opentelemetry/api'; const tracer = trace.getTracer('x'); export function f() { " + around("", "g()") + "}"},
		"names required": {"const { trace } = require('@opentelemetry/api'); exports.f = () => { g() }",
			"const { trace, SpanStatusCode } = require('@opentelemetry/api'); const tracer = trace.getTracer('x'); exports.f = () => { " + around("", "g()") + "}"},
		"commonjs": {"'use strict'; const a = require('a'); exports.f = async () => { await a() }",
			"'use strict'; const a = require('a'), { trace, SpanStatusCode } = require('@opentelemetry/api'); const tracer = trace.getTracer('a'); exports.f = " +
				"async () => { " + around("async ", "await a()") + "}"},
		"inline tracer": {"export class A { async f() { await g(this) } }",
			"import * as otel from '@opentelemetry/api'; export class A { async f() { return otel.trace.getTracer('a').startActiveSpan('a', async (span) => { try { " +
				"await g(this) } finally { span.end() } }) } }"},
		"nested": {"export function f() { return [1].map((x) => { return g(x) }) }",
			head0 + "export function f() { " + around("", "return [1].map((x) => { "+around("", "return g(x)")+" })") + "}"},
		"active span": {"export function f(a) { g() }",
			"import { trace } from '@opentelemetry/api'; export function f(a) { const current = trace.getActiveSpan(); current?.setAttribute('a', 1); " +
				"trace.getActiveSpan()?.addEvent('b'); g() }"},
		"our comments": {"export function f(a) { /* a */ g() }",
			head0 +
				"export function f(a) { return tracer.startActiveSpan('a', (span) => { try { /* a */ g() } catch (error) { /* note it */ span.recordException(error); " +
				"throw error } finally { span.end(); } }) }"},
		"comment above": {"export function f(a) {\n// a\ng() }",
			"// Spans.\n// For f.\n" + head0 + "export function f(a) { " + around("", "// b\n/* c */\nspan.setAttribute('a', 1);\n// a\ng()\n// d\nspan.addEvent('b')") +
				"}"},
		"comment kept above": {"export function f(a) {\n// a\ng() }", head0 + "export function f(a) { " + around("", "// a\nspan.setAttribute('a', 1);\ng()") + "}"},
		"comment repeated": {"export function f(a) {\n// a\ng() }",
			head0 + "export function f(a) { " + around("", "// a\ng()\n// a\nspan.setAttribute('a', 1)") + "}"},
		"chain regrouped": {"export const f = a && (b && (() => { g() }))", head0 + "export const f = a && b && (() => { " + around("", "g()") + " })"},
		"sloppy names": {"function f(a) { a(arguments); function b() {} }",
			"const { trace, SpanStatusCode } = require('@opentelemetry/api'); const tracer = trace.getTracer('a'); function f(a) { " +
				around("", "a(arguments); function b() {}") + " }"},
	} {
		if got := said(Undo(parse(t, c.orig), parse(t, c.new))); got != "" {
			t.Errorf("%s: %s\n%s", name, got, c.new)
		}
	}
}

// TestUndoFinds holds what is no addition, or one with a flaw.
func TestUndoFinds(t *testing.T) {
	for name, c := range map[string]struct{ orig, new, want string }{
		"statement gone": {"export function f() { g();\nh() }", head0 + "export function f() { " + around("", "h()") + "}",
			"3: ExpressionStatement is gone"},
		"statement added": {"export function f() { g() }", head0 + "export function f() { " + around("", "h();\ng()") + "}",
			"4: ExpressionStatement was added"},
		"changed": {"export function f(a) { g(a + 1) }", head0 + "export function f(a) { " + around("", "g(a + 2)") + "}",
			`4: value is "2", was "1"`},
		"two changes": {"export function f(a) { g(1) }\nexport function h() { return 3 }",
			head0 + "export function f(a) { " + around("", "g(2)") + "}\nexport function h() { return 4 }",
			"4: value is \"2\", was \"1\"\n6: value is \"4\", was \"3\""},
		"shadowed":        {"export function f(span) { g(span) }", head0 + "export function f(span) { " + around("", "g(span)") + "}", "4: captured span"},
		"global shadowed": {"export function f() { g(tracer) }", head0 + "export function f() { " + around("", "g(tracer)") + "}", "4: captured tracer"},
		"var of a parameter": {"export function f(a) { var a; return a }", head0 + "export function f(a) { " + around("", "var a; return a") + "}",
			"4: captured a"},
		"arguments": {"export function f() { g(arguments) }",
			head0 + "export function f() { return tracer.startActiveSpan('a', function (span) { try { g(arguments) } finally { span.end() } }) }",
			"3: captured arguments\n3: callback is no arrow function"},
		"moved out of reach": {"export function f() { g(h); return 1; function h() {} }",
			head0 + "export function f() { g(h); " + around("", "return 1; function h() {}") + "}", "3: captured h"},
		"not async": {"export async function f() { g() }", head0 + "export async function f() { " + around("", "g()") + "}",
			"3: callback is not async exactly as the function is"},
		"not returned": {"export function f() { return 1 }",
			head0 + "export function f() { tracer.startActiveSpan('a', (span) => { try { return 1 " + handled + " }) }", "3: result is not returned"},
		"floating": {"export async function f() { await g() }",
			head0 + "export async function f() { tracer.startActiveSpan('a', async (span) => { try { await g() " + handled + " }) }", "3: result is not returned"},
		"left early": {"export function f(a) { if (a) return; g(); h() }",
			head0 + "export function f(a) { tracer.startActiveSpan('a', (span) => { if (a) return; g() }); h() }", "3: result is not returned"},
		"dead code": {"export function f(a) { g(); h() }",
			head0 + "export function f(a) { return tracer.startActiveSpan('a', (span) => { g() }); h() }", "3: is ReturnStatement, was ExpressionStatement"},
		"swallowed": {"export function f() { g() }",
			head0 + "export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e) } finally { span.end() } }) }",
			"3: error is not thrown again"},
		"another error": {"export function f() { g() }",
			head0 +
				"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e); throw new Error('x') } finally " +
				"{ span.end() } }) }", "3: another error is thrown"},
		"swallowed with a value": {"export function f() { return g() }",
			head0 +
				"export function f() { return tracer.startActiveSpan('a', (span) => { try { return g() } catch (e) { span.recordException(e); return null } finally { " +
				"span.end() } }) }", "3: error is not thrown again"},
		"swallowed without a span": {"export function f() { g() }",
			head0 + "export function f() { try { g() } catch (e) { trace.getActiveSpan()?.recordException(e) } }", "3: error is not thrown again"},
		"effect in a pattern": {"export {}", "const { a = f() } = require('@opentelemetry/api'); export {}", "1: refused CallExpression"},
		"effect in a key":     {"export {}", "const { [f()]: a } = require('@opentelemetry/api'); export {}", "1: refused CallExpression"},
		"effect in a load":    {"export {}", "require('@opentelemetry/api')[f()]; export {}", "1: refused CallExpression"},
		"effect in a tracer":  {"export {}", "const tracer = f().trace.getTracer('a'); export {}", "1: refused CallExpression"},
		"effect in a name": {"const { trace } = require('@opentelemetry/api')", "const { trace, a = f() } = require('@opentelemetry/api')",
			"1: refused CallExpression"},
		"disposed of": {"export function f() { g() }", head0 + "export function f() { using span = tracer.startSpan('a'); g() }",
			"3: VariableDeclaration was added"},
		"active span of": {"export function f() { g() }", head0 + "export function f() { trace.getActiveSpan(h()).end(); g() }",
			"3: ExpressionStatement was added"},
		"exported tracer": {"export {}", "import { trace } from '@opentelemetry/api'; export const tracer = trace.getTracer('a'); export {}",
			"1: ExportNamedDeclaration was added"},
		"empty catch": {"export function f() { g() }", head0 +
			"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) {} finally { span.end() } }) }",
			"3: code was added\n3: error is not thrown again"},
		"more in a finally": {"export function f() { g() }", head0 +
			"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { span.recordException(e); throw e } finally { " +
			"span.end(); g() } }) }", "3: code was added"},
		"leaves the finally": {"export function f() { return g() }",
			head0 + "export function f() { return tracer.startActiveSpan('a', (span) => { try { return g() } finally { span.end(); return 1 } }) }",
			"3: code was added\n3: the finally leaves by itself"},
		"more in a catch": {"export function f() { g() }", head0 +
			"export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } catch (e) { h(e); span.recordException(e); throw e } }) }",
			"3: code was added"},
		"moved into a finally": {"export function f() { g(); h() }",
			head0 + "export function f() { return tracer.startActiveSpan('a', (span) => { try { g() } finally { h(); span.end() } }) }",
			"3: ExpressionStatement is gone\n3: code was added"},
		"no longer exported": {"export function f() { throw g() }\nf()",
			head0 + "function f() { return tracer.startActiveSpan('a', (span) => { try { throw g() } finally { span.end() } }) }\nf()",
			"3: is FunctionDeclaration, was ExportNamedDeclaration"},
		"imports swapped": {"import { a } from 'a'; import { b } from 'b'; a(b)", "import { b } from 'b'; import { a } from 'a'; a(b)",
			strings.Repeat("1: name is \"b\", was \"a\"\n", 2) + "1: value is \"b\", was \"a\"\n" + strings.Repeat("1: name is \"a\", was \"b\"\n", 2) +
				"1: value is \"a\", was \"b\""},
		"parameter renamed": {"export function f(a) { return a }", "export function f(b) { return a }", "1: name is \"b\", was \"a\""},
		"effect": {"export function f(a) { g() }", head0 + "export function f(a) { " + around("", "span.setAttribute('a', a.n++); g()") + "}",
			"4: refused UpdateExpression"},
		"effect in a guard": {"export function f(a) { g() }", head0 + "export function f(a) { " + around("", "if (a.pop()) span.addEvent('a'); g()") + "}",
			"4: refused CallExpression"},
		"effect in options": {"export function f(a) { g() }", head0 + "export function f(a) { return tracer.startActiveSpan(a.shift(), (span) => { g() }) }",
			"3: refused CallExpression"},
		"not a span": {"export function f(span) { g() }", "export function f(span) { span.setAttribute('a', 1); g() }", "1: ExpressionStatement was added"},
		"user's span call": {head0 + "export function f() { tracer.startActiveSpan('a', (span) => { span.setAttribute('a', 1) }) }",
			head0 + "export function f() { tracer.startActiveSpan('a', (span) => { span.setAttribute('a', 2) }) }", "3: ExpressionStatement is gone"},
		"user's span gone": {head0 + "export function f() { return tracer.startActiveSpan('a', (span) => { g() }) }", head0 + "export function f() { g() }",
			"3: is ExpressionStatement, was ReturnStatement"},
		"comment added": {"f() // a\n", "// b\nf() // a\n", `1: a comment was added: " b"`},
		"comment over a line": {"export function f() { g() }", head0 + "export function f() { " + around("", "// a\n\nspan.setAttribute('a', 1); g()") + "}",
			`4: a comment was added: " a"`},
		"comment of another": {"export function f() { g() }", head0 + "export function f() { " + around("", "// a\ng(); span.setAttribute('a', 1)") + "}",
			`4: a comment was added: " a"`},
		"comment behind code": {"export function f() { g() }", head0 + "export function f() { " + around("", "g() // a\nspan.setAttribute('a', 1)") + "}",
			`4: a comment was added: " a"`},
		"comment moved above": {"export function f() {\n// a\ng()\n// b\nh() }",
			head0 + "export function f() { " + around("", "// b\nspan.setAttribute('a', 1);\n// a\ng()\nh()") + "}",
			"4: a comment is \" b\", was \" a\"\n6: a comment is \" a\", was \" b\""},
		"comment lost above": {"export function f() {\n// a\ng() }", head0 + "export function f() { " + around("", "// b\nspan.setAttribute('a', 1);\ng()") + "}",
			`3: a comment is gone: " a"`},
		"comment gone":    {"f(); // a\ng() // b", "f();\ng() // b", `1: a comment is gone: " a"`},
		"comment changed": {"f() // a", "f() // b", `1: a comment is " b", was " a"`},
		"braces":          {"export const f = (a) => a", "export const f = (a) => { return a }", "1: is BlockStatement, was Identifier"},
		"in a branch": {"export function f(a) { if (a) { g() } h() }",
			head0 + "export function f(a) { if (a) { return tracer.startActiveSpan('a', (span) => { g() }) } h() }", "3: is ReturnStatement, was ExpressionStatement"},
		"import moved": {"import 'a'; import 'b'", "import 'b'; import 'a'", "1: value is \"b\", was \"a\"\n1: value is \"a\", was \"b\""},
		"own import":   {"f()", "import './tracing.js'; f()", "1: ImportDeclaration was added"},
	} {
		if got := said(Undo(parse(t, c.orig), parse(t, c.new))); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestTheFirstLineStays: what a system starts the file with is no comment above an added statement.
func TestTheFirstLineStays(t *testing.T) {
	const env, other = "#!/usr/bin/env node\n", "#!/usr/bin/env other\n"
	for _, tt := range []struct{ orig, new, want string }{
		{"f();\n", env + head0 + "f();\n", `1: the first line is "#!/usr/bin/env node", was ""`},
		{env + "f();\n", head0 + "f();\n", "gone"},
		{env + "f();\n", other + head0 + "f();\n", "gone"},
		{env + "f();\n", other + "//" + env[2:] + head0 + "f();\n", "gone"},
		{env + "f();\n", env + head0 + "f();\n", ""},
		{"#!/usr/bin/env node\r\nf();\n", env + head0 + "f();\n", ""},
		{"// #!a\nf();\n", "// #!a\n" + head0 + "f();\n", ""},
	} {
		u := Undo(parse(t, tt.orig), parse(t, tt.new))
		if got := said(u); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%q: %s", tt.new, got)
		}
	}
}
