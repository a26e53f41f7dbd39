package registry_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/registry"
)

const manifest = "schema_url: https://example.com/schemas/shop/0.1.0\n"

// write makes a folder of files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t testing.TB, dir string, o registry.Options) *registry.Registry {
	t.Helper()
	r, err := registry.Load(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func check(t testing.TB, dir string, o registry.Options) []registry.Finding {
	t.Helper()
	list, err := load(t, dir, o).Check()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// brief is file:line severity rule, a line for each finding.
func brief(list []registry.Finding) (out []string) {
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s:%d %s %s", f.File, f.Line, f.Severity, f.Rule))
	}
	return out
}

func TestCheck(t *testing.T) {
	const good = "groups:\n- {id: registry.shop, type: attribute_group, brief: b, attributes: [{id: shop.id, type: string, brief: b, stability: stable, " +
		"examples: [o-1]}]}\n"
	attribute := func(text string) string {
		return "groups:\n- id: registry.shop\n  type: attribute_group\n  brief: b\n  attributes:\n  - " + text + "\n"
	}
	for _, tt := range []struct {
		name, text string
		want       string // lines of "line severity Rule", joined by ", "
	}{
		{"a good file", good, ""},
		{"an empty file", "", ""},
		{"no YAML", "groups: [", "1 error InvalidSemConvSpec"},
		{"no YAML in the third line", "groups:\n- id: a\n  attributes: [{id: b\n", "3 error InvalidSemConvSpec"},
		{"a key in the wrong place", "groups:\n- id: a\n - id: b\n", "3 error InvalidSemConvSpec"},
		{"two documents", "groups: []\n---\ngroups: []\n", "2 error InvalidSemConvSpec"},
		{"a list at the top", "- a\n", "1 error InvalidSemConvSpec"},
		{"an unknown key of a file", "group: []\n", "1 error InvalidSemConvSpec"},
		{"an unknown key of a group",
			"groups:\n- id: a\n  type: attribute_group\n  brief: b\n  breif: c\n  extends: a2\n- {id: a2, type: attribute_group, brief: b, attributes: [{ref: " +
				"shop.x}]}\n- {id: a3, type: attribute_group, brief: b, attributes: [{id: shop.x, type: int, brief: b, stability: stable}]}\n",
			"5 error InvalidSemConvSpec"},
		{"a key twice",
			"groups:\n- {id: a, id: b, type: scope, stability: stable, brief: b, extends: b}\n- {id: b, type: attribute_group, brief: b, attributes: [{id: x.y, " +
				"type: int, brief: b, stability: stable}]}\n", "2 error InvalidSemConvSpec"},
		{"no brief", "groups:\n- {id: a, type: attribute_group, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}\n", "2 error InvalidSemConvSpec"},
		{"an unknown group type", "groups:\n- {id: a, type: spam, stability: stable, brief: b, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}\n",
			"2 error InvalidSemConvSpec, 2 warning InvalidGroupMissingType"},
		{"no group type", "groups:\n- {id: a, brief: b, stability: stable, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}\n",
			"2 warning InvalidGroupMissingType"},
		{"a span without stability and kind", "groups:\n- {id: span.a, type: span, brief: b, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}\n",
			"2 warning InvalidGroupStability, 2 warning InvalidSpanMissingSpanKind"},
		{"an empty span", "groups:\n- {id: span.a, type: span, span_kind: client, stability: stable, brief: b}\n",
			"2 warning InvalidGroupMissingExtendsOrAttributes"},
		{"a kind on a metric", "groups:\n- {id: m, type: metric, metric_name: m, instrument: counter, unit: s, span_kind: client, stability: stable, brief: b}\n",
			"2 error InvalidGroup"},
		{"events on a metric", "groups:\n- {id: m, type: metric, metric_name: m, instrument: counter, unit: s, events: [e], stability: stable, brief: b}\n",
			"2 error InvalidGroup"},
		{"a bare metric", "groups:\n- {id: m, type: metric, stability: stable, brief: b}\n", "2 error InvalidMetric, 2 error InvalidMetric, 2 error InvalidMetric"},
		{"an event without name", "groups:\n- {id: e, type: event, stability: stable, brief: b}\n", "2 error InvalidGroup"},
		{"a body on a metric",
			"groups:\n- {id: m, type: metric, metric_name: m, instrument: counter, unit: s, body: {id: a, type: map}, stability: stable, brief: b}\n",
			"2 error InvalidGroup"},
		{"an entity association of a group",
			"groups:\n- {id: a, type: attribute_group, entity_associations: [host], brief: b, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}\n",
			"2 error InvalidGroup"},
		{"a prefix",
			"groups:\n- {id: a, type: attribute_group, prefix: x, brief: b, attributes: [{id: y, type: int, brief: b, stability: stable}]}\n- {id: c, type: " +
				"attribute_group, brief: b, attributes: [{ref: x.y}]}\n", "2 warning InvalidGroupUsesPrefix"},
		{"a ref twice", good + "- {id: c, type: attribute_group, brief: b, attributes: [{ref: shop.id}, {ref: shop.id}]}\n",
			"3 warning InvalidGroupDuplicateAttributeRef"},
		{"a ref to nothing", "groups:\n- {id: c, type: attribute_group, brief: b, attributes: [{ref: shop.id}]}\n", "2 error UnresolvedAttributeRef"},
		{"extends nothing", "groups:\n- {id: c, type: attribute_group, brief: b, extends: d}\n", "2 error UnresolvedExtendsRef"},
		{"extends itself", "groups:\n- {id: c, type: attribute_group, brief: b, extends: d}\n- {id: d, type: attribute_group, brief: b, extends: c}\n",
			"2 error UnresolvedExtendsRef"},
		{"an id of a group twice", good + "- {id: registry.shop, type: attribute_group, brief: b, attributes: [{ref: shop.id}]}\n", "3 warning DuplicateGroupId"},
		{"a metric's name twice",
			"groups:\n- {id: a, type: metric, metric_name: m, instrument: counter, unit: s, stability: stable, brief: b}\n- {id: b, type: metric, metric_name: m, " +
				"instrument: counter, unit: s, stability: stable, brief: b}\n", "3 warning DuplicateMetricName"},
		{"an event's name twice",
			"groups:\n- {id: a, type: event, name: e, stability: stable, brief: b}\n- {id: b, type: event, name: e, stability: stable, brief: b}\n",
			"3 warning DuplicateGroupName"},
		{"an attribute twice",
			good + "- {id: c, type: attribute_group, brief: b, attributes: [{id: shop.id, type: string, brief: b, stability: stable, examples: [a]}]}\n",
			"3 error DuplicateAttributeId"},
		{"an attribute twice, once in a span",
			good +
				"- {id: c, type: span, span_kind: client, stability: stable, brief: b, attributes: [{id: shop.id, type: string, brief: b, stability: stable, " +
				"examples: [a]}]}\n", ""},
		{"an attribute without brief", attribute("{id: shop.id, type: int, stability: stable}"), "6 error InvalidAttribute"},
		{"a deprecated attribute without brief", attribute("{id: shop.id, type: int, stability: stable, deprecated: {reason: obsoleted}}"), ""},
		{"an old deprecation", attribute("{id: shop.id, type: int, brief: b, stability: stable, deprecated: gone}"), "6 warning UnstructuredDeprecatedProperty"},
		{"renamed to nothing", attribute("{id: shop.id, type: int, brief: b, stability: stable, deprecated: {reason: renamed}}"), "6 error InvalidSemConvSpec"},
		{"an attribute without stability", attribute("{id: shop.id, type: int, brief: b}"), "6 warning InvalidAttributeWarning"},
		{"a member without stability", attribute("{id: shop.id, type: {members: [{id: a}]}, brief: b, stability: stable}"), "6 warning InvalidAttributeWarning"},
		{"custom values", attribute("{id: shop.id, type: {allow_custom_values: true, members: [{id: a, stability: stable}]}, brief: b, stability: stable}"),
			"6 error InvalidSemConvSpec"},
		{"a type that is none", attribute("{id: shop.id, type: text, brief: b, stability: stable}"), "6 error InvalidSemConvSpec"},
		{"a template", attribute("{id: shop.id, type: 'template[string[]]', brief: b, stability: stable, examples: [[a]]}"), ""},
		{"a level that is none", attribute("{id: shop.id, type: int, brief: b, stability: stable, requirement_level: optional}"), "6 error InvalidSemConvSpec"},
		{"a level with a condition", attribute("{id: shop.id, type: int, brief: b, stability: stable, requirement_level: {conditionally_required: if sent}}"), ""},
		{"a string without examples", attribute("{id: shop.id, type: string, brief: b, stability: stable}"), "6 warning InvalidExampleWarning"},
		{"an int with an int", attribute("{id: shop.id, type: int, brief: b, stability: stable, examples: 5}"), ""},
		{"an int with texts", attribute("{id: shop.id, type: int, brief: b, stability: stable, examples: ['5']}"), "6 error InvalidExampleError"},
		{"a double with an int", attribute("{id: shop.id, type: double, brief: b, stability: stable, examples: 5}"), "6 error InvalidExampleError"},
		{"a double with a list that holds one", attribute("{id: shop.id, type: double, brief: b, stability: stable, examples: [5, 0.5]}"), ""},
		{"a string[] with a flat list", attribute("{id: shop.id, type: 'string[]', brief: b, stability: stable, examples: [a, b]}"),
			"6 warning InvalidExampleWarning"},
		{"a string[] with a text", attribute("{id: shop.id, type: 'string[]', brief: b, stability: stable, examples: a}"), "6 error InvalidExampleError"},
		{"a string with no examples in the list", attribute("{id: shop.id, type: string, brief: b, stability: stable, examples: []}"), "6 error InvalidExampleError"},
		{"any with everything", attribute("{id: shop.id, type: any, brief: b, stability: stable, examples: [1, a]}"), ""},
		{"an example that looks like a date", attribute("{id: shop.id, type: string, brief: b, stability: stable, examples: [2026-02-03]}"), ""},
		{"definition/2", "file_format: definition/2\nattributes: []\n", ""},
		{"version 2", "version: \"2\"\n", ""},
		{"definition/2.1", "file_format: definition/2.1\n", ""},
		{"groups in definition/2", "file_format: definition/2\ngroups: []\n", "2 warning UnexpectedFields"},
		{"definition/1", "file_format: definition/1\n" + good, ""},
		{"another format", "file_format: definition/9\n", "1 error InvalidSemConvSpec"},
		{"a merge key",
			"groups:\n- &a {id: a, type: attribute_group, brief: b, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}\n- {<<: *a, id: b, brief: b, " +
				"type: attribute_group, extends: a}\n", "3 error InvalidSemConvSpec"},
		{"an alias", "groups:\n- {id: a, type: attribute_group, brief: &b text, attributes: [{id: x.y, type: int, brief: *b, stability: stable}]}\n", ""},
		{"imports of an unknown kind", "imports: {spams: [a]}\n", "1 error InvalidSemConvSpec"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range check(t, write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": tt.text}), registry.Options{}) {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Rule))
				if f.File != "a.yaml" || f.Column < 1 || f.Message == "" || f.Why == "" || f.Example == "" {
					t.Errorf("the finding lacks something: %+v", f)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMessagesNameThePlaceAndTheWayOut(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest,
		"signals/a.yaml": "groups:\n- id: registry.shop\n  type: attribute_group\n  brief: b\n  extend: x\n"})
	want := registry.Finding{Rule: "InvalidSemConvSpec", Severity: registry.Error, File: "signals/a.yaml", Line: 5, Column: 3,
		Message: `the group has an unknown key "extend" (did you mean extends?)`}
	for _, f := range check(t, dir, registry.Options{}) {
		f.Why, f.Example = "", ""
		if f == want {
			return
		}
	}
	t.Errorf("%+v is not found", want)
}

func TestManifests(t *testing.T) {
	const group = "groups: []\n"
	for _, tt := range []struct{ name, file, text, want string }{
		{"schema_url", "manifest.yaml", manifest, ""},
		{"the old name", "registry_manifest.yaml", manifest, "registry_manifest.yaml:1 warning LegacyRegistryManifest"},
		{"the old keys", "manifest.yaml", "name: shop\nschema_base_url: https://e.com/s/\nsemconv_version: 0.1.0\n",
			"manifest.yaml:2 warning DeprecatedSyntaxInRegistryManifest"},
		{"no URL", "manifest.yaml", "name: shop\n", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"half of the old keys", "manifest.yaml", "schema_base_url: https://e.com/s/\n", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"a URL that is none", "manifest.yaml", "schema_url: shop\n", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"an empty one", "manifest.yaml", "", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"broken YAML", "manifest.yaml", "a: [", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"manifest/2.0", "manifest.yaml", "file_format: manifest/2.0\nschema_url: https://e.com/s/1.0.0\nresolved_registry_uri: https://e.com/r.yaml\n",
			"manifest.yaml:1 not-judged NeedsWeaver"},
		{"manifest/2.0 without its members", "manifest.yaml", "file_format: manifest/2.0\n",
			"manifest.yaml:1 error InvalidRegistryManifest, manifest.yaml:1 error InvalidRegistryManifest, manifest.yaml:1 error InvalidRegistryManifest"},
		{"manifest/3.0", "manifest.yaml", "file_format: manifest/3.0\n", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"an unknown format", "manifest.yaml", "file_format: spam\n", "manifest.yaml:1 error InvalidRegistryManifest"},
		{"a dependency that no version takes", "manifest.yaml", manifest + "dependencies: [{name: otel, registry_path: ../otel}]\n",
			"manifest.yaml:2 error InvalidRegistryManifest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range check(t, write(t, map[string]string{tt.file: tt.text, "a.yaml": group}), registry.Options{}) {
				if f.Rule != registry.NeedsWeaver || !strings.Contains(f.Message, "otel") {
					got = append(got, fmt.Sprintf("%s:%d %s %s", f.File, f.Line, f.Severity, f.Rule))
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	r := load(t, write(t, map[string]string{"a.yaml": group}), registry.Options{})
	if r.Manifest.Name != "default" || r.Manifest.Version != "0.1.0" {
		t.Errorf("without a manifest: %+v", r.Manifest)
	}
	r = load(t, write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": group}), registry.Options{})
	if r.Manifest.Name != "example.com/schemas/shop" || r.Manifest.Version != "0.1.0" {
		t.Errorf("%+v", r.Manifest)
	}
}

func TestPoliciesAreNotRunAndThatIsSaid(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": "groups: []\n", "policies/p.rego": "package x"})
	list := check(t, dir, registry.Options{})
	if diff := cmp.Diff([]string{"policies/p.rego:1 not-judged NeedsWeaver"}, brief(list)); diff != "" {
		t.Error(diff)
	}
	if got := registry.VerdictOf(list); got != registry.Unknown {
		t.Errorf("verdict %s, want unknown: a policy was not run", got)
	}
}

// TestSeed judges the example that the manual of registries gives: its manifest is
// of the old form, and one of its spans has no stability. It stands on the semantic
// conventions, whose attributes aburn knows.
func TestSeed(t *testing.T) {
	dir := filepath.Join("testdata", "story")
	list := check(t, dir, registry.Options{})
	want := []string{
		"registry_manifest.yaml:1 warning LegacyRegistryManifest",
		"registry_manifest.yaml:3 warning DeprecatedSyntaxInRegistryManifest",
		"signals.yaml:2 warning InvalidGroupStability",
	}
	if diff := cmp.Diff(want, brief(list)); diff != "" {
		t.Error(diff)
	}
	given := registry.Options{Dependencies: map[string]string{"otel": filepath.Join("testdata", "conventions")}}
	list = check(t, dir, given)
	if got := registry.VerdictOf(list); got != registry.Valid {
		t.Errorf("with the dependency it is %s: %v", got, brief(list))
	}
}

func TestLoadErrors(t *testing.T) {
	file := filepath.Join(write(t, map[string]string{"f": "x"}), "f")
	for dir, want := range map[string]string{
		filepath.Join(t.TempDir(), "absent"): "there is no such folder",
		t.TempDir():                          "holds no YAML file",
		file:                                 "is no folder",
	} {
		_, err := registry.Load(dir, registry.Options{})
		var e *registry.LoadError
		if !errors.As(err, &e) || !strings.Contains(e.Msg, want) || e.Hint == "" {
			t.Errorf("%s: %v, want %q and a hint", dir, err, want)
		}
	}
}
