package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/registry"
	"aburn/instrument/scan"
	"aburn/internal/lab/world"
)

const shop = `groups:
- id: registry.shop
  type: attribute_group
  brief: b
  stability: development
  attributes:
  - {id: shop.order.id, type: string, brief: b, stability: development, examples: [o]}
  - {id: shop.order.count, type: int, brief: b, stability: development, examples: [1]}
  - {id: shop.order.total, type: double, brief: b, stability: development, examples: [0.5]}
  - {id: shop.order.paid, type: boolean, brief: b, stability: development}
  - {id: shop.order.tags, type: 'string[]', brief: b, stability: development, examples: [[a]]}
  - {id: shop.order.state, type: {members: [{id: open, value: open, stability: development}, {id: done, value: done, stability: development}]}, brief: b, stability: development}
  - {id: shop.header, type: 'template[string]', brief: b, stability: development, examples: [a]}
  - {id: shop.order.number, type: int, brief: b, stability: development, examples: [1], deprecated: {reason: renamed, renamed_to: shop.order.count}}
- id: span.shop.order.place
  type: span
  span_kind: internal
  stability: development
  brief: b
  attributes: [{ref: shop.order.id, requirement_level: required}, {ref: shop.order.count}, {ref: shop.order.total, requirement_level: opt_in}]
- {id: span.shop.order.list, type: span, span_kind: internal, stability: development, brief: b, attributes: [{ref: shop.header, requirement_level: opt_in}]}
`

func shopContract(t *testing.T, text string) *scan.Contract {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\n", "a.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := registry.Load(dir, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := r.Check()
	if err != nil || registry.VerdictOf(findings) != registry.Valid {
		t.Fatal(findings, err)
	}
	resolved, _, err := r.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return scan.NewContract(resolved)
}

// withSpan puts a span around a function's body. head is the function up to its brace,
// before what stands above it.
func withSpan(before, head, name, set, body string) (orig, later string) {
	begin := "return tracer.startActiveSpan('" + name + "', "
	if strings.Contains(head, "async") {
		begin += "async "
	}
	before = "export const version = 1;\n" + before
	return before + head + "{\n" + body + "\n}\n", esm + before + head + "{\n" + begin + "(span) => {\ntry {\n" + set + "\n" + body + "\n" + finish + "}\n"
}

// TestRulesOnTheRegistry: what each rule says of one span, without the lines.
func TestRulesOnTheRegistry(t *testing.T) {
	world.Slow(t)
	const (
		place = "export async function placeOrder(order) "
		work  = "const n = order.items.length;\nawait g(order.id, n);"
		all   = "span.setAttribute('shop.order.id', order.id);\nspan.setAttribute('shop.order.count', order.items.length);\n"
		g     = "async function g() {}\n"
	)
	set := func(statement string) string { return all + statement }
	seen := map[string]bool{}
	for _, tt := range []struct{ name, before, head, span, set, body, want string }{
		{"all is as the registry wants", g, place, "shop.order.place", all, work, ""},
		{"another span", g, place, "shop.order.placed", all, work, "SCH-001!"},
		{"a span of another form", g, place, "placeOrder", all, work, "SCH-001!"},
		{"span. is not part of the name", g, place, "span.shop.order.place", all, work, "SCH-001!"},
		{"no such attribute", g, place, "shop.order.place", set("span.setAttribute('shop.order.size', 1);"), work, "SCH-002!"},
		{"another writing of one", g, place, "shop.order.place", set("span.setAttribute('shop.orderId', 'a');"), work, "SCH-002! SCH-004!"},
		{"no such attribute in setAttributes", g, place, "shop.order.place", set("span.setAttributes({ 'shop.order.size': 1 });"), work, "SCH-002!"},
		{"a deprecated one", g, place, "shop.order.place", set("span.setAttribute('shop.order.number', 1);"), work, "SCH-002"},
		{"a computed key", g, place, "shop.order.place", set("span.setAttribute(order.key, 'a');"), work, "SCH-002"},
		{"a key of a template", g, place, "shop.order.place", set("span.setAttribute('shop.header.accept', 'a');"), work, ""},
		{"a string for an int", g, place, "shop.order.place",
			"span.setAttribute('shop.order.id', 'a');\nspan.setAttribute('shop.order.count', '1');", work, "SCH-003!"},
		{"an int for a string", g, place, "shop.order.place", "span.setAttribute('shop.order.id', 7);\nspan.setAttribute('shop.order.count', 1);", work, "SCH-003!"},
		{"a double for an int", g, place, "shop.order.place", "span.setAttribute('shop.order.id', 'a');\nspan.setAttribute('shop.order.count', 1.5);", work,
			"SCH-003!"},
		{"an int for a double", g, place, "shop.order.place", set("span.setAttribute('shop.order.total', 1);"), work, ""},
		{"a comparison for a boolean", g, place, "shop.order.place", set("span.setAttribute('shop.order.paid', order.items.length === 1);"), work, ""},
		{"a number for a boolean", g, place, "shop.order.place", set("span.setAttribute('shop.order.paid', order.items.length);"), work, "SCH-003!"},
		{"a string for an array", g, place, "shop.order.place", set("span.setAttribute('shop.order.tags', 'a');"), work, "SCH-003!"},
		{"an array", g, place, "shop.order.place", set("span.setAttribute('shop.order.tags', ['a', 'b']);"), work, ""},
		{"a value of an enum", g, place, "shop.order.place", set("span.setAttribute('shop.order.state', 'open');"), work, ""},
		{"no value of an enum", g, place, "shop.order.place", set("span.setAttribute('shop.order.state', 'shut');"), work, "SCH-003!"},
		{"what is not known fits", g, place, "shop.order.place", set("span.setAttribute('shop.order.total', order.total);"), work, ""},
		{"a template in a member", g, place, "shop.order.place", set("span.setAttribute('shop.order.total', `${1}`);"), work, "SCH-003!"},
		{"attributes are missing", g, place, "shop.order.place", "", work, "COV-005"},
		{"attributes in the options", g, "export async function listOrders(order) ", "shop.order.list", "", work, ""},
		{"another candidate has none", "export async function listOrders(o) { await g(o); await g(o); }\n" + g, place, "shop.order.place", all, work, "COV-001!"},
		{"another async one has none", g + "export async function archive(o) { await g(o); await g(o); }\n", place, "shop.order.place", all, work, "COV-004"},
		{"a call outside has none", "import fs from 'node:fs';\nexport function dump(o) { fs.writeFileSync('a', o); }\n" + g, place, "shop.order.place", all, work,
			"COV-002!"},
		{"around what a library covers", "import { Pool } from 'pg';\nconst pool = new Pool();\n", "export async function find(id) ", "shop.find.one", "",
			"return await pool.query(id);", "SCH-001! COV-006!"},
		{"a wider operation around it", "import { Pool } from 'pg';\nconst pool = new Pool();\n", "export async function find(id) ", "shop.find.one", "",
			"const a = id + 1;\nconst b = a * 2;\nreturn await pool.query(b);", "SCH-001!"},
		{"the registry wants it", "import { Pool } from 'pg';\nconst pool = new Pool();\n", place, "shop.order.place", all,
			"return await pool.query(order.items, order.id);", ""},
		{"a small function inside", "", "function sum(order) ", "shop.sum.all", "", "return order.items.length;", "SCH-001! RST-001! RST-004 RST-002!"},
		{"one that writes a file", "import fs from 'fs';\n", "function dump(order) ", "shop.dump.all", "", "const t = order.items;\nfs.writeFileSync('a', t);",
			"SCH-001!"},
		{"one that only calls another", g, "export async function other(order) ", "shop.other.all", "", "return await g(order.id);", "SCH-001! RST-003!"},
		{"one that only calls another file's", "import { g } from './g.js';\n", "export async function other(order) ", "shop.other.all", "",
			"return await g(order.id);", "SCH-001! RST-003"},
		{"an internal function", g, "async function other(order) ", "shop.other.all", "", "const a = await g(order.id);\nreturn a + 1;", "SCH-001! RST-004"},
		{"one that keeps what another gives, and returns it", g, "export async function other(order) ", "shop.other.all", "",
			"const a = await g(order.id);\nreturn a;", "SCH-001! RST-003!"},
		{"one that calls itself", g, "async function other(order) ", "shop.other.all", "", "const a = await g(order.id);\nawait other(a);", "SCH-001! RST-004!"},
	} {
		orig, later := withSpan(tt.before, tt.head, tt.span, tt.set, tt.body)
		var got []string
		for _, f := range judge(t, orig, later, Config{File: "src/shop.js", Contract: shopContract(t, shop)}) {
			r := f.Rule
			if f.Severity == Blocking {
				r += "!"
			}
			seen[f.Rule] = true
			if !slices.Contains(got, r) && !strings.HasPrefix(r, "SAF-005") && !strings.HasPrefix(r, "CDQ") {
				got = append(got, r)
			}
		}
		want := strings.Fields(tt.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v\n%s", tt.name, got, want, later)
		}
	}
	for _, r := range Table() {
		if r.NeedsRegistry() && !seen[r.ID] && r.ID != "SCH-004" && !r.Once() {
			t.Errorf("no case for %s", r.ID)
		}
	}
}

// TestChosen: what a plan left out is told, and does not keep the file from being written.
func TestChosen(t *testing.T) {
	orig, later := withSpan("async function g() {}\nexport async function listOrders(o) { await g(o); await g(o); }\n", "export async function placeOrder(order) ",
		"shop.order.place", "", "const n = order.items.length;\nawait g(order.id, n);")
	for _, chosen := range []bool{false, true} {
		list := judge(t, orig, later, Config{Contract: shopContract(t, shop), Chosen: chosen})
		i := slices.IndexFunc(list, func(f Finding) bool { return f.Rule == "COV-001" })
		if i < 0 || (list[i].Severity == Advisory) != chosen {
			t.Errorf("chosen %v: %v", chosen, list)
		}
	}
}

// TestNewNames: what a plan added is no other writing of what was there, and gets no credit for being there.
func TestNewNames(t *testing.T) {
	for key, want := range map[string]string{
		"shop.order_id":          "SCH-004!",
		"shop.Order.ID":          "SCH-004!",
		"shop.order.count_total": "",
		"shop.order.delay":       "",
	} {
		c := shopContract(t, shop)
		c.New = []string{key}
		c.Attributes[key] = registry.Attribute{Name: key, Type: registry.Type{Name: "string"}}
		orig, later := withSpan("", "export async function placeOrder(order) ", "shop.order.place", "span.setAttribute('"+key+"', 'a');",
			"await g(order.id);\nawait h();")
		got := ""
		for _, f := range judge(t, orig, later, Config{Contract: c}) {
			if f.Rule == "SCH-004" {
				got = f.Rule
				if f.Severity == Blocking {
					got += "!"
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	c := shopContract(t, shop)
	c.New = []string{"span.shop.order.place"}
	orig, later := withSpan("", "function placeOrder(order) ", "shop.order.place", "", "return order.id;")
	if list := judge(t, orig, later, Config{Contract: c}); !slices.ContainsFunc(list, func(f Finding) bool { return f.Rule == "RST-001" }) {
		t.Errorf("a new span makes any function worth one: %v", list)
	}
}

// TestAPartialRegistryBlocksNoKey: what it lacks may stand in a dependency that is not here.
func TestAPartialRegistryBlocksNoKey(t *testing.T) {
	c := shopContract(t, shop)
	c.Partial = true
	orig, later := withSpan("", "export async function placeOrder(order) ", "shop.order.place", "span.setAttribute('http.request.method', 'GET');",
		"await g(order.id);\nawait h();")
	for _, f := range judge(t, orig, later, Config{Contract: c}) {
		if f.Rule == "SCH-002" && f.Severity == Blocking {
			t.Error(f)
		}
	}
}
