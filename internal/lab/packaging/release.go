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
	Targets     []Target
	Executables []string // aburn first
	config      config
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

// Number is the version as package managers write it.
func (r Release) Number() string { return strings.TrimPrefix(r.Version, "v") }

// Name is the start of the names of a target's archive and of the folder in it.
func (r Release) Name(t Target) string { return "aburn_" + r.Number() + "_" + t.String() }

func newRelease(ctx context.Context, root, version string) (Release, error) {
	r := Release{Root: root, Version: version, built: map[Target][]file{}, licences: new(file)}
	var err error
	if r.config, err = readConfig(root); err != nil {
		return r, err
	}
	r.Targets, r.Executables = r.config.targets(), r.config.executables()
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

// About is what every package says of aburn, Homepage its address, Maintainer who makes the packages. The address and the
// maintainer are placeholders until the first release: set them, and the module's path, then.
func (r Release) About() string      { return r.config.about() }
func (r Release) Homepage() string   { return r.config.Nfpms[0].Homepage }
func (r Release) Maintainer() string { return r.config.Nfpms[0].Maintainer }

// native is the executables for a target, built as goreleaser builds them, once.
func (r Release) native(ctx context.Context, t Target) ([]file, error) {
	if r.built[t] != nil {
		return slices.Clone(r.built[t]), nil
	}
	dir, err := os.MkdirTemp("", "aburn-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args, env := r.config.command(r.Number(), t, dir)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr, cmd.Env = r.Root, os.Stderr, append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build for %s: %w", t, err)
	}
	var files []file
	for _, name := range r.Executables {
		data, err := os.ReadFile(filepath.Join(dir, t.exe(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{t.exe(name), 0o755, data})
	}
	r.built[t] = files
	return slices.Clone(files), nil
}
