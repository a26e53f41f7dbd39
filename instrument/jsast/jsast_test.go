package jsast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"aburn/internal/lab/world"
)

// shared takes as long as it needs: the 10 s of a file are over too soon on a busy machine.
var shared = func() *Goja {
	g := NewGoja()
	g.limit = 2 * time.Minute
	return g
}()

func parse(t testing.TB, source string) *Module {
	t.Helper()
	m, err := Parse(context.Background(), shared, []byte(source), Auto)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	return m
}

func node(t testing.TB) *NodeProcess {
	t.Helper()
	n, err := StartNode(t.Context())
	if err != nil {
		t.Skip("node 18 or later is not on PATH: ", err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

func files(t testing.TB, folder string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	found := map[string]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(path)] = string(b)
	}
	return found
}

// torture are sources at and beyond the bundle's bounds on nesting.
func torture() map[string]string {
	all := map[string]string{}
	for name, f := range map[string]func(n int) string{
		"parentheses": func(n int) string { return strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
		"arrays":      func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
		"sum":         func(n int) string { return "1" + strings.Repeat("+1", n) },
		"members":     func(n int) string { return "a" + strings.Repeat(".b()", n) },
		"not":         func(n int) string { return strings.Repeat("!", n) + "1" },
		"new":         func(n int) string { return strings.Repeat("new ", n) + "a" },
		"blocks":      func(n int) string { return strings.Repeat("{", n) + strings.Repeat("}", n) },
		"groups":      func(n int) string { return "/" + strings.Repeat("(", n) + strings.Repeat(")", n) + "/" },
		"class sets":  func(n int) string { return "/" + strings.Repeat("[", n) + strings.Repeat("]", n) + "/v" },
		"patterns":    func(n int) string { return "let " + strings.Repeat("[", n) + "a" + strings.Repeat("]", n) + "=1" },
		"functions":   func(n int) string { return strings.Repeat("function f(){", n) + strings.Repeat("}", n) },
		"elses":       func(n int) string { return strings.Repeat("if(a);else ", n) + ";" },
		"templates":   func(n int) string { return strings.Repeat("`${", n) + "1" + strings.Repeat("}`", n) },
		"elements":    func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) },
		"assignments": func(n int) string { return strings.Repeat("a=", n) + "1" },
	} {
		for _, n := range []int{90, 190, 590, 1490, 5000} {
			all[fmt.Sprintf("%d %s", n, name)] = f(n)
		}
	}
	return all
}

// TestEnginesAgree is the promise that the engine cannot be seen in an answer.
func TestEnginesAgree(t *testing.T) {
	world.Slow(t)
	n := node(t)
	sources := torture()
	for _, folder := range []string{"corpus", "broken", "../bundle"} {
		for name, source := range files(t, folder) {
			if len(source) < MaxBytes && utf8.ValidString(source) && name != "jsast.js" {
				sources[name] = source
			}
		}
	}
	for name, source := range sources {
		if testing.Short() && len(source) > 8<<10 {
			continue
		}
		types := []SourceType{Auto, ESModule, CommonJS}
		if strings.Contains(name, " ") { // torture
			types = types[2:]
		}
		for _, typ := range types {
			want, err := shared.Parse(t.Context(), source, typ)
			if err != nil {
				t.Fatalf("%s as %s: %v", name, typ, err)
			}
			got, err := n.Parse(t.Context(), source, typ)
			if err != nil {
				t.Fatalf("%s as %s: %v", name, typ, err)
			}
			if !bytes.Equal(want, got) {
				t.Errorf("%s as %s: goja answers\n%.2000s\nnode\n%.2000s", name, typ, want, got)
			}
			if bytes.Contains(want, []byte(`"failure":`)) {
				t.Errorf("%s as %s: %s", name, typ, want)
			}
		}
	}
}

func TestCorpusParses(t *testing.T) {
	world.Unshared(t)
	for name, source := range files(t, "corpus") {
		m, err := Parse(t.Context(), shared, []byte(source), TypeByName(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := Diff(m.Tree, m.Tree); d != nil {
			t.Errorf("%s differs from itself: %s", name, d)
		}
		Walk(m.Tree, func(n *Node, above []*Node) bool {
			if len(above) > 0 && !above[len(above)-1].Holds(n.Range) {
				t.Errorf("%s: %s %v lies outside of its %s", name, n.Type, n.Range, above[len(above)-1].Type)
			}
			if n.Type == "Identifier" && m.Text(n.Range) != n.Text("name") {
				t.Errorf("%s: the identifier %s stands at %q", name, n.Text("name"), m.Text(n.Range))
			}
			return true
		})
		for _, s := range m.Scopes.All {
			for _, r := range s.References {
				if m.Text(r.Range) != r.Name {
					t.Errorf("%s: the reference %s stands at %q", name, r.Name, m.Text(r.Range))
				}
			}
		}
	}
}

func TestBroken(t *testing.T) {
	want := map[string]string{
		"paren.js":     "line 3, column 1: Unexpected token",
		"twice.js":     "line 2, column 19: Identifier 'x' has already been declared",
		"decorator.js": "line 1, column 1: decorators are not supported",
		"typed.js":     "line 1, column 8: Unexpected token",
		"latin1.js":    "line 1, column 4: is not valid UTF-8",
		"esm.js":       "line 2, column 11: Unexpected token",
		"template.js":  "line 1, column 10: Unterminated template",
		"regexp.js":    "line 1, column 6: Invalid regular expression: /(/: Unterminated group",
	}
	for name, source := range files(t, "broken") {
		_, err := Parse(t.Context(), shared, []byte(source), Auto)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want[name] {
			t.Errorf("%s: %v, want %s", name, err, want[name])
		}
	}
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"5 MB minified": {strings.Repeat("a();", 5<<18), "the file has 5120 KB, the limit is 300"},
		"long":          {strings.Repeat("\n", 8001), "the file has 8001 lines, the limit is 8000"},
		"minified":      {strings.Repeat("a();", 500) + "\n", "the file looks minified: 2001 bytes a line, the limit is 400"},
	} {
		_, err := Parse(t.Context(), shared, []byte(c.source), Auto)
		var limit *LimitError
		if !errors.As(err, &limit) || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	parse(t, strings.Repeat("\n", 8000))
}

func TestSourceType(t *testing.T) {
	for source, want := range map[string]SourceType{
		"": CommonJS, "a": CommonJS, "return": CommonJS, "with (a) b": CommonJS, "import('a')": CommonJS,
		"import 'a'": ESModule, "export {}": ESModule, "await 1": ESModule, "import.meta": ESModule,
	} {
		if m := parse(t, source); m.Type != want {
			t.Errorf("%q is %s, want %s", source, m.Type, want)
		}
	}
}

// TestPositions is about files in which bytes, code units and characters differ.
func TestPositions(t *testing.T) {
	m := parse(t, files(t, "corpus")["bom-crlf.js"])
	f := m.Functions[0]
	if got := m.Text(f.Range); !strings.HasPrefix(got, "function afterEmoji") || !strings.HasSuffix(got, "}") {
		t.Errorf("the function is %q", got)
	}
	if want := (Pos{Offset: 3 + 21 + 15, Line: 3, Column: 1}); f.Start != want {
		t.Errorf("it starts at %+v, want %+v", f.Start, want)
	}
	if m.Text(f.Body) != "{\r\n\treturn \"ü😀\";\r\n}" || m.NewLine != "\r\n" || m.Indent != "\t" {
		t.Errorf("body %q, new line %q, indent %q", m.Text(f.Body), m.NewLine, m.Indent)
	}
	if len(m.Comments) != 2 || m.Comments[0].Kind != Hashbang || m.Comments[1].Text != " 😀 smile" {
		t.Errorf("comments %+v", m.Comments)
	}

	m = parse(t, "/* 😀 */ f('\\ud83d'); /*ü*/ async function 𝒻() { return x }")
	if got := m.Text(m.Functions[0].Range); got != "async function 𝒻() { return x }" || m.Functions[0].Name != "𝒻" {
		t.Errorf("%q %q", got, m.Functions[0].Name)
	}
	if got := m.Functions[0].Start.Column; got != len("/* 😀 */ f('\\ud83d'); /*ü*/ ")+1 {
		t.Errorf("column %d", got)
	}

	m = parse(t, files(t, "corpus")["separators.js"])
	var lines []int
	for _, n := range m.Tree.List("body") {
		lines = append(lines, m.Pos(n.Start).Line)
	}
	if !cmp.Equal(lines, []int{1, 3, 4}) { // the one in the string counts, as in JavaScript
		t.Errorf("lines %v", lines)
	}
}

func TestIndent(t *testing.T) {
	for source, want := range map[string]string{
		"a": "  ", "{\n    a\n    b\n}": "    ", "{\n\ta\n}": "\t",
		"{\n  a;\n  {\n    b\n  }\n}":           "  ",
		"/*\n    a\n*/\n{\n  `\n       a\n`\n}": "  ",
	} {
		if m := parse(t, source); m.Indent != want {
			t.Errorf("%q: %q, want %q", source, m.Indent, want)
		}
	}
}

func TestVerbatim(t *testing.T) {
	source := "a = `x\n ${\n b}\n y`; /* c\n d */ // e\n'f\\\ng'; h\n``\ni"
	m := parse(t, source)
	for at, want := range map[string]bool{" ${": true, " b}": false, " y`": true, " d ": true, "'f": false, "g'": true, "i": false, "``": false} {
		if got := m.Verbatim(strings.Index(source, "\n"+at) + 1); got != want {
			t.Errorf("before %q: %v", at, got)
		}
	}
}
