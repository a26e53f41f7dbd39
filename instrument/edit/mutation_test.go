package edit

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

// mutant is one node changed in the text of a file.
type mutant struct {
	what string
	n    *jsast.Node
	text string
}

// mutants are changes of one node outside of inserted code.
func mutants(m *jsast.Module, taken []jsast.Range) (list []mutant) {
	add := func(what string, n *jsast.Node, text string) { list = append(list, mutant{what, n, text}) }
	jsast.Walk(m.Tree, func(n *jsast.Node, above []*jsast.Node) bool {
		if slices.ContainsFunc(taken, func(t jsast.Range) bool { return t.Start <= n.Start && n.Start < t.End }) {
			return true
		}
		var parent *jsast.Node
		if len(above) > 0 {
			parent = above[len(above)-1]
		}
		text := m.Text(n.Range)
		if parent != nil && (parent.Type == "BlockStatement" || parent.Type == "Program") {
			add("deletes", n, ";")
			if !strings.HasSuffix(n.Type, "Declaration") {
				add("repeats", n, "{"+text+"}\n"+text)
			}
			add("empties", n, "{}")
		}
		switch n.Type {
		case "Identifier":
			add("renames", n, "renamed")
		case "Literal", "TemplateElement":
			add("changes", n, "0")
		case "BinaryExpression":
			add("swaps", n, m.Text(n.Child("right").Range)+" "+n.Text("operator")+" "+m.Text(n.Child("left").Range))
		case "AwaitExpression", "UnaryExpression", "SpreadElement":
			add("unwraps", n, m.Text(n.Child("argument").Range))
		case "CallExpression", "MemberExpression", "ConditionalExpression", "ThisExpression":
			add("negates", n, "(!"+text+")")
			add("waits for", n, "(await "+text+")")
		case "ReturnStatement", "ThrowStatement":
			if n.Child("argument") != nil {
				add("loses the value of", n, "return;")
			}
		case "CatchClause":
			add("empties", n, "catch {}")
		case "IfStatement":
			add("loses the condition of", n, m.Text(n.Child("consequent").Range))
		case "ArrowFunctionExpression", "FunctionExpression":
			if n.Is("async") {
				add("makes synchronous", n, strings.TrimPrefix(text, "async "))
			} else {
				add("makes async", n, "async "+text)
			}
		}
		return true
	})
	return list
}

// TestMutations changes instrumented files in one place: each change is found.
func TestMutations(t *testing.T) {
	world.Slow(t)
	want, found := world.Storm(200), 0
	modules(t, want, func(seed uint64, r *rand.Rand, m *jsast.Module) {
		if found >= want {
			return
		}
		out, _, err := Apply(t.Context(), engine(), m, randomPlan(r, m), Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		later := parse(t, string(out))
		list := mutants(later, Undo(m, later).taken)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, x := range list[:min(len(list), 8)] {
			text := string(out[:x.n.Start]) + x.text + string(out[x.n.End:])
			mutated, err := jsast.Parse(context.Background(), engine(), []byte(text), m.Type)
			if err != nil || jsast.Diff(later.Tree, mutated.Tree) == nil && jsast.DiffComments(later.Comments, mutated.Comments) == nil {
				continue // it is no module, or the same one
			}
			found++
			if Undo(m, mutated).Same() {
				t.Errorf("seed %d: %s %s on line %d, and nobody notices\n%s", seed, x.what, x.n.Type, later.Pos(x.n.Start).Line, text)
			}
		}
	})
	if found < want {
		t.Errorf("only %d mutations", found)
	}
	t.Logf("%d mutations", found)
}
