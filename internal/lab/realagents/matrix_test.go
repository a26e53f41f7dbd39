package realagents

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/evidence/agents.md")

// The rows and columns of the table: the hooked clients, and what each of them is made to do.
var (
	clients = []string{"claude", "codex", "opencode", "gemini", "qwen", "copilot", "pi"}
	cases   = []string{"basic", "failing", "denied", "sub-agent", "stop", "resume", "interrupted", "advice", "uninstall", "missing"}
)

// TestMatrix holds docs/evidence/agents.md to the tests of this folder. A test says which cells it holds, in its comment:
//
//	Holds gemini, qwen: basic, failing.
//
// A cell that no test holds is empty in the table, and a test that is gone empties its cells.
func TestMatrix(t *testing.T) {
	const path = "../../../docs/evidence/agents.md"
	held := map[[2]string][]string{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMatrix" {
				addHeld(t, held, f)
			}
		}
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(old), "| |")
	want := head + table(held)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(old) {
		t.Errorf("%s is not what the tests hold (go test ./internal/lab/realagents -run Matrix -update writes it):\n%s", path, table(held))
	}
}

// addHeld adds what the comment of a test says that it holds.
func addHeld(t *testing.T, held map[[2]string][]string, f *ast.FuncDecl) {
	for line := range strings.Lines(f.Doc.Text()) {
		rest, ok := strings.CutPrefix(line, "Holds ")
		if !ok {
			continue
		}
		agents, list, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(rest), "."), ": ")
		if !ok {
			t.Errorf("%s: %q names no cells", f.Name.Name, line)
		}
		for _, client := range strings.Split(agents, ", ") {
			for _, c := range strings.Split(list, ", ") {
				if !slices.Contains(clients, client) || !slices.Contains(cases, c) {
					t.Errorf("%s: there is no cell %s, %s", f.Name.Name, client, c)
				}
				held[[2]string{client, c}] = append(held[[2]string{client, c}], strings.TrimPrefix(f.Name.Name, "Test"))
			}
		}
	}
}

// table is the matrix in Markdown, and which cells are empty.
func table(held map[[2]string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(clients, " | "), strings.Repeat("---|", len(clients)))
	empty := 0
	for _, c := range cases {
		row := "| " + c
		for _, client := range clients {
			tests := held[[2]string{client, c}]
			slices.Sort(tests)
			if len(tests) == 0 {
				empty++
			}
			row += " | " + strings.Join(tests, ", ")
		}
		b.WriteString(row + " |\n")
	}
	fmt.Fprintf(&b, "\n%d of %d cells are held by a test.\n", len(clients)*len(cases)-empty, len(clients)*len(cases))
	return b.String()
}
