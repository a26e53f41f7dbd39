package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

// randomPlan plans a span for most functions, with attributes that may not be possible.
func randomPlan(r *rand.Rand, m *jsast.Module) (p Plan) {
	exprs := []string{"order.id", "order.items.length", "a", "b.c.d", "this.x", "`n ${a}`", "String(order)", "order.list.map((x) => x.id).join()", "a > 1", "v1",
		"span.id", "tracer", "args.length", "rest.x", "nothing", "f()", "error"}
	for _, f := range m.Functions {
		if r.IntN(6) == 0 {
			continue
		}
		c := Choice{ID: f.ID, Action: "span", Span: "shop.op." + f.ID, Tier: 1 + r.IntN(4)}
		for range r.IntN(4) {
			at := "start"
			if r.IntN(3) == 0 {
				at = fmt.Sprintf("after:%d", f.Start.Line+r.IntN(5))
			}
			c.Attributes = append(c.Attributes, Attribute{"shop.k" + fmt.Sprint(r.IntN(9)), exprs[r.IntN(len(exprs))], at})
		}
		p.Functions = append(p.Functions, c)
	}
	return p
}

// modules calls f with random modules that parse. A generator that wrote too many
// that do not would test nothing.
func modules(t *testing.T, n int, f func(seed uint64, r *rand.Rand, m *jsast.Module)) {
	t.Helper()
	broken := 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 20))
		source := randomModule(r)
		m, err := jsast.Parse(context.Background(), engine(), []byte(source), jsast.Auto)
		var syntax *jsast.SyntaxError
		if errors.As(err, &syntax) {
			broken++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f(seed, r, m)
		if t.Failed() {
			return
		}
	}
	if broken*10 > n {
		t.Errorf("%d of %d modules do not parse", broken, n)
	}
}

// storm is 100 modules; with ABURN_STORM=10, as make test-long has it, 10,000.
func storm() int {
	n := world.Storm(100)
	if n > 100 {
		n *= 10
	}
	return n
}

// TestStorm is the promise of this package on random modules and plans.
func TestStorm(t *testing.T) {
	world.Slow(t)
	spans, functions := 0, 0
	modules(t, storm(), func(seed uint64, r *rand.Rand, m *jsast.Module) {
		p := randomPlan(r, m)
		out, dropped, err := Apply(t.Context(), engine(), m, p, Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		fail := func(format string, args ...any) {
			t.Errorf("seed %d: %s\n--- original\n%s\n--- instrumented\n%s\n--- dropped %v", seed, fmt.Sprintf(format, args...), m.Source, out, dropped)
		}
		later, err := jsast.Parse(t.Context(), engine(), out, m.Type)
		if err != nil {
			fail("the result does not parse: %v", err)
			return
		}
		u := Undo(m, later)
		if s := said(u); s != "" {
			fail("%s", s)
		}
		lost := 0
		for _, d := range dropped {
			if d.Attribute == "" {
				lost++
			}
		}
		if len(u.Spans) != len(p.Functions)-lost {
			fail("%d spans, %d planned, %d dropped", len(u.Spans), len(p.Functions), lost)
		}
		spans, functions = spans+len(u.Spans), functions+len(p.Functions)
		again := Plan{}
		for _, c := range p.Functions {
			again.Functions = append(again.Functions, Choice{ID: u.later(c.ID), Action: "span", Span: c.Span, Attributes: c.Attributes})
		}
		if twice, _, err := Apply(t.Context(), engine(), later, again, Names{Tracer: "shop"}); err != nil || !bytes.Equal(twice, out) {
			fail("applied twice: %v\n%s", err, twice)
		}
		for range 2 {
			reprinted(t, r, m, out, fail)
		}
	})
	if spans*3 < functions {
		t.Errorf("only %d of %d planned spans were made", spans, functions)
	}
	t.Logf("%d spans", spans)
}

// later is the id in the later file of a function of the original.
func (u *Undone) later(id string) string {
	for _, f := range u.Orig.Functions {
		if f.ID != id {
			continue
		}
		for _, g := range u.New.Functions {
			if g.Node.Start == u.starts[f.Node.Start] && g.Node.Type == f.Node.Type && u.wrapping[g.Node.Start] == nil {
				return g.ID
			}
		}
	}
	return "none of " + id
}

// reprinted changes the layout of an instrumented file as formatters do, and undoes that.
func reprinted(t *testing.T, r *rand.Rand, m *jsast.Module, out []byte, fail func(string, ...any)) {
	t.Helper()
	later, err := jsast.Parse(t.Context(), engine(), out, m.Type)
	if err != nil {
		t.Fatal(err)
	}
	text := reprint(r, later)
	again, err := jsast.Parse(t.Context(), engine(), text, m.Type)
	if err != nil {
		fail("reprinted does not parse: %v\n%s", err, text)
		return
	}
	if s := said(Undo(m, again)); s != "" {
		fail("reprinted: %s\n%s", s, text)
	}
}

// reprint makes choices of layout anew: quotes, parentheses around a parameter,
// braces around one statement, empty statements, indentation, spaces.
func reprint(r *rand.Rand, m *jsast.Module) []byte {
	a := &applier{m: m}
	one := func() bool { return r.IntN(2) == 0 }
	jsast.Walk(m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		var parent *jsast.Node
		if len(above) > 0 {
			parent = above[len(above)-1]
		}
		switch n.Type {
		case "Literal":
			text := m.Text(n.Range)
			if n.Text("kind") == "string" && one() && len(text) > 1 && !strings.ContainsAny(text[1:len(text)-1], "'\"\\") && parent.Type != "ExpressionStatement" &&
				parent.Type != "JSXAttribute" {
				q := map[byte]string{'"': "'", '\'': "\""}[text[0]]
				a.edits = append(a.edits, edit{n.Start, n.End, 1, q + text[1:len(text)-1] + q})
			}
		case "ArrowFunctionExpression":
			if p := n.List("params"); len(p) == 1 && p[0].Type == "Identifier" && m.Source[p[0].End] != ')' && m.Source[p[0].End] != ',' &&
				!strings.HasSuffix(strings.TrimRight(string(m.Source[:p[0].Start]), " "), "(") && one() {
				a.edits = append(a.edits, edit{p[0].Start, p[0].End, 1, "(" + m.Text(p[0].Range) + ")"})
			}
		case "IfStatement":
			if c := n.Child("consequent"); c.Type != "BlockStatement" && c.Type != "VariableDeclaration" && c.Type != "EmptyStatement" && one() {
				a.insert(c.Start, "{ ")
				a.edits = append(a.edits, edit{c.End, c.End, 2, " }"})
			}
		case "ExpressionStatement":
			if parent.Type == "BlockStatement" && m.Source[n.End-1] == ';' && r.IntN(4) == 0 {
				a.edits = append(a.edits, edit{n.End, n.End, 1, ";"})
			}
		}
		return true
	})
	more := []string{"", " ", "\t", "      "}[r.IntN(4)]
	a.indent(0, len(m.Source), more)
	return a.splice()
}

// TestUnlikeFiles compares files that have nothing to do with one another: an
// instrumented one with another's original.
func TestUnlikeFiles(t *testing.T) {
	world.Slow(t)
	var before *jsast.Module
	modules(t, world.Storm(100), func(seed uint64, r *rand.Rand, m *jsast.Module) {
		out, _, err := Apply(t.Context(), engine(), m, randomPlan(r, m), Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		later := parse(t, string(out))
		if before != nil && jsast.Diff(before.Tree, m.Tree) != nil && Undo(before, later).Same() {
			t.Errorf("seed %d counts as the one before\n%s\n%s", seed, before.Source, out)
		}
		if u := Undo(later, m); len(out) != len(m.Source) && u.Same() {
			t.Errorf("seed %d: the spans of the original are gone, and nobody notices\n%s", seed, out)
		}
		before = m
	})
}
