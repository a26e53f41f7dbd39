package registry_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/registry"
)

// TestConventionsAreThoseThatWereWritten: nobody edits the table by hand. The comment of internal/lab/semconv has the
// command that writes it.
func TestConventionsAreThoseThatWereWritten(t *testing.T) {
	table, err := os.ReadFile("semconv.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("semconv.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(table); hex.EncodeToString(sum[:]) != strings.TrimSpace(string(want)) {
		t.Error("semconv.tsv is not what semconv.sha256 says")
	}
}

// TestConventionsAreKnownByVersion: references to them resolve without a copy on this disk; what the table lacks stays
// unknown.
func TestConventionsAreKnownByVersion(t *testing.T) {
	for _, tt := range []struct {
		name, schema, path, text string
		want                     []string
	}{
		{"an attribute", "https://opentelemetry.io/schemas/1.37.0", "", "{ref: http.request.method}, {ref: db.query.text, requirement_level: required}", nil},
		{"by its archive", "", "https://github.com/open-telemetry/semantic-conventions/archive/refs/tags/v1.37.0.zip[model]", "{ref: http.request.method}", nil},
		{"one of a later version", "https://opentelemetry.io/schemas/1.21.0", "", "{ref: db.query.text}", []string{"a.yaml:1 not-judged UnresolvedAttributeRef"}},
		{"a mistake", "https://opentelemetry.io/schemas/1.37.0", "", "{ref: http.request.methd}", []string{"a.yaml:1 not-judged UnresolvedAttributeRef"}},
		{"a newer version", "https://opentelemetry.io/schemas/1.99.0", "", "{ref: http.request.method}", []string{"manifest.yaml:2 not-judged NeedsWeaver"}},
		{"an older version", "https://opentelemetry.io/schemas/1.4.0", "", "{ref: http.request.method}",
			[]string{"a.yaml:1 not-judged UnresolvedAttributeRef", "manifest.yaml:2 not-judged NeedsWeaver"}},
		{"another registry", "https://example.com/schemas/1.37.0", "", "{ref: http.request.method}",
			[]string{"a.yaml:1 not-judged UnresolvedAttributeRef", "manifest.yaml:2 not-judged NeedsWeaver"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dependency := "{schema_url: '" + tt.schema + "'}"
			first := "schema_url: https://shop.example/schemas/0.1.0\n"
			if tt.schema == "" {
				dependency, first = "{name: otel, registry_path: '"+tt.path+"'}", "schema_base_url: https://shop.example/schemas\nsemconv_version: 0.1.0\n"
			}
			dir := write(t, map[string]string{"manifest.yaml": first + "dependencies: [" + dependency + "]\n",
				"a.yaml": "groups: [{id: span.shop.get, type: span, span_kind: client, stability: development, brief: b, attributes: [" + tt.text + "]}]\n"})
			r, err := registry.Load(dir, registry.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list, err := r.Check()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range brief(list) {
				if !strings.Contains(f, "DeprecatedSyntax") {
					got = append(got, f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff, list)
			}
		})
	}
}

// TestConventionsHaveTypes, values, and what replaced them in the version that is asked for.
func TestConventionsHaveTypes(t *testing.T) {
	resolve := func(version string) *registry.Resolved {
		dir := write(t,
			map[string]string{"manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\ndependencies: [{schema_url: 'https://opentelemetry.io/schemas/" +
				version + "'}]\n", "a.yaml": "groups: []\n"})
		r, err := registry.Load(dir, registry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		resolved, _, err := r.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		return resolved
	}
	later := resolve("1.37.0").Attributes
	if a := later["server.port"]; a.Type.Name != "int" || a.Stability != "stable" || a.Brief == "" {
		t.Errorf("%+v", a)
	}
	if a := later["http.request.method"]; len(a.Type.Members) < 9 || a.Type.Members[0].Value != "CONNECT" {
		t.Errorf("%+v", a)
	}
	if a := later["http.method"]; a.Deprecated == nil || a.Deprecated.RenamedTo != "http.request.method" {
		t.Errorf("%+v", a.Deprecated)
	}
	if a := later["http.request.header"]; a.Type.Name != "template[string[]]" {
		t.Errorf("%+v", a)
	}
	if a, ok := resolve("1.20.0").Attributes["http.method"]; !ok || a.Deprecated != nil {
		t.Errorf("%v %+v", ok, a.Deprecated)
	}
}
