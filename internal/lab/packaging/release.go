package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Release is what all packages of one version have in common.
type Release struct {
	Root        string // of the source
	Version     string // as Go writes versions: v1.2.3, or a pseudo-version between releases
	Time        time.Time
	Executables []string // each a folder of cmd
	Targets     []Target
	built       map[Target][]file
	licences    *file // othersFile, once it was made: Go lists all packages for it, for each system
}

// Target is a system and a processor, as Go names them.
type Target struct{ OS, Arch string }

func (t Target) String() string { return t.OS + "_" + t.Arch }

// exe is the name of an executable's file there.
func (t Target) exe(name string) string {
	if t.OS == "windows" {
		return name + ".exe"
	}
	return name
}

var allTargets = []Target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// About is what every package says of aburn.
const About = "Flight recorder and supervisor of coding agents"

// Homepage is a placeholder: no address is known before the first release. All packages take it from here, and
// .goreleaser.yaml is compared with it. Set it, and the module's path, at the first release.
const Homepage = "https://example.invalid/aburn"

// Maintainer is a placeholder too.
const Maintainer = "aburn <aburn@example.invalid>"

// Number is the version as package managers write it.
func (r Release) Number() string { return strings.TrimPrefix(r.Version, "v") }

// Name is the start of the names of a target's archive and of the folder in it.
func (r Release) Name(t Target) string { return "aburn_" + r.Number() + "_" + t.String() }

func newRelease(ctx context.Context, root, version string) (Release, error) {
	r := Release{Root: root, Version: version, Targets: allTargets, built: map[Target][]file{}, licences: new(file)}
	var err error
	if r.Executables, err = executables(root); err != nil {
		return r, err
	}
	if r.Version == "" {
		r.Version, err = gitVersion(ctx, root)
	}
	if err == nil && !semver.IsValid(r.Version) {
		err = fmt.Errorf("%q is no version such as v1.2.3", r.Version)
	}
	if err == nil {
		r.Time, err = sourceTime(ctx, root)
	}
	return r, err
}

// executables are all that travel together: the folders of cmd but those of internal packages.
func executables(root string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, "cmd", "aburn*", "main.go"))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s holds no cmd/aburn*: is it the root of aburn's source?", root)
	}
	var names []string
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(names) // aburn first
	return names, err
}

// gitVersion is the commit's tag, or else its pseudo-version, which no installed aburn takes for a release.
func gitVersion(ctx context.Context, root string) (string, error) {
	if tag, err := git(ctx, root, "describe", "--tags", "--exact-match", "--match=v*"); err == nil && semver.IsValid(tag) {
		return tag, nil
	}
	version, err := git(ctx, root, "log", "-1", "--abbrev=12", "--date=format-local:%Y%m%d%H%M%S", "--format=v0.0.0-%cd-%h")
	if err != nil {
		return "", fmt.Errorf("git knows no version of this source, so say it with -version: %w", err)
	}
	return version, nil
}

// sourceTime is the time of everything in the packages: SOURCE_DATE_EPOCH, or the commit's. Without either it is the
// earliest that zip can say, so that packages of an unpacked source are the same twice too.
func sourceTime(ctx context.Context, root string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git(ctx, root, "log", "-1", "--format=%ct"); err != nil {
			return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), nil
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the source is no number of seconds: %q", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// git asks about root itself, never about a repository around it.
func git(ctx context.Context, root string, args ...string) (string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// build writes all executables for t into dir. The bytes depend on the source, the version and Go only: neither the
// folder nor the repository's state nor the environment changes them.
func (r Release) build(ctx context.Context, t Target, dir string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X aburn/cmd/internal/kit.release=" + r.Version, "-o", dir + string(filepath.Separator)}
	for _, name := range r.Executables {
		args = append(args, "./cmd/"+name)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = r.Root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+t.OS, "GOARCH="+t.Arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build for %s: %w", t, err)
	}
	return nil
}
