package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/lab/drawn"
	"aburn/internal/lab/world"
)

// goldenNow is when everybody looks at the world: synctest gives the clock, so that ages need no normalising.
var goldenNow = time.Date(2026, time.November, 21, 18, 0, 0, 0, time.UTC)

// goldenStory is the log of the project. It ends a few minutes before goldenNow, and the supervisor has something to say about it.
const goldenStory = `+7h
@shop-1111 claude SESSION_START'startup' PROMPT'what next?' ideate> ideate.'two ideas'[ideas.md]->plan
PROMPT'plan the cart' plan> Read'ideas.md' (tester tester~Bash'go test ./cart' tester) plan.'three slices'{slices=3}[plan.md]->build STOP
+3m @shop-2222 codex SESSION_START'startup' PROMPT/build'the cart' build> build:RED> Edit'cart_test.go'=v1 Bash'go test ./...'!1 build:RED.{tests_failing=4}
build:GREEN> Edit'cart.go'=v1 Bash'go test ./...'!1 Edit'cart.go'=v2 Bash'go test ./...'!1 PERMISSION'Bash:git push' build!'the fixture server does not start'
+2m @shop-3333 claude SESSION_START'resume' PROMPT'ship it' ship> { Bash'make deploy'!2 +1m }*15
INTERVENTION'T1 loop loop-of-3333' DELIVERED'T1' NOTIFY'idle_prompt' TURN_FAILED'rate_limit' +2m @shop-1111 PROMPT'and now?' Bash'go vet ./...'(20s) Bash'make all'<`

// goldenRuns are command lines in the order in which they are run: what one of them writes, those below it see. Without --json it is
// what a person sees on a terminal of 80 columns without colours, unless "| cat" makes stdout a pipe.
const goldenRuns = `
version
version --json
init
init --json
doctor
doctor --json
install-hooks --dry-run --agent all
install-hooks --dry-run --agent all --json
install-hooks --yes --agent claude --mcp --json
install-hooks --yes --agent claude --mcp --project --json
install-hooks --yes --agent codex
install-hooks --yes --agent all
doctor --json
uninstall-hooks --dry-run --agent all
uninstall-hooks --dry-run --agent all --json
uninstall-hooks --yes --agent all --json
uninstall-hooks --yes --agent all --project
status
status --json
top --json --no-ingest
top --no-ingest
log stats
log stats --json
log stats -n 1 --session 3333
tail
tail -n 5 --json
tail -n 3 --raw
tail --event TOOL_FAILED
query --cmd plan
query --cmd plan --json
query --session 2222 --raw
query --event INTERVENTION --count
query --get data.summary
query --cmd nothing
verify
verify --json
chain
chain --json
chain plan
chain plan | cat
chain plan --json
chain plan --all --any --json
chain build --json
chain plan --get data.summary
chain ship --or nothing
chain --expect build
supervisor
supervisor --json
supervisor --session 2222 --json
supervisor --at 2026-11-21T17:15 --json
supervisor --explain loop
supervisor --explain loop --json
supervisor report
supervisor report --json
proof 1111
proof last --markdown
proof --json
supervisor backtest
supervisor backtest --json
supervisor backtest --alerts
queue
queue --json
queue list
queue list --json
queue add --session 1111 --type note --expires 2h --priority high --json use-port-8081
queue add --project main-is-frozen
queue list
queue list --json
queue show 4444
queue show 4444 --json
queue allow other-1 --project --json
queue drop 4444 --json
queue drop 5555
queue list --all
queue list --all --json
log plan START --session shop-1111
log plan COMPLETE --session shop-1111 --summary again --output plan.md --next build --metric slices=3 --json
log pln START
status
tail -n 2
tail -n 2 --json
templates
templates --json
templates list
templates list --json
templates show plan | cat
templates write --agent all --dry-run
templates write --agent all --dry-run --json
templates write --agent claude --json
templates remove --agent claude --dry-run
templates remove --agent claude --dry-run --json
plugin write plugin
plugin write plugin2 --json
sessions --no-ingest
ingest --dry-run
ingest --dry-run --json
ingest
ingest --json
ingest --check
ingest --check --json
sessions
sessions --json
sessions --source codex --limit 2
sessions --outcome errored --json
sessions --relationship subagent --limit 3
search prices
search prices --json
show aaaaaaaa
show aaaaaaaa --calls
show aaaaaaaa | cat
show aaaaaaaa --json
show aaaaaaaa --joined --json
show aaaaaaaa --differences
show aaaaaaaa --differences --json
show aaaaaaaa --raw 3
show e067 --limit 8
show 000a
show 000a --calls
show de6e5cce --limit 10
show shop-2222
show shop-2222 --calls
show shop-2222 --json
show nothing
show nothing --calls
handoff aaaaaaaa
handoff 5b0c2f91
handoff 5b0c2f91 --json
handoff shop-2222
handoff nothing
graph --limit 4
graph --limit 3 --json
graph 5b0c2f91
graph 5b0c2f91 --json
graph 5b0c2f91 --mermaid
graph 5b0c2f91 --html graph.html
graph --top tokens --limit 5
graph --top failures --limit 5 --json
tools
tools --limit 3 --json
tools --failed
tools --failed --limit 5 --json
tools --retries
tools --retries --json
tools --type shell --source claude --json
report
report --full
report --full | cat
report --limit 4 --json
report --source gemini --limit 2 --json
report --since 1h
report --html report.html
replay 5b0c2f91
replay 5b0c2f91 | cat
replay 5b0c2f91 --json
replay e1-8501
replay nothing
remedy 5b0c2f91
remedy 5b0c2f91 | cat
remedy 5b0c2f91 --json
remedy s1-84170e7cb5f8 --json
remedy 77d1a0e4 --json
CLAUDE_CODE_SESSION_ID=5b0c2f91-0000-4000-8000-000000000001 remedy --current --json
remedy --applied e1-8501 --note started-the-database
remedy --applied e1-8501 --note again --json
report --project shop --full
report --project /home/user/shop --limit 2
report --project /home/user/shop --limit 2 --json
lessons
lessons | cat
lessons --json
lessons --limit 1 --source codex --json
cost
cost --by session --limit 6
cost --by model --json
cost monthly --breakdown --csv
cost prices gpt-6
cost prices gpt-6.2 --json
export --format jsonl 77d1a0e4
export --format otlp --endpoint COLLECTOR --json 5b0c2f91
export --format otlp --endpoint COLLECTOR 5b0c2f91
`

// goldenEnd is run when everything else was asked, because it changes the archive.
const goldenEnd = "ingest --rebuild --json"

// guardGoldens is why no golden holds the answers of guard.
const guardGoldens = "its answers change with every rule of a pack: see guard.txtar"

// goldenLess are commands with --json that no golden holds, and why.
var goldenLess = map[string]string{
	"cost prices update": "it changes the prices of the other runs: see prices_update.txtar",
	"supervisor watch":   "it goes on until it is ended: see supervisor_watch_test.go",
	"keep":               "the sizes of its copies are those of the compression: see keep.txtar",
	"debug":              "its sizes and versions are those of the machine: see debug's own tests",
	"guard":              guardGoldens,
	"guard ls":           guardGoldens,
	"guard test":         guardGoldens,
	"guard why-not":      guardGoldens,
	"guard enable":       guardGoldens,
	"guard disable":      guardGoldens,
	"guard report":       guardGoldens,
	"guard explain":      guardGoldens,
	"spawn":              workerGoldens,
	"ps":                 workerGoldens,
	"done":               workerGoldens,
	"ask":                workerGoldens,
	"send":               workerGoldens,
	"diff":               workerGoldens,
	"snapshots":          workerGoldens,
	"cleanup":            workerGoldens,
	"kill":               workerGoldens,
	"interrupt":          workerGoldens,
	"answer":             workerGoldens,
	"resume":             workerGoldens,
	"daemon stop":        workerGoldens,
	"merge":              workerGoldens,
	"sync":               workerGoldens,
	"pr":                 workerGoldens,
	"project ls":         "it names folders of the machine: see project.txtar",
	"project repair":     "it names folders of the machine: see project-moved.txtar",
	"config check":       "it names files of the machine: see config.txtar and worker/config/testdata",
	"config":             "it is config check: see config.txtar",
	"overlap":            workerGoldens,
	"undo":               "it needs a repository: see undo.txtar",
	"why":                "it needs a repository: see why_test.go",
	"notes write":        "it needs a repository: see notes_test.go",
	"commits":            "it needs a repository: see commits_test.go",
}

const workerGoldens = "it runs git and an agent, with ids and clocks of their own: see spawn.txtar, worker-says.txtar, send.txtar, crew.txtar, start.txtar"

// goldenTools are what the tools of the MCP server are asked; each has to be here.
var goldenTools = []struct {
	tool      string
	arguments map[string]any
}{
	{"chain", nil},
	{"chain", map[string]any{"command": "plan", "all": true, "any": true}},
	{"chain", map[string]any{"command": "pln"}},
	{"workflow", nil},
	{"proof", nil},
	{"proof", map[string]any{"session": "none-such"}},
	{"why", map[string]any{"of": "HEAD"}},
	{"handoff", map[string]any{"session": "5b0c2f91"}},
	{"handoff", map[string]any{"session": "none-such"}},
	{"failure_report", nil},
	{"failure_report", map[string]any{"all_projects": true}},
	{"failure_report", map[string]any{"project": "/home/user/shop"}},
	{"replay", map[string]any{"session": "5b0c2f91"}},
	{"replay", map[string]any{"key": "e1-8501"}},
	{"replay", nil},
	{"remedy", map[string]any{"session": "5b0c2f91"}},
	{"remedy", map[string]any{"key": "s1-84170e7cb5f8"}},
	{"remedy", nil},
	{"session_graph", nil},
	{"session_graph", map[string]any{"session": "5b0c2f91", "top": "tokens"}},
	{"session_graph", map[string]any{"all_projects": true, "source": "codex", "limit": 2}},
	{"lessons", nil},
	{"lessons", map[string]any{"all_projects": true}},
}

// goldenResources are resources by their address or template; each has to be here.
var goldenResources = map[string]string{
	"aburn://digests":                     "aburn://digests",
	"aburn://digests/all":                 "aburn://digests/all",
	"aburn://digest/{source}/{+id}":       "aburn://digest/claude/5b0c2f91-0000-4000-8000-000000000001",
	"aburn://trace/{source}/{+id}{?from}": "aburn://trace/claude/77d1a0e4-0000-4000-8000-000000000002?from=2",
	"aburn://log/tail":                    "aburn://log/tail",
}

// TestGoldens: every answer of aburn, byte for byte, on one home and log, so that a change shows what it changed. -update rewrites them.
func TestGoldens(t *testing.T) {
	world.Unshared(t)
	w := newGoldenWorld(t)
	answers := map[string]*strings.Builder{}
	of := func(name string) *strings.Builder {
		if answers[name] == nil {
			answers[name] = &strings.Builder{}
		}
		return answers[name]
	}
	// What the runtime begins at the first of these lives on, which nothing in a bubble of synctest may.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		defer time.Sleep(time.Hour) // until nothing sleeps any more that a command began
		time.Sleep(time.Until(goldenNow))
		w.fill()
		run := func(line string) {
			fmt.Fprintf(of(goldenName(line)+".txt"), "$ %s\n%s\n", line, w.answer(line))
		}
		for line := range strings.SplitSeq(strings.TrimSpace(goldenRuns), "\n") {
			if line == "ingest" {
				w.ingestEach()
			}
			run(line)
		}
		w.askAll(of("mcp.txt"))
		run(goldenEnd)
	})
	w.T = t
	for _, page := range []string{"graph.html", "report.html"} {
		text, err := os.ReadFile(filepath.Join(w.dir, page))
		if err != nil {
			t.Fatal(err)
		}
		of(page).WriteString(w.named(string(text)))
	}
	eachCommand(t, func(words []string) {
		out, errs, code := w.run(append(words[1:], "--help")...)
		fmt.Fprintf(of("help.txt"), "$ %s --help\n%s\n", strings.Join(words, " "), w.told(out, errs, code))
	})
	compareGoldens(t, answers)
}

// Each command that has --json is in goldenRuns with it.
func TestGoldensHoldEveryJSON(t *testing.T) {
	a := &kit.App{Stdout: io.Discard, Stderr: io.Discard, Getenv: noEnv}
	root := root(a)
	if err := root.Run(t.Context(), []string{"aburn"}); err != nil { // then commands know their full names
		t.Fatal(err)
	}
	err := root.Walk(func(c *cli.Command) error {
		name := strings.TrimPrefix(c.FullName(), "aburn ")
		called := regexp.MustCompile(`(?m)^(\w+=\S+ )?` + regexp.QuoteMeta(name) + ` .*--json`).MatchString(goldenRuns)
		if name == "supervisor" {
			called = strings.Contains(goldenRuns, "\nsupervisor --json\n")
		}
		if _, without := goldenLess[name]; slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "json" }) && called == without {
			t.Errorf("aburn %s --json: in goldenRuns %v, in goldenLess %v", name, called, without)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goldenName is the file that holds the answer to a command line.
func goldenName(line string) string {
	words := strings.Fields(line)
	if strings.Contains(words[0], "=") {
		words = words[1:]
	}
	return words[0]
}

// compareGoldens holds the answers against testdata/golden, where nothing else may be.
func compareGoldens(t *testing.T, answers map[string]*strings.Builder) {
	dir := filepath.Join("testdata", "golden")
	if *update {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		path, got := filepath.Join(dir, name), answers[name].String()
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if got != string(want) {
			t.Errorf("%s is otherwise (go test ./cmd/aburn -run Goldens -update rewrites it):\n%s", path,
				cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
		}
	}
	have, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if answers[filepath.Base(path)] == nil {
			t.Errorf("%s is of no command", path)
		}
	}
}

// goldenWorld is a home with sessions of all agents, and a project in it.
type goldenWorld struct {
	*testing.T
	root, home, dir string
	vars            map[string]string
	names           []string // pairs of an id that differs from run to run, and of what stands for it in the goldens
	collector       string   // of spans
	tasks, drawn    int      // tasks that have a name, and bytes of the log that are the same in each run
}

// newGoldenWorld makes what needs no clock.
func newGoldenWorld(t *testing.T) *goldenWorld {
	t.Helper()
	// Not t.TempDir: the place has to be as long in each run, since tables are cut to the width of the terminal.
	root := fmt.Sprintf("/tmp/aburn-golden-%08x", rand.Uint32())
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	w := &goldenWorld{T: t, root: root, home: filepath.Join(root, "home"), dir: filepath.Join(root, "shop")}
	w.vars = map[string]string{"HOME": w.home, "PATH": filepath.Join(root, "home", "bin"), "NO_COLOR": "1"}
	t.Setenv("HOME", w.home) // what commands write goes by the process's own
	for _, name := range []string{"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", w.vars["PATH"])
	w.copyStores()
	// what this machine's login shell finds does not count
	if err := os.WriteFile(filepath.Join(w.home, ".profile"), []byte("PATH=/nowhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// copyStores brings in sessions of every agent.
func (w *goldenWorld) copyStores() {
	w.Helper()
	const pairs = "../../trace/join/testdata/pairs/"
	for _, c := range []struct{ from, to, id, as string }{
		{"testdata/store/home", "home", "", ""},
		{pairs + "claude-tools/store", "home/.claude/projects", "", ""},
		{pairs + "claude-error/store", "home/.claude/projects", "aaaaaaaa-", "bbbbbbbb-"},
		{pairs + "claude-agents/store", "home/.claude/projects", "aaaaaaaa-", "cccccccc-"},
		{pairs + "codex-tools/store", "home/.codex", "", ""},
		{pairs + "codex-error/store", "home/.codex", "", ""},
		{pairs + "codex-agents/store", "home/.codex", "", ""},
		{"../../trace/gemini/testdata/home", "home", "", ""},
		{"../../trace/openclaw/testdata/state", "home/.openclaw", "", ""},
		{pairs + "claude-tools/log", "tools/.oss", "", ""},
		{pairs + "codex-tools/log", "codextools/.oss", "", ""},
	} {
		w.copy(c.from, c.to, c.id, c.as)
	}
	packed, err := os.Open("../../trace/opencode/testdata/opencode.db.gz")
	if err != nil {
		w.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		w.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		w.Fatal(err)
	}
	w.write("home/.local/share/opencode/opencode.db", string(data))
	w.failMore()
	w.write("home/bin/aburn", "#!/bin/sh\n")
	w.write("home/bin/aburn-hook", "#!/bin/sh\n")
	old := goldenNow.Add(-40 * time.Minute)
	err = filepath.WalkDir(w.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if filepath.Dir(path) == filepath.Join(w.home, "bin") {
			return os.Chmod(path, 0o700)
		}
		return os.Chtimes(path, old, old) // no session goes on
	})
	if err != nil {
		w.Fatal(err)
	}
}

// failMore adds two sessions like the one of testdata/store that fails: one that fails too, and one that came to its end.
func (w *goldenWorld) failMore() {
	const dir, id = "home/.claude/projects/-home-user-shop/", "5b0c2f91-0000-4000-8000-000000000001"
	text, err := os.ReadFile(filepath.Join(w.root, dir, id+".jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	like := func(id2, uuid, hour string, without ...string) {
		var b strings.Builder
		for line := range strings.Lines(strings.NewReplacer(id, id2, "u5b0c-", uuid, "2025-11-20T10:", hour).Replace(string(text))) {
			if !slices.ContainsFunc(without, func(s string) bool { return strings.Contains(line, s) }) {
				b.WriteString(line)
			}
		}
		w.write(dir+id2+".jsonl", b.String())
	}
	like("8d2f0000-0000-4000-8000-000000000008", "u8d2f-", "2025-11-20T12:")
	like("9e1f0000-0000-4000-8000-000000000009", "u9e1f-", "2025-11-20T13:", "toolu_a11", "now the docs")
}

func (w *goldenWorld) write(name, text string) {
	w.Helper()
	path := filepath.Join(w.root, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// copy copies a folder, with one text in names and contents for another.
func (w *goldenWorld) copy(from, to, id, as string) {
	w.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if id != "" {
			name, text = strings.ReplaceAll(name, id, as), bytes.ReplaceAll(text, []byte(id), []byte(as))
		}
		w.write(filepath.Join(to, name), string(text))
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// fill makes the projects.
func (w *goldenWorld) fill() {
	w.Helper()
	log, _ := drawn.Log(goldenStory)
	w.write("shop/.oss/workflow.log", string(log))
	w.drawn = len(log)
	w.write("shop/plan.md", "slices\n")
	w.write("shop/.oss/queue.json", `{"version": "1.0", "tasks": [
 {"id": "other-1", "created_at": "2026-11-21T17:30:00Z", "anomaly_type": "loop", "prompt": "Run the tests\nfirst", "status": "pending", "attempts": 0}]}
`)
	for _, dir := range []string{"tools", "codextools", "shop"} {
		if out, errs, code := w.run("-C", filepath.Join(w.root, dir), "init", "--here", "--trust-log"); code != fault.ExitOK {
			w.Fatal(out, errs)
		}
	}
}

// ingestEach reads all stores but one, each by itself: where two things tie, the order in the archive decides, and ingest reads two
// stores at once.
func (w *goldenWorld) ingestEach() {
	w.Helper()
	const later = "bbbbbbbb-"
	err := filepath.WalkDir(w.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch store := slices.Contains([]string{".jsonl", ".db", ".sqlite", ".log"}, filepath.Ext(path)); {
		case e.IsDir() && e.Name() == "aburn": // the archive
			return filepath.SkipDir
		case store && !strings.HasPrefix(e.Name(), later) && !strings.HasPrefix(e.Name(), "queue."):
			if out, errs, code := w.run("ingest", "--quiet", path); code != fault.ExitOK {
				w.Fatal(path, out, errs)
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *goldenWorld) env(name string) string { return w.vars[name] }

func (w *goldenWorld) runOn(out io.Writer, args ...string) (errs string, code int) {
	var stderr bytes.Buffer
	a := &kit.App{Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr, Getenv: w.env}
	code = run(context.Background(), a, append([]string{"aburn", "-C", w.dir}, args...))
	return stderr.String(), code
}

func (w *goldenWorld) run(args ...string) (out, errs string, code int) {
	var stdout bytes.Buffer
	errs, code = w.runOn(&stdout, args...)
	return stdout.String(), errs, code
}

// shown is run on a terminal of 80 columns.
func (w *goldenWorld) shown(args ...string) (out, errs string, code int) {
	w.Helper()
	master, slave := openTerminal(w.T, 80)
	defer master.Close()
	all := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // EIO when the other end is closed
		all <- string(text)
	}()
	errs, code = w.runOn(slave, args...)
	slave.Close()
	return strings.ReplaceAll(<-all, "\r\n", "\n"), errs, code
}

// answer runs one of goldenRuns.
func (w *goldenWorld) answer(line string) string {
	w.Helper()
	line, pipe := strings.CutSuffix(line, " | cat")
	args := strings.Fields(line)
	if name, value, ok := strings.Cut(args[0], "="); ok {
		w.vars[name] = value
		defer delete(w.vars, name)
		args = args[1:]
	}
	for i := range args {
		args[i] = w.unnamed(args[i])
	}
	if i := slices.Index(args, "COLLECTOR"); i >= 0 {
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer server.Close()
		args[i], w.collector = server.URL, server.URL
	}
	run := w.shown
	if pipe || slices.Contains(args, "--json") || args[0] == "export" {
		run = w.run
	}
	out, errs, code := run(args...)
	w.nameIDs()
	return w.told(out, errs, code, args...)
}

// told is an answer as it stands in a golden: JSON indented, what differs from run to run under a name.
func (w *goldenWorld) told(out, errs string, code int, args ...string) string {
	var b strings.Builder
	if code != 0 {
		fmt.Fprintf(&b, "exit %d\n", code)
	}
	for line := range strings.Lines(errs) {
		b.WriteString("! " + line)
	}
	for line := range strings.Lines(out) {
		var indented bytes.Buffer
		if !slices.Contains(args, "--raw") && (strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[")) && json.Indent(&indented, []byte(line), "", " ") == nil {
			line = indented.String()
		}
		b.WriteString(line)
	}
	return w.named(b.String())
}

// named is a text with what differs from run to run, or from one machine to the next, as it stands in the goldens: here is all of it.
func (w *goldenWorld) named(text string) string {
	v := kit.Version()
	quoted := func(name, value string) string { return `"` + name + `": "` + value + `"` }
	pairs := append(slices.Clip(w.names),
		filepath.Base(w.root), "aburn-golden-XXXXXXXX",
		v.String(), "VERSION", quoted("version", v.Version), quoted("version", "VERSION"), quoted("go", v.Go), quoted("go", "GO"), quoted("platform", v.Platform),
		quoted("platform", "PLATFORM"))
	if w.collector != "" {
		pairs = append(pairs, w.collector, "COLLECTOR")
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// unnamed is the id that a beginning of digits like 1111 stands for.
func (w *goldenWorld) unnamed(word string) string {
	for i := 0; i < len(w.names); i += 2 {
		if len(word) == 4 && strings.HasPrefix(w.names[i+1], word) {
			return w.names[i]
		}
	}
	return word
}

// nameIDs names what is random: the ids of tasks, and those of entries that commands wrote, with their check sums.
func (w *goldenWorld) nameIDs() {
	w.Helper()
	name := func(id, as string) {
		if !slices.Contains(w.names, id) {
			w.names = append(w.names, id, as)
		}
	}
	queued, err := os.ReadFile(filepath.Join(w.dir, ".oss", "queue.json"))
	if err != nil {
		w.Fatal(err)
	}
	for _, id := range regexp.MustCompile(`"id": *"([0-9a-f]{16})"`).FindAllSubmatch(queued, -1) {
		if !slices.Contains(w.names, string(id[1])) {
			w.tasks++
			as := strings.Repeat(strconv.Itoa(w.tasks), 16)
			name(string(id[1]), as)
			name(string(id[1][:8]), as[:8])
		}
	}
	log, err := os.ReadFile(filepath.Join(w.dir, ".oss", "workflow.log"))
	if err != nil {
		w.Fatal(err)
	}
	for line := range bytes.Lines(log[w.drawn:]) {
		if e := gjson.ParseBytes(line); e.Get("id").Exists() {
			name(e.Get("id").Str, fmt.Sprintf("entry%011d", e.Get("seq").Int()))
			name(`"crc":"`+e.Get("crc").Str, `"crc":"CRC`)
			name(`"crc": "`+e.Get("crc").Str, `"crc": "CRC`)
		}
	}
}

// askAll asks all that `aburn mcp` offers.
func (w *goldenWorld) askAll(b *strings.Builder) {
	w.Helper()
	m := &mcpWorld{T: w.T, home: w.home, dir: w.dir, vars: w.vars}
	m.allow(true)
	s, end := m.open()
	defer end()
	w.list(s, b)
	for _, c := range goldenTools {
		arguments, err := json.Marshal(c.arguments)
		if err != nil {
			w.Fatal(err)
		}
		r, a := m.ask(s, c.tool, c.arguments, nil)
		fmt.Fprintf(b, "$ %s %s\n", c.tool, arguments)
		if r.IsError {
			b.WriteString("error\n")
			a.Markdown = textOf(r)
		}
		fmt.Fprintln(b, w.told(a.Markdown+"\n"+string(a.Answer)+"\n"+w.json(a.Notes)+w.json(a.Cut), "", 0))
	}
	for _, template := range slices.Sorted(maps.Keys(goldenResources)) {
		r, err := s.ReadResource(w.Context(), &mcp.ReadResourceParams{URI: goldenResources[template]})
		if err != nil {
			fmt.Fprintf(b, "$ %s\nerror %s\n\n", goldenResources[template], w.told(err.Error(), "", 0))
			continue
		}
		fmt.Fprintf(b, "$ %s\n%s\n", goldenResources[template], w.told(r.Contents[0].Text, "", 0))
	}
}

func (w *goldenWorld) json(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		w.Fatal(err)
	}
	return string(text) + "\n"
}

// list tells what the server offers, all of which has to be asked.
func (w *goldenWorld) list(s *mcp.ClientSession, b *strings.Builder) {
	w.Helper()
	tools, err := s.ListTools(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	for _, tool := range tools.Tools {
		asked := false
		for _, c := range goldenTools {
			asked = asked || c.tool == tool.Name
		}
		if !asked {
			w.Errorf("nothing of goldenTools asks %s", tool.Name)
		}
	}
	resources, err := s.ListResources(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	templates, err := s.ListResourceTemplates(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	var uris []string
	for _, r := range resources.Resources {
		uris = append(uris, r.URI)
	}
	for _, r := range templates.ResourceTemplates {
		uris = append(uris, r.URITemplate)
	}
	for _, uri := range uris {
		if goldenResources[uri] == "" {
			w.Errorf("goldenResources has no %s", uri)
		}
	}
	fmt.Fprintf(b, "$ initialize\n%s\n", w.told(w.json(s.InitializeResult()), "", 0))
	fmt.Fprintf(b, "$ tools/list\n%s\n", w.told(w.json(tools), "", 0))
	fmt.Fprintf(b, "$ resources\n%s\n", w.told(w.json(resources)+w.json(templates), "", 0))
}
