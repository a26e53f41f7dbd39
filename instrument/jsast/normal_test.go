package jsast

import (
	"slices"
	"testing"

	"aburn/internal/lab/world"
)

// TestSame holds what a formatter may do.
func TestSame(t *testing.T) {
	world.Unshared(t)
	for a, b := range map[string]string{
		"f('a', \"b\\\"\", 0XFF, .5, 1E3, 0x10n);": "f(\"a\", 'b\"', 255, 0.5, 1000, 16n,)",
		"(a => a)":                "(a) => (a)",
		"if (a) b; else if (c) d": "if (a) {\n b;\n} else {\n if (c) { d }\n}",
		"for (;;) a()":            "for (;;) { a(); };;",
		"x = { 'a': 1, \"b-c\": 2, 3: 4, '5': 6 }": "x = { a: 1, 'b-c': 2, '3': 4, 5: 6, }",
		"class A { 'a' = 1; ['b'] = 2; 'c'() {} }": "class A { a = 1\n; ['b'] = 2; c() {} ; }",
		"a && (b && c) && d":                       "((a && b) && c) && d",
		"(a || (b || c)) ?? d":                     "(a || b || c) ?? d",
		"'use strict'; a":                          "\"use strict\"\n;;a",
		"!function () {}()":                        "!(function () {})()",
		"new A":                                    "new A()",
		"if (a) var b":                             "if (a) { var b }",
		"x = <a b={'c'} d='e'>\n  text {a}{' '}\n  more{' '}\n</a>": "x = (<a b=\"c\" d=\"e\">text {a}{\" \"}\nmore{\" \"}\n\n</a>)",
		"x = <a></a>":                 "x = <a/>",
		"x = <a>{/* c */}b c</a>":     "x = <a>b{' '}\n\tc</a>",
		"import a, {b as b} from 'c'": "import a, { b, } from \"c\";",
		"f('\\u0061\\\n')":            "f('a')",
		"`\r\na${ 1 }`":               "`\na${1}`",
	} {
		if d := Diff(parse(t, a).Tree, parse(t, b).Tree); d != nil {
			t.Errorf("%s\n%s\n%s", a, b, d)
		}
	}
}

// TestDifferent holds the words in which the first difference is told.
func TestDifferent(t *testing.T) {
	world.Unshared(t)
	for _, c := range []struct{ a, b, want string }{
		{"a + b", "a - b", `body[0].expression: operator is "-", was "+"`},
		{"f(); g()", "g()", "body[0]: ExpressionStatement is gone"},
		{"g()", "f(); g()", "body[0]: ExpressionStatement was added"},
		{"f(a, b)", "f(a)", "body[0].expression.arguments[1]: Identifier is gone"},
		{"import 'a'; import 'b'", "import 'b'; import 'a'", `body[0].source: value is "b", was "a"`},
		{"a", "a; b", "body[1]: ExpressionStatement was added"},
		{"a => a", "(a) => { return a }", "body[0].expression.body: is BlockStatement, was Identifier"},
		{"async () => 1", "() => 1", "body[0].expression: async is false, was true"},
		{"(a && b) || c", "a && (b || c)", `body[0].expression.operands[0]: is Identifier, was LogicalChain`},
		{"if (a) { if (b) c } else d", "if (a) if (b) c; else d", "body[0].consequent.alternate: ExpressionStatement was added"},
		{"if (a) { let b }", "if (a) { var b }", "body[0].consequent: is VariableDeclaration, was BlockStatement"},
		{"'use strict'", "('use strict')", "body[0]: directive is gone"},
		{"'use\\x20strict'", "'use strict'", `body[0]: directive is "use strict", was "use\\x20strict"`},
		{"x = {a: 1, ['b']: 2}", "x = {a: 1, b: 2}", `body[0].expression.right.properties[1].key: is Key, was Literal`},
		{"x = {__proto__}", "x = {__proto__: __proto__}", "body[0].expression.right.properties[0]: shorthand is false, was true"},
		{"`a  b`", "`a b`", `body[0].expression.quasis[0]: raw is "a b", was "a  b"`},
		{"/a/g", "/a/", `body[0].expression: flags is "", was "g"`},
		{"f('\\ud800')", "f('\\ud801')", `body[0].expression.arguments[0]: value16 is "d801", was "d800"`},
		{"(1)", "('1')", `body[0].expression: kind is "string", was "number"`},
		{"x = <a>b c</a>", "x = <a>b  c</a>", `body[0].expression.right.children[0]: value is "b  c", was "b c"`},
		{"x = <a>b{c}</a>", "x = <a>b {c}</a>", `body[0].expression.right.children[0]: value is "b ", was "b"`},
		{"x = <a>&#x1F600;</a>", "x = <a>&#xF600;</a>", `body[0].expression.right.children[0]: value is "\uf600", was "😀"`},
		{"x = <a b='&amp;quot;' />", "x = <a b={'&amp;quot;'} />",
			`body[0].expression.right.openingElement.attributes[0].value: value is "&amp;quot;", was "&quot;"`},
		{"[, a]", "[a]", "body[0].expression.elements[0]: a hole is gone"},
		{"[a, , ]", "[a]", "body[0].expression.elements[1]: a hole is gone"},
		{"a?.b.c", "(a?.b).c", "body[0].expression: is MemberExpression, was ChainExpression"},
		{"return", "return a", "body[0].argument: Identifier was added"},
		{"a; function f() {}", "function f() {} a", "body[0]: is FunctionDeclaration, was ExpressionStatement"},
	} {
		d := Diff(parse(t, c.a).Tree, parse(t, c.b).Tree)
		if d == nil {
			t.Errorf("%s and %s count as equal", c.a, c.b)
		} else if d.String() != c.want {
			t.Errorf("%s, %s: %s, want %s", c.a, c.b, d, c.want)
		}
	}
}

func TestDiffComments(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"/**\n * a\n */ b // c  ", "/**\r\n     * a\r\n     */\nb; // c", ""},
		{"a // b", "a", `comment 1: gone: " b"`},
		{"a", "a // b", `comment 1: added: " b"`},
		{"/* a */ a /* b */", "/* a */ a // b", `comment 2: is " b", was " b "`},
	} {
		d, got := DiffComments(parse(t, c.a).Comments, parse(t, c.b).Comments), ""
		if d != nil {
			got = d.String()
		}
		if got != c.want {
			t.Errorf("%q, %q: %s", c.a, c.b, got)
		}
	}
}

// TestMutations changes the corpus in every single place, one at a time: each is found.
func TestMutations(t *testing.T) {
	world.Slow(t)
	n := 0
	for name, source := range files(t, "corpus") {
		m := parse(t, source)
		normal := Normal(m.Tree)
		found := func(what string, at *Node) {
			n++
			d := &differ{}
			if d.nodes(normal, Normal(m.Tree)) {
				t.Errorf("%s, line %d: %s in %s is not found", name, m.Pos(at.Start).Line, what, at.Type)
			}
		}
		mutate(m.Tree, found)
	}
	if n < 1500 {
		t.Errorf("only %d mutations", n)
	}
}

// mutate changes each place below n, calls found, and changes it back.
func mutate(n *Node, found func(what string, at *Node)) {
	for i := range n.Fields {
		f := &n.Fields[i]
		if spelling(n, f.Name) {
			continue
		}
		was := *f
		try := func(what string, now Field) {
			*f = now
			found(what, n)
			*f = was
		}
		switch f.Kind {
		case TrueField:
			try(f.Name, Field{Name: f.Name, Kind: FalseField})
		case FalseField:
			try(f.Name, Field{Name: f.Name, Kind: TrueField})
		case TextField:
			try(f.Name, Field{Name: f.Name, Kind: TextField, Text: f.Text + "x"})
		case NodeField:
			if f.Name == "key" && !n.Is("computed") && f.Node.Type != "PrivateIdentifier" {
				try("key", Field{Name: "key", Kind: NodeField, Node: &Node{Type: "Identifier", Fields: []Field{{Name: "name", Kind: TextField, Text: "unlike"}}}})
				continue
			}
			mutate(f.Node, found)
		case ListField:
			mutateList(f, was, try)
			for _, c := range was.List {
				if c != nil && !blank(c) {
					mutate(c, found)
				}
			}
		}
	}
}

func mutateList(f *Field, was Field, try func(string, Field)) {
	for j, c := range was.List {
		if c != nil && blank(c) {
			continue
		}
		try("removing from "+f.Name, Field{Name: f.Name, Kind: ListField, List: slices.Delete(slices.Clone(was.List), j, j+1)})
		if j == 0 || was.List[j-1] == nil || c == nil || blank(was.List[j-1]) || same(Normal(was.List[j-1]), Normal(c)) {
			continue
		}
		swapped := slices.Clone(was.List)
		swapped[j-1], swapped[j] = swapped[j], swapped[j-1]
		try("swapping in "+f.Name, Field{Name: f.Name, Kind: ListField, List: swapped})
	}
}

// blank is what normal forms do without.
func blank(n *Node) bool {
	text, isText := jsxText(n)
	return n.Type == "EmptyStatement" || isText && text == "" ||
		n.Type == "JSXExpressionContainer" && n.Child("expression").Type == "JSXEmptyExpression"
}
