package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/instrument/jsproject"
	"aburn/internal/consent"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// foreignRun is a project that is run whole, by a planner that wants a span in each candidate. Its npm test passes before.
type foreignRun struct {
	foreign
	files    map[string]string // beside the packages
	recorded bool              // its tests make spans
}

const strict = `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "lib": ` +
	`["es2022", "dom", "dom.iterable", "esnext.asynciterable"], ` +
	`"types": ["node"], "allowImportingTsExtensions": true, "verbatimModuleSyntax": true, "skipLibCheck": true}, "include": ["src", "test"]}`

var foreignRuns = []foreignRun{
	{foreign{"TypeScript: a shop", nil, []string{"typescript@5.9.3", "@types/node@24.0.14"}, nil, nil, 4, ".id.length"}, map[string]string{
		"package.json": `{"name": "shop", "private": true, "type": "module", "scripts": {"test": "tsc && node --test test/shop.test.ts"}}`, "tsconfig.json": strict,
		"src/types.ts": "export interface Order { id: string; lines?: readonly string[] }\nexport type Bill = { total: number } & Partial<Order>;\n",
		"src/order.ts": "import { readFile } from 'node:fs/promises';\nimport type { Bill, Order } from './types.ts';\n\nexport async function placeOrder(order: " +
			"Order, ...more: string[]): Promise<Bill> {\n  const text = await readFile(order.id, 'utf8');\n  return { total: text.length + more.length, id: " +
			"order.id };\n}\n\n" +
			"export async function cancelOrder<T extends Order>(this: void, order: T): Promise<T | undefined> {\n  try {\n    await readFile(order.id);\n  } catch " +
			"(error: unknown) {\n    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;\n    return undefined;\n  }\n  return order satisfies " +
			"Order;\n}\n",
		"src/store.ts": "import { readFile, writeFile } from 'node:fs/promises';\nimport { placeOrder } from './order.ts';\nimport type { Order } from " +
			"'./types.ts';\n\nexport class Store<T extends Order = Order> {\n  #kept = new Map<string, T>();\n  private readonly folder: string;\n\n  " +
			"constructor(folder: string) {\n    this.folder = folder;\n  }\n\n" +
			"  async keep(order: T): Promise<void> {\n    this.#kept.set(order.id, order);\n    await writeFile(`${this.folder}/order.json`, " +
			"JSON.stringify(order));\n  }\n\n  async find(id: string): Promise<T | undefined> {\n    const text = await readFile(`${this.folder}/order.json`, " +
			"'utf8');\n    return this.#kept.get(id) ?? (JSON.parse(text) as T);\n  }\n}\n\nexport const placeAll = async (orders: Order[]): Promise<number> => " +
			"(await Promise.all(orders.map((o) => placeOrder(o)))).length;\n\nexport async function* each(orders: Order[]): AsyncGenerator<Order> {\n  yield* " +
			"orders;\n}\n",
		"test/shop.test.ts": "import { deepEqual, equal, rejects } from 'node:assert/strict';\nimport { mkdtempSync } from 'node:fs';\nimport { tmpdir } from " +
			"'node:os';\nimport { fileURLToPath } from 'node:url';\nimport { test } from 'node:test';\nimport { cancelOrder, placeOrder } from " +
			"'../src/order.ts';\nimport { each, placeAll, Store } from '../src/store.ts';\n\nconst here = fileURLToPath(import.meta.url);\n\n" +
			"test('places', async () => {\n  equal((await placeOrder({ id: here }, 'a')).id, here);\n  await rejects(placeOrder({ id: '/absent' }), { code: " +
			"'ENOENT' });\n  equal(await placeAll([{ id: here }, { id: here }]), 2);\n});\n\ntest('cancels', async () => {\n  equal(await cancelOrder({ id: " +
			"'/absent' }), undefined);\n  deepEqual(await cancelOrder({ id: here }), { id: here });\n});\n\n" +
			"test('keeps', async () => {\n  const store = new Store(mkdtempSync(`${tmpdir()}/shop-`));\n  await store.keep({ id: 'a' });\n  deepEqual(await " +
			"store.find('a'), { id: 'a' });\n  for await (const o of each([{ id: 'b' }])) equal(o.id, 'b');\n});\n",
	}, true},
	{foreign{"TypeScript: @remix-run/file-storage, with a test of ours", map[string]string{".": "@remix-run/file-storage@0.13.7"},
		[]string{"typescript@5.9.3", "@types/node@24.0.14"}, nil, []string{"dist"}, 4, ""}, map[string]string{
		"tsconfig.json": strict,
		"test/storage.test.ts": "import { deepEqual, equal } from 'node:assert/strict';\nimport { mkdtempSync } from 'node:fs';\nimport { tmpdir } from " +
			"'node:os';\nimport { test } from 'node:test';\nimport { createFsFileStorage } from '../src/fs.ts';\n\n" +
			"test('keeps', async () => {\n  const storage = createFsFileStorage(mkdtempSync(`${tmpdir()}/storage-`));\n  await storage.set('a', new File(['hello'], " +
			"'a.txt', { type: 'text/plain' }));\n  equal(await (await storage.get('a'))?.text(), 'hello');\n  equal(await storage.has('a'), true);\n" +
			"  deepEqual((await storage.list()).files.map((f) => f.key), ['a']);\n  await storage.remove('a');\n  equal(await storage.has('a'), false);\n});\n",
	}, true},
	{foreign{"monorepo: pino-roll and borp", foreigners[2].packages, foreigners[2].dev, nil, nil, 8, ".length"}, nil, true},
}

// TestForeignRuns makes whole runs over TypeScript and over a monorepo: the tests pass as before, each file passes the
// rules, the packages that own the files get the API, and a second run changes nothing. It needs the network.
func TestForeignRuns(t *testing.T) {
	world.Slow(t)
	if os.Getenv("ABURN_FOREIGN") == "" || runtime.GOOS == "windows" {
		t.Skip("ABURN_FOREIGN is not set, or this is Windows")
	}
	world.TypeNode(t)
	for _, f := range foreignRuns {
		t.Run(f.name, func(t *testing.T) { f.try(t) })
	}
}

// planning answers as claude -p does, by the plan that lies beside it for the file that is asked about.
const planning = `#!/bin/sh
if [ "$1" = --version ]; then echo 2; exit 0; fi
name=$(sed -n 's/.*File "\([^"]*\)".*/\1/p' | head -n 1 | tr / _)
echo '{"is_error":false,"subtype":"success","total_cost_usd":0.01,"structured_output":'"$(cat "$0.$name")"',"modelUsage":{"m":{"inputTokens":100,"outputTokens":30}}}'
`

func (f foreignRun) try(t *testing.T) {
	w := world.New(t)
	w.Enter(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f.layOut(t, dir)
	must(t, dir, "npm", "test") // or nothing here says anything
	p := f.trust(t, dir)
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	instrumented(t, dir, -1, "init", "--yes") // 2: the API is missing, and comes later
	write(t, filepath.Join(dir, instrument.ConfigFile), "schemaPath: "+instrument.NewRegistry+
		"\nprovider: claude\ntestCommand: npm test\nweaver: never\ninclude: ['**/*.{js,mjs,cjs,ts}']\nexclude: ['**/test/**', '**/fixtures/**']\n")
	if err := consent.Give(p, "npm test"); err != nil {
		t.Fatal(err)
	}
	planned := f.answers(t, dir, filepath.Join(bin, "claude"))
	commit(t, dir, "instrument")
	branch := strings.TrimSpace(must(t, dir, "git", "branch", "--show-current"))

	var r coordinator.Result
	decode(t, instrumented(t, dir, -1, ".", "--yes", "--json", "--no-pr"), &r)
	spans := 0
	for _, file := range r.Files {
		spans += file.SpansAdded
		for _, b := range append(file.Dropped, file.LastError) {
			if b != "" {
				t.Logf("%s: %s", file.Path, b)
			}
		}
		if file.Status != instrument.Success {
			t.Errorf("%s: %s: %s", file.Path, file.Status, file.Reason)
			continue
		}
		original := filepath.Join(t.TempDir(), filepath.Base(file.Path))
		if err := os.WriteFile(original, []byte(must(t, dir, "git", "show", branch+":"+file.Path)), 0o600); err != nil {
			t.Fatal(err)
		}
		instrumented(t, dir, 0, "check", original, file.Path, "--config", instrument.ConfigFile)
	}
	if spans < f.spans || r.Stopped != "" || r.Tests == nil || r.Tests.Exit != 0 || len(r.LibrariesInstalled) != max(len(f.packages), 1) ||
		len(r.LibraryFailures) > 0 {
		t.Errorf("%d spans of %d planned; stopped %q; tests %+v; installed %v, not %v; %v", spans, planned, r.Stopped, r.Tests, r.LibrariesInstalled,
			r.LibraryFailures, r.Warnings)
	}
	if f.recorded && (r.Record == nil || r.Record.Spans == 0) {
		t.Errorf("no span was recorded: %+v", r.Record)
	}
	for _, finding := range r.Findings {
		t.Logf("%s:%d: %s %s", finding.File, finding.Line, finding.Rule, finding.Message)
	}
	if left := must(t, dir, "git", "status", "--porcelain"); left != "" {
		t.Errorf("not committed:\n%s", left)
	}
	var again coordinator.Result
	decode(t, instrumented(t, dir, 0, ".", "--yes", "--json", "--no-pr"), &again)
	if again.Calls > 0 || again.Branch != "" {
		t.Errorf("a second run: %d calls, branch %q", again.Calls, again.Branch)
	}
	names := []string{}
	if r.Record != nil {
		for _, n := range r.Record.Names {
			names = append(names, fmt.Sprintf("%s×%d", n.Name, n.Count))
		}
	}
	t.Logf("%d of %d planned spans in %d files, %d calls; idle %d; recorded %v; tests failed %d", spans, planned, len(r.Files), r.Calls, len(r.Idle), names,
		len(r.Tests.Failed))
}

// layOut makes the project, with its tests behind npm test.
func (f foreignRun) layOut(t *testing.T, dir string) {
	for name, text := range f.files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), text)
	}
	if f.packages == nil {
		f.packages = map[string]string{}
		write(t, filepath.Join(dir, ".gitignore"), "node_modules\n.oss\n")
		must(t, dir, "npm", append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-dev"}, f.dev...)...)
	} else {
		f.fetch(t, dir)
		test := "tsc && node --test test/*.ts"
		if len(f.packages) > 1 {
			test = "node --test packages/roll/test/lib/utils.test.js packages/roll/test/utils.js"
		}
		must(t, dir, "npm", "pkg", "set", "scripts.test="+test)
	}
	must(t, dir, "git", "init", "-q")
	must(t, dir, "git", "config", "user.name", "a")
	must(t, dir, "git", "config", "user.email", "a@example.org")
	commit(t, dir, "as it was")
}

func commit(t *testing.T, dir, message string) {
	t.Helper()
	must(t, dir, "git", "add", "-A")
	must(t, dir, "git", "commit", "-q", "-m", message)
}

// trust is what a person does on a terminal: the project is trusted, and its package manager may install.
func (f foreignRun) trust(t *testing.T, dir string) *project.Project {
	t.Helper()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, project.OssDir), 0o700), project.Mark(dir)); err != nil {
		t.Fatal(err)
	}
	p, err := project.At(dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{"."}
	for folder := range f.packages {
		folders = append(folders, folder)
	}
	for _, folder := range folders {
		for _, strategy := range []string{"dependencies", "peerDependencies"} {
			if err := consent.Give(p, jsproject.AddLine(dir, folder+"/x.js", strategy)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// answers writes the planner and its plans, and says how many spans they want.
func (f foreignRun) answers(t *testing.T, dir, claude string) int {
	t.Helper()
	n := f.plan(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err == nil {
		err = errors.Join(os.Remove(filepath.Join(dir, "plan.json")), os.WriteFile(claude, []byte(planning), 0o700))
	}
	var plan instrument.Plan
	if err := errors.Join(err, json.Unmarshal(text, &plan)); err != nil {
		t.Fatal(err)
	}
	for _, file := range plan.Files {
		text, err := json.Marshal(file.Plan)
		if err != nil {
			t.Fatal(err)
		}
		write(t, claude+"."+strings.ReplaceAll(file.Path, "/", "_"), string(text))
	}
	return n
}
