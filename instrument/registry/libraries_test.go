package registry_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/registry"
)

// TestLibrariesAreCovered: what a library emits is referred to where the registry reaches it, once.
func TestLibrariesAreCovered(t *testing.T) {
	emitters := []registry.Emitter{{"@opentelemetry/instrumentation-pg", []string{"db.query.text", "db.system.name", "shop.order.id", "no.such.name"}},
		{"@fastify/otel", []string{"http.route"}}}
	depends := "schema_url: https://shop.example/schemas/0.1.0\ndependencies: [{schema_url: 'https://opentelemetry.io/schemas/1.40.0'}]\n"
	dir := write(t, map[string]string{"manifest.yaml": depends,
		"a.yaml": "groups: [{id: registry.shop, type: attribute_group, brief: b, stability: development, attributes: [{id: shop.order.id, type: string, brief: " +
			"b, stability: development, examples: [o-1]}]}]\n"})
	text, left, err := load(t, dir, registry.Options{}).Cover(emitters)
	if err != nil || !slices.Equal(left, []string{"no.such.name"}) {
		t.Fatalf("%v %v", err, left)
	}
	const want = "  - id: registry.aburn.library.fastify_otel\n    type: attribute_group\n    stability: development\n    brief: Attributes that spans of " +
		"@fastify/otel can have.\n    attributes:\n      - ref: http.route\n" +
		"  - id: registry.aburn.library.pg\n    type: attribute_group\n    stability: development\n    brief: Attributes that spans of " +
		"@opentelemetry/instrumentation-pg can have.\n    attributes:\n      - ref: db.query.text\n      - ref: db.system.name\n      - ref: shop.order.id\n"
	if !strings.HasSuffix(string(text), want) {
		t.Errorf("%s", text)
	}
	if err := os.WriteFile(filepath.Join(dir, registry.LibrariesFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	later := load(t, dir, registry.Options{})
	if again, _, err := later.Cover(emitters); err != nil || again != nil {
		t.Errorf("a second time: %v\n%s", err, again)
	}
	if findings, err := later.Check(); err != nil || slices.ContainsFunc(findings, func(f registry.Finding) bool { return f.Severity == registry.Error }) {
		t.Errorf("%v %v", err, findings)
	}
}

// TestLibrariesWithoutConventions: a registry that reaches no conventions gets nothing, and the names are told.
func TestLibrariesWithoutConventions(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": "groups: []\n"})
	text, left, err := load(t, dir, registry.Options{}).Cover([]registry.Emitter{{"@opentelemetry/instrumentation-pg",
		[]string{"db.query.text", "db.query.text"}}})
	if err != nil || text != nil || !slices.Equal(left, []string{"db.query.text"}) {
		t.Errorf("%v %v\n%s", err, left, text)
	}
}
