package aburn_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers is the module's structure: one row per package with the imports that it
// may have. The package's own comment says why its row is not wider. The test
// fails for a package without a row, a row without a package, an import outside
// of its row, and a right that no build uses. Do not widen a row just to make a
// build pass: say why in the commit.
var layers = []struct {
	pkg    string
	ours   string // packages of this module, without the module's name
	others string // modules of others
}{
	{"logfmt", "", "github.com/tidwall/gjson"},
	{"logfmt/vectors", "", ""},
	{"workflow", "internal/shell", ""},
	{"chain", "internal/journal internal/plain internal/project internal/scrub logfmt workflow", "github.com/tidwall/gjson"},
	{"logfmt/drawn", "internal/agentcli logfmt", "github.com/tidwall/gjson"},
	{"supervisor", "internal/plain internal/scrub logfmt supervisor/limits supervisor/state workflow", ""},
	{"supervisor/state", "internal/agentcli internal/scrub logfmt supervisor/limits workflow", ""},
	{"supervisor/look", "internal/atomicfile internal/journal internal/proc internal/project internal/queue internal/settings logfmt supervisor supervisor/limits supervisor/state workflow", "github.com/tidwall/gjson"},
	{"supervisor/scenario", "internal/agentcli logfmt logfmt/drawn", "github.com/tidwall/gjson"},
	{"supervisor/backtest", "internal/journal logfmt supervisor supervisor/limits supervisor/state workflow", ""},
	{"hooks", "internal/agentcli internal/atomicfile internal/journal internal/lockfile internal/plain internal/proc internal/project internal/queue internal/recent internal/scrub internal/settings logfmt", "github.com/tidwall/gjson"},
	{"hooks/claude", "hooks internal/agentcli internal/project logfmt", "github.com/tidwall/gjson"},
	{"hooks/codex", "hooks internal/agentcli internal/project logfmt", "github.com/tidwall/gjson"},
	{"hooks/gemini", "hooks internal/agentcli internal/project logfmt", "github.com/tidwall/gjson"},
	{"hooks/qwen", "hooks internal/agentcli internal/project logfmt", "github.com/tidwall/gjson"},
	{"hooks/copilot", "hooks internal/agentcli internal/project logfmt", "github.com/tidwall/gjson"},
	{"hooks/opencode", "hooks internal/agentcli internal/project logfmt", ""},
	{"supervisor/watch", "internal/atomicfile internal/journal internal/lockfile internal/proc supervisor supervisor/limits supervisor/look supervisor/state", "github.com/fsnotify/fsnotify"},
	{"supervisor/limits", "", ""},
	{"install", "internal/agentcli internal/atomicfile internal/journal internal/lockfile internal/project internal/settings", "github.com/tidwall/gjson golang.org/x/mod"},
	{"templates", "internal/agentcli internal/atomicfile", ""},
	{"trace", "internal/plain", ""},
	{"trace/draft", "internal/jsonl internal/scrub trace", ""},
	{"trace/contents", "internal/jsonl trace trace/draft", "github.com/klauspost/compress"},
	{"trace/graph", "trace", ""},
	{"insight", "insight/failure internal/plain internal/wire trace", ""},
	{"insight/cost", "", ""},
	{"insight/failure", "internal/shell trace", ""},
	{"insight/replay", "insight insight/failure insight/remedy internal/plain trace", ""},
	{"insight/remedy", "insight insight/failure internal/agentcli internal/plain trace", ""},
	{"insight/lesson", "insight insight/failure internal/plain trace", ""},
	{"insight/report", "insight insight/failure insight/remedy internal/plain trace", ""},
	{"trace/own", "internal/journal internal/jsonl internal/project logfmt trace trace/draft", ""},
	{"trace/workers", "internal/jsonl internal/project logfmt trace trace/draft", ""},
	{"trace/join", "trace trace/draft trace/packed", ""},
	{"trace/tracetest", "internal/lab/world trace trace/packed", ""},
	{"trace/packed", "internal/wire trace", ""},
	{"archive", "internal/scrub internal/sqlite internal/sqlitero internal/wire trace trace/draft trace/packed", "github.com/klauspost/compress"},
	{"archive/digests", "archive insight internal/agentcli trace trace/join", ""},
	{"archive/tried", "insight/remedy internal/lockfile internal/scrub", ""},
	{"internal/mcpserver", "internal/plain", "github.com/google/jsonschema-go github.com/modelcontextprotocol/go-sdk"},
	{"archive/ingest", "archive internal/atomicfile internal/jsonl internal/lockfile internal/project internal/scrub internal/wire trace", "github.com/fsnotify/fsnotify"},
	{"archive/kept", "internal/jsonl trace trace/contents", "github.com/klauspost/compress"},
	{"archive/lines", "archive internal/sqlite trace", ""},
	{"web/reportpage", "insight insight/remedy insight/report internal/agentcli internal/plain web", ""},
	{"web", "internal/plain", ""},
	{"web/excerpt", "internal/jsonl internal/plain internal/scrub", "github.com/yuin/goldmark"},
	{"web/server", "", ""},
	{"internal/lab/browser", "", ""},
	{"internal/lab/clock", "internal/lockfile", ""},
	{"web/graphpage", "insight internal/plain trace trace/graph web", ""},
	{"web/pages", "web web/excerpt web/xterm", ""},
	{"web/xterm", "", ""},
	{"trace/claude", "internal/agentcli internal/jsonl trace trace/draft", ""},
	{"trace/codex", "internal/agentcli internal/jsonl trace trace/draft", ""},
	{"trace/openclaw", "internal/jsonl internal/sqlite internal/sqlitero trace trace/draft", "github.com/klauspost/compress github.com/tidwall/gjson"},
	{"trace/gemini", "internal/agentcli internal/jsonl trace trace/draft", ""},
	{"trace/opencode", "internal/jsonl internal/sqlite internal/sqlitero trace trace/draft", ""},
	{"internal/jsonl", "", "golang.org/x/sys"},
	{"internal/sqlite", "", "github.com/ncruces/go-sqlite3"},
	{"internal/sqlitero", "internal/atomicfile internal/lockfile internal/sqlite", ""},
	{"cmd/aburn-hook", "hooks hooks/claude hooks/codex hooks/copilot hooks/gemini hooks/opencode hooks/qwen internal/agentcli internal/journal internal/project supervisor/look", ""},
	{"cmd/aburn", "cmd/aburn/internal/debug cmd/aburn/internal/eyes cmd/aburn/internal/eyes/serve cmd/aburn/internal/eyes/top cmd/aburn/internal/learn cmd/aburn/internal/mcp cmd/aburn/internal/record cmd/aburn/internal/scope cmd/aburn/internal/sessions cmd/aburn/internal/setup cmd/aburn/internal/supervise cmd/aburn/internal/work cmd/aburn/internal/work/daemon cmd/aburn/internal/work/spawn cmd/internal/kit internal/project logfmt supervisor/limits trace/graph", "github.com/urfave/cli"},
	{"internal/journal", "internal/atomicfile internal/lockfile logfmt", "golang.org/x/sys"},
	{"internal/journal/journaltest", "internal/journal", ""},
	{"internal/proc", "", "golang.org/x/sys"},
	{"internal/recent", "internal/shell logfmt supervisor/limits", "github.com/tidwall/gjson"},
	{"internal/project", "internal/proc", ""},
	{"internal/settings", "internal/agentcli internal/project supervisor/limits workflow", "github.com/tidwall/gjson"},
	{"internal/scrub", "", ""},
	{"trace/export", "internal/otlp trace", ""},
	{"trace/qwen", "internal/agentcli internal/jsonl trace trace/draft", ""},
	{"trace/copilot", "internal/agentcli internal/jsonl trace trace/draft", "github.com/tidwall/gjson"},
	{"internal/queue", "internal/atomicfile internal/lockfile internal/plain logfmt", ""},
	{"internal/shell", "", ""},
	{"internal/lockfile", "", "github.com/gofrs/flock"},
	{"internal/atomicfile", "", ""},
	{"internal/term", "internal/plain", "github.com/fatih/color golang.org/x/term"},
	{"internal/notify", "internal/fetch", "github.com/godbus/dbus"},
	{"install/doctor", "archive archive/kept hooks install internal/agentcli internal/journal internal/plain internal/project internal/queue internal/settings logfmt trace", "github.com/tidwall/gjson"},
	{"internal/lab/testkit/agents", "", "golang.org/x/sys"},
	{"internal/lab/semconv", "", ""},
	{"internal/lab/testkit/model", "", ""},
	{"internal/lab/world", "", "golang.org/x/sys"},
	{"internal/lab/windows", "", ""},
	{"internal/lab/realagents", "", ""},
	{"internal/lab/packaging", "web/xterm", "golang.org/x/mod"},
	{"internal/lab/demo", "internal/plain internal/term", ""},
	{"internal/lab/demo/record", "internal/lab/testkit/agents internal/lab/testkit/model", ""},
	{"internal/lab/recorder", "internal/lab/testkit/agents internal/lab/testkit/model logfmt", "github.com/tidwall/gjson golang.org/x/sys"},
	{"internal/lab/synth", "internal/lab/synth/archived internal/lab/synth/home", ""},
	{"internal/lab/synth/home", "logfmt trace", ""},
	{"internal/lab/synth/bill", "internal/lab/synth/home", ""},
	{"internal/lab/synth/archived", "archive internal/scrub logfmt trace trace/draft", ""},
	{"internal/lab/bench", "archive archive/ingest internal/journal internal/lab/synth/archived internal/lab/synth/home internal/lab/testkit/agents internal/proc internal/project logfmt trace trace/claude trace/codex trace/gemini worker worker/ledger", ""},
	{"internal/lab/fakegh", "internal/lockfile", ""},
	{"internal/plain", "", ""},
	{"internal/wire", "", ""},
	{"internal/agentcli", "", ""},
	{"internal/git", "internal/run", ""},
	{"internal/run", "", "golang.org/x/sys"},
	{"internal/vt", "internal/plain", ""},
	{"internal/hold", "internal/proc internal/vt", "golang.org/x/sys"},
	{"internal/consent", "internal/atomicfile internal/project", ""},
	{"internal/otlp", "", ""},
	{"cmd/aburn/internal/eyes", "archive cmd/aburn/internal/bill cmd/aburn/internal/scope cmd/aburn/internal/spend cmd/internal/kit insight/cost internal/atomicfile internal/plain internal/settings internal/term trace", "github.com/urfave/cli"},
	{"cmd/aburn/internal/eyes/viewer", "archive archive/digests archive/ingest archive/kept archive/lines cmd/aburn/internal/bill cmd/aburn/internal/eyes cmd/aburn/internal/eyes/now cmd/aburn/internal/eyes/show cmd/aburn/internal/eyes/texts cmd/aburn/internal/eyes/workers cmd/aburn/internal/scope cmd/aburn/internal/sessions cmd/aburn/internal/spend cmd/aburn/internal/work/board cmd/internal/kit hooks insight insight/cost insight/failure install install/doctor internal/agentcli internal/atomicfile internal/plain internal/project internal/term logfmt trace trace/contents web web/excerpt web/pages web/server", "github.com/urfave/cli"},
	{"cmd/aburn/internal/eyes/top", "cmd/aburn/internal/bill cmd/aburn/internal/eyes/now cmd/aburn/internal/eyes/serve cmd/aburn/internal/eyes/show cmd/aburn/internal/eyes/viewer cmd/aburn/internal/scope cmd/internal/kit insight/cost internal/agentcli internal/plain internal/term logfmt", "github.com/urfave/cli"},
	{"cmd/aburn/internal/eyes/serve", "cmd/aburn/internal/eyes/viewer cmd/aburn/internal/eyes/who cmd/aburn/internal/scope cmd/aburn/internal/supervise cmd/internal/kit internal/agentcli internal/journal internal/lockfile internal/project logfmt supervisor/watch web web/pages web/server", "github.com/urfave/cli"},
	{"cmd/aburn/internal/eyes/workers", "cmd/aburn/internal/eyes/now cmd/aburn/internal/eyes/show cmd/aburn/internal/eyes/who cmd/aburn/internal/supervise cmd/aburn/internal/work cmd/aburn/internal/work/board cmd/internal/kit insight/cost internal/plain logfmt web web/excerpt web/pages web/server worker worker/crew", "github.com/coder/websocket"},
	{"cmd/aburn/internal/eyes/who", "cmd/aburn/internal/scope internal/agentcli internal/hold internal/proc", ""},
	{"cmd/aburn/internal/eyes/show", "cmd/aburn/internal/bill insight/cost internal/agentcli internal/plain internal/scrub web/pages", ""},
	{"cmd/aburn/internal/eyes/now", "cmd/aburn/internal/scope cmd/aburn/internal/supervise cmd/internal/kit internal/journal internal/plain internal/proc internal/project internal/queue internal/scrub logfmt supervisor/limits supervisor/state", "github.com/fsnotify/fsnotify"},
	{"cmd/aburn/internal/eyes/texts", "archive archive/kept cmd/aburn/internal/eyes/show cmd/aburn/internal/scope cmd/aburn/internal/sessions internal/agentcli internal/plain trace trace/contents web/excerpt web/pages", ""},
	{"cmd/aburn/internal/learn", "archive archive/digests archive/tried cmd/aburn/internal/rows cmd/aburn/internal/scope cmd/internal/kit insight insight/failure insight/lesson insight/remedy insight/replay insight/report internal/plain internal/project internal/settings internal/term trace web/reportpage", "github.com/urfave/cli"},
	{"cmd/aburn/internal/mcp", "archive archive/digests cmd/aburn/internal/learn cmd/aburn/internal/record cmd/aburn/internal/scope cmd/aburn/internal/sessions cmd/aburn/internal/supervise cmd/aburn/internal/work cmd/internal/kit insight insight/lesson insight/remedy insight/replay insight/report install internal/agentcli internal/hold internal/journal internal/mcpserver internal/plain internal/project internal/scrub internal/settings internal/term logfmt trace trace/graph worker/crew", "github.com/tidwall/gjson github.com/urfave/cli"},
	{"cmd/aburn/internal/record", "chain cmd/aburn/internal/rows cmd/aburn/internal/scope cmd/internal/kit install internal/agentcli internal/journal internal/plain internal/project internal/recent internal/scrub internal/term logfmt workflow", "github.com/tidwall/gjson github.com/urfave/cli"},
	{"cmd/aburn/internal/rows", "cmd/internal/kit internal/plain internal/term logfmt", "github.com/tidwall/gjson github.com/urfave/cli"},
	{"cmd/aburn/internal/scope", "archive archive/digests archive/ingest cmd/internal/kit insight internal/agentcli internal/journal internal/plain internal/project internal/recent internal/settings internal/term logfmt trace trace/claude trace/codex trace/contents trace/copilot trace/gemini trace/openclaw trace/opencode trace/own trace/qwen trace/workers workflow", "github.com/urfave/cli"},
	{"cmd/aburn/internal/sessions", "archive archive/ingest archive/kept cmd/aburn/internal/bill cmd/aburn/internal/rows cmd/aburn/internal/scope cmd/aburn/internal/spend cmd/internal/kit insight insight/cost internal/agentcli internal/jsonl internal/plain internal/project internal/settings internal/term logfmt trace trace/contents trace/export trace/graph trace/join web/graphpage", "github.com/urfave/cli"},
	{"cmd/aburn/internal/debug", "cmd/aburn/internal/scope cmd/internal/kit install install/doctor internal/journal internal/plain internal/project internal/scrub internal/settings logfmt worker worker/ledger", "github.com/tidwall/gjson github.com/urfave/cli"},
	{"cmd/aburn/internal/setup", "archive cmd/aburn/internal/scope cmd/internal/kit install install/doctor internal/agentcli internal/plain internal/project internal/scrub internal/term templates", "github.com/urfave/cli"},
	{"cmd/aburn/internal/supervise", "cmd/aburn/internal/rows cmd/aburn/internal/scope cmd/internal/kit internal/journal internal/notify internal/plain internal/project internal/queue internal/scrub internal/settings internal/term logfmt supervisor supervisor/backtest supervisor/limits supervisor/look supervisor/state supervisor/watch workflow", "github.com/tidwall/gjson github.com/urfave/cli"},
	{"cmd/internal/kit", "internal/atomicfile internal/plain internal/settings internal/term", "github.com/urfave/cli golang.org/x/term"},
	{"instrument/jsast", "", "github.com/dop251/goja"},
	{"instrument/edit", "instrument/jsast", ""},
	{"instrument/rules", "instrument/edit instrument/jsast instrument/registry instrument/scan", ""},
	{"instrument", "instrument/edit instrument/jsast instrument/jsproject instrument/registry instrument/report instrument/rules instrument/scan instrument/telemetry internal/atomicfile internal/git internal/run internal/scrub", "github.com/bmatcuk/doublestar go.yaml.in/yaml/v3"},
	{"instrument/jsproject", "instrument/jsast instrument/scan internal/atomicfile internal/run", "github.com/tidwall/gjson"},
	{"instrument/telemetry", "internal/plain trace/export", ""},
	{"instrument/report", "instrument/registry internal/plain internal/scrub", ""},
	{"instrument/registry", "internal/run", "go.yaml.in/yaml/v3"},
	{"instrument/record", "instrument/registry internal/otlp internal/proc internal/run internal/scrub", ""},
	{"instrument/scan", "instrument/edit instrument/jsast instrument/registry", ""},
	{"instrument/provider", "internal/run", ""},
	{"instrument/prompt", "instrument/edit instrument/provider instrument/registry instrument/scan internal/plain internal/scrub", ""},
	{"instrument/coordinator", "instrument instrument/edit instrument/jsast instrument/jsproject instrument/prompt instrument/provider instrument/record instrument/registry instrument/rules instrument/scan instrument/telemetry internal/atomicfile internal/git internal/plain internal/run internal/scrub", ""},
	{"cmd/aburn-instrument", "cmd/aburn-instrument/internal/commands cmd/internal/kit internal/project", ""},
	{"cmd/aburn-instrument/internal/commands", "cmd/internal/kit insight/cost instrument instrument/coordinator instrument/edit instrument/jsast instrument/jsproject instrument/provider instrument/record instrument/registry instrument/report instrument/rules instrument/scan instrument/telemetry internal/atomicfile internal/consent internal/fetch internal/journal internal/lockfile internal/plain internal/project internal/run internal/scrub internal/settings internal/term logfmt", "github.com/rogpeppe/go-internal github.com/urfave/cli"},
	{"cmd/aburn-push", "cmd/aburn-push/internal/commands cmd/internal/kit internal/project", ""},
	{"cmd/aburn-push/internal/commands", "archive archive/digests cmd/aburn-push/internal/figures cmd/aburn-push/internal/postgres cmd/internal/kit insight insight/cost internal/plain internal/project internal/term", "github.com/urfave/cli"},
	{"cmd/aburn-push/internal/figures", "archive insight insight/cost insight/failure internal/agentcli internal/atomicfile internal/lockfile trace", ""},
	{"cmd/aburn-push/internal/postgres", "cmd/aburn-push/internal/figures insight/cost", "github.com/jackc/pgx"},
	{"cmd/aburn-hold", "internal/hold", ""},
	{"worker", "logfmt", ""},
	{"worker/tree", "internal/git", ""},
	{"worker/config", "worker worker/react", "go.yaml.in/yaml/v3"},
	{"worker/heard", "internal/journal internal/proc logfmt worker", "github.com/tidwall/gjson"},
	{"worker/slot", "internal/scrub worker", ""},
	{"worker/claude", "internal/agentcli worker worker/slot", "github.com/tidwall/gjson"},
	{"worker/tmux", "internal/run worker/slot", "github.com/creack/pty"},
	{"worker/crew", "internal/atomicfile internal/hold internal/journal internal/lockfile internal/plain internal/proc internal/queue internal/run internal/scrub logfmt worker worker/forge worker/headless worker/heard worker/ledger worker/slot worker/tree worker/typing", ""},
	{"cmd/aburn/internal/work", "archive cmd/aburn/internal/bill cmd/aburn/internal/scope cmd/aburn/internal/supervise cmd/internal/kit insight/cost internal/agentcli internal/git internal/hold internal/journal internal/notify internal/plain internal/project internal/queue internal/run internal/scrub internal/settings internal/term logfmt trace worker worker/aider worker/claude worker/codex worker/config worker/copilot worker/crew worker/forge worker/gemini worker/headless worker/ledger worker/opencode worker/pty worker/qwen worker/react worker/round worker/slot worker/ssh worker/tmux worker/tree", "github.com/urfave/cli"},
	{"cmd/aburn/internal/work/spawn", "cmd/aburn/internal/work cmd/internal/kit install internal/agentcli internal/hold internal/plain internal/run internal/term worker worker/config worker/crew worker/headless worker/ledger worker/pty worker/slot worker/ssh worker/tracker worker/tree", "github.com/urfave/cli golang.org/x/term"},
	{"cmd/aburn/internal/work/daemon", "cmd/aburn/internal/work cmd/aburn/internal/work/spawn cmd/internal/kit hooks internal/atomicfile internal/lockfile internal/notify internal/plain internal/proc internal/project internal/scrub internal/settings worker worker/config worker/crew worker/forge worker/ledger worker/react worker/round worker/tree", "github.com/urfave/cli"},
	{"cmd/aburn/internal/work/board", "cmd/aburn/internal/rows cmd/aburn/internal/work cmd/aburn/internal/work/spawn cmd/internal/kit internal/hold internal/journal internal/plain internal/project internal/scrub logfmt worker worker/crew worker/ledger worker/pty worker/react worker/slot", "github.com/fsnotify/fsnotify"},
	{"worker/forge", "internal/run worker", ""},
	{"worker/react", "internal/plain internal/scrub worker worker/forge worker/ledger", ""},
	{"cmd/aburn/internal/bill", "archive cmd/aburn/internal/scope cmd/internal/kit insight/cost internal/agentcli internal/plain internal/project internal/settings", ""},
	{"cmd/aburn/internal/spend", "archive cmd/aburn/internal/bill cmd/aburn/internal/scope hooks insight/cost internal/agentcli internal/atomicfile internal/lockfile internal/notify internal/plain internal/project internal/settings", ""},
	{"worker/ledger", "internal/atomicfile internal/lockfile internal/proc internal/project worker", ""},
	{"worker/codex", "internal/agentcli worker worker/slot", "github.com/tidwall/gjson"},
	{"worker/ssh", "internal/run", "github.com/creack/pty"},
	{"worker/pty", "internal/hold internal/vt worker/slot", "golang.org/x/term"},
	{"worker/headless", "internal/atomicfile internal/hold internal/lockfile worker/slot", ""},
	{"worker/typing", "worker/slot", ""},
	{"worker/tracker", "internal/fetch internal/plain internal/run", ""},
	{"internal/fetch", "", ""},
	{"worker/round", "internal/plain internal/proc logfmt worker worker/crew worker/forge worker/ledger worker/react worker/tree", ""},
	{"worker/acp", "worker worker/slot", "github.com/tidwall/gjson"},
	{"worker/copilot", "internal/agentcli worker/acp worker/slot", ""},
	{"worker/gemini", "internal/agentcli worker/acp worker/slot", ""},
	{"worker/aider", "internal/agentcli worker/slot", ""},
	{"worker/opencode", "internal/agentcli worker/acp worker/slot", ""},
	{"worker/qwen", "internal/agentcli worker/acp worker/slot", ""},
}

// linkCeiling is how many packages aburn-hook may link, the standard library
// included. Linked packages cost more than running code, and the hook runs on
// every tool call. 27 of them belong to sha256, which ids and outputs need.
const linkCeiling = 134

// holdCeiling is the same for aburn-hold, one of which stands beside each worker
// for days. Its memory is held by a test of its own.
const holdCeiling = 75

// linkForbidden are packages that each cost a hook more than its whole work.
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

// builds are the builds whose imports count: three systems, and the build tag of
// the tests with real agents.
var builds = [][]string{{"GOOS=linux"}, {"GOOS=darwin"}, {"GOOS=windows"}, {"GOOS=linux", "-tags=agents"}}

var listed map[string]*goPackage

// house lists this module's packages except the root, with the imports of all
// builds.
func house(t *testing.T) map[string]*goPackage {
	t.Helper()
	if listed != nil {
		return maps.Clone(listed)
	}
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
	listed = maps.Clone(pkgs)
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

func TestHookAndHolderLinkLittle(t *testing.T) {
	for name, ceiling := range map[string]int{"aburn-hook": linkCeiling, "aburn-hold": holdCeiling} {
		deps := goList(t, "GOOS=linux", "-deps", "./cmd/"+name)
		if len(deps) > ceiling {
			t.Errorf("%s links %d packages, the ceiling is %d", name, len(deps), ceiling)
		}
		for _, d := range deps {
			if slices.Contains(linkForbidden, d.ImportPath) {
				t.Errorf("%s links %s", name, d.ImportPath)
			}
		}
	}
}

// TestNoEngineInAburn keeps the JavaScript engine and the client of PostgreSQL
// where they belong, in executables of their own: each is larger than all the
// rest of aburn-hook.
func TestNoEngineInAburn(t *testing.T) {
	for _, d := range goList(t, "GOOS=linux", "-deps", "./cmd/aburn", "./cmd/aburn-hook") {
		if strings.HasPrefix(d.ImportPath, "github.com/dop251/goja") || strings.HasPrefix(d.ImportPath, "github.com/jackc/") {
			t.Errorf("aburn or aburn-hook links %s", d.ImportPath)
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
