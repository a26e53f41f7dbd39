package aburn_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/agentcli"
)

// ofAgents are the places that may name an agent: its own code, its record, and the lab, which runs real agents. %s is
// the agent's name.
var ofAgents = []string{"hooks/%s/", "trace/%s/", "install/%s", "worker/%s/", "worker/agents/", "instrument/provider/%s", "internal/agentcli/", "internal/lab/"}

// TestOneRecordAnAgent fails where code decides by an agent's name: its else branch would also apply to every agent that
// comes later. Read a trait of the record instead, and add one if needed.
func TestOneRecordAnAgent(t *testing.T) {
	names := agentNames()
	names = slices.DeleteFunc(names, func(name string) bool { return name == agentcli.WorkerLedgers.Name }) // an ordinary word, and no agent's
	vars := recordVariables(t)
	goFiles(t, func(path string, fset *token.FileSet, file *ast.File) {
		at := func(n ast.Node) string { return fset.Position(n.Pos()).String() }
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					for _, side := range []ast.Expr{n.X, n.Y} {
						if who := named(side, names); who != "" {
							t.Errorf("%s: compares with %s", at(n), who)
						}
					}
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					if who := named(e, names); who != "" {
						t.Errorf("%s: is a case of %s", at(e), who)
					}
				}
			case *ast.KeyValueExpr:
				if _, field := n.Key.(*ast.Ident); !field && named(n.Key, names) != "" {
					t.Errorf("%s: is a key of %s", at(n), named(n.Key, names))
				}
			case *ast.BasicLit:
				switch text := literal(n); {
				case text == agentcli.Own.Name: // an ordinary word, unless in a comparison
				case slices.Contains(names, text):
					t.Errorf("%s: names %s", at(n), text)
				case vars[text]:
					t.Errorf("%s: names the variable %s, which a record has", at(n), text)
				}
			}
			return true
		})
	})
}

func agentNames() (names []string) {
	for _, a := range agentcli.All() {
		names = append(names, a.Name)
	}
	return names
}

// named is the agent that an expression names, as a string, a record or an adapter; "" if none.
func named(e ast.Expr, names []string) (who string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.SliceExpr, *ast.IndexExpr:
			return false
		case *ast.BasicLit:
			if slices.Contains(names, literal(n)) {
				who = literal(n)
			}
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if ok && (pkg.Name == "agentcli" || pkg.Name == "install") && slices.Contains(names, strings.ToLower(n.Sel.Name)) {
				who = pkg.Name + "." + n.Sel.Name
			}
		case *ast.Ident:
			if name := strings.ToLower(n.Name); slices.Contains(names, name) && name != agentcli.Own.Name && ast.IsExported(n.Name) {
				who = n.Name
			}
		}
		return true
	})
	return who
}

func literal(n *ast.BasicLit) string {
	if n.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(n.Value)
	return text
}

func recordVariables(t *testing.T) map[string]bool {
	vars := map[string]bool{}
	variable := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)+$`)
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			if variable.MatchString(v.String()) && !strings.HasPrefix(v.String(), "XDG_") { // those are everybody's
				vars[v.String()] = true
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	for _, a := range agentcli.All() {
		walk(reflect.ValueOf(*a))
	}
	if len(vars) < 8 {
		t.Fatalf("the records name only the variables %v", vars)
	}
	return vars
}

// goFiles calls each for every file of the product that is not an agent's own.
func goFiles(t *testing.T, each func(path string, fset *token.FileSet, file *ast.File)) {
	n := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || isOfAgents(path) {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err == nil {
			n++
			each(path, fset, file)
		}
		return err
	})
	if err != nil || n < 300 {
		t.Fatalf("%d files were parsed: %v", n, err)
	}
}

func isOfAgents(path string) bool {
	for _, place := range ofAgents {
		for _, name := range agentNames() {
			if strings.HasPrefix(path, strings.ReplaceAll(place, "%s", name)) {
				return true
			}
		}
	}
	return false
}

// TestListsOfSources: wherever a text lists agents, in code, in the trace's schema or in a document, it lists those
// that there are: those that are read, that have hooks, or that have prompts.
func TestListsOfSources(t *testing.T) {
	var hooked, prompted []*agentcli.Agent
	for _, a := range agentcli.All() {
		if a.Hooked() {
			hooked = append(hooked, a)
		}
		if a.Prompted() {
			prompted = append(prompted, a)
		}
	}
	lists := []string{agentcli.Names(agentcli.All()), agentcli.Names(hooked), agentcli.Names(prompted)}
	name := "`?(?:" + strings.Join(agentNames(), "|") + ")\\b`?"
	list := regexp.MustCompile(name + "(?:, " + name + ")+")
	found := 0
	check := func(where, text string) {
		for _, got := range list.FindAllString(text, -1) {
			if got = strings.ReplaceAll(got, "`", ""); !slices.Contains(lists, got) {
				t.Errorf("%s lists %q; sources are %q", where, got, lists[0])
			}
			found++
		}
	}
	goFiles(t, func(path string, fset *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				check(fset.Position(lit.Pos()).String(), literal(lit))
			}
			return true
		})
	})
	for _, path := range []string{"trace/schema.json", "docs/formats/trace.md", "docs/formats/json.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before := found
		if check(path, string(text)); found == before {
			t.Errorf("%s lists no sources", path)
		}
	}
}
