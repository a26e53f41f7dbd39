package registry_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/registry"
)

func resolve(t testing.TB, r *registry.Registry) *registry.Resolved {
	t.Helper()
	out, list, err := r.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		t.Logf("%s:%d %s", f.File, f.Line, f.Message)
	}
	return out
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestResolveInTheFormOfWeaver(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": `
groups:
- id: span.shop.order.place
  type: span
  span_kind: internal
  stability: development
  brief: An order is placed
  extends: shop.common
  attributes:
  - {ref: shop.order.id, brief: Its id, requirement_level: {conditionally_required: if paid}}
  - {ref: shop.tenant, note: Of the order}
- id: shop.common
  type: attribute_group
  brief: Of all spans
  attributes:
  - {ref: shop.tenant, requirement_level: required}
- id: registry.shop
  type: attribute_group
  brief: Orders
  attributes:
  - {id: shop.order.id, type: string, stability: stable, brief: The id, examples: [o-1], note: Never reused}
  - {id: shop.tenant, type: {members: [{id: a, value: 1, stability: stable}]}, stability: stable, brief: The tenant}
`})
	got := resolve(t, load(t, dir, registry.Options{}))
	place := got.Groups[2]
	want := `{"id":"span.shop.order.place","type":"span","brief":"An order is placed","stability":"development","attributes":[` +
		`{"name":"shop.order.id","type":"string","brief":"Its id","examples":["o-1"],"requirement_level":{"conditionally_required":"if paid"},"note":"Never ` +
		`reused","stability":"stable"},` +
		`{"name":"shop.tenant","type":{"members":[{"id":"a","value":1,"stability":"stable"}]},"brief":"The tenant","requirement_level":"required","note":"Of the ` +
		`order","stability":"stable"}],` +
		`"span_kind":"internal","lineage":{"provenance":{"schema_url":"https://example.com/schemas/shop/0.1.0","path":"a.yaml"},"extends_group":"shop.common",` +
		`"attributes":{` +
		`"shop.order.id":{"source_group":"registry.shop","inherited_fields":["examples","note","stability"],"locally_overridden_fields":["brief",` +
		`"requirement_level"]},` +
		`"shop.tenant":{"source_group":"shop.common","inherited_fields":["brief","requirement_level","stability"],"locally_overridden_fields":["note"]}}}}`
	if diff := cmp.Diff(want, asJSON(t, place)); diff != "" {
		t.Error(diff)
	}
	if got.Name != "example.com/schemas/shop" || got.Version != "0.1.0" || len(got.Hash) != 64 || len(got.Attributes) != 2 {
		t.Errorf("%s %s %s %d", got.Name, got.Version, got.Hash, len(got.Attributes))
	}
	var back registry.Resolved
	if err := json.Unmarshal([]byte(asJSON(t, got)), &back); err != nil || asJSON(t, back) != asJSON(t, got) {
		t.Errorf("the JSON does not read back: %v", err)
	}
}

func TestPrefixStandsBeforeDefinitionsOnly(t *testing.T) {
	dir := write(t, map[string]string{"a.yaml": `
groups:
- {id: g, type: attribute_group, prefix: shop, brief: b, attributes: [{id: order.id, type: int, brief: b, stability: stable}, {ref: other}]}
- {id: h, type: attribute_group, brief: b, attributes: [{id: other, type: int, brief: b, stability: stable}, {ref: shop.order.id}]}
`})
	r := load(t, dir, registry.Options{})
	got := resolve(t, r)
	for i, want := range [][]string{{"other", "shop.order.id"}, {"other", "shop.order.id"}} {
		for j, name := range want {
			if got.Groups[i].Attributes[j].Name != name || got.Groups[i].Attributes[j].Type.Name != "int" {
				t.Errorf("group %d: %+v", i, got.Groups[i].Attributes)
			}
		}
	}
}

// TestUnknownStaysUnknown: what may stand in a dependency that is not here is neither
// an error nor resolved.
func TestUnknownStaysUnknown(t *testing.T) {
	dir := write(t,
		map[string]string{"manifest.yaml": "schema_url: https://story.example/schemas/0.1.0\ndependencies: [{schema_url: https://other.example/schemas/1.0.0}]\n",
			"a.yaml": `
groups:
- {id: g, type: attribute_group, brief: b, attributes: [{id: story.id, type: int, brief: b, stability: stable}, {ref: other.id}]}
- {id: h, type: span, span_kind: client, stability: stable, brief: b, attributes: [{ref: story.id}, {ref: other.name, requirement_level: required}]}
`})
	got := resolve(t, load(t, dir, registry.Options{}))
	for _, g := range got.Groups {
		for _, a := range g.Attributes {
			if foreign := !strings.HasPrefix(a.Name, "story."); a.Unresolved != foreign || (a.Type.Name == "" && a.Type.Members == nil) != foreign {
				t.Errorf("%s %s: %+v", g.ID, a.Name, a)
			}
		}
	}
}

func TestDependencies(t *testing.T) {
	local := func(path string) map[string]string {
		return map[string]string{
			"shop/manifest.yaml": manifest + "dependencies: [{schema_url: 'https://conventions.example/schemas/1.37.0', registry_path: '" + path + "'}]\n",
			"shop/a.yaml": "imports: {metrics: ['go.*']}\ngroups:\n- {id: span.a, type: span, span_kind: client, stability: stable, brief: b, attributes: " +
				"[{ref: db.system}]}\n",
		}
	}
	conventions := map[string]string{}
	for _, name := range []string{"manifest.yaml", "attributes.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "conventions", name))
		if err != nil {
			t.Fatal(err)
		}
		conventions[name] = string(text)
	}
	tests := []struct {
		name, path string
		valid      registry.Verdict
		said       string // in a finding
	}{
		{"a folder beside it", "../conventions", registry.Valid, ""},
		{"a folder named from the project's", "conventions", registry.Valid, ""},
		{"a folder in a folder", "../deep[model]", registry.Valid, ""},
		{"an archive", "../c.zip[model]", registry.Valid, ""},
		{"an archive without that folder", "../c.zip[other]", registry.Unknown, "holds no YAML file"},
		{"a broken archive", "../broken.zip", registry.Unknown, "is no archive"},
		{"nothing", "../absent", registry.Unknown, "there is no such folder"},
		{"a folder outside", "../../outside", registry.Unknown, "lies outside"},
		{"a link to a folder outside", "../link", registry.Unknown, "is no folder that can be read"},
		{"a URL", "https://e.com/v1.zip[model]", registry.Unknown, "aburn fetches nothing"},
		{"itself", "../shop", registry.Invalid, "stands on itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := local(tt.path)
			for name, text := range conventions {
				files["conventions/"+name], files["deep/model/"+name] = text, text
			}
			files["broken.zip"] = "PK"
			top := write(t, files)
			zipped(t, filepath.Join(top, "c.zip"), "conventions-1.37.0/model/", conventions)
			if err := os.Symlink(t.TempDir(), filepath.Join(top, "link")); err != nil {
				t.Skip(err)
			}
			r := load(t, filepath.Join(top, "shop"), registry.Options{Root: top})
			list, err := r.Check()
			if err != nil {
				t.Fatal(err)
			}
			if got := registry.VerdictOf(list); got != tt.valid || !strings.Contains(asJSON(t, list), tt.said) {
				t.Errorf("%s, want %s and %q: %s", got, tt.valid, tt.said, asJSON(t, list))
			}
			if tt.valid != registry.Valid {
				return
			}
			var ids []string
			for _, g := range resolve(t, r).Groups {
				ids = append(ids, g.ID)
			}
			if diff := cmp.Diff([]string{"metric.go.memory.used", "span.a"}, ids); diff != "" {
				t.Errorf("own and imported groups: %s", diff)
			}
		})
	}
}

func zipped(t *testing.T, path, prefix string, files map[string]string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(prefix + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDependenciesThatDoNotFit(t *testing.T) {
	attribute := "groups: [{id: g, type: attribute_group, brief: b, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}]\n"
	top := write(t, map[string]string{
		"shop/manifest.yaml": manifest +
			"dependencies:\n- {schema_url: https://e.com/a/1.0.0, registry_path: ../a}\n- {schema_url: https://e.com/b/1.0.0, registry_path: ../b}\n",
		"shop/s.yaml":     "groups: [{id: s, type: attribute_group, brief: b, attributes: [{ref: x.y}]}]\n",
		"a/manifest.yaml": "schema_url: https://e.com/a/1.0.0\ndependencies: [{schema_url: https://e.com/b/2.0.0, registry_path: ../b}]\n",
		"a/a.yaml":        attribute,
		"b/manifest.yaml": "schema_url: https://e.com/b/1.0.0\n",
		"b/b.yaml":        attribute + "spam: 1\n",
	})
	want := []string{"manifest.yaml:3 error InvalidSemConvSpec", "manifest.yaml:2 error IncompatibleDependencyVersions", "s.yaml:1 error AmbiguousReference"}
	got := strings.Join(brief(check(t, filepath.Join(top, "shop"), registry.Options{Root: top})), "\n")
	for _, line := range want {
		if _, rule, _ := strings.Cut(line, " "); !strings.Contains(got, rule) {
			t.Errorf("no %s in\n%s", line, got)
		}
	}
}

// TestVersionsOfOneMajorAreMerged: two dependencies need different versions of a
// third one.
func TestVersionsOfOneMajorAreMerged(t *testing.T) {
	attribute := func(brief string) string {
		return "groups: [{id: g, type: attribute_group, brief: b, attributes: [{id: x.y, type: int, brief: " + brief + ", stability: stable}]}]\n"
	}
	top := write(t, map[string]string{
		"shop/manifest.yaml": manifest +
			"dependencies:\n- {schema_url: https://e.com/c/1.9.0, registry_path: ../c9}\n- {schema_url: https://e.com/a/1.0.0, registry_path: ../a}\n",
		"shop/s.yaml":       "groups: [{id: s, type: attribute_group, brief: b, attributes: [{ref: x.y}]}]\n",
		"a/manifest.yaml":   "schema_url: https://e.com/a/1.0.0\ndependencies: [{schema_url: https://e.com/c/1.10.0, registry_path: ../c10}]\n",
		"a/a.yaml":          "groups: []\n",
		"c9/manifest.yaml":  "schema_url: https://e.com/c/1.9.0\n",
		"c9/c.yaml":         attribute("old"),
		"c10/manifest.yaml": "schema_url: https://e.com/c/1.10.0\n",
		"c10/c.yaml":        attribute("new"),
	})
	r := load(t, filepath.Join(top, "shop"), registry.Options{Root: top})
	if list, err := r.Check(); err != nil || len(list) > 0 {
		t.Errorf("%v %v", brief(list), err)
	}
	if got := resolve(t, r).Groups[0].Attributes[0].Brief; got != "new" {
		t.Errorf("the %s version counts, want the new one", got)
	}
}

func TestDiffSeesEachField(t *testing.T) {
	const base = `groups:
- id: registry.shop
  type: attribute_group
  brief: Orders
  attributes:
  - {id: shop.order.id, type: string, stability: stable, brief: The id, examples: [o-1]}
  - {id: shop.state, type: {members: [{id: open, stability: stable}, {id: shut, stability: stable}]}, stability: stable, brief: The state}
- id: span.shop.order.place
  type: span
  span_kind: internal
  stability: development
  brief: Placed
  attributes:
  - {ref: shop.order.id, requirement_level: required}
  - {ref: shop.state}
`
	for _, tt := range []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"a span is gone", "- id: span.shop.order.place", "- id: span.shop.order.put", "removed span span.shop.order.place, added span span.shop.order.put"},
		{"a reference is dropped", "\n  - {ref: shop.state}", "", "removed span span.shop.order.place attributes[shop.state] recommended"},
		{"a reference is added", "- {ref: shop.state}", "- {ref: shop.state}\n  - {id: shop.n, type: int, brief: b, stability: stable}",
			"added attribute shop.n, added span span.shop.order.place attributes[shop.n] > recommended"},
		{"a level", "requirement_level: required", "requirement_level: opt_in", "updated span span.shop.order.place attributes[shop.order.id] required > opt_in"},
		{"a type", "type: string", "type: int", "updated attribute shop.order.id type string > int"},
		{"a kind", "span_kind: internal", "span_kind: client", "updated span span.shop.order.place span_kind internal > client"},
		{"a brief of a definition", "brief: The id", "brief: Its id", "updated attribute shop.order.id brief The id > Its id"},
		{"a member is gone", ", {id: shut, stability: stable}", "", `removed attribute shop.state members[shut] "shut"`},
		{"a member's value", "{id: shut,", "{id: shut, value: closed,", `updated attribute shop.state members[shut] "shut" > "closed"`},
		{"an override", "- {ref: shop.state}", "- {ref: shop.state, note: n}", "updated span span.shop.order.place attributes[shop.state].note > n"},
		{"a renaming", "brief: The id,", "brief: The id, deprecated: {reason: renamed, renamed_to: shop.state},",
			"renamed attribute shop.order.id deprecated > shop.state"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := resolve(t, load(t, write(t, map[string]string{"a.yaml": base}), registry.Options{}))
			b := resolve(t, load(t, write(t, map[string]string{"a.yaml": strings.Replace(base, tt.old, tt.new, 1)}), registry.Options{}))
			var got []string
			for _, c := range registry.Diff(a, b) {
				line := strings.Join(strings.Fields(string(c.Kind)+" "+c.Item+" "+c.Name+" "+c.Field+" "+c.Old), " ")
				if c.New != "" {
					line += " > " + c.New
				}
				got = append(got, line)
				if c.File != "a.yaml" || c.Line == 0 {
					t.Errorf("no place: %+v", c)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWeaversOwnFixtures resolves the registries that Weaver is tested with, and
// compares them with what it expects. They are not part of this repository:
// ABURN_WEAVER names a checkout of open-telemetry/weaver.
func TestWeaversOwnFixtures(t *testing.T) {
	checkout := os.Getenv("ABURN_WEAVER")
	if checkout == "" {
		t.Skip("ABURN_WEAVER names no checkout of weaver")
	}
	dirs, err := filepath.Glob(filepath.Join(checkout, "crates", "weaver_resolver", "data", "registry-test-*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	compared := 0
	for _, dir := range dirs {
		var want struct {
			Groups []struct {
				ID         string
				Attributes []int
			}
		}
		var catalog []map[string]any
		if !readJSON(t, filepath.Join(dir, "expected-registry.json"), &want) || !readJSON(t, filepath.Join(dir, "expected-attribute-catalog.json"), &catalog) {
			continue
		}
		r, err := registry.Load(filepath.Join(dir, "registry"), registry.Options{})
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		list, err := r.Check()
		if err != nil || registry.VerdictOf(list) == registry.Unknown {
			continue // definition/2, or a dependency
		}
		compared++
		got := map[string]map[string]any{}
		for _, g := range resolve(t, r).Groups {
			for _, a := range g.Attributes {
				var plain map[string]any
				if err := json.Unmarshal([]byte(asJSON(t, a)), &plain); err != nil {
					t.Fatal(err)
				}
				got[g.ID+" "+a.Name] = plain
			}
		}
		for _, g := range want.Groups {
			for _, i := range g.Attributes {
				key := g.ID + " " + catalog[i]["name"].(string)
				if diff := cmp.Diff(catalog[i], got[key]); diff != "" {
					t.Errorf("%s %s: %s", filepath.Base(dir), key, diff)
				}
				delete(got, key)
			}
		}
		for key := range got {
			t.Errorf("%s: %s is not in Weaver's", filepath.Base(dir), key)
		}
	}
	t.Logf("%d registries compared", compared)
}

func readJSON(t *testing.T, path string, into any) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return true
}
