package scan_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/jsast"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
)

var engine = sync.OnceValue(func() jsast.Engine { return jsast.NewGoja() })

func inventory(t *testing.T, path, source string, c *scan.Contract) *scan.File {
	t.Helper()
	m, err := jsast.Parse(t.Context(), engine(), []byte(source), jsast.Auto)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	return scan.Inventory(m, scan.Options{Path: path, Contract: c})
}

// verdicts are lines such as "place candidate 2".
func verdicts(f *scan.File) (list []string) {
	for _, fn := range f.Functions {
		line := fn.Name + " " + string(fn.Verdict)
		if fn.Tier > 0 {
			line += fmt.Sprint(" ", fn.Tier)
		}
		if fn.Rule != "" {
			line += " " + fn.Rule
		}
		list = append(list, line)
	}
	return list
}

func contract(t *testing.T, text string) *scan.Contract {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\n", "a.yaml": text} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := registry.Load(dir, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	resolved, _, err := r.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return scan.NewContract(resolved)
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct{ name, path, source, want string }{
		{"node's own modules leave the program", "a.js",
			"import { readFile } from 'node:fs/promises';\nexport async function f(n) { return (await readFile(n)).toString(); }", "f candidate 1"},
		{"a synchronous one too", "a.js", "const fs = require('fs');\nfunction f(n) { return fs.readFileSync(n, 'utf8'); }", "f candidate 1"},
		{"a subprocess through promisify", "a.js",
			"const { promisify } = require('util');\nconst { execFile } = require('child_process');\nconst run = promisify(execFile);\nasync function f() { await " +
				"run('ls'); }", "f candidate 1"},
		{"what only computes does not", "a.js",
			"import path from 'node:path';\nimport { createHash } from 'crypto';\nexport async function f(n) { return " +
				"createHash('sha256').update(path.join(n)).digest('hex'); }", "f skip"},
		{"an unknown package that is waited for", "a.js", "import { send } from 'some-mailer';\nasync function f(to) { await send(to); }", "f candidate 1"},
		{"one that is only called", "a.js", "import slug from 'slugs';\nexport function f(s) { return slug(s); }", "f skip"},
		{"one that orders other work", "a.js", "import pLimit from 'p-limit';\nconst limit = pLimit(2);\nasync function f(g) { await limit(() => g()); }",
			"f skip\ncallback of limit skip"},
		{"a client that is covered", "a.js",
			"import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function f(id) { const { rows } = await pool.query('q', [id]); return rows[0]; }",
			"f covered"},
		{"a client in a field", "a.js", "import { Pool } from 'pg';\nclass Users { #pool = new Pool(); async find(id) { return await this.#pool.query('q'); } }",
			"Users.find covered"},
		{"a client that a constructor keeps", "a.js",
			"const { MongoClient } = require('mongodb');\nclass Users { constructor() { this.c = new MongoClient('u'); this.users = this.c.db().collection('u'); " +
				"}\nfind(id) { return this.users.findOne({ id }); } }", "Users.constructor forbidden SAF-002\nUsers.find covered"},
		{"what a client answers is data", "a.js",
			"import { Pool } from 'pg';\nconst pool = new Pool();\nconst answer = await pool.query('q');\nexport async function f() { return answer.rows.map(String); }",
			"f skip"},
		{"a chain is one call", "a.js", "const knex = require('knex')({});\nasync function f() { return await knex('t').where({ a: 1 }).first(); }", "f covered"},
		{"fetch", "a.js", "export async function f() { const r = await fetch('u'); return r; }", "f covered"},
		{"fetch of the project's own", "a.js", "import { fetch } from './own.js';\nexport async function f() { return await fetch('u'); }", "f skip"},
		{"a client of http", "a.js", "import axios from 'axios';\nexport async function f() { return axios.get('u'); }", "f covered"},
		{"a library's work beside own work", "services/a.js",
			"import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function f(o) { await pool.query('q'); await g(o); }\nasync function g(o) { return o; }",
			"f candidate 3\ng skip"},
		{"the file's name makes a service", "src/order-service.js", "export async function f(o) { o.a = 1; return o; }", "f candidate 3"},
		{"the same elsewhere", "src/order.js", "export async function f(o) { o.a = 1; return o; }", "f skip"},
		{"one that only calls another", "services/a.js", "export async function f(o) { return g(o); }\nasync function g(o) { return o.a; }", "f skip\ng skip"},
		{"not exported", "services/a.js", "async function f(o) { o.a = 1; return o; }", "f skip"},
		{"a handler of a server", "a.js",
			"const express = require('express');\nconst app = express();\napp.get('/x', async (req, res) => { res.json(1); });\napp.post('/y', f);\nasync function " +
				"f(req, res) { res.end(); }", "callback of app.get covered\nf covered"},
		{"a handler of something else", "a.js", "const map = new Map();\nmap.get('/x', async () => {});", "callback of map.get skip"},
		{"a callback is part of its function", "a.js",
			"import fs from 'fs/promises';\nexport async function f(l) { return Promise.all(l.map(async (n) => fs.readFile(n))); }",
			"f candidate 1\ncallback of l.map skip"},
		{"a named function inside is its own", "a.js",
			"import fs from 'fs';\nexport function f(l) { const read = (n) => fs.readFileSync(n); l.forEach(read); return 1; }", "f skip\nread candidate 1"},
		{"what node's own only compute", "a.js",
			"import net from 'net';\nexport function f(h) { return net.isIP(h); }\nexport function g(h, l) { net.connect(h).on('data', l); }\n" +
				"const s = net.connect(1);\nexport function k(l) { s.on('data', l); s.setTimeout(5); }", "f skip\ng candidate 1\nk skip"},
		{"node's own with another face", "a.js", "const fs = require('graceful-fs');\nfunction f(n, cb) { fs.rm(n, cb); }", "f candidate 1"},
		{"never wrapped", "a.js",
			"export function* g() { yield 1; }\nexport function e() { process.exit(1); }\nexport class C { constructor() {} get a() { return 1; } }",
			"g forbidden SAF-002\ne forbidden RST-006\nC.constructor forbidden SAF-002\nC.a forbidden RST-002"},
		{"spans that are there", "a.js",
			"import { trace } from '@opentelemetry/api';\nconst tracer = trace.getTracer('a');\nexport async function f() { return tracer.startActiveSpan('a.b', " +
				"async (span) => { span.end(); }); }", "f forbidden RST-005\ncallback of tracer.startActiveSpan forbidden RST-005"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), verdicts(inventory(t, tt.path, tt.source, nil))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const shop = `groups:
- id: registry.shop
  type: attribute_group
  brief: b
  stability: development
  attributes:
  - {id: shop.order.id, type: string, brief: b, stability: development, examples: [o-1]}
  - {id: shop.order.count, type: int, brief: b, stability: development, examples: [1]}
- id: span.shop.order.place
  type: span
  span_kind: internal
  stability: development
  brief: b
  attributes: [{ref: shop.order.count}, {ref: shop.order.id, requirement_level: required}]
- {id: span.shop.render, type: span, span_kind: internal, stability: development, brief: b, annotations: {code: {function: 'src/page.js#draw'}}, attributes: [{ref: shop.order.id}]}
`

func TestTheRegistryNamesFunctions(t *testing.T) {
	c := contract(t, shop)
	for source, want := range map[string]string{
		"function placeOrder(o) { return o; }":                              "placeOrder candidate 2 shop.order.place [shop.order.id shop.order.count]",
		"function place(o) { return o; }":                                   "place candidate 2 shop.order.place [shop.order.id shop.order.count]",
		"function placeOrders(o) { return o; }":                             "placeOrders candidate 2 shop.order.place [shop.order.id shop.order.count]",
		"function order_place(o) { return o; }":                             "order_place candidate 2 shop.order.place [shop.order.id shop.order.count]",
		"function replaceOrder(o) { return o; }":                            "replaceOrder skip 0  []",
		"function draw() {}":                                                "draw candidate 2 shop.render [shop.order.id]",
		"function render() {}":                                              "render skip 0  []", // the annotation says which function it is
		"function* place() {}":                                              "place forbidden 0 shop.order.place []",
		"import fs from 'fs';\nfunction place() { fs.writeFileSync('a'); }": "place candidate 1 shop.order.place [shop.order.id shop.order.count]",
	} {
		fn := inventory(t, "src/page.js", source, c).Functions[0]
		if got := fmt.Sprint(fn.Name, " ", fn.Verdict, " ", fn.Tier, " ", fn.Span, " ", fn.Attributes); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
	if c.Namespace != "shop" {
		t.Errorf("namespace %q", c.Namespace)
	}
}

func TestWhatAPlanNeedsIsListed(t *testing.T) {
	f := inventory(t, "a.js",
		"export async function f(order, { limit }, retries = 3, name = `x`) {\n  const total = order.items.length;\n  const open = total > 3, list = [];\n  "+
			"await g();\n}", nil)
	want := []scan.Value{{"order", "", 1}, {"limit", "", 1}, {"retries", "number", 1}, {"name", "string", 1}}
	if diff := cmp.Diff(want, f.Functions[0].Params); diff != "" {
		t.Error(diff)
	}
	want = []scan.Value{{"total", "number", 2}, {"open", "boolean", 3}, {"list", "array", 3}}
	if diff := cmp.Diff(want, f.Functions[0].Locals); diff != "" {
		t.Error(diff)
	}
}

// TestCallsAreNamed by what is called, not by what waits for it.
func TestCallsAreNamed(t *testing.T) {
	f := inventory(t, "a.js",
		"import fs from 'fs/promises';\nimport knex from 'knex';\nconst db = knex({});\nexport async function f(n) {\n  await fs.rm(n).catch(() => {});\n  "+
			"fs.readdir(n).then(console.log);\n  await db('t').where({ n }).first();\n}", nil)
	var got []string
	for _, c := range f.Functions[0].Calls {
		got = append(got, fmt.Sprint(c.Call, " ", c.Line, " ", len(c.CoveredBy)))
	}
	if diff := cmp.Diff([]string{"fs.rm 5 0", "fs.readdir 6 0", "knex…first 7 1"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestModelsAreCovered: clients of language models and vector stores, by npm's names.
func TestModelsAreCovered(t *testing.T) {
	for _, pkg := range []string{"@anthropic-ai/sdk", "openai", "@aws-sdk/client-bedrock-runtime", "@google-cloud/vertexai",
		"cohere-ai", "together-ai", "langchain",
		"@langchain/core", "llamaindex", "@modelcontextprotocol/sdk", "@pinecone-database/pinecone", "chromadb", "@qdrant/js-client-rest"} {
		f := inventory(t, "a.js", "import { Client } from '"+pkg+"';\nconst c = new Client();\nexport async function f(q) { return await c.create(q); }", nil)
		if fn := f.Functions[0]; fn.Verdict != scan.Covered || len(fn.CoveredBy) == 0 {
			t.Errorf("%s: %s: %s", pkg, fn.Verdict, fn.Reason)
		}
	}
}

func TestManyCandidatesAreNoted(t *testing.T) {
	var b strings.Builder
	b.WriteString("import fs from 'fs';\n")
	for i := range 4 {
		fmt.Fprintf(&b, "export const f%d = (n) => fs.readFileSync(n);\n", i)
	}
	if f := inventory(t, "a.js", b.String(), nil); f.Note == "" || f.Candidates() != 4 {
		t.Errorf("note %q, %d candidates", f.Note, f.Candidates())
	}
}

// TestLibrariesTable: each row has a range for an SDK line, and no package is covered twice.
func TestLibrariesTable(t *testing.T) {
	list := scan.Libraries()
	if len(list) < 30 {
		t.Fatalf("%d libraries", len(list))
	}
	var all []string
	for _, l := range list {
		if len(l.Ranges) == 0 || !strings.HasPrefix(l.Ranges["2"], "^") || l.Class == "" || l.Patched == "" {
			t.Errorf("row of %s: %+v", l.Package, l)
		}
		for _, c := range l.Covers {
			if slices.Contains(all, c) {
				t.Errorf("%s is covered twice", c)
			}
			all = append(all, c)
		}
	}
}
