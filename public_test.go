package aburn_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// public are the packages that programs outside of this module may use. All others may change at any time.
var public = []string{
	"chain", "logfmt", "supervisor", "supervisor/limits", "supervisor/state", "trace", "trace/readers", "trace/claude", "trace/codex", "trace/copilot",
	"trace/gemini", "trace/openclaw", "trace/opencode", "trace/own", "trace/qwen", "trace/workers", "workflow",
}

// examples are those of them that a stranger begins with: each has an Example that runs.
var examples = []string{"chain", "logfmt", "supervisor", "trace", "workflow"}

// TestPublicSignatures fails where an exported declaration of a public package names a type of an internal one: nobody outside of
// this module could make or hold it.
func TestPublicSignatures(t *testing.T) {
	for _, pkg := range public {
		for _, path := range goFilesIn(t, pkg) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range internalTypes(file) {
				t.Errorf("%s: %s", fset.Position(fault.Pos()), fault.X.(*ast.Ident).Name+"."+fault.Sel.Name+" is internal, and the face of "+pkg+" names it")
			}
		}
	}
}

// TestInternalTypesAreFound holds TestPublicSignatures to what it promises.
func TestInternalTypesAreFound(t *testing.T) {
	const source = `package p
import ("aburn/internal/journal"; other "aburn/internal/project"; "aburn/logfmt")
func Exported(j *journal.Journal) (list []other.Project) { return nil }
func hidden(j *journal.Journal) {}
type T struct { Field map[string]journal.Line; hidden journal.Line; Fine logfmt.Entry }
func (t *T) Method(f func(journal.Line)) { var x journal.Journal; _ = x }
func (t *lower) Method(j journal.Line) {}
type lower struct { Field journal.Line }
var V journal.Line
type I interface { M(journal.Line) }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(internalTypes(file)); n != 6 {
		t.Errorf("found %d of 6", n)
	}
}

// TestPublicExamples fails where a public package has no runnable Example.
func TestPublicExamples(t *testing.T) {
	for _, pkg := range examples {
		data, err := os.ReadFile(filepath.Join(pkg, "example_test.go"))
		if err != nil || !strings.Contains(string(data), "\nfunc Example") || !strings.Contains(string(data), "// Output:") {
			t.Errorf("%s has no Example that runs: %v", pkg, err)
		}
		if strings.Contains(string(data), "aburn/internal/") {
			t.Errorf("the Example of %s needs internal packages", pkg)
		}
	}
}

func goFilesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no package %s: %v", dir, err)
	}
	for _, path := range all {
		if !strings.HasSuffix(path, "_test.go") {
			paths = append(paths, path)
		}
	}
	return paths
}

// internalTypes are the types of internal packages that exported declarations of a file name.
func internalTypes(file *ast.File) (found []*ast.SelectorExpr) {
	internal := map[string]bool{}
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		internal[name] = strings.Contains(path, "/internal/")
	}
	look := func(n ast.Node) {
		if n == nil {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok && internal[id.Name] {
					found = append(found, s)
				}
			}
			return true
		})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
				look(d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						lookAtType(s.Type, look)
					}
				case *ast.ValueSpec:
					if s.Type != nil && s.Names[0].IsExported() {
						look(s.Type)
					}
				}
			}
		}
	}
	return found
}

// lookAtType looks at a type; of a struct only at exported and embedded fields.
func lookAtType(e ast.Expr, look func(ast.Node)) {
	st, ok := e.(*ast.StructType)
	if !ok {
		look(e)
		return
	}
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 || f.Names[0].IsExported() {
			look(f.Type)
		}
	}
}

func exportedReceiver(recv *ast.FieldList) bool {
	e := recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	id, ok := e.(*ast.Ident)
	return ok && id.IsExported()
}
