package aburn_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/plain"
)

// ownTables are the allowed tables of hidden characters outside of internal/plain, with the reason.
var ownTables = map[string]string{
	"logfmt/text.go unsafeRune":        "part of the log's byte format, frozen in SPEC.md; a test holds the two against each other",
	"logfmt/text.go oneLine":           "which blanks are one space in the log's human line: bytes of the format too",
	"internal/scrub/head.go invisible": "what scrubbing takes out before it searches; a test says how it contains what plain takes out",
	"trace/encode.go appendString":     "the escapes of encoding/json, to the byte: what JavaScript takes for a line end",
}

// characterClasses are names of package unicode and strconv that decide what may be shown.
var characterClasses = map[string]bool{
	"IsPrint": true, "IsControl": true, "IsGraphic": true, "C": true, "Cc": true, "Cf": true, "Co": true, "Cs": true, "Zl": true, "Zp": true,
	"GraphicRanges": true, "PrintRanges": true,
	"Other_Default_Ignorable_Code_Point": true, "Variation_Selector": true, "Bidi_Control": true, "Join_Control": true, "Noncharacter_Code_Point": true,
	"Deprecated":                   true,
	"Prepended_Concatenation_Mark": true,
}

// TestOneDefinitionOfShown finds tables of hidden characters outside of internal/plain. Five separate tables once
// disagreed about 450 characters.
func TestOneDefinitionOfShown(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == ".git" || path == filepath.Join("internal", "plain")):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if name, why := tableIn(d); why != "" {
				place := filepath.ToSlash(path) + " " + name
				if found[place] = true; ownTables[place] == "" {
					t.Errorf("%s has a definition of its own of what may be shown (%s): internal/plain has it", place, why)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range ownTables {
		if !found[place] {
			t.Errorf("%s is excused and has no table", place)
		}
	}
}

// tableIn says why a declaration looks like such a table: it names a class of characters, or two characters that
// nobody sees.
func tableIn(d ast.Decl) (name, why string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name = d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok && len(d.Specs) == 1 {
			name = v.Names[0].Name
		}
	}
	var unseen []string
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (x.Name == "unicode" || x.Name == "strconv") && characterClasses[n.Sel.Name] {
				why = x.Name + "." + n.Sel.Name
			}
		case *ast.BasicLit:
			for _, r := range charactersIn(n) {
				unseen = append(unseen, strconv.FormatInt(int64(r), 16))
			}
			if n.Kind == token.STRING && (strings.Contains(n.Value, `\p{C`) || strings.Contains(n.Value, "[:cntrl:]") || strings.Contains(n.Value, "[:print:]")) {
				why = n.Value
			}
		}
		return true
	})
	if len(unseen) > 1 {
		why = strings.Join(unseen, " ")
	}
	return name, why
}

// charactersIn is what a literal names of characters that are not shown, without controls, private use, and the
// numbers that are masks more often than characters: surrogates and U+FFFF.
func charactersIn(lit *ast.BasicLit) (list []rune) {
	var all []rune
	switch lit.Kind {
	case token.CHAR:
		r, _, _, _ := strconv.UnquoteChar(lit.Value[1:], '\'')
		all = []rune{r}
	case token.STRING:
		s, _ := strconv.Unquote(lit.Value)
		all = []rune(s)
	case token.INT:
		if n, err := strconv.ParseInt(lit.Value, 0, 32); err == nil && strings.HasPrefix(lit.Value, "0x") {
			all = []rune{rune(n)}
		}
	}
	for _, r := range all {
		private := 0xe000 <= r && r <= 0xf8ff || r >= 0xf0000
		if r >= 0xa0 && plain.Model(r) != r && !private && (r < 0xd800 || r > 0xdfff) && r&0xfffe != 0xfffe {
			list = append(list, r)
		}
	}
	return list
}

// TestTableIn proves that the search finds such tables.
func TestTableIn(t *testing.T) {
	for source, want := range map[string]bool{
		"func f(r rune) bool { return 0x200b <= r && r <= 0x200f }":                               true,
		"var t = [][2]rune{{0x202a, 0x202e}, {0xe0000, 0xe007f}}":                                 true,
		`var t = "\u200b\ufeff"`:                                                                  true,
		`func f(r rune) bool { switch r { case '\u2066', '\u2069': return true }; return false }`: true,
		"func f(r rune) bool { return unicode.IsPrint(r) }":                                       true,
		"func f(r rune) bool { return unicode.In(r, unicode.Cf) }":                                true,
		"var t = &unicode.RangeTable{R16: []unicode.Range16{{0xfe00, 0xfe0f, 1}}}":                true,
		"var t = `\\p{Cf}`":                                                        true,
		"func f(r rune) bool { return r == '\\ufeff' }":                            false, // one character is no table
		"func f(r rune) rune { return 0xd800 + r>>10&0xffff }":                     false,
		"func f(r rune) bool { return unicode.IsLetter(r) || unicode.IsSpace(r) }": false,
		"func f(r rune) bool { return r < ' ' }":                                   false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, why := tableIn(file.Decls[0]); (why != "") != want {
			t.Errorf("%s: %q", source, why)
		}
	}
}
