package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// spans plans a span for each function that is named, with attributes "key=expr" or "key=expr@after:LINE".
func spans(ids map[string][]string) (p Plan) {
	for id, attributes := range ids {
		c := Choice{ID: id, Action: "span", Span: "shop." + id}
		for _, a := range attributes {
			key, rest, _ := strings.Cut(a, "=")
			expr, at, _ := strings.Cut(rest, "@")
			c.Attributes = append(c.Attributes, Attribute{key, expr, at})
		}
		p.Functions = append(p.Functions, c)
	}
	return p
}

func apply(t testing.TB, source string, p Plan) (string, []Dropped) {
	t.Helper()
	out, dropped, err := Apply(t.Context(), engine(), parse(t, source), p, Names{Tracer: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return string(out), dropped
}

// TestApply holds the canonical form, byte by byte.
func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		plan   map[string][]string
		want   string
	}{
		"async": {`import db from './db.js';

// Places an order.
export async function placeOrder(order) { // hot
  // keep this
  const saved = await db.insert(order.id, ` + "`\n  a\n`" + `);
  return saved;
}
`, map[string][]string{"f1": {"shop.order.id=order.id", "shop.saved=saved.id@after:6"}}, `import db from './db.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

// Places an order.
export async function placeOrder(order) { // hot
  return tracer.startActiveSpan('shop.f1', async (span) => {
    try {
      span.setAttribute('shop.order.id', order.id);
      // keep this
      const saved = await db.insert(order.id, ` + "`\n  a\n`" + `);
      if (saved?.id != null) {
        span.setAttribute('shop.saved', saved?.id);
      }
      return saved;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
`},
		"concise, no semicolons, tabs": {"'use strict'\nconst a = require('a') // why\n\nexports.f = (x) =>\n\ta({\n\t\tx,\n\t})\n",
			map[string][]string{"f1": {"a.b=1"}}, `'use strict'
const a = require('a') // why
const { trace, SpanStatusCode } = require('@opentelemetry/api')
const tracer = trace.getTracer('shop')

exports.f = (x) => {
	return tracer.startActiveSpan('shop.f1', (span) => {
		try {
			span.setAttribute('a.b', 1)
			return a({
				x,
			})
		} catch (error) {
			span.recordException(error)
			span.setStatus({ code: SpanStatusCode.ERROR })
			throw error
		} finally {
			span.end()
		}
	})
}
`},
		"double quotes": {"import { a } from \"a\";\n\nexport const f = (x) => {\n  a('it is \"x\"', \"b\", x);\n};\n", map[string][]string{"f1": {"a.b=x"}},
			`import { a } from "a";
import { trace, SpanStatusCode } from "@opentelemetry/api";
const tracer = trace.getTracer("shop");

export const f = (x) => {
  return tracer.startActiveSpan("shop.f1", (span) => {
    try {
      if (x != null) {
        span.setAttribute("a.b", x);
      }
      a('it is "x"', "b", x);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
`},
		"on one line, taken names": {"#!/usr/bin/env node\n// A licence.\n\n// About f.\nfunction f(span) { 'use strict'; return span.x + tracer }\n",
			map[string][]string{"f1": {"a.x=span.x"}}, `#!/usr/bin/env node
// A licence.

const { trace, SpanStatusCode } = require('@opentelemetry/api');
const otelTracer = trace.getTracer('shop');

// About f.
function f(span) { 'use strict';
  return otelTracer.startActiveSpan('shop.f1', (otelSpan) => {
    try {
      otelSpan.setAttribute('a.x', span.x);
      return span.x + tracer
    } catch (error) {
      otelSpan.recordException(error);
      otelSpan.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      otelSpan.end();
    }
  });
}
`},
		"own import and tracer": {"import { trace as t } from '@opentelemetry/api';\nconst tr = t.getTracer('own');\nexport class A {\n  run() {\n  }\n}\n",
			map[string][]string{"f1": nil}, `import { trace as t, SpanStatusCode } from '@opentelemetry/api';
const tr = t.getTracer('own');
export class A {
  run() {
    return tr.startActiveSpan('shop.f1', (span) => {
      try {
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
`},
	} {
		got, dropped := apply(t, c.source, spans(c.plan))
		if len(dropped) > 0 {
			t.Errorf("%s: dropped %v", name, dropped)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if s := said(Undo(parse(t, c.source), parse(t, got))); s != "" {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// TestDropped holds why a span or an attribute is not put in. The file stays as it was.
func TestDropped(t *testing.T) {
	for _, c := range []struct{ source, attribute, want string }{
		{"function* f() {}", "", "f1: it is a generator"},
		{"class A { constructor() {} }", "", "f1: it is a constructor"},
		{"class A { get x() { return 1 } }", "", "f1: it is an accessor"},
		{"function f() { eval('1') }", "", "f1: it uses eval or with"},
		{"function f() { process.exit(1) }", "", "f1: it calls process.exit"},
		{"function f() { return <a/> }", "", "f1: it returns JSX: a component renders again and again"},
		{"function F() { const a = useState(1); return a }", "", "f1: it calls a React hook"},
		{"function f() { return g().then(h) }", "", "f1: it returns a promise without being async: the span would end too early"},
		{"function f() { return g() } async function g() {}", "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { const p = (async () => { await g() })(); return p }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { let p; p = g().then(h); return p }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { const o = { done: g().then(h) }; return o.done }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { const o = { done: fetch(1) }; return o }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { return { id: 1, done: new Promise(g) } }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f(l) { const all = l.map(async (x) => { await x }); return all }`,
			"", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { const all = []; all.push(fetch(1)); return all }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { return { then(ok) { ok(1) } } }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f(l) { return Promise.all(l.map(g)) }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { return g() } function g() { return h() } async function h() {}`,
			"", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { return this.p = fetch(1) }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { return cache.a ?? fetch(1) }`, "", "f1: it returns a promise without being async: the span would end too early"},
		{`function f() { return save(1) } import { save } from "./s.js"; async function g() { await save(2) }`,
			"", "f1: it returns a promise without being async: the span would end too early"},
		{"function f() { app.on('a', () => {}) }", "", "f1: it only registers callbacks or timers"},
		{"function f(a) { var a = a || 1; return a }", "", "f1: it declares its parameter a again"},
		{"function f() { var g; function g() {} }", "", "f1: it declares the function g twice"},
		{"function f(a) { return tracer.startActiveSpan('a', (span) => {}) }", "", "f1: it makes spans already"},
		{"function f(a) {}", "b.c=g(a)", "f1, attribute b.c: the expression has an effect: g(a): it calls a function that isn't a known built-in"},
		{"function f(a) {}", "b.c=a); evil(", "f1, attribute b.c: the expression is not one expression"},
		{"function f(a) {}", "b.c=a +", "f1, attribute b.c: the expression is no JavaScript: Unexpected token"},
		{"function f(a) {}", "b.c=zzz.id", "f1, attribute b.c: zzz is not declared"},
		{"function f(a) { const b = 1; }", "b.c=b", "f1, attribute b.c: b has no value yet there"},
		{"function f(a) {}", "b.c=null.x", "f1, attribute b.c: the expression can throw: null.x: null and undefined have no members: read it with ?."},
		{"function f(a) { a = 1 }", "b.c=a@after:1", "f1, attribute b.c: no declaration of the function's own block stands on line 1"},
		{"function f(a) {}", "b.c=a@later", `f1, attribute b.c: at is "later", neither start nor after:LINE`},
		{"function f(a) {}", "b'c=a", "f1, attribute b'c: the attribute has no name"},
		{"f()", "", "f1: the file has no such function"},
	} {
		var attributes []string
		if c.attribute != "" {
			attributes = []string{c.attribute}
		}
		got, dropped := apply(t, c.source, spans(map[string][]string{"f1": attributes}))
		if len(dropped) != 1 || dropped[0].String() != c.want {
			t.Errorf("%s: %v, want %s", c.source, dropped, c.want)
		}
		if c.attribute == "" && got != c.source {
			t.Errorf("%s became %s", c.source, got)
		}
	}
}

// TestAllowed holds functions that look like ones which are never wrapped.
func TestAllowed(t *testing.T) {
	for _, source := range []string{
		"function f() { const p = 1; async function g() {} g(); return p }",
		"function f() { save(1); return 2 } async function g() { await save(2) }",
		"function f() { return o.p } async function g() { o.p = 1 }",
		"function f(key) { return cache.get(key, () => load(key)) }",
		"async function f() { return g().then(h) }",
		"function f() { try { g() } catch { process.exit(1) } }",
		"function f(app) { app.useGlobalPipes(1) }",
		"function f() { app.on('a', () => {}); return g(); }",
		"function f() { return [1].map((x) => <a/>) }",
		"function f(a) { const b = function g() {}; return b; }",
	} {
		if _, dropped := apply(t, source, spans(map[string][]string{"f1": nil})); len(dropped) > 0 {
			t.Errorf("%s: %v", source, dropped)
		}
	}
}

// TestExpressions holds how an attribute's expression is written so that it cannot throw.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ body, expr, want string }{
		{"", "a.b.c", "if (a?.b?.c != null) {\nspan.setAttribute('k', a?.b?.c);\n}"},
		{"a.b.c.d();", "a.b.c", "span.setAttribute('k', a.b.c);"},
		{"a.b();", "a.c", "if (a.c != null) {\nspan.setAttribute('k', a.c);\n}"},
		{"g(); a.b();", "a.c", "if (a?.c != null) {\nspan.setAttribute('k', a?.c);\n}"},
		{"if (a.b) g();", "a.b", "span.setAttribute('k', a.b);"},
		{"a?.b.c();", "a.b", "if (a?.b != null) {\nspan.setAttribute('k', a?.b);\n}"},
		{"", "a.list.length", "if (a?.list?.length != null) {\nspan.setAttribute('k', a?.list?.length);\n}"},
		{"", "String(a.id)", "if (typeof a?.id === 'string' || typeof a?.id === 'number') {\nspan.setAttribute('k', String(a.id));\n}"},
		{"", "a.n > 3", "if (typeof a?.n === 'number') {\nspan.setAttribute('k', a.n > 3);\n}"},
		{"", "a.id.trim().split(',').length",
			"if (span.isRecording() && typeof a?.id === 'string') {\nspan.setAttribute('k', a.id.trim().split(',').length);\n}"},
		{"", "typeof a === 'string' ? a.trim() : ''", "if (span.isRecording()) {\nspan.setAttribute('k', ((typeof a) === 'string') ? a?.trim() : '');\n}"},
		{"", "a.x - a.y", "if (typeof a?.x === 'number' && typeof a.y === 'number') {\nspan.setAttribute('k', a.x - a.y);\n}"},
		{"", "a.n ?? 'none'", "span.setAttribute('k', a?.n ?? 'none');"},
		{"", "`x ${a.id}`", "if (typeof a?.id === 'string' || typeof a?.id === 'number') {\nspan.setAttribute('k', `x ${a.id}`);\n}"},
		{"", "(a.x + 1) * 2", "if (typeof a?.x === 'number') {\nspan.setAttribute('k', (a.x + 1) * 2);\n}"},
		{"", "a['odd key'][0]", "if (a?.['odd key']?.[0] != null) {\nspan.setAttribute('k', a?.['odd key']?.[0]);\n}"},
		{"", "Array.isArray(a)", "if (a != null) {\nspan.setAttribute('k', Array.isArray(a));\n}"},
		{"", "this.name", "if (this?.name != null) {\nspan.setAttribute('k', this?.name);\n}"},
	} {
		got, dropped := apply(t, "function f(a) {"+c.body+"}", spans(map[string][]string{"f1": {"k=" + c.expr}}))
		if len(dropped) > 0 {
			t.Errorf("%s: %v", c.expr, dropped)
			continue
		}
		_, rest, _ := strings.Cut(got, "try {\n")
		var lines []string
		for line := range strings.Lines(rest) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "} catch") || line == c.body {
				break
			}
			lines = append(lines, line)
		}
		if text := strings.Join(lines, "\n"); text != c.want {
			t.Errorf("%s in %q: %s\nwant %s", c.expr, c.body, text, c.want)
		}
	}
}
