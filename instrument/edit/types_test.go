package edit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

// typeEngine is a node that takes types off.
func typeEngine(t *testing.T) jsast.Engine {
	t.Helper()
	world.TypeNode(t)
	e, err := jsast.StartNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func parseTS(t *testing.T, e jsast.Engine, source string) *jsast.Module {
	t.Helper()
	m, err := jsast.ParseNamed(t.Context(), e, "x.ts", []byte(source), jsast.Auto)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return m
}

var someTypes = []string{"string", "any", "{ a: string; b?: () => void }", "'x' | \"y\"", "Array<Map<string, (a: number) => void>>",
	"{\n  a: string\n  readonly b: number // why\n}", "typeof Math", "[a: string, ...b: unknown[]]", "`a${string}`", "ñ.日本<'😀'>", "(new () => void)[]"}

// typed gives a JavaScript module types in random places.
func typed(r *rand.Rand, m *jsast.Module) string {
	a := &applier{m: m}
	typ := func() string { return someTypes[r.IntN(len(someTypes))] }
	some := func() bool { return r.IntN(3) > 0 }
	put := func(at int, text string) { a.edits = append(a.edits, edit{at, at, rankInsert, text}) }
	params := func(f *jsast.Node) {
		for _, p := range f.List("params") {
			if p.Type == "Identifier" && some() {
				put(p.End, []string{"", "?"}[r.IntN(2)*boolInt(p == f.List("params")[len(f.List("params"))-1])]+": "+typ())
			}
		}
	}
	jsast.Walk(m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		switch n.Type {
		case "FunctionDeclaration", "FunctionExpression":
			accessor := len(above) > 0 && (above[len(above)-1].Text("kind") == "set" || above[len(above)-1].Text("kind") == "get" ||
				above[len(above)-1].Text("kind") == "constructor")
			if accessor {
				return true
			}
			params(n)
			if body := n.Child("body"); some() && strings.TrimRight(string(m.Source[:body.Start]),
				" \t\r\n")[len(strings.TrimRight(string(m.Source[:body.Start]), " \t\r\n"))-1] == ')' {
				put(body.Start, ": "+typ()+" ")
			}
		case "ArrowFunctionExpression":
			if p := n.List("params"); len(p) == 1 && p[0].Type == "Identifier" && !strings.HasPrefix(strings.TrimLeft(string(m.Source[p[0].End:]), " "), "=>") {
				params(n)
			}
		case "VariableDeclarator":
			loop := len(above) > 1 && strings.HasPrefix(above[len(above)-2].Type, "For")
			if id := n.Child("id"); id.Type == "Identifier" && !loop && n.Child("init") != nil && some() {
				put(id.End, ": "+typ())
			}
		case "ReturnStatement":
			if v := n.Child("argument"); v != nil && v.Type == "Identifier" && some() {
				put(v.End, " as "+typ())
			}
		case "CallExpression":
			for _, v := range n.List("arguments") {
				if v.Type == "Identifier" && r.IntN(4) == 0 {
					put(v.End, "!")
				}
			}
		case "Program", "BlockStatement":
			for _, s := range n.List("body") {
				if s.Field("directive") == nil && s.Type != "ImportDeclaration" && r.IntN(6) == 0 && m.Source[max(s.Start-1, 0)] == '\n' {
					put(s.Start, []string{"type T = " + typ() + ";\n", "interface I<T> { a: T }\n", "declare let d: " + typ() + ";\n"}[r.IntN(3)])
				}
			}
		}
		return true
	})
	return string(a.splice())
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// typedModules calls f with random TypeScript. Some places that the generator chooses take
// no type; too many would test nothing.
func typedModules(t *testing.T, e jsast.Engine, n int, f func(seed uint64, r *rand.Rand, js, ts *jsast.Module)) {
	t.Helper()
	broken, all := 0, 0
	modules(t, n, func(seed uint64, r *rand.Rand, js *jsast.Module) {
		if bytes.Contains(js.Source, []byte("</")) || bytes.Contains(js.Source, []byte("/>")) { // JSX, of which node takes no types
			return
		}
		source := typed(r, js)
		all++
		ts, err := jsast.ParseNamed(t.Context(), e, "x.ts", []byte(source), js.Type)
		var syntax *jsast.SyntaxError
		var types *jsast.TypesError
		if errors.As(err, &syntax) || errors.As(err, &types) {
			broken++
			t.Logf("seed %d: %v\n%s", seed, err, source)
			return
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		f(seed, r, js, ts)
	})
	if broken*3 > all {
		t.Errorf("%d of %d modules do not parse", broken, all)
	}
}

// TestTypeScriptStorm: spans in TypeScript are taken out again, types included, and what
// runs is what runs of the same module without types.
func TestTypeScriptStorm(t *testing.T) {
	world.Slow(t)
	e := typeEngine(t)
	spans, types, mutants := 0, 0, 0
	typedModules(t, e, storm()/2, func(seed uint64, r *rand.Rand, js, ts *jsast.Module) {
		p := randomPlan(r, ts)
		out, dropped, err := Apply(t.Context(), e, ts, p, Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		fail := func(format string, args ...any) {
			t.Errorf("seed %d: %s\n--- original\n%s\n--- instrumented\n%s\n--- dropped %v", seed, fmt.Sprintf(format, args...), ts.Source, out, dropped)
		}
		later, err := jsast.ParseNamed(t.Context(), e, "x.ts", out, ts.Type)
		if err != nil {
			fail("the result does not parse: %v", err)
			return
		}
		u := Undo(ts, later)
		if s := said(u); s != "" {
			fail("%s", s)
		}
		spans, types = spans+len(u.Spans), types+len(ts.Types)
		if d := jsast.Diff(js.Tree, ts.Tree); d != nil {
			fail("without types it is another module: %s", d.What)
		}
		mutants += mutateTypes(t, e, r, ts, later, fail)
	})
	if spans == 0 || types == 0 || mutants == 0 {
		t.Errorf("%d spans, %d types, %d mutants", spans, types, mutants)
	}
	t.Logf("%d spans, %d types, %d mutants", spans, types, mutants)
}

// mutateTypes changes types of an instrumented file: each change is found.
func mutateTypes(t *testing.T, e jsast.Engine, r *rand.Rand, orig, later *jsast.Module, fail func(string, ...any)) (n int) {
	taken := Undo(orig, later).taken
	for range 3 {
		if len(later.Types) == 0 {
			return n
		}
		x := later.Types[r.IntN(len(later.Types))]
		if slices.ContainsFunc(taken, func(k jsast.Range) bool { return k.Holds(x.Range) }) {
			continue
		}
		text := []string{"", strings.Replace(x.Text, "string", "number", 1), strings.Replace(x.Text, "any", "unknown", 1), x.Text + " | never"}[r.IntN(4)]
		source := string(later.Source[:x.Start]) + text + string(later.Source[x.End:])
		mutated, err := jsast.ParseNamed(t.Context(), e, "x.ts", []byte(source), orig.Type)
		if err != nil || text == x.Text {
			continue
		}
		n++
		if Undo(orig, mutated).Same() {
			fail("%q for %q, and nobody notices\n%s", text, x.Text, source)
		}
	}
	return n
}

// TestTypeScript: what is written keeps the types, and says the error's and the callback's.
func TestTypeScript(t *testing.T) {
	world.Slow(t)
	e := typeEngine(t)
	for source, want := range map[string]string{
		"export async function f(a: Order): Promise<{ id: string }> {\n  return g(a) as any\n}\n": "async (span): Promise<{ id: string }> => {\n    try {\n      " +
			"return g(a) as any\n    } catch (error) {\n      span.recordException(error as Error)",
		"export const f = (a: A): (x: B) => C => g(a) as D\ntype T = string\n": "return g(a) as D\n    } catch",
		"export const f = (a: A) => g(a)!;\n":                                  "return g(a)!;\n    } catch",
		"export function f(a: unknown): a is string {\n  return g(a);\n}\n":    "(span) => {",
		"export const f = (a: A):\n  Promise<B> => g(a);\n":                    "(span) => {",
		"export const f = (a: A) => g(a)\nexport const span = 1\n":             "(span) => {",
		"import { g, type H } from './g'\nexport const f = async (h: H) => g(h)\n": "import { g, type H } from './g'\nimport { trace, SpanStatusCode } from " +
			"'@opentelemetry/api'\n",
		"const g = require('g') as G\nfunction f() {\n  return g()\n}\n": "const g = require('g') as G\nconst { trace, SpanStatusCode } = " +
			"require('@opentelemetry/api')\n",
	} {
		m := parseTS(t, e, source)
		out, dropped, err := Apply(t.Context(), e, m, Plan{Functions: []Choice{{ID: "f1", Action: "span", Span: "shop.f"}}}, Names{Tracer: "shop"})
		if err != nil || len(dropped) > 0 || !strings.Contains(string(out), want) {
			t.Errorf("%v %v: lacks %q\n%s", err, dropped, want, out)
			continue
		}
		if s := said(Undo(m, parseTS(t, e, string(out)))); s != "" {
			t.Errorf("%s\n%s", s, out)
		}
	}
}

// TestTypesAreCompared: a type is no white space.
func TestTypesAreCompared(t *testing.T) {
	world.Slow(t)
	e := typeEngine(t)
	const orig = "interface A { a: string; b: 'x' }\nexport function f(a: A, b?: number): void { g(a as A, b!) }\n"
	for later, same := range map[string]bool{
		orig: true,
		"interface A {\n  a: string,\n  b: \"x\",\n}\nexport function f(\n  a: A,\n  b?: number,\n): void {\n  g(a as A, b!);\n}\n": true,
		strings.Replace(orig, "string", "number", 1):                               false,
		strings.Replace(orig, "(a: A, b?", "(a, b?", 1):                            false,
		strings.Replace(orig, "b?: number", "b: number", 1):                        false,
		strings.Replace(orig, "b!", "b", 1):                                        false,
		strings.Replace(orig, "a as A, b!", "a, b! as A", 1):                       false,
		"import type { Span } from '@opentelemetry/api';\n" + orig:                 true,
		"import type { Span } from './span';\n" + orig:                             false,
		strings.Replace(orig, "interface A {", "interface A { get; c: string;", 1): false,
		strings.Replace(orig, "(a: A, b?: number)", "(a?: number, b: A)", 1):       false,
	} {
		u := Undo(parseTS(t, e, orig), parseTS(t, e, later))
		if u.Same() != same {
			t.Errorf("%s: same is %v, %s", later, u.Same(), said(u))
		}
	}
}

// TestTypeScriptCompiles runs the compiler of npm, strict, on files before and after.
func TestTypeScriptCompiles(t *testing.T) {
	if os.Getenv("ABURN_TYPESCRIPT") == "" {
		t.Skip("ABURN_TYPESCRIPT is not set")
	}
	e := typeEngine(t)
	dir := t.TempDir()
	npm := exec.Command("npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "typescript@5.9.3",
		"@opentelemetry/api@1.9.1", "@types/node@22")
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, _ := filepath.Glob("testdata/types/*.ts")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := parseTS(t, e, string(source))
		var p Plan
		for _, f := range m.Functions {
			p.Functions = append(p.Functions, Choice{ID: f.ID, Action: "span", Span: "shop." + f.ID})
		}
		out, _, err := Apply(t.Context(), e, m, p, Names{Tracer: "shop"})
		if err != nil || bytes.Count(out, []byte("startActiveSpan")) < 8 {
			t.Fatalf("%v\n%s", err, out)
		}
		for name, text := range map[string][]byte{"before": source, "after": out} {
			path := filepath.Join(dir, name+".ts")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			tsc := exec.Command("node", filepath.Join(dir, "node_modules/typescript/bin/tsc"), "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext",
				"--moduleDetection", "force", "--types", "node", path)
			tsc.Dir = dir
			if said, err := tsc.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", name, err, said, text)
			}
		}
	}
}
