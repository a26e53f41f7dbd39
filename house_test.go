package aburn_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// matches says whether a pattern of layers_test.go covers a package, and how exactly: 0 not at all.
func matches(pattern, pkg string) int {
	room, all := strings.CutSuffix(pattern, "/...")
	parent, child, hasChild := strings.Cut(pattern, "/<")
	rest, below := strings.CutPrefix(pkg, parent+"/")
	switch {
	case pattern == pkg:
		return 3*len(pkg) + 2
	case hasChild && strings.HasSuffix(child, ">") && below && !strings.Contains(rest, "/"):
		return 3*len(parent) + 2
	case all && (pkg == room || strings.HasPrefix(pkg, room+"/")):
		return 3*len(room) + 1
	}
	return 0
}

// matchesAny says whether one of several patterns covers a package.
func matchesAny(patterns, pkg string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool { return matches(p, pkg) > 0 })
}

// patternOf is the most exact pattern of floors that covers a package; "" if none does.
func patternOf(pkg string) (pattern string) {
	for _, row := range floors {
		for p := range strings.FieldsSeq(row.packages) {
			if matches(p, pkg) > matches(pattern, pkg) {
				pattern = p
			}
		}
	}
	return pattern
}

// floorOf is the index of the row that has a pattern, or whose pattern covers the package of that name; -1 if none.
func floorOf(pattern string) int {
	has := func(pattern string) int {
		return slices.IndexFunc(floors, func(row struct{ packages, may string }) bool {
			return slices.Contains(strings.Fields(row.packages), pattern)
		})
	}
	if i := has(pattern); i >= 0 {
		return i
	}
	return has(patternOf(pattern))
}

// faults are the imports that floors and only forbid, and what is wrong with the tables themselves.
func faults(imports map[string][]string) (list []string) {
	for i, row := range floors {
		for right := range strings.FieldsSeq(row.may) {
			if floor := floorOf(right); right != "*" && (floor < 0 || floor >= i) {
				list = append(list, fmt.Sprintf("%s may import %s, which no row above it names", row.packages, right))
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		floor := floorOf(patternOf(pkg))
		if floor < 0 {
			list = append(list, fmt.Sprintf("package %s is covered by no row of floors", pkg))
			continue
		}
		for _, imp := range imports[pkg] {
			if _, ours := imports[imp]; ours && !mayImport(pkg, imp, floor) {
				list = append(list, fmt.Sprintf("%s imports %s, which the row %q doesn't allow", pkg, imp, floors[floor].packages))
			}
			known := false
			for _, row := range only {
				if matches(row.what, imp) > 0 {
					if known = true; !matchesAny(row.by, pkg) {
						list = append(list, fmt.Sprintf("%s imports %s, which only %s may", pkg, imp, row.by))
					}
				}
			}
			if _, ours := imports[imp]; !ours && !known {
				list = append(list, fmt.Sprintf("%s imports %s, which no row of only names", pkg, imp))
			}
		}
	}
	return list
}

// mayImport says whether floors allow a package of a floor to import another one of this module.
func mayImport(pkg, imp string, floor int) bool {
	of := patternOf(imp)
	may := strings.Fields(floors[floor].may)
	switch there := floorOf(of); {
	case there < 0:
		return false
	case there == floor:
		return !strings.Contains(of, "<") || of != patternOf(pkg)
	case slices.Contains(may, "*"):
		return there < floor
	}
	return slices.Contains(may, of) || slices.Contains(may, imp)
}

// longest is the longest chain of imports between packages of this module.
func longest(imports map[string][]string) (chain []string) {
	from := map[string][]string{}
	var walk func(pkg string) []string
	walk = func(pkg string) []string {
		if from[pkg] == nil {
			var best []string
			for _, imp := range imports[pkg] {
				if _, ours := imports[imp]; ours && len(walk(imp)) > len(best) {
					best = walk(imp)
				}
			}
			from[pkg] = append([]string{pkg}, best...)
		}
		return from[pkg]
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		if c := walk(pkg); len(c) > len(chain) {
			chain = c
		}
	}
	return chain
}

// TestLayersFind plants an import of each forbidden kind: each is found, and nothing else is.
func TestLayersFind(t *testing.T) {
	for _, plant := range []struct{ pkg, imp, why string }{
		{"logfmt", "internal/plain", "a floor below"},
		{"internal/plain", "logfmt", "an arrow back up"},
		{"internal/jsonl", "internal/settings", "an arrow back up within internal"},
		{"trace/claude", "trace/codex", "another reader"},
		{"hooks/claude", "hooks/qwen", "another agent"},
		{"supervisor", "internal/journal", "files, where judging is pure"},
		{"archive/lines", "worker", "a room that the row doesn't name"},
		{"cmd/aburn/internal/mcp", "instrument/scan", "instrument"},
		{"internal/lab/bench", "instrument/scan", "instrument, from the workshop"},
		{"worker", "cmd/internal/kit", "a command"},
		{"web/pages", "github.com/urfave/cli/v3", "a module outside of its adapter"},
		{"trace", "github.com/nobody/knows", "a module that has no row"},
		{"nowhere/new", "logfmt", "a room without a row"},
	} {
		imports := importsOf(house(t))
		imports[plant.pkg] = append(slices.Clone(imports[plant.pkg]), plant.imp)
		if found := faults(imports); len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), plant.pkg) {
			t.Errorf("%s imports %s, %s: found %q", plant.pkg, plant.imp, plant.why, found)
		}
	}
	imports := importsOf(house(t))
	imports["trace/another"] = []string{"trace", "trace/draft", "internal/jsonl"}
	imports["archive/more/parts"] = []string{"archive", "internal/plain"}
	if found := faults(imports); len(found) != 0 {
		t.Errorf("new packages of a room need no row: %q", found)
	}
	if got := longest(map[string][]string{"a": {"b", "c"}, "b": {"c"}, "c": {"d", "os"}, "d": nil}); len(got) != 4 {
		t.Errorf("the longest chain is %v", got)
	}
}

// TestExecutablesLinkLittle holds the number of linked packages, and keeps the JavaScript engine and the client of
// PostgreSQL in executables of their own.
func TestExecutablesLinkLittle(t *testing.T) {
	for _, exe := range links {
		deps := goList(t, "GOOS=linux", "-deps", "./cmd/"+exe.name)
		if exe.ceiling > 0 && len(deps) > exe.ceiling {
			t.Errorf("%s links %d packages, the ceiling is %d", exe.name, len(deps), exe.ceiling)
		}
		if len(deps) < 20 {
			t.Errorf("%s links only %d packages", exe.name, len(deps))
		}
		for _, d := range deps {
			if slices.Contains(strings.Fields(exe.never), d.ImportPath) {
				t.Errorf("%s links %s", exe.name, d.ImportPath)
			}
		}
	}
}

type goPackage struct {
	ImportPath, Doc, Name string
	Imports               []string
	GoFiles               []string
}

func goList(t *testing.T, env string, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Doc,Name,Imports,GoFiles"}, args...)...)
	cmd.Env = append(os.Environ(), env, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

// modulePath is this module's, as go.mod has it.
func modulePath(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^module (\S+)$`).FindStringSubmatch(text(t, "go.mod"))
	if m == nil {
		t.Fatal("go.mod names no module")
	}
	return m[1]
}

// builds are the builds whose imports count: three systems, and the build tag of
// the tests with real agents.
var builds = [][]string{{"GOOS=linux"}, {"GOOS=darwin"}, {"GOOS=windows"}, {"GOOS=linux", "-tags=agents"}}

var listed map[string]*goPackage

// house lists this module's packages except the root, by their names without the module's path, with the imports of all
// builds.
func house(t *testing.T) map[string]*goPackage {
	t.Helper()
	if listed != nil {
		return maps.Clone(listed)
	}
	path := modulePath(t)
	pkgs := map[string]*goPackage{}
	for _, build := range builds {
		for _, p := range goList(t, build[0], append(build[1:], "./...")...) {
			name, ok := strings.CutPrefix(p.ImportPath, path+"/")
			if !ok {
				continue
			}
			for i, imp := range p.Imports {
				p.Imports[i] = strings.TrimPrefix(imp, path+"/")
			}
			if had := pkgs[name]; had != nil {
				had.Imports = append(had.Imports, p.Imports...)
				had.GoFiles = append(had.GoFiles, p.GoFiles...)
				had.Doc = cmp.Or(had.Doc, p.Doc)
				continue
			}
			pkgs[name] = &p
		}
	}
	listed = maps.Clone(pkgs)
	return pkgs
}

// importsOf is what each package imports, but for the standard library.
func importsOf(pkgs map[string]*goPackage) map[string][]string {
	imports := map[string][]string{}
	for name, p := range pkgs {
		imports[name] = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(p.Imports))), func(imp string) bool {
			first, _, _ := strings.Cut(imp, "/")
			return pkgs[imp] == nil && !strings.Contains(first, ".")
		})
	}
	return imports
}

func TestPackageDocs(t *testing.T) {
	for name, p := range house(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("package %s has no doc comment", name)
		}
	}
}

// TestTableOfRooms compares CONTRIBUTING's table of rooms with the folders of the root that hold packages.
func TestTableOfRooms(t *testing.T) {
	rooms := map[string]bool{}
	for name := range house(t) {
		room, _, _ := strings.Cut(name, "/")
		rooms[room] = true
	}
	_, table, _ := strings.Cut(text(t, "CONTRIBUTING.md"), "\n## The rooms\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for line := range strings.Lines(table) {
		name, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "`")
		name = strings.TrimSuffix(name, "/")
		if !rooms[name] {
			t.Errorf("the table of rooms names %s, which is no room of the root", name)
		}
		delete(rooms, name)
	}
	for room := range rooms {
		t.Errorf("the table of rooms has no row for %s", room)
	}
}
