package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

const rootOfSource = "../../.."

var here = Target{runtime.GOOS, runtime.GOARCH}

func TestMain(m *testing.M) {
	compression = gzip.BestSpeed
	os.Exit(m.Run())
}

// built is a release of this source for this machine. All tests share it, because linking takes seconds.
var built = sync.OnceValues(func() (Release, error) {
	r, err := newRelease(context.Background(), rootOfSource, "v0.1.0")
	r.Targets = []Target{here}
	return r, err
})

// paged are the manual and the completions of that release, from a hundred starts of its aburn.
var paged = sync.OnceValues(func() ([]file, error) {
	r, err := built()
	if err != nil {
		return nil, err
	}
	return r.pages(context.Background())
})

// configured is a release without a source, for what builds nothing.
func configured(t *testing.T, version string) Release {
	t.Helper()
	c, err := readConfig(rootOfSource)
	if err != nil {
		t.Fatal(err)
	}
	return Release{Version: version, Targets: c.targets(), Executables: c.executables(), config: c, built: map[Target][]file{}}
}

func testRelease(t *testing.T) Release {
	t.Helper()
	r, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// folders are those of cmd that hold an executable.
func folders(t *testing.T) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(rootOfSource, "cmd", "aburn*", "main.go"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(names)
	return names
}

// The executables that `make install` installs are all that there are.
func TestMakefileNamesEachExecutable(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(rootOfSource, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^EXECUTABLES := (.*)$`).FindSubmatch(data)
	if m == nil {
		t.Fatal("it names none")
	}
	if installed := slices.Sorted(slices.Values(strings.Fields(string(m[1])))); !slices.Equal(installed, folders(t)) {
		t.Errorf("make install installs %v, and cmd holds %v", installed, folders(t))
	}
}

// unpack reads a tar.gz.
func unpack(t *testing.T, data []byte) (files []file) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != h.Gname || h.Uname != "" && h.Uname != "root" {
			t.Errorf("%s belongs to somebody of the machine that built it", h.Name)
		}
		if h.Typeflag == tar.TypeReg {
			files = append(files, file{h.Name, h.FileInfo().Mode(), read(t, r)})
		}
	}
}

func read(t *testing.T, r io.Reader) []byte {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Between releases the version is the commit's pseudo-version, which renews no installed copies.
func TestVersionBetweenReleases(t *testing.T) {
	if _, err := os.Stat(filepath.Join(rootOfSource, ".git")); err != nil {
		t.Skip(err)
	}
	r, err := newRelease(t.Context(), rootOfSource, "")
	if err != nil || !regexp.MustCompile(`^v\d+\.\d+\.\d+(-\d{14}-[0-9a-f]{12}|-[a-z]+\.\d+)?$`).MatchString(r.Version) {
		t.Errorf("%q %v", r.Version, err)
	}
	if _, err := newRelease(t.Context(), rootOfSource, "1.2"); err == nil || !strings.Contains(err.Error(), "v1.2.3") {
		t.Errorf("1.2 as a version: %v", err)
	}
}

// succeed runs cmd, which must, and returns what it says.
func succeed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return strings.TrimSpace(string(out))
}
