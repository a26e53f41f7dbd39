package jsast

import (
	"context"
	"errors"
	"testing"

	"aburn/internal/lab/world"
)

// TestTypeScriptOffsets: offsets are those of the file as it is, whatever letters its types
// have, and the types' text is kept.
func TestTypeScriptOffsets(t *testing.T) {
	world.Slow(t)
	world.TypeNode(t)
	e, err := StartNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, source := range []string{
		"const é: '日本😀ñ' = 1;\nfunction f(a: 'ü'): void { /* 😀 */ }\n",
		"\uFEFFconst é: '日本😀ñ' = 1;\r\nfunction f(a: 'ü')\r\n: void { }\r\n",
		"type A = {\n  x: '😀' // c\n}\nfunction f(a?: A) {}",
		"const x = 1 satisfies number\n;[f].map((a: () => string):\n string => f(a!))\nfunction f(a: any) {}",
	} {
		m, err := ParseNamed(t.Context(), e, "src/x.ts", []byte(source), Auto)
		if err != nil {
			t.Errorf("%v\n%s", err, source)
			continue
		}
		found := false
		for _, f := range m.Functions {
			if f.Name == "f" {
				found = string(m.Source[f.Node.Start:f.Node.Start+10]) == "function f"
			}
		}
		if !found || len(m.Types) == 0 || string(m.Source) != source {
			t.Errorf("the function f is not where it stands, or there are no types: %v\n%s", m.Types, source)
		}
		for _, x := range m.Types {
			if m.Text(x.Range) != x.Text {
				t.Errorf("%q, and the file has %q", x.Text, m.Text(x.Range))
			}
		}
	}
	for source, want := range map[string]bool{"enum A { B }\n": true, "namespace N { export const a = 1 }\n": true,
		"class A { constructor(private a: number) {} }\n": true,
		"import a = require('a')\n":                       true, "f(<string>a)\n": true, "const a: = 1\n": false, "f(\n": false} {
		_, err := ParseNamed(t.Context(), e, "x.mts", []byte(source), Auto)
		var types *TypesError
		var syntax *SyntaxError
		if errors.As(err, &types) != want || errors.As(err, &syntax) == want || types != nil && types.Missing {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// TestTypeScriptWithoutNode: goja takes no types off, and says what does.
func TestTypeScriptWithoutNode(t *testing.T) {
	_, err := ParseNamed(t.Context(), NewGoja(), "x.ts", []byte("f()"), Auto)
	var types *TypesError
	if !errors.As(err, &types) || !types.Missing {
		t.Error(err)
	}
	if m, err := ParseNamed(t.Context(), NewGoja(), "x.js", []byte("f()"), Auto); err != nil || m.TypeScript {
		t.Error(err)
	}
}

// lying is an engine whose types are more than types.
type lying struct{ Engine }

func (lying) strip(context.Context, string) (string, error) { return "f(2)", nil }

// TestTypeScriptIsNotTakenOnTrust: what node takes off is blank, or the answer does not count.
func TestTypeScriptIsNotTakenOnTrust(t *testing.T) {
	for _, source := range []string{"f(1)", "f(1) "} {
		_, err := ParseNamed(t.Context(), lying{NewGoja()}, "x.ts", []byte(source), Auto)
		var engine *EngineError
		if !errors.As(err, &engine) {
			t.Errorf("%q: %v", source, err)
		}
	}
}
