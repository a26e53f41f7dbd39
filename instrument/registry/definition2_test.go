package registry_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/registry"
)

// shop2 is a registry in the form definition/2 with everything that the form has.
const shop2 = `file_format: definition/2
attributes:
  - {key: shop.order.id, type: string, brief: The order., stability: stable, examples: [o-1]}
  - {key: shop.order.total, type: int, brief: The sum., stability: development, annotations: {a: 1}}
  - {key: shop.node.id, type: string, brief: The node., stability: development, examples: [n]}
  - key: shop.pay.way
    type: {members: [{id: card, value: CARD, stability: stable}, {id: cash, stability: stable}]}
    brief: How somebody pays.
    stability: development
attribute_groups:
  - id: shop.order.common
    visibility: internal
    attributes:
      - {ref: shop.order.id, requirement_level: required, note: Never empty.}
  - id: shop.order.all
    visibility: public
    brief: All of an order.
    stability: development
    attributes:
      - ref_group: shop.order.common
      - {ref: shop.order.total, requirement_level: {recommended: if it is known}}
entities:
  - type: shop.node
    brief: A node.
    stability: development
    identity: [{ref: shop.node.id}]
    description: [{ref: shop.order.total, requirement_level: opt_in}]
events:
  - {name: shop.paid, brief: Somebody paid., stability: development, attributes: [{ref: shop.pay.way}], requirement_level: opt_in}
metrics:
  - {name: shop.orders, brief: Orders., stability: development, unit: "{order}", instrument: counter, attributes: [{ref_group: shop.order.common}],
     entity_associations: [shop.node, {one_of: [shop.node, {all_of: [shop.node]}]}]}
spans:
  - type: shop.order.place
    kind: client
    name: {note: "{shop.order.id}"}
    brief: Places an order.
    stability: development
    attributes:
      - ref_group: shop.order.common
      - {ref: shop.order.id, sampling_relevant: true}
      - {ref: shop.pay.way, requirement_level: {conditionally_required: if paid}}
span_refinements:
  - id: shop.order.place.card
    ref: shop.order.place
    attributes: [{ref: shop.order.total, requirement_level: required}, {unref: shop.pay.way}]
metric_refinements:
  - {id: shop.orders.web, ref: shop.orders, brief: Orders of the web.}
event_refinements:
  - {id: shop.paid.web, ref: shop.paid}
entity_refinements:
  - {id: shop.node.web, ref: shop.node, description: [{unref: shop.order.total}]}
`

// TestDefinition2: the form of today resolves to what the old form resolves to, next to files of the old form.
func TestDefinition2(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": shop2,
		"old.yaml": "groups:\n- {id: span.shop.old, type: span, span_kind: internal, stability: development, brief: b, extends: shop.order.common}\n"})
	if list := check(t, dir, registry.Options{}); len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	got, _, err := load(t, dir, registry.Options{}).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range got.Groups {
		line := fmt.Sprintf("%s %s %s%s%s %q", g.Type, g.ID, g.SpanKind, g.Instrument, g.Name, g.Brief)
		for _, a := range g.Attributes {
			level, _ := json.Marshal(a.Level)
			line += fmt.Sprintf("; %s %s %s%s", a.Name, level, a.Role, a.Note)
			if a.Sampling != nil {
				line += " sampling"
			}
		}
		if g.Associations != nil {
			text, _ := json.Marshal(g.Associations)
			line += " " + string(text)
		}
		lines = append(lines, line)
	}
	want := []string{
		`entity entity.shop.node shop.node "A node."; shop.node.id "recommended" identifying; shop.order.total "opt_in" descriptive`,
		`event event.shop.paid shop.paid "Somebody paid."; shop.pay.way "recommended" `,
		`metric metric.shop.orders counter "Orders."; shop.order.id "required" Never empty. ["shop.node",{"one_of":["shop.node",{"all_of":["shop.node"]}]}]`,
		`attribute_group registry.a.yaml  "<synthetic v2>"; shop.order.id "recommended" ; shop.order.total "recommended" ; shop.node.id "recommended" ; ` +
			`shop.pay.way "recommended" `,
		`entity shop.node.web shop.node.web "A node."; shop.node.id "recommended" identifying`,
		`attribute_group shop.order.all  "All of an order."; shop.order.id "required" Never empty.; shop.order.total {"recommended":"if it is known"} `,
		`span shop.order.place.card clientshop.order.place.card "Places an order."; shop.order.id "required" Never empty. sampling; shop.order.total "required" `,
		`metric shop.orders.web counter "Orders of the web."; shop.order.id "required" Never empty. ["shop.node",{"one_of":["shop.node",{"all_of":["shop.node"]}]}]`,
		`event shop.paid.web shop.paid.web "Somebody paid."; shop.pay.way "recommended" `,
		`span span.shop.old internal "b"; shop.order.id "required" Never empty.`,
		`span span.shop.order.place clientshop.order.place "Places an order."; shop.order.id "required" Never empty. sampling; shop.pay.way ` +
			`{"conditionally_required":"if paid"} `,
	}
	for i := range lines {
		parts := strings.Split(lines[i], "; ")
		slices.Sort(parts[1:])
		lines[i] = strings.Join(parts, "; ")
	}
	for i := range want {
		parts := strings.Split(want[i], "; ")
		slices.Sort(parts[1:])
		want[i] = strings.Join(parts, "; ")
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if a := got.Attributes["shop.pay.way"]; len(a.Type.Members) != 2 || a.Type.Members[1].Value != "cash" {
		t.Errorf("%+v", a.Type)
	}
}

// TestDefinition2Mistakes: each is found where it stands; and what Weaver takes is none.
func TestDefinition2Mistakes(t *testing.T) {
	const lead = "file_format: definition/2\nattributes: [{key: shop.id, type: int, brief: b, stability: stable}]\n"
	for _, tt := range []struct{ name, text, want string }{
		{"only attributes", "attribute_groups: []\n", ""},
		{"a definition in a span", "spans:\n- {type: s, kind: client, name: {note: n}, brief: b, stability: stable, attributes: [{id: x, type: int}]}\n",
			"4 error InvalidSemConvSpec; 4 warning UnexpectedFields; 4 warning UnexpectedFields"},
		{"a span without kind", "spans:\n- {type: s, name: {note: n}, brief: b, stability: stable}\n", "4 error InvalidSemConvSpec"},
		{"a name that is a text", "spans:\n- {type: s, kind: client, name: n, brief: b, stability: stable}\n", "4 error InvalidSemConvSpec"},
		{"an attribute that is nowhere", "events:\n- {name: e, brief: b, stability: stable, attributes: [{ref: shop.none}]}\n", "4 error UnresolvedAttributeRef"},
		{"a group that is nowhere", "events:\n- {name: e, brief: b, stability: stable, attributes: [{ref_group: none}]}\n", "4 error UnresolvedExtendsRef"},
		{"refines nothing", "span_refinements:\n- {id: r, ref: none}\n", "4 error UnresolvedExtendsRef"},
		{"no visibility", "attribute_groups:\n- {id: g, brief: b, stability: stable}\n", "4 error InvalidSemConvSpec"},
		{"an internal group with a brief", "attribute_groups:\n- {id: g, visibility: internal, brief: b}\n", "4 warning UnexpectedFields"},
		{"two groups with one attribute", "attribute_groups:\n- {id: g, visibility: internal, attributes: [{ref: shop.id}]}\n" +
			"- {id: h, visibility: internal, attributes: [{ref: shop.id}]}\nevents:\n" +
			"- {name: e, brief: b, stability: stable, attributes: [{ref_group: g}, {ref_group: h}]}\n", "7 error AmbiguousReference"},
		{"a group in itself", "attribute_groups:\n- {id: g, visibility: internal, attributes: [{ref_group: g}]}\n", "4 error UnresolvedExtendsRef"},
		{"unref outside of a refinement", "events:\n- {name: e, brief: b, stability: stable, attributes: [{unref: shop.id}]}\n",
			"4 error InvalidSemConvSpec; 4 warning UnexpectedFields"},
		{"unref of what is not there", "events:\n- {name: e, brief: b, stability: stable}\nevent_refinements:\n- {id: r, ref: e, attributes: [{unref: shop.id}]}\n",
			"6 error UnresolvedAttributeRef"},
		{"sampling_relevant of an event", "events:\n- {name: e, brief: b, stability: stable, attributes: [{ref: shop.id, sampling_relevant: true}]}\n",
			"4 warning UnexpectedFields"},
		{"unref with more", "events:\n- {name: e, brief: b, stability: stable, attributes: [{ref: shop.id}]}\nevent_refinements:\n" +
			"- {id: r, ref: e, attributes: [{unref: shop.id, note: n}]}\n", "6 error InvalidSemConvSpec"},
		{"a signal that is required", "events:\n- {name: e, brief: b, stability: stable, requirement_level: required}\n", "4 error InvalidSemConvSpec"},
		{"an association of two", "events:\n- {name: e, brief: b, stability: stable, entity_associations: [{one_of: [a], all_of: [b]}]}\n",
			"4 error InvalidSemConvSpec"},
		{"an attribute twice", "attribute_groups: []\nimports: {events: [e]}\nevents:\n- {name: e, brief: b, stability: stable, attributes: [{ref: shop.id}, " +
			"{ref: shop.id}]}\n", "6 warning InvalidGroupDuplicateAttributeRef"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range check(t, write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": lead + tt.text}), registry.Options{}) {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Rule))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMinorVersions: definition/2 ignores a key of a newer version, 2.0 has none, 2.9 may have any.
func TestMinorVersions(t *testing.T) {
	for format, want := range map[string]string{"definition/2": "warning", "definition/2.0": "error", "definition/2.9": "warning"} {
		list := check(t, write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": "file_format: " + format + "\nmatchers: []\n"}), registry.Options{})
		if len(list) != 1 || string(list[0].Severity) != want {
			t.Errorf("%s: %+v", format, list)
		}
	}
}

// published is a packaged registry as Weaver writes it: indices in place of references.
var published = map[string]string{
	"dep/manifest.yaml": "file_format: manifest/2.0\nschema_url: https://e.com/dep/1.0.0\nresolved_registry_uri: https://e.com/dep/1.0.0/resolved.yaml\n" +
		"dependencies: [{schema_url: https://e.com/other/1.0.0}]\n",
	"dep/resolved.yaml": `file_format: resolved/2.0
schema_url: https://e.com/dep/1.0.0
dependencies: [https://e.com/other/1.0.0]
attribute_catalog:
  - {key: dep.id, type: string, brief: The id., stability: stable, examples: [a], provenance: {source: 0}}
  - {key: dep.id, type: string, brief: The id of a call., stability: stable, examples: [a]}
  - {key: other.way, type: {members: [{id: a, value: a, stability: stable}]}, brief: b, stability: stable}
registry:
  attributes: [0]
  attribute_groups: [{id: dep.common, brief: Common., stability: stable, attributes: [0, 2]}]
  spans:
    - {type: dep.call, kind: client, name: {note: n}, brief: A call., stability: stable,
       attributes: [{base: 1, requirement_level: required, sampling_relevant: true}]}
  metrics: [{name: dep.calls, instrument: counter, unit: "1", brief: Calls., stability: stable}]
  events: []
  entities: [{type: dep.node, brief: A node., stability: stable, identity: [{base: 0}], description: []}]
refinements:
  spans:
    - {id: dep.call, type: dep.call, kind: client, name: {note: n}, brief: A call., stability: stable}
    - {id: dep.call.web, type: dep.call, kind: client, name: {note: n}, brief: A call of the web., stability: stable, attributes: [{base: 2}]}
`,
}

// TestPublished: a packaged registry can be a dependency, and be judged.
func TestPublished(t *testing.T) {
	files := map[string]string{"shop/manifest.yaml": "schema_url: https://e.com/shop/0.1.0\ndependencies: [{schema_url: https://e.com/dep/1.0.0, " +
		"registry_path: ../dep}]\n", "shop/a.yaml": "file_format: definition/2\nimports: {spans: [dep.call*]}\nspan_refinements:\n" +
		"- {id: shop.call, ref: dep.call, attributes: [{ref: other.way}, {ref_group: dep.common}]}\n"}
	for name, text := range published {
		files[name] = text
	}
	dir := write(t, files)
	if list := check(t, dir+"/dep", registry.Options{}); len(list) > 0 {
		t.Errorf("the package: %+v", list)
	}
	o := registry.Options{Root: dir}
	if list := check(t, dir+"/shop", o); len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	got, _, err := load(t, dir+"/shop", o).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range got.Groups {
		line := g.ID + " " + g.SpanKind + " " + g.Brief
		for _, a := range g.Attributes {
			line += fmt.Sprintf("; %s %s %s %t", a.Name, a.Brief, a.Level.Name, a.Sampling != nil)
		}
		lines = append(lines, line)
	}
	want := []string{"dep.call.web client A call of the web.; other.way b recommended false",
		"shop.call client A call.; dep.id The id. required true; other.way b recommended false",
		"span.dep.call client A call.; dep.id The id of a call. required true"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// TestExtendDefinition2: a registry of the form definition/2 stays one.
func TestExtendDefinition2(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest,
		"a.yaml": "file_format: definition/2\nattributes: [{key: shop.other, type: int, brief: b, stability: stable}]\n"})
	extend(t, dir, registry.Options{}, firstExtension)
	extend(t, dir, registry.Options{}, registry.Extension{
		Attributes: []registry.NewAttribute{{Name: "shop.order.a", Type: "int", Brief: "b", Examples: []any{1}}},
		Spans:      []registry.NewSpan{{ID: "span.shop.order.drop", Kind: "client", Brief: "b"}}})
	r := load(t, dir, registry.Options{})
	if list := check(t, dir, registry.Options{}); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	const spans = `# aburn writes this file. Edit what stands here; aburn only adds to it.

file_format: definition/2
spans:
  - type: shop.order.drop
    kind: client
    name:
      note: shop.order.drop
    stability: development
    brief: b
  - type: shop.order.place
    kind: internal
    name:
      note: shop.order.place
    stability: development
    brief: An order is placed
    attributes:
      - ref: shop.order.id
        requirement_level: recommended
      - ref: shop.order.state
        requirement_level: recommended
`
	if diff := cmp.Diff(spans, string(r.Text(registry.SpansFile))); diff != "" {
		t.Error(diff)
	}
	text := string(r.Text(registry.AttributesFile))
	if !strings.Contains(text, "file_format: definition/2\nattributes:\n  - key: shop.order.a\n") || !strings.Contains(text, "  - key: shop.order.state\n") {
		t.Error(text)
	}
	cover, _, err := r.Cover([]registry.Emitter{{Library: "@opentelemetry/instrumentation-pg", Attributes: []string{"shop.other"}}})
	if err != nil || !strings.Contains(string(cover), "attribute_groups:\n  - id: registry.aburn.library.pg\n    visibility: public\n") {
		t.Errorf("%v %s", err, cover)
	}
}
