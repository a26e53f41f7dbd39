package aburn_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers is the structure of the house: one row a package, with what it may
// import of ours and of others, and why the row is not wider. A package that
// has no row, a row that has no package, and an import outside its row fail.
// Do not widen a row to make a build pass: say why in the commit.
var layers = []struct {
	pkg    string
	ours   string // packages of this module, without the module's name
	others string // modules of others
	why    string
}{
	{"logfmt", "", "github.com/tidwall/gjson", "pure: entries and their bytes, no files, clock or environment"},
	{"logfmt/vectors", "", "", "test vectors that every reader of logs runs; only tests import it"},
	{"workflow", "internal/shell", "", "Go data, so that a hook parses nothing"},
	{"chain", "logfmt workflow internal/journal internal/project", "github.com/tidwall/gjson", "an answer from a journal; knows no agent"},
	{"logfmt/drawn", "logfmt", "github.com/tidwall/gjson", "logs drawn in one line, for tests; no executable links it"},
	{"supervisor", "logfmt workflow", "", "pure: entries, observations, now and model in, verdicts out; hooks run it at prompts and stops"},
	{"supervisor/look", "supervisor logfmt workflow internal/journal internal/queue internal/project internal/settings internal/atomicfile internal/proc", "github.com/tidwall/gjson", "the impure half of the supervisor; linked into aburn-hook"},
	{"supervisor/scenario", "logfmt logfmt/drawn", "github.com/tidwall/gjson", "logs with labels; knows nothing of the rules that are judged by it, and only tests import it"},
	{"supervisor/backtest", "supervisor logfmt workflow internal/journal", "", "judges old logs as if live; no executable but aburn links it"},
	{"hooks", "logfmt internal/journal internal/proc internal/project internal/queue internal/settings internal/scrub internal/recent", "github.com/tidwall/gjson", "linked into aburn-hook, which runs on every tool call"},
	{"hooks/claude", "hooks logfmt internal/scrub internal/project", "github.com/tidwall/gjson", "knows one agent"},
	{"hooks/codex", "hooks logfmt internal/scrub internal/project", "github.com/tidwall/gjson", "knows one agent"},
	{"supervisor/watch", "supervisor supervisor/look workflow internal/journal internal/lockfile internal/atomicfile internal/proc", "github.com/fsnotify/fsnotify", "when to look; what to decide is the look's"},
	{"install", "templates internal/atomicfile internal/lockfile internal/project internal/settings", "github.com/tidwall/gjson github.com/tidwall/sjson", "settings files of agents; neither the log nor the hooks"},
	{"templates", "internal/atomicfile", "", "texts and lists of events, embedded, and written where a user asks for them"},
	{"trace", "", "", "the waist: pure, and knows no agent by name"},
	{"trace/draft", "trace internal/jsonl internal/scrub", "", "what the readers share; knows no agent"},
	{"trace/graph", "trace", "", "pure: sessions and relationships in, trees and sums out"},
	{"insight", "trace internal/shell", "", "pure: what one trace amounts to, and what its command lines run; knows no agent by name"},
	{"insight/replay", "insight insight/markdown insight/remedy trace", "", "pure: digests and traces of one key in, the drill-down out, in which a verdict reads as in a remedy"},
	{"insight/remedy", "insight insight/markdown trace", "", "pure: a cascade over digests; opens, runs and asks nothing"},
	{"insight/lesson", "insight insight/markdown trace", "", "pure: digests in, what recurs out"},
	{"insight/report", "insight insight/markdown insight/remedy trace", "", "pure: digests in, sums and rankings out; of remedies it knows only what was measured"},
	{"insight/markdown", "logfmt", "", "pure: recorded data quoted for agents, by the log's own rules of what can be shown"},
	{"trace/own", "trace trace/draft internal/jsonl internal/journal internal/project logfmt", "", "the workflow log as one more source; the only reader that knows its format"},
	{"trace/join", "trace trace/draft", "", "pure: two traces of one session in, one and the differences out"},
	{"trace/tracetest", "trace", "", "how readers are tested; knows none, and only tests import it"},
	{"trace/packed", "trace", "", "pure: a trace as few bytes and back; knows not who keeps them"},
	{"archive", "trace trace/draft trace/packed internal/scrub internal/sqlitero", "zombiezen.com/go/sqlite github.com/klauspost/compress", "the derived store; knows neither agents nor their files' formats"},
	{"archive/digests", "insight archive trace trace/join", "", "digests kept beside the traces that they are made from; knows no rule of them"},
	{"archive/tried", "insight/remedy internal/lockfile internal/scrub", "", "what remedies were tried, as a file; measures nothing"},
	{"internal/mcpserver", "internal/term", "github.com/modelcontextprotocol/go-sdk github.com/google/jsonschema-go", "the protocol and the bounds of an answer; knows nothing of what is asked, and opens nothing"},
	{"archive/ingest", "trace archive internal/lockfile internal/project internal/scrub", "github.com/fsnotify/fsnotify", "which stores are read, when, and from where on; knows no agent"},
	{"web/reportpage", "insight/remedy insight/report web internal/term", "", "a report for browsers; adds nothing up"},
	{"web", "internal/term", "", "what all pages have in common; knows nothing of what is on them"},
	{"internal/lab/browser", "", "", "how pages are tested; only tests import it"},
	{"web/graphpage", "trace trace/graph web internal/term", "", "trees for diagrams and browsers; reads no archive"},
	{"trace/claude", "trace trace/draft internal/jsonl", "", "knows one agent"},
	{"trace/codex", "trace trace/draft internal/jsonl", "", "knows one agent"},
	{"trace/openclaw", "trace trace/draft internal/jsonl internal/sqlitero", "github.com/tidwall/gjson github.com/klauspost/compress zombiezen.com/go/sqlite", "knows one agent"},
	{"trace/gemini", "trace trace/draft internal/jsonl", "", "knows one agent"},
	{"trace/opencode", "trace trace/draft internal/jsonl internal/sqlitero", "zombiezen.com/go/sqlite", "reads one agent's store; knows no other"},
	{"internal/jsonl", "", "golang.org/x/sys", "lines of files that somebody else writes, and folders of such; knows no format in them"},
	{"internal/sqlitero", "internal/atomicfile internal/lockfile", "zombiezen.com/go/sqlite", "somebody else's live database, read as it is; knows no table in it"},
	{"cmd/aburn-hook", "hooks hooks/claude hooks/codex supervisor/look internal/journal", "", "the composition root of the hooks, nothing else"},
	{"cmd/aburn", "logfmt chain insight insight/lesson insight/remedy insight/replay insight/report install templates supervisor supervisor/backtest supervisor/look supervisor/watch trace trace/claude trace/codex trace/gemini trace/graph trace/join trace/openclaw trace/opencode trace/own workflow archive/tried archive archive/digests install/doctor trace/export web/graphpage archive/ingest internal/journal internal/jsonl internal/mcpserver internal/notify internal/project internal/queue internal/recent web/reportpage internal/scrub internal/settings internal/term", "github.com/urfave/cli github.com/tidwall/gjson golang.org/x/term", "flags in, text out"},
	{"internal/journal", "logfmt internal/lockfile internal/atomicfile", "golang.org/x/sys", "the log as a file; does not know what entries mean"},
	{"internal/journal/journaltest", "internal/journal logfmt", "", "the clean-up check of every test that made a log"},
	{"internal/proc", "", "", "whether a process runs; starts none"},
	{"internal/recent", "logfmt internal/shell", "github.com/tidwall/gjson", "what the tail of a log says; shared by hooks and aburn log"},
	{"internal/project", "", "golang.org/x/sys", "where a path belongs and whether it is trusted; starts no git"},
	{"internal/settings", "workflow internal/project", "github.com/tidwall/gjson", "one precedence of values"},
	{"internal/scrub", "", "", "secrets out of texts; nothing else"},
	{"trace/export", "trace", "", "traces for other people's engines; knows neither agents nor the archive, and links neither gRPC nor generated types"},
	{"internal/scrub/gen", "internal/scrub", "", "writes scrub's constant tables"},
	{"internal/queue", "logfmt internal/lockfile internal/atomicfile", "", "queue.json; linked into aburn-hook, knows neither projects nor agents"},
	{"internal/shell", "", "", "what a shell script runs, and what is only text in it; runs nothing"},
	{"internal/lockfile", "", "github.com/gofrs/flock", "the one lock"},
	{"internal/atomicfile", "", "golang.org/x/sys", "atomic replacement, the one place that does it"},
	{"internal/term", "", "github.com/fatih/color golang.org/x/term", "the only importer of fatih/color"},
	{"internal/notify", "", "github.com/godbus/dbus", "tells a person; the hook never links it"},
	{"install/doctor", "install templates trace archive logfmt internal/journal internal/project internal/queue internal/settings", "github.com/tidwall/gjson", "looks at everything, changes nothing"},
	{"internal/lab/testkit/agents", "", "golang.org/x/sys", "installs pinned agents, runs them cut off from everything but loopback"},
	{"internal/lab/testkit/model", "", "", "scripted model server for real agents, loopback only"},
	{"internal/lab/realagents", "", "", "tests with the real agents, behind the build tag agents"},
	{"internal/lab/demo", "internal/term", "", "plays a recorded session through the executables, as an agent would"},
	{"internal/lab/demo/record", "internal/lab/testkit/agents internal/lab/testkit/model", "", "records the session for the demo with the real Claude Code"},
	{"internal/lab/recorder", "", "", "records sessions of the real agents for the corpus, behind the build tag agents"},
	{"internal/lab/synth", "internal/lab/synth/home internal/lab/synth/pile", "", "flags in, a home or an archive out"},
	{"internal/lab/synth/home", "trace logfmt", "", "makes logs whose truth is known; knows the formats from the facts, and no reader"},
	{"internal/lab/synth/pile", "logfmt trace trace/draft archive internal/scrub", "", "makes sessions whose failures are known; knows no rule of insight, which is measured by it"},
	{"internal/lab/bench", "logfmt archive archive/ingest internal/journal internal/lab/synth/home internal/lab/synth/pile internal/lab/testkit/agents trace trace/claude trace/codex trace/gemini", "", "times whole processes; imports what it replays"},
}

// linkCeiling is how many packages aburn-hook may link, the standard library
// included: what is linked costs more than what is run, and it runs on every
// tool call. It is what it links today; 27 of them belong to sha256, which ids
// and outputs need.
const linkCeiling = 126

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

func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Doc,Name,Imports,GoFiles,Module,Standard"}, args...)...)
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

// house is the packages of this module, without the root.
func house(t *testing.T) []goPackage {
	return slices.DeleteFunc(goList(t, "./..."), func(p goPackage) bool { return p.ImportPath == "aburn" })
}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range house(t) {
		name := strings.TrimPrefix(p.ImportPath, "aburn/")
		seen[name] = true
		i := slices.IndexFunc(layers, func(l struct{ pkg, ours, others, why string }) bool { return l.pkg == name })
		if i < 0 {
			t.Errorf("package %s has no row in layers", name)
			continue
		}
		row := layers[i]
		for _, imp := range p.Imports {
			first, _, _ := strings.Cut(imp, "/")
			switch own, isOwn := strings.CutPrefix(imp, "aburn/"); {
			case isOwn && !slices.Contains(strings.Fields(row.ours), own):
				t.Errorf("%s imports %s: %s", name, own, row.why)
			case !isOwn && strings.Contains(first, ".") && !slices.ContainsFunc(strings.Fields(row.others), func(m string) bool {
				return imp == m || strings.HasPrefix(imp, m+"/")
			}):
				t.Errorf("%s imports %s: %s", name, imp, row.why)
			}
		}
	}
	for _, row := range layers {
		if !seen[row.pkg] {
			t.Errorf("row %s names no package", row.pkg)
		}
	}
}

func TestHookLinksLittle(t *testing.T) {
	deps := goList(t, "-deps", "./cmd/aburn-hook")
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
	for _, p := range house(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("package %s has no doc comment", p.ImportPath)
		}
	}
}

// TestReadmeTable compares the README's table of packages with the packages.
func TestReadmeTable(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range house(t) {
		name := strings.TrimPrefix(p.ImportPath, "aburn/")
		if !strings.Contains(string(readme), "| `"+name+"` |") {
			t.Errorf("README's table has no row for %s", name)
		}
	}
	for line := range strings.Lines(string(readme)) {
		name, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "`")
		if i := slices.IndexFunc(layers, func(l struct{ pkg, ours, others, why string }) bool { return l.pkg == name }); i < 0 && !strings.Contains(name, " ") {
			t.Errorf("README's table names %s, which is no package", name)
		}
	}
}
