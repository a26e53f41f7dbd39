package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// .goreleaser.yaml builds each executable, and takes address and targets from where all packages have them. -update adds
// a line for a new executable.
func TestGoreleaserBuildsEachExecutable(t *testing.T) {
	path := filepath.Join(rootOfSource, ".goreleaser.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := executables(rootOfSource)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, name := range names[1:] { // the first one has the build that the others refer to
		want += "  - { <<: *build, id: " + name + ", main: ./cmd/" + name + ", binary: " + name + " }\n"
	}
	lines := regexp.MustCompile(`(?m)(^  - \{ <<: \*build, .*\n)+`)
	if got := lines.FindString(string(data)); got != want {
		if !*update {
			t.Fatalf("run go test ./internal/lab/packaging -update: .goreleaser.yaml builds\n%sand cmd holds\n%s", got, want)
		}
		if err := os.WriteFile(path, lines.ReplaceAll(data, []byte(want)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"main: ./cmd/" + names[0] + "\n", "goos: [linux, darwin, windows]\n", "goarch: [amd64, arm64]\n", "homepage: " + Homepage + " #", "maintainer: " + Maintainer + " #", "description: " + About + " }", "      " + About + "\n"} {
		if !strings.Contains(string(data), line) {
			t.Errorf(".goreleaser.yaml lacks %q", line)
		}
	}
	var systems []string
	for _, target := range allTargets {
		systems = append(systems, target.String())
	}
	if got := strings.Join(systems, " "); got != "linux_amd64 linux_arm64 darwin_amd64 darwin_arm64 windows_amd64 windows_arm64" {
		t.Errorf("make dist builds for %s, which .goreleaser.yaml does not", got)
	}
}
