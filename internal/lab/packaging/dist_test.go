package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
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

	"aburn/internal/lab/world"
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

func testRelease(t *testing.T) Release {
	t.Helper()
	r, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The executables that `make install` installs are all that there are, so that each package, which takes the folders
// of cmd, brings the same ones.
func TestMakefileNamesEachExecutable(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(rootOfSource, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^EXECUTABLES := (.*)$`).FindSubmatch(data)
	names, err := executables(rootOfSource)
	if err != nil || m == nil {
		t.Fatal(err, m)
	}
	installed := strings.Fields(string(m[1]))
	slices.Sort(installed)
	if !slices.Equal(installed, names) {
		t.Errorf("make install installs %v, and cmd holds %v", installed, names)
	}
}

// Two people who build the same source get the same bytes: here in the repository, there in an unpacked copy of it.
func TestArchivesAreTheSameTwice(t *testing.T) {
	world.Slow(t)
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	shared := testRelease(t) // its executables are of the repository
	native, err := shared.native(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := copySource(t)
	var sums []string
	for _, made := range []func(out string) error{
		func(out string) error {
			r, err := newRelease(t.Context(), rootOfSource, shared.Version)
			if err != nil {
				return err
			}
			r.Targets, r.built[here], r.licences = []Target{here}, native, shared.licences
			return dist(t.Context(), r, out, nil)
		},
		func(out string) error {
			return run(t.Context(), []string{"dist", "-C", elsewhere, "-o", out, "-version", shared.Version, "-targets", here.OS + "/" + here.Arch})
		},
	} {
		out := t.TempDir()
		if err := made(out); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(out, "checksums.txt"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(data))
		checkSums(t, out, string(data))
		checkArchive(t, out)
	}
	if sums[0] != sums[1] {
		t.Errorf("the repository gives\n%sand its copy\n%s", sums[0], sums[1])
	}
}

// copySource copies what git would take into a folder that is no repository.
func copySource(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-zco", "--exclude-standard")
	cmd.Dir = rootOfSource
	out, err := cmd.Output()
	if err != nil {
		t.Skip("this source is in no repository: ", err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.Contains(name, "/testdata/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(rootOfSource, name))
		if err != nil {
			continue // deleted, or a link to a folder
		}
		if err := write(dir, []file{{name, 0o644, data}}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checkSums(t *testing.T, dir, sums string) {
	t.Helper()
	if _, err := exec.LookPath("sha256sum"); err != nil {
		return
	}
	cmd := exec.Command("sha256sum", "--check", "--strict")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(sums)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// checkArchive unpacks the archive in dir and runs what is in it.
func checkArchive(t *testing.T, dir string) {
	t.Helper()
	r := testRelease(t)
	matches, err := filepath.Glob(filepath.Join(dir, "aburn_0.1.0_"+here.String()+".*[pz]"))
	if err != nil || len(matches) != 1 {
		t.Fatalf("%v %v", matches, err)
	}
	data, err := os.ReadFile(matches[0])
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, matches[0], data)
	unpacked := t.TempDir()
	if err := write(unpacked, files); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(unpacked, r.Name(here))
	for _, name := range slices.Concat(texts, []string{othersFile, "man/aburn.1", "completions/aburn.bash", "completions/_aburn", "completions/aburn.fish"}) {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range r.Executables {
		if st, err := os.Stat(filepath.Join(folder, here.exe(name))); err != nil || st.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows" {
			t.Errorf("%s is not executable: %v", name, err)
		}
	}
	out, err := exec.Command(filepath.Join(folder, here.exe("aburn")), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "aburn version v0.1.0 ") {
		t.Errorf("aburn version: %v %s", err, out)
	}
}

// unpack reads an archive by its name.
func unpack(t *testing.T, name string, data []byte) (files []file) {
	t.Helper()
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file{f.Name, f.Mode(), read(t, r)})
		}
		return files
	}
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
		if h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" {
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

// A zip has executables too, and their modes.
func TestWindowsGetsAZip(t *testing.T) {
	r := Release{Version: "v0.1.0"}
	name, data, err := r.archive(Target{"windows", "arm64"}, []file{{"b.exe", 0o755, []byte("b")}, {"a.md", 0o644, []byte("a")}})
	if err != nil || name != "aburn_0.1.0_windows_arm64.zip" {
		t.Fatal(name, err)
	}
	got := ""
	for _, f := range unpack(t, name, data) {
		got += fmt.Sprintf("%s %s %s\n", f.name, f.mode, f.data)
	}
	if want := "aburn_0.1.0_windows_arm64/a.md -rw-r--r-- a\naburn_0.1.0_windows_arm64/b.exe -rwxr-xr-x b\n"; got != want {
		t.Errorf("got %s", got)
	}
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
