package registry_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/registry"
	"aburn/internal/lab/world"
)

// extend writes an extension into a folder, as a caller would.
func extend(t testing.TB, dir string, o registry.Options, e registry.Extension) {
	t.Helper()
	files, err := load(t, dir, o).Extend("shop", e)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var firstExtension = registry.Extension{
	Attributes: []registry.NewAttribute{
		{Name: "shop.order.state", Members: []string{"open", "shut"}, Brief: "Where the order stands"},
		{Name: "shop.order.id", Type: "string", Brief: "The id: as printed", Examples: []any{"o-1", "true", "2026-01-01"}},
	},
	Spans: []registry.NewSpan{{ID: "span.shop.order.place", Kind: "internal", Brief: "An order is placed",
		Attributes: []string{"shop.order.state", "shop.order.id"}}},
}

func TestExtendWritesSortedFiles(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": "groups: []\n"})
	extend(t, dir, registry.Options{}, firstExtension)
	const attributes = `# aburn writes this file. Edit what stands here; aburn only adds to it.
# file_format: definition/1 of OpenTelemetry Weaver.

groups:
  - id: registry.aburn.shop.order
    type: attribute_group
    stability: development
    brief: Attributes of shop.order.
    attributes:
      - id: shop.order.id
        type: string
        stability: development
        brief: 'The id: as printed'
        examples:
          - o-1
          - "true"
          - "2026-01-01"
      - id: shop.order.state
        type:
          members:
            - id: open
              value: open
              stability: development
            - id: shut
              value: shut
              stability: development
        stability: development
        brief: Where the order stands
`
	const spans = `# aburn writes this file. Edit what stands here; aburn only adds to it.
# file_format: definition/1 of OpenTelemetry Weaver.

groups:
  - id: span.shop.order.place
    type: span
    stability: development
    span_kind: internal
    brief: An order is placed
    attributes:
      - ref: shop.order.id
        requirement_level: recommended
      - ref: shop.order.state
        requirement_level: recommended
`
	for name, want := range map[string]string{registry.AttributesFile: attributes, registry.SpansFile: spans} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Error(diff)
		}
	}
	if list := check(t, dir, registry.Options{}); len(list) > 0 {
		t.Errorf("what was written has findings: %v", list)
	}
	// A second extension keeps a person's comment, and stands at its place.
	path := filepath.Join(dir, registry.AttributesFile)
	if err := os.WriteFile(path, []byte(strings.Replace(attributes, "- id: shop.order.id\n", "- id: shop.order.id # of the mail\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	extend(t, dir, registry.Options{}, registry.Extension{Attributes: []registry.NewAttribute{{Name: "shop.order.items", Type: "int", Brief: "How many",
		Examples: []any{3}}}})
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.Contains(text, "# of the mail") || strings.Index(text, "shop.order.items") > strings.Index(text, "shop.order.state") {
		t.Errorf("%s", text)
	}
}

func TestExtendRefuses(t *testing.T) {
	good := registry.NewAttribute{Name: "shop.n", Type: "int", Brief: "b", Examples: []any{1}}
	change := func(f func(*registry.NewAttribute)) registry.Extension {
		a := good
		f(&a)
		return registry.Extension{Attributes: []registry.NewAttribute{a}}
	}
	span := func(f func(*registry.NewSpan)) registry.Extension {
		s := registry.NewSpan{ID: "span.shop.a", Kind: "internal", Brief: "b"}
		f(&s)
		return registry.Extension{Spans: []registry.NewSpan{s}}
	}
	for want, e := range map[string]registry.Extension{
		"is defined already":                            change(func(a *registry.NewAttribute) { a.Name = "shop.had" }),
		"is no name":                                    change(func(a *registry.NewAttribute) { a.Name = "shop.Order\nid" }),
		"does not begin with shop.":                     change(func(a *registry.NewAttribute) { a.Name = "db.system" }),
		"has no brief":                                  change(func(a *registry.NewAttribute) { a.Brief = " " }),
		"has no example":                                change(func(a *registry.NewAttribute) { a.Examples = nil }),
		"has no type that can be used: \"text\"":        change(func(a *registry.NewAttribute) { a.Type = "text" }),
		"has neither a type nor members":                change(func(a *registry.NewAttribute) { a.Type = "" }),
		"have to be int, and are string[]":              change(func(a *registry.NewAttribute) { a.Examples = []any{"x"} }),
		"does not begin with span.":                     span(func(s *registry.NewSpan) { s.ID = "shop.a" }),
		"has no kind that can be used":                  span(func(s *registry.NewSpan) { s.Kind = "" }),
		"refers to \"db.system\", which is not defined": span(func(s *registry.NewSpan) { s.Attributes = []string{"db.system"} }),
	} {
		dir := write(t,
			map[string]string{"a.yaml": "groups: [{id: g, type: attribute_group, brief: b, attributes: [{id: shop.had, type: int, brief: b, stability: stable}]}]\n"})
		files, err := load(t, dir, registry.Options{}).Extend("shop", e)
		var refused *registry.ExtendError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || refused.Hint == "" {
			t.Errorf("want %q, got %v %v", want, files, err)
		}
	}
}

// registryOf makes a random registry: definitions, references, overrides, parents,
// and spans with them.
func registryOf(rnd *rand.Rand) map[string]string {
	var b strings.Builder
	b.WriteString("groups:\n")
	var names []string
	for g := range 1 + rnd.IntN(4) {
		fmt.Fprintf(&b, "- {id: registry.g%d, type: attribute_group, brief: b, attributes: [", g)
		for a := range 1 + rnd.IntN(4) {
			name := fmt.Sprintf("shop.g%d.a%d", g, a)
			names = append(names, name)
			kind := []string{"type: string, examples: [x]", "type: int, note: n", "type: 'template[string]'",
				"type: {members: [{id: a, stability: stable}, {id: b, value: 2, stability: stable}]}"}[rnd.IntN(4)]
			fmt.Fprintf(&b, "{id: %s, %s, stability: stable, brief: b%d, requirement_level: %s},", name, kind, rnd.IntN(9),
				[]string{"required", "opt_in", "{recommended: t}"}[rnd.IntN(3)])
		}
		b.WriteString("]}\n")
	}
	for s := range rnd.IntN(5) {
		fmt.Fprintf(&b, "- id: span.shop.s%d\n  type: span\n  span_kind: client\n  stability: stable\n  brief: b\n", s)
		if s > 0 && rnd.IntN(2) == 0 {
			fmt.Fprintf(&b, "  extends: span.shop.s%d\n", rnd.IntN(s))
		}
		b.WriteString("  attributes:\n")
		for _, i := range rnd.Perm(len(names))[:1+rnd.IntN(len(names))] {
			over := []string{"", ", note: mine", ", requirement_level: required", ", brief: other, tag: t", ", examples: [y]"}[rnd.IntN(5)]
			fmt.Fprintf(&b, "  - {ref: %s%s}\n", names[i], over)
		}
	}
	return map[string]string{"manifest.yaml": manifest, "r.yaml": b.String()}
}

func TestProperties(t *testing.T) {
	world.Slow(t)
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 15))
		files := registryOf(rnd)
		dir := write(t, files)
		r := load(t, dir, registry.Options{})
		once := resolve(t, r)
		if again := resolve(t, load(t, dir, registry.Options{})); asJSON(t, again) != asJSON(t, once) {
			t.Fatalf("seed %d: two resolutions of the same files differ", seed)
		}
		if twice := registry.ResolveAgain(t, once); twice.Hash != once.Hash {
			t.Fatalf("seed %d: resolving what is resolved changes it", seed)
		}
		if changes := registry.Diff(once, once); len(changes) > 0 {
			t.Fatalf("seed %d: a registry differs from itself: %+v", seed, changes)
		}
		extend(t, dir, registry.Options{}, extensionOf(rnd))
		later := resolve(t, load(t, dir, registry.Options{}))
		changes := registry.Diff(once, later)
		if not := registry.NotAdded(changes); len(not) > 0 || len(changes) == 0 || later.Hash == once.Hash {
			t.Fatalf("seed %d: an extension did not only add: %+v", seed, changes)
		}
		back := registry.Diff(later, once)
		if len(back) != len(changes) || len(registry.NotAdded(back)) != len(back) {
			t.Fatalf("seed %d: the way back has other changes: %+v", seed, back)
		}
		for name, text := range files {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
				t.Fatalf("seed %d: %s was changed", seed, name)
			}
		}
	}
}

func extensionOf(rnd *rand.Rand) (e registry.Extension) {
	var names []string
	for i := range 1 + rnd.IntN(4) {
		name := fmt.Sprintf("shop.new%d.a%d", rnd.IntN(2), i)
		names = append(names, name)
		e.Attributes = append(e.Attributes, registry.NewAttribute{Name: name, Type: "double", Brief: "no: # ' \"", Examples: []any{0.5}})
	}
	for i := range rnd.IntN(3) {
		e.Spans = append(e.Spans, registry.NewSpan{ID: fmt.Sprintf("span.shop.new%d", i), Kind: "server", Brief: "b", Attributes: names[:rnd.IntN(len(names)+1)]})
	}
	if len(e.Spans) > 0 { // an extension of a registry needs a reference that is used
		e.Spans[0].Attributes = names
	}
	return e
}

// TestEverySingleChangeIsSeen takes one line or word out of random registries: the
// diff is empty only if what they resolve to is the same.
func TestEverySingleChangeIsSeen(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 16))
		files := registryOf(rnd)
		words := strings.SplitAfter(files["r.yaml"], ",")
		i := rnd.IntN(len(words))
		changed := maps.Clone(files)
		changed["r.yaml"] = strings.Join(words[:i], "") + strings.Join(words[i+1:], "")
		a := resolve(t, load(t, write(t, files), registry.Options{}))
		later, err := registry.Load(write(t, changed), registry.Options{})
		if err != nil {
			continue
		}
		list, err := later.Check()
		if err != nil || registry.VerdictOf(list) != registry.Valid {
			continue
		}
		b := resolve(t, later)
		if same := a.Hash == b.Hash; same != (len(registry.Diff(a, b)) == 0) {
			t.Errorf("seed %d: the same hash: %v, the diff: %+v\n%s\n%s", seed, same, registry.Diff(a, b), files["r.yaml"], changed["r.yaml"])
		}
	}
}
