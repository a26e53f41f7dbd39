package registry_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/instrument/registry"
	"aburn/internal/lab/world"
)

// TestHostileRegistriesAreRefusedOrJudged: each is read in bounds, and the answer
// says what is wrong.
func TestHostileRegistriesAreRefusedOrJudged(t *testing.T) {
	world.Slow(t)
	bomb := "groups:\n- {id: a, type: attribute_group, brief: b, annotations: &a0 {x: y}, extends: b}\n"
	for i := range 30 {
		bomb += fmt.Sprintf("- {id: b%d, type: scope, brief: b, annotations: &a%d {l: [*a%d, *a%d, *a%d]}}\n", i, i+1, i, i, i)
	}
	row := "groups:\n"
	for i := range 3000 {
		row += fmt.Sprintf("- {id: g%d, extends: g%d, type: attribute_group, brief: b, attributes: [{id: x.a%d, type: int, brief: b, stability: stable}]}\n", i, i+1,
			i)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"an alias bomb", bomb, "YAML nodes"},
		{"an anchor in itself", "groups: &a [*a, *a]\n", "has to be a list of keys and values"},
		{"annotations in themselves", "groups: [{id: a, type: scope, brief: b, annotations: &a {x: *a, y: *a}}]\n", "YAML nodes"},
		{"10 MB", "# " + strings.Repeat("x", 10<<20) + "\n", "is larger than 4 MB"},
		{"deep brackets", "groups: " + strings.Repeat("[", 100_000), "is no YAML"},
		{"groups in a long row", row, "resolves to more than"},
		{"many mistakes", "groups: [" + strings.Repeat("1,", 20_000) + "]\n", "findings"},
		{"a long key", strings.Repeat("k", 1<<19) + ": 1\n", "is no YAML"},
		{"a long id", "groups: [{id: " + strings.Repeat("i", 1<<19) + ", brief: b, extends: c}]\n", "UnresolvedExtendsRef"},
		{"no text", "\x00\xff\xfe", "is no YAML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"a.yaml": tt.text})
			r, err := registry.Load(dir, registry.Options{})
			var list []registry.Finding
			if err == nil {
				list, err = r.Check()
			}
			var refused *registry.LoadError
			switch {
			case err != nil && (!errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) || refused.Hint == ""):
				t.Errorf("%v, want %q and a hint", err, tt.want)
			case err == nil && (registry.VerdictOf(list) != registry.Invalid || !strings.Contains(asJSON(t, list), tt.want)):
				t.Errorf("%.600s, want %q", asJSON(t, list), tt.want)
			}
			for _, f := range list {
				if len(f.Message) > 510 {
					t.Errorf("a message has %d bytes", len(f.Message))
				}
			}
		})
	}
}

// TestNothingOutsideIsRead: links out of the folder are told, not followed.
func TestNothingOutsideIsRead(t *testing.T) {
	outside := write(t, map[string]string{"private.yaml": "groups: [{id: told, type: scope, brief: b}]\n"})
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": "groups: []\n"})
	if err := os.Symlink(filepath.Join(outside, "private.yaml"), filepath.Join(dir, "link.yaml")); err != nil {
		t.Skip(err)
	}
	for name, to := range map[string]string{"folder": outside, "loop": ".", "broken.yaml": "nowhere", "inside.yaml": "a.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	list := check(t, dir, registry.Options{})
	if got := strings.Join(brief(list), "\n"); got != "link.yaml:1 not-judged NeedsWeaver" {
		t.Errorf("%s", got)
	}
	if _, err := registry.Load(outside, registry.Options{Root: dir}); err == nil || !strings.Contains(err.Error(), "lies outside of") {
		t.Errorf("a registry outside of the root: %v", err)
	}
}

func TestArchiveBombIsRefused(t *testing.T) {
	world.Slow(t)
	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	if _, err := g.Write(make([]byte, 200<<20)); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	top := write(t, map[string]string{
		"bomb.tar.gz":        packed.String(),
		"shop/manifest.yaml": manifest + "dependencies: [{schema_url: https://e.com/a/1.0.0, registry_path: ../bomb.tar.gz}]\n",
	})
	list := check(t, filepath.Join(top, "shop"), registry.Options{Root: top})
	if got := strings.Join(brief(list), "\n"); got != "manifest.yaml:2 not-judged NeedsWeaver" {
		t.Errorf("%s", got)
	}
}

// FuzzLoad: whatever stands in a file, loading, checking, resolving and comparing end
// without a panic, twice the same.
func FuzzLoad(f *testing.F) {
	for _, path := range []string{"story/attributes.yaml", "story/signals.yaml", "story/registry_manifest.yaml", "conventions/attributes.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(path)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), manifest)
		f.Add("groups: []", string(data))
	}
	f.Add("groups: [{id: &a [*a]}]", "dependencies: [{name: a, registry_path: .}]")
	f.Add("groups: [{id: a, type: span, attributes: [{ref: b, prefix: true}, {id: b}], extends: a, prefix: a}]\nimports: {spans: ['[']}", "schema_url: http://a/b")
	f.Fuzz(func(t *testing.T, definitions, manifest string) {
		dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": definitions})
		r, err := registry.Load(dir, registry.Options{})
		if err != nil {
			return
		}
		list, err := r.Check()
		if err != nil {
			return
		}
		resolved, _, err := r.Resolve()
		if err != nil {
			return
		}
		if changes := registry.Diff(resolved, resolved); len(changes) > 0 {
			t.Errorf("differs from itself: %+v", changes)
		}
		again, _ := r.Check()
		if asJSON(t, again) != asJSON(t, list) {
			t.Error("two checks differ")
		}
		if files, err := r.Extend("shop", firstExtension); err == nil && len(files) != 2 {
			t.Errorf("an extension of %d files", len(files))
		}
	})
}
