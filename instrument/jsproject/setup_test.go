package jsproject

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/jsast"
	"aburn/instrument/scan"
	"aburn/internal/lab/world"
)

func libraries(t *testing.T, names ...string) (list []scan.Library) {
	t.Helper()
	for _, n := range names {
		found := known(n)
		if len(found) == 0 {
			t.Fatal(n)
		}
		list = append(list, found...)
	}
	return list
}

func setUp(t *testing.T, e jsast.Engine, file, source string) SetUp {
	t.Helper()
	m, err := jsast.ParseNamed(t.Context(), e, file, []byte(source), jsast.TypeByName(file))
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return SetUp{file, m}
}

// shapes are set-ups as they are met, with lines that the edited file has; "" is the fallback.
var shapes = []struct{ name, source, want string }{
	{"list", "import { NodeSDK } from '@opentelemetry/sdk-node';\nnew NodeSDK({ serviceName: 'x', instrumentations: [new HttpInstrumentation()] }).start();\n",
		"import { NodeSDK } from '@opentelemetry/sdk-node';\nimport { PgInstrumentation } from '@opentelemetry/instrumentation-pg';\nnew NodeSDK({ serviceName: " +
			"'x', instrumentations: [new HttpInstrumentation(), new PgInstrumentation()] }).start();\n"},
	{"list on lines",
		"const { NodeSDK } = require('@opentelemetry/sdk-node');\nconst sdk = new NodeSDK({\n\tinstrumentations: [\n\t\tnew A(), // first\n\t\tnew B() // " +
			"[second]\n\t],\n});\n",
		"\t\tnew B(), // [second]\n\t\tnew PgInstrumentation()\n\t],"},
	{"trailing comma", "import 'x'\nnew NodeSDK({\n  instrumentations: [\n    new A(),\n  ],\n})\n", "    new A(),\n    new PgInstrumentation(),\n  ],"},
	{"empty list", "import 'x'\nnew NodeSDK({ instrumentations: [] })\n", "[new PgInstrumentation()]"},
	{"empty list on lines", "import 'x'\nnew NodeSDK({\n  instrumentations: [\n  ]\n})\n", "[\n    new PgInstrumentation(),\n  ]"},
	{"no list", "import 'x'\nnew NodeSDK({ serviceName: 'x' })\n", "{ serviceName: 'x', instrumentations: [new PgInstrumentation()] }"},
	{"no list on lines", "import 'x'\nnew NodeSDK({\n  serviceName: 'x',\n})\n", "  serviceName: 'x',\n  instrumentations: [new PgInstrumentation()],\n})"},
	{"no options", "import 'x'\nnew NodeSDK().start()\n", "new NodeSDK({ instrumentations: [new PgInstrumentation()] }).start()"},
	{"empty options", "import 'x'\nnew NodeSDK({}).start()\n", "new NodeSDK({ instrumentations: [new PgInstrumentation()] }).start()"},
	{"no parentheses", "import 'x'\nconst a = new NodeSDK\n", "new NodeSDK({ instrumentations: [new PgInstrumentation()] })\n"},
	{"shorthand", "const { NodeSDK } = require('@opentelemetry/sdk-node')\nconst instrumentations = [new A()]\nnew NodeSDK({ instrumentations })\n",
		"const instrumentations = [new A(), new PgInstrumentation()]"},
	{"options elsewhere", "import 'x'\nconst options = { instrumentations: [new A()] };\nfunction start() { new NodeSDK(options).start() }\n",
		"[new A(), new PgInstrumentation()]"},
	{"register", "import 'x'\nregisterInstrumentations({ instrumentations: [new A()] })\n", "[new A(), new PgInstrumentation()]"},
	{"register beside the SDK", "import 'x'\nconst sdk = new NodeSDK({ serviceName: 'x' });\nregisterInstrumentations({ instrumentations: [new A()] })\n",
		"[new A(), new PgInstrumentation()]"},
	{"namespace", "const otel = require('@opentelemetry/sdk-node')\nnew otel.NodeSDK({ instrumentations: [] })\n", "[new PgInstrumentation()]"},
	{"use strict", "'use strict';\nmodule.exports = new NodeSDK({ instrumentations: [] });\n",
		"'use strict';\nconst { PgInstrumentation } = require('@opentelemetry/instrumentation-pg');\nmodule"},
	{"Windows lines", "import 'x';\r\nnew NodeSDK({\r\n  instrumentations: [\r\n    new A()\r\n  ]\r\n});\r\n",
		"    new A(),\r\n    new PgInstrumentation()\r\n  ]"},
	{"two lists", "import 'x'\nnew NodeSDK({ instrumentations: [] })\nregisterInstrumentations({ instrumentations: [] })\n", ""},
	{"spread", "import 'x'\nnew NodeSDK({ ...base })\n", ""},
	{"imported list", "import { list } from './list.js'\nnew NodeSDK({ instrumentations: list })\n", ""},
	{"choice", "import 'x'\nnew NodeSDK({ instrumentations: dev ? [] : all })\n", ""},
	{"vercel", "import { registerOTel } from '@vercel/otel'\nregisterOTel({ serviceName: 'x' })\n", ""},
	{"traceloop", "import * as traceloop from '@traceloop/node-server-sdk'\ntraceloop.initialize({ appName: 'x' })\n", ""},
	{"name taken", "import { PgInstrumentation } from './own.js'\nnew NodeSDK({ instrumentations: [] })\n", ""},
}

// TestSetUpIsExtended: each shape gets the library by insertions alone, and a second time nothing.
func TestSetUpIsExtended(t *testing.T) {
	world.Slow(t)
	e := jsast.Start(t.Context())
	defer e.Close()
	for _, s := range shapes {
		before := setUp(t, e, "src/telemetry.js", s.source)
		edit, err := before.Add(t.Context(), e, libraries(t, "pg"), nil)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if !isSubsequence(edit.Before, edit.After) {
			t.Errorf("%s: something was removed\n%s", s.name, edit.After)
		}
		if !slices.Equal(edit.Added, []string{"@opentelemetry/instrumentation-pg"}) {
			t.Errorf("%s: added %v", s.name, edit.Added)
		}
		if s.want == "" {
			if edit.Why == "" || edit.Fallback != "src/aburn-instrumentations.js" || !bytes.Equal(edit.Before, edit.After) {
				t.Errorf("%s: no fallback: %+v", s.name, edit)
				continue
			}
			again, err := before.Add(t.Context(), e, libraries(t, "pg", "redis"), edit.FallbackAfter)
			if err != nil || !slices.Equal(again.Added, []string{"@opentelemetry/instrumentation-redis"}) || !isSubsequence(edit.FallbackAfter, again.FallbackAfter) {
				t.Errorf("%s: %v, %v\n%s", s.name, err, again, again.FallbackAfter)
			}
			continue
		}
		if !strings.Contains(string(edit.After), s.want) {
			t.Errorf("%s: lacks %q\n%s", s.name, s.want, edit.After)
		}
		again, err := setUp(t, e, "src/telemetry.js", string(edit.After)).Add(t.Context(), e, libraries(t, "pg"), nil)
		if err != nil || len(again.Added) > 0 || !bytes.Equal(again.After, edit.After) ||
			!slices.Equal(again.Present, []string{"@opentelemetry/instrumentation-pg"}) {
			t.Errorf("%s: a second time: %v %+v", s.name, err, again)
		}
	}
}

func isSubsequence(a, b []byte) bool {
	i := 0
	for _, c := range b {
		if i < len(a) && a[i] == c {
			i++
		}
	}
	return i == len(a)
}

// TestBundleCovers: beside the bundle only what it lacks is added.
func TestBundleCovers(t *testing.T) {
	world.Slow(t)
	e := jsast.NewGoja()
	source := "import { getNodeAutoInstrumentations } from '@opentelemetry/auto-instrumentations-node';\nnew NodeSDK({ instrumentations: " +
		"getNodeAutoInstrumentations({ a: 1 }) });\n"
	s := setUp(t, e, "telemetry.mjs", source)
	edit, err := s.Add(t.Context(), e, libraries(t, "pg"), nil)
	if err != nil || string(edit.After) != source || len(edit.Present) != 1 {
		t.Errorf("%v %+v", err, edit)
	}
	edit, err = s.Add(t.Context(), e, libraries(t, "pg", "fastify"), nil)
	if err != nil ||
		!strings.Contains(string(edit.After), "[getNodeAutoInstrumentations({ a: 1 }), new FastifyOtelInstrumentation({ registerOnInitialization: true })]") {
		t.Errorf("%v\n%s", err, edit.After)
	}
	if len(edit.Notes) != 1 || !strings.Contains(edit.Notes[0], "hook.mjs") {
		t.Errorf("notes: %v", edit.Notes)
	}
}

// TestEditedSetUpRuns loads edited set-ups in node, with stand-ins for the packages: each gets the library.
func TestEditedSetUpRuns(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node")
	}
	e := jsast.NewGoja()
	for _, name := range []string{"telemetry.mjs", "telemetry.cjs"} {
		load := "const { NodeSDK } = require('@opentelemetry/sdk-node');\n"
		if name == "telemetry.mjs" {
			load = "import { NodeSDK } from '@opentelemetry/sdk-node';\n"
		}
		for _, body := range []string{"new NodeSDK({ instrumentations: [] }).start();\n", "const o = {\n  serviceName: 'x'\n};\nnew NodeSDK(o).start();\n",
			"new NodeSDK().start();\n"} {
			edit, err := setUp(t, e, name, load+body).Add(t.Context(), e, libraries(t, "pg"), nil)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			files := map[string]string{name: string(edit.After),
				"node_modules/@opentelemetry/sdk-node/index.js": "exports.NodeSDK = class { constructor(o = {}) { this.o = o } start() { console.log((o => " +
					"(o.instrumentations || []).map(i => i.constructor.name).join())(this.o)) } }",
				"node_modules/@opentelemetry/instrumentation-pg/index.js": "exports.PgInstrumentation = class PgInstrumentation {}"}
			write(t, dir, files)
			cmd := exec.Command("node", name)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "PgInstrumentation" {
				t.Errorf("%v %s\n%s", err, out, edit.After)
			}
		}
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLoadedByIsWhatNodeDoes: what is said of a start command is what happens when node runs it.
func TestLoadedByIsWhatNodeDoes(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node")
	}
	e := jsast.NewGoja()
	const telemetry, other = "console.log('telemetry')\n", "console.log('other')\n"
	for _, c := range []struct {
		start string
		files map[string]string
		want  Load
	}{
		{"node --import ./telemetry.mjs app.mjs", map[string]string{"app.mjs": "import 'other'"}, Preloaded},
		{"node -r ./telemetry.cjs app.cjs", map[string]string{"app.cjs": "require('other')"}, Preloaded},
		{"node app.mjs", map[string]string{"app.mjs": "import './telemetry.mjs'\nimport 'other'"}, First},
		{"node app.mjs", map[string]string{"app.mjs": "import 'other'\nimport './telemetry.mjs'"}, Late},
		{"node app.mjs", map[string]string{"app.mjs": "import './a.mjs'\nimport './telemetry.mjs'", "a.mjs": "import 'other'"}, Late},
		{"node app.mjs", map[string]string{"app.mjs": "import './a.mjs'\nimport 'other'", "a.mjs": "import 'node:fs'\nimport './telemetry.mjs'"}, First},
		{"node app.cjs", map[string]string{"app.cjs": "require('./telemetry.cjs')\nrequire('other')"}, First},
		{"node app.cjs", map[string]string{"app.cjs": "require('other')"}, NotLoaded},
		{"node .", map[string]string{"index.js": "require('other'); require('./telemetry.cjs')"}, LoadUnsure},
		{"next start", map[string]string{"app.mjs": "import './telemetry.mjs'"}, LoadUnsure},
		{"", map[string]string{"index.js": "require('./telemetry.cjs'); require('other')"}, First},
	} {
		dir := t.TempDir()
		file := "telemetry.mjs"
		if _, ok := c.files["app.mjs"]; !ok {
			file = "telemetry.cjs"
		}
		write(t, dir, c.files)
		write(t, dir, map[string]string{file: telemetry, "node_modules/other/index.js": other, "package.json": `{"scripts": {"start": "` + c.start + `"}}`})
		got := LoadedBy(t.Context(), e, dir, file)
		if got.How != c.want {
			t.Errorf("%q %v: %+v, want %s", c.start, c.files, got, c.want)
		}
		line := c.start
		if line == "" {
			line = "node index.js"
		}
		if got.How == LoadUnsure {
			continue
		}
		cmd := exec.Command("node", strings.Fields(line)[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		first, _, _ := strings.Cut(string(out), "\n")
		really := map[bool]Load{true: First, false: Late}[first == "telemetry"]
		if !strings.Contains(string(out), "telemetry") {
			really = NotLoaded
		}
		if got.How == Preloaded {
			got.How = First
		}
		if got.How != really {
			t.Errorf("%q: said %s, node: %q", line, got.How, out)
		}
	}
}
