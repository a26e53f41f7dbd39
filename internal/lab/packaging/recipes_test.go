package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite goldens")

// One made-up checksums.txt gives the files of all package managers.
func TestRecipes(t *testing.T) {
	dir := t.TempDir()
	r := configured(t, "v1.2.3")
	r.Executables = []string{"aburn", "aburn-hook"}
	if err := recipes(t.Context(), r, dir, []string{"testdata/checksums.txt"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aburn.rb", "aburn.json", "aburn.nix"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "recipes", name)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, got\n%s", name, err, got)
		}
		if name == "aburn.json" && !json.Valid(got) {
			t.Errorf("%s is no JSON", name)
		}
		if _, err := exec.LookPath("ruby"); err == nil && name == "aburn.rb" {
			if out, err := exec.Command("ruby", "-c", filepath.Join(dir, name)).CombinedOutput(); err != nil {
				t.Errorf("ruby -c: %v %s", err, out)
			}
		}
	}
}

// A release that lacks an archive, or whose sums are none, gets no files that would not install.
func TestRecipesNeedEachArchive(t *testing.T) {
	sums, err := os.ReadFile("testdata/checksums.txt")
	if err != nil {
		t.Fatal(err)
	}
	for fault, text := range map[string]string{
		"no archive of v1.2.3 darwin_arm64 is listed": strings.ReplaceAll(string(sums), "darwin_arm64", "plan9_arm64"),
		"the sum of aburn_1.2.3_windows_amd64.zip":    strings.ReplaceAll(string(sums), "7575", "75"),
		"no archive of v1.2.3":                        "",
	} {
		path := filepath.Join(t.TempDir(), "checksums.txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		if err := recipes(t.Context(), configured(t, "v1.2.3"), out, []string{path}); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
		if written, _ := os.ReadDir(out); len(written) > 0 {
			t.Errorf("%s: wrote %v", fault, written)
		}
	}
}
