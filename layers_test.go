package aburn_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers is the structure of the house: one row a package, with what it may
// import of ours and of others. Why a row is not wider says the first sentence
// of the package's own comment. A package that has no row, a row that has no
// package, an import outside its row, and a right that no build uses fail.
// Do not widen a row to make a build pass: say why in the commit.
var layers = []struct {
	pkg    string
	ours   string // packages of this module, without the module's name
	others string // modules of others
}{
	{"logfmt", "", "github.com/tidwall/gjson"},
	{"logfmt/vectors", "", ""},
	{"workflow", "internal/shell", ""},
	{"chain", "logfmt workflow internal/journal internal/project", "github.com/tidwall/gjson"},
	{"logfmt/drawn", "logfmt", "github.com/tidwall/gjson"},
	{"supervisor", "logfmt supervisor/state workflow", ""},
	{"supervisor/state", "logfmt workflow", ""},
	{"supervisor/look", "supervisor supervisor/state logfmt workflow internal/journal internal/queue internal/project internal/settings internal/atomicfile internal/proc", "github.com/tidwall/gjson"},
	{"supervisor/scenario", "logfmt logfmt/drawn", "github.com/tidwall/gjson"},
	{"supervisor/backtest", "supervisor supervisor/state logfmt workflow internal/journal", ""},
	{"hooks", "logfmt internal/journal internal/proc internal/project internal/queue internal/settings internal/scrub internal/recent", "github.com/tidwall/gjson"},
	{"hooks/claude", "hooks logfmt internal/project", "github.com/tidwall/gjson"},
	{"hooks/codex", "hooks logfmt internal/project", "github.com/tidwall/gjson"},
	{"supervisor/watch", "supervisor supervisor/state supervisor/look workflow internal/journal internal/lockfile internal/atomicfile internal/proc", "github.com/fsnotify/fsnotify"},
	{"install", "templates internal/atomicfile internal/lockfile internal/project internal/settings", "github.com/tidwall/gjson"},
	{"templates", "internal/atomicfile", ""},
	{"trace", "", ""},
	{"trace/draft", "trace internal/jsonl internal/scrub", ""},
	{"trace/graph", "trace", ""},
	{"insight", "insight/failure trace", ""},
	{"insight/failure", "trace internal/shell", ""},
	{"insight/replay", "insight insight/failure insight/markdown insight/remedy trace", ""},
	{"insight/remedy", "insight insight/failure insight/markdown trace", ""},
	{"insight/lesson", "insight insight/failure insight/markdown trace", ""},
	{"insight/report", "insight insight/failure insight/markdown insight/remedy trace", ""},
	{"insight/markdown", "logfmt", ""},
	{"trace/own", "trace trace/draft internal/jsonl internal/journal internal/project logfmt", ""},
	{"trace/join", "trace trace/draft", ""},
	{"trace/tracetest", "trace", ""},
	{"trace/packed", "trace", ""},
	{"archive", "trace trace/draft trace/packed internal/scrub internal/sqlitero", "zombiezen.com/go/sqlite github.com/klauspost/compress"},
	{"archive/digests", "insight archive trace trace/join", ""},
	{"archive/tried", "insight/remedy internal/lockfile internal/scrub", ""},
	{"internal/mcpserver", "internal/term", "github.com/modelcontextprotocol/go-sdk github.com/google/jsonschema-go"},
	{"archive/ingest", "trace archive internal/lockfile internal/project internal/scrub", "github.com/fsnotify/fsnotify"},
	{"web/reportpage", "insight/remedy insight/report web internal/term", ""},
	{"web", "internal/term", ""},
	{"internal/lab/browser", "", ""},
	{"web/graphpage", "trace trace/graph web internal/term", ""},
	{"trace/claude", "trace trace/draft internal/jsonl", ""},
	{"trace/codex", "trace trace/draft internal/jsonl", ""},
	{"trace/openclaw", "trace trace/draft internal/jsonl internal/sqlitero", "github.com/tidwall/gjson github.com/klauspost/compress zombiezen.com/go/sqlite"},
	{"trace/gemini", "trace trace/draft internal/jsonl", ""},
	{"trace/opencode", "trace trace/draft internal/jsonl internal/sqlitero", "zombiezen.com/go/sqlite"},
	{"internal/jsonl", "", "golang.org/x/sys"},
	{"internal/sqlitero", "internal/atomicfile internal/lockfile", "zombiezen.com/go/sqlite"},
	{"cmd/aburn-hook", "hooks hooks/claude hooks/codex supervisor/look internal/journal", ""},
	{"cmd/aburn", "archive archive/digests archive/ingest archive/tried chain insight insight/failure insight/lesson insight/remedy insight/replay insight/report install install/doctor internal/journal internal/jsonl internal/mcpserver internal/notify internal/project internal/queue internal/recent internal/scrub internal/settings internal/term logfmt supervisor supervisor/backtest supervisor/look supervisor/state supervisor/watch templates trace trace/claude trace/codex trace/export trace/gemini trace/graph trace/join trace/openclaw trace/opencode trace/own web/graphpage web/reportpage workflow", "github.com/urfave/cli github.com/tidwall/gjson golang.org/x/term"},
	{"internal/journal", "logfmt internal/lockfile internal/atomicfile", "golang.org/x/sys"},
	{"internal/journal/journaltest", "internal/journal", ""},
	{"internal/proc", "", ""},
	{"internal/recent", "logfmt internal/shell", "github.com/tidwall/gjson"},
	{"internal/project", "", ""},
	{"internal/settings", "workflow internal/project", "github.com/tidwall/gjson"},
	{"internal/scrub", "", ""},
	{"trace/export", "trace", ""},
	{"internal/scrub/gen", "internal/scrub", ""},
	{"internal/queue", "logfmt internal/lockfile internal/atomicfile", ""},
	{"internal/shell", "", ""},
	{"internal/lockfile", "", "github.com/gofrs/flock"},
	{"internal/atomicfile", "", ""},
	{"internal/term", "", "github.com/fatih/color golang.org/x/term"},
	{"internal/notify", "", "github.com/godbus/dbus"},
	{"install/doctor", "install trace archive logfmt internal/journal internal/project internal/queue internal/settings", "github.com/tidwall/gjson"},
	{"internal/lab/testkit/agents", "", "golang.org/x/sys"},
	{"internal/lab/testkit/model", "", ""},
	{"internal/lab/realagents", "", ""},
	{"internal/lab/demo", "internal/term", ""},
	{"internal/lab/demo/record", "internal/lab/testkit/agents internal/lab/testkit/model", ""},
	{"internal/lab/recorder", "logfmt internal/lab/testkit/agents internal/lab/testkit/model", "github.com/tidwall/gjson"},
	{"internal/lab/synth", "internal/lab/synth/home internal/lab/synth/pile", ""},
	{"internal/lab/synth/home", "trace logfmt", ""},
	{"internal/lab/synth/pile", "logfmt trace trace/draft archive internal/scrub", ""},
	{"internal/lab/bench", "logfmt archive archive/ingest internal/journal internal/lab/synth/home internal/lab/synth/pile internal/lab/testkit/agents trace trace/claude trace/codex trace/gemini", ""},
}

// linkCeiling is how many packages aburn-hook may link, the standard library
// included: what is linked costs more than what is run, and it runs on every
// tool call. 27 of them belong to sha256, which ids and outputs need.
const linkCeiling = 130

// linkForbidden would each cost a hook more than its whole work.
var linkForbidden = []string{
	"net/http", "net", "os/exec", "text/template", "html/template", "database/sql", "encoding/gob", "encoding/xml",
	"go/ast", "crypto/tls", "log/slog", "flag", "testing",
	"github.com/urfave/cli/v3", "github.com/fatih/color",
}

type goPackage struct {
	ImportPath, Doc, Name string
	Imports               []string
	GoFiles               []string
	Module                *struct{ Path string }
	Standard              bool
}

func goList(t *testing.T, env string, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Doc,Name,Imports,GoFiles,Module,Standard"}, args...)...)
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

// builds are the builds whose imports count: the three systems, and the tests
// with the real agents.
var builds = [][]string{{"GOOS=linux"}, {"GOOS=darwin"}, {"GOOS=windows"}, {"GOOS=linux", "-tags=agents"}}

// house is the packages of this module without the root, with the imports of
// all builds.
func house(t *testing.T) map[string]*goPackage {
	t.Helper()
	pkgs := map[string]*goPackage{}
	for _, build := range builds {
		for _, p := range goList(t, build[0], append(build[1:], "./...")...) {
			name, ok := strings.CutPrefix(p.ImportPath, "aburn/")
			if !ok {
				continue
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
	return pkgs
}

func TestLayers(t *testing.T) {
	pkgs := house(t)
	for _, row := range layers {
		p := pkgs[row.pkg]
		if p == nil {
			t.Errorf("row %s names no package", row.pkg)
			continue
		}
		delete(pkgs, row.pkg)
		ours, others := strings.Fields(row.ours), strings.Fields(row.others)
		used := map[string]bool{}
		slices.Sort(p.Imports)
		for _, imp := range slices.Compact(p.Imports) {
			first, _, _ := strings.Cut(imp, "/")
			own, isOwn := strings.CutPrefix(imp, "aburn/")
			right := own
			switch {
			case !isOwn && !strings.Contains(first, "."):
				continue
			case !isOwn:
				i := slices.IndexFunc(others, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") })
				if i >= 0 {
					right = others[i]
				}
				if i < 0 {
					t.Errorf("%s imports %s. %s", row.pkg, imp, p.Doc)
				}
			case !slices.Contains(ours, own):
				t.Errorf("%s imports %s. %s", row.pkg, imp, p.Doc)
			}
			used[right] = true
		}
		for _, right := range slices.Concat(ours, others) {
			if !used[right] {
				t.Errorf("%s may import %s, and no build does", row.pkg, right)
			}
		}
	}
	for name := range pkgs {
		t.Errorf("package %s has no row in layers", name)
	}
}

func TestHookLinksLittle(t *testing.T) {
	deps := goList(t, "GOOS=linux", "-deps", "./cmd/aburn-hook")
	if len(deps) > linkCeiling {
		t.Errorf("aburn-hook links %d packages, the ceiling is %d", len(deps), linkCeiling)
	}
	for _, d := range deps {
		if slices.Contains(linkForbidden, d.ImportPath) {
			t.Errorf("aburn-hook links %s", d.ImportPath)
		}
	}
}

func TestPackageDocs(t *testing.T) {
	for name, p := range house(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("package %s has no doc comment", name)
		}
	}
}

// TestReadmeRooms compares the README's table of rooms with the folders of the
// root that hold packages.
func TestReadmeRooms(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rooms := map[string]bool{}
	for name := range house(t) {
		room, _, _ := strings.Cut(name, "/")
		rooms[room] = true
	}
	for line := range strings.Lines(string(readme)) {
		name, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "`")
		name = strings.TrimSuffix(name, "/")
		if !rooms[name] {
			t.Errorf("README's table names %s, which is no room of the root", name)
		}
		delete(rooms, name)
	}
	for room := range rooms {
		t.Errorf("README's table has no row for %s", room)
	}
}
