package rules

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

var engine = sync.OnceValue(func() jsast.Engine { return jsast.Start(context.Background()) })

func TestMain(m *testing.M) {
	code := m.Run()
	engine().Close()
	os.Exit(code)
}

// judge gives what rules find in a pair of texts. A file that does not parse as the
// original's kind is tried as the other.
func judge(t *testing.T, orig, later string, c Config) []Finding {
	t.Helper()
	p := &Pair{Config: c}
	var err error
	if p.Orig, err = jsast.Parse(t.Context(), engine(), []byte(orig), jsast.Auto); err != nil {
		t.Fatalf("%v in\n%s", err, orig)
	}
	p.New, err = jsast.Parse(t.Context(), engine(), []byte(later), p.Orig.Type)
	if errors.As(err, &p.Broken) {
		if other, err := jsast.Parse(t.Context(), engine(), []byte(later), jsast.ESModule); err == nil {
			p.New, p.OtherType = other, true
		}
	}
	return Judge(p, nil)
}

// said is the findings of one pair as "RULE:line", blocking ones with a !.
func said(list []Finding) string {
	var out []string
	for _, f := range list {
		mark := ""
		if f.Severity == Blocking {
			mark = "!"
		}
		if s := fmt.Sprintf("%s%s:%d", f.Rule, mark, f.Line); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

const esm = "import { trace, SpanStatusCode } from '@opentelemetry/api';\nconst tracer = trace.getTracer('shop');\n"
const cjs = "const { trace, SpanStatusCode } = require('@opentelemetry/api');\nconst tracer = trace.getTracer('shop');\n"
const record = "span.recordException(error);\nspan.setStatus({ code: SpanStatusCode.ERROR });\n"
const finish = "} catch (error) {\n" + record + "throw error;\n} finally {\nspan.end();\n}\n});\n"

// async is a body in the canonical wrapper; its first line is the third below.
func async(body string) string {
	return "return tracer.startActiveSpan('shop.f', async (span) => {\ntry {\n" + body + "\n" + finish
}

func sync1(body string) string { return strings.Replace(async(body), "async (", "(", 1) }

// set is a function in which one statement speaks to the span, on line 6.
func set(statement string) (orig, later string) {
	return "export async function f(order) {\nawait g(order.id);\n}\n", esm + "export async function f(order) {\n" + async(statement+"\nawait g(order.id);") + "}\n"
}

// TestFindings holds what each rule says, and where.
func TestFindings(t *testing.T) {
	world.Slow(t)
	type pair struct {
		name, orig, later, want string
		config                  Config
	}
	cases := []pair{
		{name: "canonical", orig: "export async function f(a) {\nreturn await g(a);\n}\n", later: esm + "export async function f(a) {\n" + async("return await g(a);") + "}\n"},
		{name: "canonical, common", orig: "exports.f = async (a) => {\nawait g(a);\n};\n", later: cjs + "exports.f = async (a) => {\n" + async("await g(a);") + "};\n"},
		{name: "broken", orig: "f()", later: "f(", want: "NDS-001!:1"},
		{name: "not declared", orig: "export function f() {\ng();\n}", later: esm + "export function f() {\n" + sync1("span.setAttribute('a.b', zzz);\ng();") + "}", want: "NDS-001!:6 SAF-005!:6"},
		{name: "not imported", orig: "export async function f() {\nawait g();\n}", later: "import { trace } from '@opentelemetry/api';\nconst tracer = trace.getTracer('shop');\nexport async function f() {\n" + async("await g();") + "}", want: "NDS-001!:9 SAF-003!:9"},
		{name: "no such export", orig: "export async function f() {\nawait g();\n}", later: strings.Replace(esm, "{ trace,", "{ trace, Span,", 1) + "export async function f() {\n" + async("await g();") + "}", want: "SAF-003!:1 SAF-004:1"},
		{name: "changed", orig: "export async function f() {\nawait g(1);\n}", later: esm + "export async function f() {\n" + async("await g(2);") + "}", want: "NDS-003!:6"},
		{name: "gone", orig: "export async function f() {\nawait g(1);\nawait h();\n}", later: esm + "export async function f() {\n" + async("await g(1);") + "}", want: "NDS-003!:6"},
		{name: "signature", orig: "export async function f(a, b = 1) {\nawait g(a);\n}", later: esm + "export async function f(a, b = 2) {\n" + async("await g(a);") + "}", want: "NDS-003!:3 NDS-004!:3"},
		{name: "no longer async", orig: "export async function f(a) {\ng(a);\n}", later: esm + "export function f(a) {\n" + sync1("g(a);") + "}", want: "NDS-003!:3 NDS-004!:3"},
		{name: "export gone", orig: "export function f() {}\nexport const a = 1;\n", later: "export function f() {}\nconst a = 1;\n", want: "NDS-003!:2 NDS-004!:2"},
		{name: "try gone", orig: "export async function f() {\ntry {\nawait g();\n} catch (e) {\nlog(e);\n}\n}", later: esm + "export async function f() {\n" + async("await g();\nlog();") + "}", want: "NDS-003!:6 NDS-005!:3"},
		{name: "throw moved", orig: "export function f(a) {\nif (a) {\nthrow new Error();\n}\ng();\n}", later: "export function f(a) {\ng();\nthrow new Error();\n}", want: "NDS-003!:2 NDS-003!:3 NDS-005!:1"},
		{name: "require in a module", orig: "export async function f() {\nawait g();\n}", later: cjs + "export async function f() {\n" + async("await g();") + "}", want: "NDS-001!:1 NDS-006!:1"},
		{name: "import in CommonJS", orig: "exports.f = async () => {\nawait g();\n};", later: esm + "exports.f = async () => {\n" + async("await g();") + "};", want: "NDS-001!:1 NDS-006!:1"},
		{name: "handled", orig: "export async function f() {\ntry {\nawait g();\n} catch (e) {\nlog(e);\n}\n}", later: esm + "export async function f() {\n" + async("try {\nawait g();\n} catch (e) {\nspan.recordException(e);\nspan.setStatus({ code: SpanStatusCode.ERROR });\nlog(e);\n}") + "}", want: "NDS-007!:9 NDS-007!:10"},
		{name: "thrown in a branch", orig: "export async function f() {\ntry {\nawait g();\n} catch (e) {\nif (e.code !== 'ENOENT') throw e;\n}\n}", later: esm + "export async function f() {\n" + async("try {\nawait g();\n} catch (e) {\nif (e.code !== 'ENOENT') {\nspan.recordException(e);\nspan.setStatus({ code: SpanStatusCode.ERROR });\nthrow e;\n}\n}") + "}"},
		{name: "before a branch", orig: "export async function f() {\ntry {\nawait g();\n} catch (e) {\nif (e.code !== 'ENOENT') throw e;\n}\n}", later: esm + "export async function f() {\n" + async("try {\nawait g();\n} catch (e) {\nspan.recordException(e);\nspan.setStatus({ code: SpanStatusCode.ERROR });\nif (e.code !== 'ENOENT') throw e;\n}") + "}", want: "NDS-007!:9 NDS-007!:10"},
		{name: "elided", orig: "f();\n// ...args\n", later: "f();\n// ...args\n// ... rest of the code\n", want: "ELISION!:3 NDS-003!:3"},
		{name: "shadowed", orig: "export async function f(span) {\nawait g(span);\n}", later: esm + "export async function f(span) {\n" + async("await g(span);") + "}", want: "SAF-001!:4"},
		{name: "tracer hidden", orig: "export async function f(tracer) {\nawait g();\n}", later: esm + "export async function f(tracer) {\n" + async("await g();") + "}", want: "SAF-001!:4"},
		{name: "span hidden", orig: "export async function f() {\nconst span = await g();\nreturn span;\n}", later: esm + "export async function f() {\n" + async("const span = await g();\nspan.setAttribute('a.b', 1);\nreturn span;") + "}", want: "SAF-001!:7"},
		{name: "not returned", orig: "export async function f() {\nreturn 1;\n}", later: esm + "export async function f() {\n" + strings.Replace(async("return 1;"), "return tracer", "await tracer", 1) + "}", want: "SAF-002!:4"},
		{name: "promise in a variable", orig: "export function f() {\nconst p = (async () => { await g(); })();\nreturn p;\n}",
			later: esm + "export function f() {\n" + sync1("const p = (async () => { await g(); })();\nreturn p;") + "}", want: "CDQ-001!:4 COV-003!:4 SAF-002!:4"},
		{name: "promise", orig: "export function f() {\nreturn g().then(h);\n}", later: esm + "export function f() {\n" + sync1("return g().then(h);") + "}", want: "CDQ-001!:4 COV-003!:4 SAF-002!:4"},
		{name: "generator", orig: "export async function* f() {\nawait g();\n}", later: esm + "export async function* f() {\n" + async("await g();") + "}", want: "SAF-002!:4"},
		{name: "unused", orig: "f();", later: "import { trace } from '@opentelemetry/api';\nf();", want: "NDS-001!:1 NDS-006!:1 SAF-004:1"},
		{name: "unused in a module", orig: "export {};\nf();", later: esm + "export {};\nf();", want: "SAF-004:1 SAF-004:2"},
		{name: "SDK", orig: "export {};\nf();", later: "import { NodeSDK } from '@opentelemetry/sdk-node';\nexport {};\nf();", want: "API-001!:1 API-004!:1 SAF-004:1"},
		{name: "SDK in its place", orig: "export {};\nf();", later: "import '@opentelemetry/sdk-node';\nexport {};\nf();", config: Config{SDKInit: true}},
		{name: "subpath", orig: "export {};\n", later: "import '@opentelemetry/api/build/src/index.js';\nexport {};\n", want: "API-001!:1"},
		{name: "vendor", orig: "export {};\n", later: "import 'dd-trace/init';\nexport {};\n", want: "API-003!:1"},
		{name: "other tracer", orig: "export {};\n", later: esm + "export {};\n", config: Config{TracerName: "store"}, want: "CDQ-011!:2 SAF-004:1 SAF-004:2"},
		{name: "tracer without a name", orig: "export {};\n", later: strings.Replace(esm, "'shop'", "", 1) + "export {};\n", want: "CDQ-002!:2 SAF-004:1 SAF-004:2"},
		{name: "tracer's name held", orig: "export {};\n", later: "import { trace } from '@opentelemetry/api';\nconst NAME = 'shop';\nconst tracer = trace.getTracer(NAME);\nexport {};\n", want: "NDS-003!:2 SAF-004:3"},
		{name: "tracer beside the user's", orig: "import { trace } from '@opentelemetry/api';\nexport const t = trace.getTracer('own');\n", later: "import { trace } from '@opentelemetry/api';\nexport const t = trace.getTracer('own');\nconst tracer = trace.getTracer('shop');\n", want: "CDQ-011!:3 SAF-004:3"},
		{name: "one name twice", orig: "if (a) {\nexports.f = () => {};\n} else {\nexports.f = (b) => {};\n}\n", later: "if (a) {\nexports.f = () => {};\n} else {\nexports.f = (b) => {};\n}\n"},
		{name: "function replaced", orig: "export const f = async (a) => {\nawait g(a);\n};\n", later: "export const f = wrap(async (a) => {\nawait g(a);\n});\n", want: "NDS-001!:1 NDS-003!:1 NDS-004!:1"},
		{name: "await import", orig: "exports.f = 1;\n", later: "const { trace } = await import('@opentelemetry/api');\nexports.f = 1;\n", want: "NDS-001!:1 NDS-003!:1 NDS-006!:1 SAF-004:1"},
		{name: "swallowed", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("await g();"), "throw error;", "return null;", 1) + "}", want: "SAF-002!:7"},
		{name: "accessor", orig: "export class A {\nget x() {\nreturn this.y;\n}\n}", later: esm + "export class A {\nget x() {\n" + sync1("return this.y;") + "}\n}", want: "RST-002!:5 SAF-002!:5"},
		{name: "a line of an own span", orig: esm + "export function f(x) {\n" + sync1("span.setAttribute('a', x.b);\ng(x);") + "}",
			later: esm + "export function f(x) {\n" + sync1("span.setAttribute('a', x.b);\ng(x.c);") + "}", want: "NDS-003!:7"},
		{name: "the name of an own span", orig: esm + "export function f(x) {\n" + sync1("g(x);") + "}",
			later: strings.Replace(esm+"export function f(x) {\n"+sync1("g(x);")+"}", "shop.f", "shop.g", 1), want: "NDS-003!:4"},
		{name: "own spans", orig: esm + "export function f() {\nconst s = tracer.startSpan('x');\ng();\ns.end();\n}", later: esm + "export function f() {\n" + sync1("const s = tracer.startSpan('x');\ng();\ns.end();") + "}", want: "RST-005!:4"},
		{name: "exit", orig: "export function f() {\nprocess.exit(1);\n}", later: esm + "export function f() {\n" + sync1("process.exit(1);") + "}", want: "RST-006!:4 SAF-002!:4"},
		{name: "constant key", orig: "const K = Symbol();\nexport class A {\nx() {\nreturn this[K];\n}\n}", later: esm + "const K = Symbol();\nexport class A {\nx() {\n" + sync1("return this[K];") + "}\n}", want: "RST-002!:6"},
		{name: "looked up", orig: "export class A {\nx(k) {\nreturn this.all[k];\n}\n}", later: esm + "export class A {\nx(k) {\n" + sync1("return this.all[k];") + "}\n}"},
		{name: "ends later", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("await g();"), "span.end();", "setTimeout(() => span.end());", 1) + "}", want: "CDQ-001!:12 NDS-003!:12"},
		{name: "ends another", orig: "export async function f() {\nif (a) throw a;\nawait g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("if (a) throw a;\nawait g();"), "span.end();", "spn.end();", 1) + "}", want: "CDQ-001!:4 NDS-001!:13 NDS-003!:13"},
		{name: "finally returns", orig: "export async function f() {\nreturn await g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("return await g();"), "span.end();", "span.end();\nreturn 1;", 1) + "}", want: "NDS-003!:13 SAF-002!:13"},
		{name: "generator's callback", orig: "export async function* f() {\nyield g();\n}", later: esm + "export async function* f() {\n" + strings.Replace(async("yield g();"), "async (span) =>", "async function* (span)", 1) + "}", want: "NDS-003!:4 SAF-002!:4"},
		{name: "hidden twice", orig: "export async function f(span) {\nawait g(span);\nawait h();\nawait h();\nawait h();\nawait g(span);\n}", later: esm + "export async function f(span) {\n" + async("await g(span);\nawait h();\nawait h();\nawait h();\nawait g(span);") + "}", want: "SAF-001!:4"},
		{name: "arguments", orig: "exports.f = async function () {\nawait g(arguments);\n};\n", later: cjs + "exports.f = async function () {\n" + strings.Replace(async("await g(arguments);"), "async (span) =>", "async function (span)", 1) + "};\n", want: "SAF-002!:4"},
		{name: "parameter renamed", orig: "export function f(a) {\ng(a);\n}", later: "export function f(b) {\ng(a);\n}", want: "NDS-003!:1 NDS-004!:1"},
		{name: "inner parameters", orig: "export function f() {\nreturn (a, b = 1) => a + b;\n}", later: "export function f() {\nreturn (a, b = 2) => a + b;\n}", want: "NDS-003!:2 NDS-004!:2"},
		{name: "imports swapped", orig: "import { a } from 'a';\nimport { b } from 'b';\na(b);", later: "import { b } from 'b';\nimport { a } from 'a';\na(b);", want: "NDS-003!:1 NDS-003!:2"},
		{name: "exported otherwise", orig: "class A {}\nf();\nmodule.exports = A;\n", later: "class A {}\nf();\nmodule.exports = { A };\n", want: "NDS-003!:3 NDS-004!:3"},
		{name: "catch gone", orig: "export async function f() {\ntry {\nawait g();\nawait g();\nawait g();\nawait g();\n} catch {\nh();\n} finally {\nh();\n}\n}", later: "export async function f() {\ntry {\nawait g();\nawait g();\nawait g();\nawait g();\n} finally {\nh();\n}\n}", want: "NDS-003!:6 NDS-005!:6"},
		{name: "export of a wrapped function gone", orig: "export function f() {\nthrow g();\n}\nf();\n", later: esm + "function f() {\n" + sync1("throw g();") + "}\nf();\nexport {};\n", want: "NDS-003!:3 NDS-004!:3"},
		{name: "exit in a catch", orig: "export function f() {\ntry {\ng();\n} catch {\nprocess.exit(1);\n}\n}", later: esm + "export function f() {\n" + sync1("try {\ng();\n} catch {\nprocess.exit(1);\n}") + "}"},
		{name: "never ends", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("await g();"), "span.end();", "", 1) + "}", want: "CDQ-001!:4"},
		{name: "ends twice", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\n" + async("await g();\nspan.end();") + "}", want: "CDQ-001!:7"},
		{name: "ends on one path", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\nreturn tracer.startActiveSpan('a', async (span) => {\nawait g();\nspan.end();\n});\n}", want: "COV-003!:4 CDQ-001!:4 SAF-004:1"},
		{name: "half recorded", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("await g();"), "span.setStatus({ code: SpanStatusCode.ERROR });\n", "", 1) + "}", want: "SAF-004:1 CDQ-003!:8"},
		{name: "no error", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\n" + strings.Replace(async("await g();"), "SpanStatusCode.ERROR", "SpanStatusCode.FAILED", 1) + "}", want: "CDQ-003!:8"},
		{name: "logs is exported", orig: "export async function f() {\nawait g();\n}", later: strings.Replace(esm, "{ trace,", "{ trace, logs,", 1) + "export async function f() {\n" + async("await g();") + "}", want: "SAF-004:1"},
		{name: "no such member", orig: "export async function f() {\nawait g();\n}", later: "import * as otel from '@opentelemetry/api';\nconst tracer = otel.trace.getTracer('shop');\nexport async function f() {\n" + strings.Replace(async("await g();"), "SpanStatusCode", "otel.StatusCode", 1) + "}", want: "SAF-003!:9"},
		{name: "default import", orig: "export async function f() {\nawait g();\n}", later: "import otel from '@opentelemetry/api';\nconst tracer = otel.trace.getTracer('shop');\nexport async function f() {\n" + strings.Replace(async("await g();"), "SpanStatusCode", "otel.SpanStatusCode", 1) + "}", want: "SAF-003!:9"},
		{name: "all of it imported", orig: "export async function f() {\nawait g();\n}", later: "import * as otel from '@opentelemetry/api';\nconst tracer = otel.trace.getTracer('shop');\nexport async function f() {\n" + strings.Replace(async("await g();"), "SpanStatusCode", "otel.SpanStatusCode", 1) + "}"},
		{name: "default of require", orig: "exports.f = async () => {\nawait g();\n};", later: "const otel = require('@opentelemetry/api').default;\nconst tracer = otel.trace.getTracer('shop');\nexports.f = async () => {\n" + strings.Replace(async("await g();"), "SpanStatusCode", "otel.SpanStatusCode", 1) + "};", want: "SAF-003!:9"},
		{name: "by hand", orig: "export async function f() {\nawait g();\n}", later: esm + "export async function f() {\nconst span = tracer.startSpan('a.b');\ntry {\nawait g();\n" + strings.TrimSuffix(finish, "});\n") + "}", want: "CDQ-005:4"},
	}
	for _, s := range []struct{ statement, want string }{
		{"span.setAttribute('shop.id', order.id);", ""},
		{"span.setAttribute('shop.n', order.n++);", "NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.n', count(order));", "NDS-001!:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.n', order.user.id);", "SAF-005:6"},
		{"if (order.user != null) span.setAttribute('shop.n', order.user.id);", ""},
		{"span.setAttribute('shop.n', order.list.map(g).length);", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.n', Array.from(order.list, g).length);", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.n', order.list.filter(Boolean).length);", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.sort());", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.id).sort());", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', [...order.list].sort((a, b) => a - b).reverse());", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.list)[0].sort());", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list?.map((x) => x.id).sort());", "CDQ-006:6 CDQ-007:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.slice().sort());", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.list.sort()));", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.id).sort(g));", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.id).sort((a, b) => g(a, b)));", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.id).push(1));", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.ids', order.list.map((x) => x.id));", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"if (span.isRecording() && order.list != null) span.setAttribute('shop.ids', order.list.map((x) => x.id));", "NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('user.email', order.email);", "CDQ-007!:6"},
		{"span.setAttributes({ 'shop.user.firstName': order.first });", "CDQ-007!:6"},
		{"span.setAttribute('file.name', order.file);", ""},
		{"span.setAttribute('shop.order', order);", "CDQ-007!:6"},
		{"span.setAttribute('shop.order', JSON.stringify(order));", "CDQ-006:6 CDQ-007!:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.path', order.path);", "CDQ-007:6"},
		{"span.setAttribute('gen_ai.prompt', order.text);", "CDQ-007!:6"},
		{"span.setAttribute('gen_ai.input.messages', order.text);", "CDQ-007!:6"},
		{"span.setAttribute('shop.asked', order.prompt);", "CDQ-007!:6"},
		{"span.setAttribute('shop.asked', order.messages);", "CDQ-007!:6"},
		{"span.setAttribute('gen_ai.request.model', order.model);", ""},
		{"span.setAttribute('shop.id', order?.id);", "CDQ-007:6"},
		{"if (order.id !== undefined) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (order.id !== null) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (undefined !== order.id) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (null !== order.id) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (void 0 !== order.id) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (typeof order.id !== 'undefined') span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if ('undefined' != typeof order.id) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (order.id !== null && order.id !== undefined) span.setAttribute('shop.id', order.id);", ""},
		{"if (order.id !== null) { if (order.id !== undefined) span.setAttribute('shop.id', order.id); }", ""},
		{"if (order.id !== null && order.no !== undefined) span.setAttribute('shop.id', order.id);", "CDQ-009:6"},
		{"if (order.id !== 'undefined') span.setAttribute('shop.id', order.id);", ""},
		{"if (undefined != order.id) span.setAttribute('shop.id', order.id);", ""},
		{"span.setAttribute('shop.day', Date.now().slice(0, 6));", "CDQ-006:6 CDQ-010:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.n', Math.round(order.n).includes('1'));", "CDQ-010:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.n', (order.n * 2).at(0));", "CDQ-010:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.id', order.id.slice(0, 6));", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.kind', (order.n ? 'a' : 'b').toUpperCase());", "CDQ-006:6"},
		{"span.setAttribute('shop.kind', (order.n ? 'a' : 1).toUpperCase());", "CDQ-006:6 CDQ-010:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.id', order.id.toUpperCase());", "CDQ-006:6 CDQ-010:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.id', String(order.id).trim());", "CDQ-006:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('error', true);", "CDQ-003!:6"},
		{"span.setAttributes(order);", "CDQ-007!:6"},
		{"span.updateName(order.list.shift());", "NDS-003!:6"},
		{"span.setAttribute('shop.region', process.env.REGION);", "CDQ-007!:6 SAF-005:6"},
		{"span.setAttribute('shop.region', `eu-${process.env.REGION}`);", "CDQ-007!:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.all', Object.values(process.env).join());", "CDQ-006:6 CDQ-007!:6 NDS-003!:6 SAF-005!:6"},
		{"span.setAttribute('shop.args', process.argv.length);", "CDQ-007!:6 SAF-005:6"},
		{"span.setAttribute('shop.x', globalThis.process.pid);", "CDQ-007!:6 SAF-005:6"},
		{"span.setAttribute('shop.pid', process.pid);", ""},
	} {
		orig, later := set(s.statement)
		cases = append(cases, pair{name: s.statement, orig: orig, later: later, want: s.want})
	}
	seen := map[string]bool{}
	for _, c := range cases {
		list := judge(t, c.orig, c.later, c.config)
		want := strings.Fields(c.want)
		slices.Sort(want)
		if got := said(list); got != strings.Join(want, " ") {
			t.Errorf("%s: %s\nwant %s\n%v\n%s", c.name, got, c.want, list, c.later)
		}
		for _, f := range list {
			seen[f.Rule] = true
			if f.Message == "" || f.Why == "" || f.Example == "" || f.Column == 0 {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
	for _, r := range Table() {
		if !seen[r.ID] && !r.NeedsRegistry() && !r.Once() {
			t.Errorf("no case for %s", r.ID)
		}
	}
}

// TestValues: what a rule says of a name depends on what gave it its value.
func TestValues(t *testing.T) {
	for _, c := range []struct{ parameters, before, statement, want string }{
		{"a = 'x'", "", "span.setAttribute('shop.a', a.trim());", "CDQ-006 NDS-003 SAF-005"},
		{"{ a = 'x' }", "", "span.setAttribute('shop.a', a.trim());", "CDQ-006 NDS-003 SAF-005"},
		{"a = 1", "", "span.setAttribute('shop.a', a.trim());", "CDQ-006 CDQ-010 NDS-003 SAF-005"},
		{"a = b, b = 'x'", "", "span.setAttribute('shop.a', a.trim());", "CDQ-006 CDQ-010 NDS-003 SAF-005"},
		{"", "const a = Date.now();", "span.setAttribute('shop.a', a.slice(1));", "CDQ-006 CDQ-010 NDS-003 SAF-005"},
		{"", "let a = Date.now();", "span.setAttribute('shop.a', a.slice(1));", "CDQ-006 NDS-003 SAF-005"},
		{"s", "const a = s.filter(g);", "span.setAttribute('shop.a', a.length);", ""},
		{"s", "const a = s.filter(g).sort();", "if (span.isRecording()) span.setAttribute('shop.a', a.map((x) => x.id));", "NDS-003 SAF-005"},
		{"s", "const a = s?.filter(g);", "span.setAttribute('shop.a', a.length);", "SAF-005"},
		{"s", "const a = await s.filter(g);", "span.setAttribute('shop.a', a.length);", "SAF-005"},
		{"s", "const a = s.find(g);", "span.setAttribute('shop.a', a.length);", "SAF-005"},
		{"s", "let a = s.filter(g);", "span.setAttribute('shop.a', a.length);", "SAF-005"},
		{"s", "const { a } = { a: s };", "span.setAttribute('shop.a', a.length);", "SAF-005"},
		{"", "const a = new Map();", "span.setAttribute('shop.a', a.size);", ""},
		{"s", "const a = /x/.exec(s);", "if (a !== null) span.setAttribute('shop.a', a.index);", ""},
		{"s", "const a = find(s);", "if (a !== null) span.setAttribute('shop.a', a.index);", "CDQ-009"},
	} {
		head, tail := "export async function f("+c.parameters+") {\n", "await g();\n"
		list := judge(t, head+c.before+tail+"}\n", esm+head+async(c.before+c.statement+tail)+"}\n", Config{})
		var rules []string
		for _, f := range list {
			rules = append(rules, f.Rule)
		}
		slices.Sort(rules)
		if got := strings.Join(slices.Compact(rules), " "); got != c.want {
			t.Errorf("(%s) { %s %s }: %s, want %s\n%v", c.parameters, c.before, c.statement, got, c.want, list)
		}
	}
}

// TestAbsent: where the code shows that a value may be absent, reading a member of it blocks.
func TestAbsent(t *testing.T) {
	for _, c := range []struct{ parameters, before, behind, want string }{
		{"o", "", "await save(o);", "SAF-005:6"},
		{"o", "", "await save(o.id);", ""},
		{"o = null", "", "await save(o);", "SAF-005!:6"},
		{"o = undefined", "", "await save(o);", "SAF-005!:6"},
		{"o = {}", "", "await save(o);", "SAF-005:6"},
		{"o", "", "if (!o) return 1; await save(o.id);", "SAF-005!:6"},
		{"o", "", "if (o) await save(o.id);", "SAF-005!:6"},
		{"o", "", "await save(o?.id);", "SAF-005!:6"},
		{"o", "", "await save(o ?? 1);", "SAF-005!:6"},
		{"o", "", "await save(o === null ? 1 : o.id);", "SAF-005!:6"},
		{"o", "if (!o) return 1; ", "await save(o.id);", ""},
		{"o", "if (o == null) return 1; ", "await save(o);", "SAF-005:6"},
	} {
		head := "export async function f(" + c.parameters + ") {\n"
		list := judge(t, head+c.before+c.behind+"\n}\n", esm+head+async(c.before+"span.setAttribute('a', o.id); "+c.behind)+"}\n", Config{})
		if got := said(list); got != c.want {
			t.Errorf("(%s) { %s%s }: %s, want %s", c.parameters, c.before, c.behind, got, c.want)
		}
	}
}

// TestClassNames: a class has its value in its own methods.
func TestClassNames(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"export class A {\nstatic table = 'a';\nasync f() {\n", ""},
		{"export const A = class B {\nasync f(A) {\n", "SAF-005:7"},
	} {
		list := judge(t, c.head+"await g();\n}\n}\n", esm+c.head+async("span.setAttribute('shop.table', A.table);\nawait g();")+"}\n}\n", Config{})
		if got := said(list); got != c.want {
			t.Errorf("%s: %s, want %s", c.head, got, c.want)
		}
	}
}

// TestEndsTold: calls of end on different paths do not make the span end twice.
func TestEndsTold(t *testing.T) {
	const orig = "export async function f() {\nawait g();\n}"
	onPaths := strings.NewReplacer("await g();", "await g();\nspan.end();", "throw error;\n} finally {\nspan.end();", "span.end();\nthrow error;")
	for _, c := range []struct{ later, want string }{
		{onPaths.Replace(async("await g();")), "end is called in 2 places, and in no finally"},
		{async("await g();\nspan.end();"), "end is called in 2 places, not only once in a finally"},
	} {
		list := judge(t, orig, esm+"export async function f() {\n"+c.later+"}", Config{})
		if len(list) != 1 || list[0].Rule != "CDQ-001" || list[0].Message != c.want {
			t.Errorf("%+v\nwant %s\n%s", list, c.want, c.later)
		}
	}
}

// TestLevels: a project may change a rule's severity, but not that of a fixed one.
func TestLevels(t *testing.T) {
	orig, later := set("span.setAttribute('user.email', order.email = 1);")
	p := &Pair{}
	p.Orig, _ = jsast.Parse(t.Context(), engine(), []byte(orig), jsast.Auto)
	p.New, _ = jsast.Parse(t.Context(), engine(), []byte(later), jsast.Auto)
	for _, c := range []struct {
		level Severity
		want  string
	}{{"", "CDQ-007!:6 NDS-003!:6 SAF-005!:6"}, {Advisory, "CDQ-007:6 NDS-003!:6 SAF-005!:6"}, {Off, "NDS-003!:6 SAF-005!:6"}} {
		if got := said(Judge(p, map[string]Severity{"CDQ-007": c.level, "NDS-003": c.level, "SAF-005": c.level})); got != c.want {
			t.Errorf("%q: %s, want %s", c.level, got, c.want)
		}
	}
}

// TestFunctionNames: a finding tells the user's function, not our callback.
func TestFunctionNames(t *testing.T) {
	for _, c := range []struct{ head, tail, want string }{
		{"export async function place(a) {\n", "}", "place"},
		{"export class Cart { async add(a) {\n", "}}", "Cart.add"},
		{"app.get('/', async (a) => {\n", "});", "callback of app.get"},
	} {
		list := judge(t, "export {};"+c.head+"await g(1);"+c.tail, esm+"export {};"+c.head+async("await g(2);")+c.tail, Config{})
		if len(list) != 1 || list[0].Function != c.want {
			t.Errorf("%s: %+v", c.want, list)
		}
	}
}

// TestUnlikeFiles: whatever the two files are, there is an answer, and it blocks.
func TestUnlikeFiles(t *testing.T) {
	paths, _ := filepath.Glob("../jsast/testdata/corpus/*")
	var all []*jsast.Module
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := jsast.Parse(t.Context(), engine(), source, jsast.TypeByName(path))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	for i, orig := range all {
		for j, later := range all {
			list := Judge(&Pair{Orig: orig, New: later}, nil)
			if (i == j) == Blocks(list) {
				t.Errorf("%s and %s: %v", paths[i], paths[j], list)
			}
		}
	}
}
