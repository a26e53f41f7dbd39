package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Packages of systems hold compressed pages and changelogs, the same bytes each time.
func TestFilesOfSystemPackages(t *testing.T) {
	root := t.TempDir()
	if err := write(root, []file{{"LICENSE", 0o644, []byte("MIT\n")}, {"CHANGELOG.md", 0o644, []byte("# Changelog\n")}}); err != nil {
		t.Fatal(err)
	}
	r := configured(t, "v1.2.3-rc.1")
	r.Root, r.Time = root, time.Unix(1790000000, 0).UTC()
	files, err := r.system([]file{{"man/aburn.1", 0o644, []byte(".TH\n")}, {"completions/_aburn", 0o644, nil}}, file{othersFile, 0o644, []byte("others\n")})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.name] = string(f.data)
		if !strings.HasSuffix(f.name, ".gz") {
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(f.data))
		if err != nil {
			t.Fatal(f.name, err)
		}
		if !z.ModTime.IsZero() || z.Name != "" || f.data[8] != 2 { // RFC 1952: 2 says that nothing compresses better
			t.Errorf("%s: time %v, name %q, compression %d", f.name, z.ModTime, z.Name, f.data[8])
		}
		got[f.name] = string(read(t, z))
	}
	want := map[string]string{
		"system/man/aburn.1.gz": ".TH\n", "system/changelog.gz": "# Changelog\n", "system/lintian-overrides": lintianOverrides,
		"system/copyright": "MIT\n" + licenceRule + "\nothers\n",
		"system/changelog.yaml": `- semver: "1.2.3~rc.1-1"
  date: 2026-09-21T14:13:20Z
  packager: aburn <aburn@example.invalid>
  deb: { urgency: medium, distributions: [unstable] }
  changes:
    - note: Release 1.2.3-rc.1
    - note: What changed in aburn stands in changelog.gz
`,
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is\n%s", name, got[name])
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("there is also %v", got)
	}
	config, err := os.ReadFile(filepath.Join(rootOfSource, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if pattern := strings.Replace(name, "man/aburn.1.gz", "man/*.1.gz", 1); !strings.Contains(string(config), ".cache/pages/"+pattern) {
			t.Errorf(".goreleaser.yaml does not take %s", name)
		}
	}
}
