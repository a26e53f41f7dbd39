package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// An archive's bill names every module that its executables link, with go.sum's hash, and the JavaScript that they hold; twice the same.
func TestBillNamesWhatIsLinked(t *testing.T) {
	world.Slow(t)
	r := testRelease(t)
	native, err := r.native(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := filepath.Join(dir, r.Name(here)+".tar.gz")
	var packed bytes.Buffer
	if err := writeTarGz(&packed, append(native, file{"README.md", 0o644, []byte("no executable")}), r.Time); err != nil {
		t.Fatal(err)
	}
	data := packed.Bytes()
	if err := os.WriteFile(at, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for i := range texts {
		if err := sbom(t.Context(), r, dir, []string{at}); err != nil {
			t.Fatal(err)
		}
		if texts[i], err = os.ReadFile(at + sbomEnd); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the same archive gives another bill")
	}
	var got bill
	if err := json.Unmarshal(texts[0], &got); err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, c := range got.Components {
		for _, p := range c.Properties {
			sums[c.Ref] = p.Value
		}
	}
	for _, f := range native {
		info, err := buildinfo.Read(bytes.NewReader(f.data))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(got.Dependencies, func(d dependency) bool { return d.Ref == f.name })
		if at < 0 {
			t.Fatalf("the bill lacks %s", f.name)
		}
		for _, m := range info.Deps {
			if ref := goModule(m).Ref; sums[ref] != m.Sum || !slices.Contains(got.Dependencies[at].On, ref) {
				t.Errorf("%s links %s %s, and the bill says %q", f.name, ref, m.Sum, sums[ref])
			}
		}
	}
	refs := map[string]bool{got.Metadata.Component.Ref: true}
	for _, c := range append(got.Components, got.Metadata.Component.Components...) {
		if refs[c.Ref] {
			t.Errorf("two things are called %s", c.Ref)
		}
		refs[c.Ref] = true
	}
	text := string(texts[0])
	for _, part := range []string{`"pkg:golang/std@1.`, `"pkg:npm/acorn@`, `"pkg:npm/%40xterm/xterm@`, hashes(data)[0].Content, `"version": "` + r.Version + `"`} {
		if !strings.Contains(text, part) {
			t.Errorf("the bill lacks %s", part)
		}
	}
	if err := sbom(t.Context(), r, dir, nil); err == nil {
		t.Error("no archive has a bill")
	}
}
