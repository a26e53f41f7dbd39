package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/world"
)

// rooted runs programs in a root of their own, which holds nothing but what a package put there.
type rooted struct {
	t         *testing.T
	root, dir string
	env       []string
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not root: no root folder can be changed")
	}
}

func (r rooted) run(stdin, name string, args ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Path = name // in the root; exec.Command looks for it here
	cmd.Err = nil
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, strings.NewReader(stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: r.root}
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		r.t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (r rooted) must(name string, args ...string) string {
	r.t.Helper()
	out, code := r.run("", name, args...)
	if code != 0 {
		r.t.Fatalf("%s %v: exit %d: %s", name, args, code, out)
	}
	return out
}

// The image is whole, is the same twice, and its executables need nothing else in their root: they archive the sessions
// of a home that is mounted, and report them.
func TestImage(t *testing.T) {
	world.Slow(t)
	r := testRelease(t)
	dir, again := t.TempDir(), t.TempDir()
	for _, dir := range []string{dir, again} {
		if err := image(t.Context(), r, dir, nil); err != nil {
			t.Fatal(err)
		}
	}
	top := blobOf[index](t, dir, "index.json")
	if twice := blobOf[index](t, again, "index.json"); top.Manifests[0].Digest != twice.Manifests[0].Digest {
		t.Errorf("the image is %s, and then %s", top.Manifests[0].Digest, twice.Manifests[0].Digest)
	}
	if name := top.Manifests[0].Annotations["org.opencontainers.image.ref.name"]; name != "0.1.0" {
		t.Errorf("the image is called %q", name)
	}
	images := blobOf[index](t, dir, blobPath(top.Manifests[0].Digest))
	if len(images.Manifests) != 1 || *images.Manifests[0].Platform != (platform{"linux", here.Arch}) {
		t.Fatalf("the images are %+v", images.Manifests)
	}
	m := blobOf[struct {
		Config descriptor
		Layers []descriptor
	}](t, dir, blobPath(images.Manifests[0].Digest))
	config := blobOf[struct {
		Config struct {
			Env, Entrypoint []string
			WorkingDir      string
		}
		Rootfs struct {
			Diffs []string `json:"diff_ids"`
		}
	}](t, dir, blobPath(m.Config.Digest))
	needRoot(t)
	root := t.TempDir()
	layer := filepath.Join(dir, blobPath(m.Layers[0].Digest))
	if out, err := exec.Command("tar", "-xzf", layer, "-C", root).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := exec.Command("sh", "-c", "gzip -dc "+layer+" | sha256sum").Output(); err != nil || config.Rootfs.Diffs[0] != "sha256:"+string(out[:64]) {
		t.Errorf("the layer is %s, and the configuration says %v", out, config.Rootfs.Diffs)
	}
	for _, name := range r.Executables {
		if !exists(filepath.Join(root, "usr/bin", name)) {
			t.Errorf("the image has no %s", name)
		}
	}
	sessions, err := filepath.Abs(filepath.Join(rootOfSource, "trace/claude/testdata/runs/subagents"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(root, "home/.claude/projects"), os.DirFS(sessions)); err != nil {
		t.Fatal(err)
	}
	c := rooted{t, root, config.Config.WorkingDir, config.Config.Env}
	entry := config.Config.Entrypoint[0]
	if out := c.must(entry, "version"); !strings.HasPrefix(out, "aburn version v0.1.0 ") {
		t.Errorf("aburn version: %s", out)
	}
	c.must(entry, "ingest")
	c.must(entry, "report")
	c.must(entry, "report", "--html", "/work/report.html")
	if page, err := os.ReadFile(filepath.Join(root, "work/report.html")); err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("the page: %v %.100s", err, page)
	}
	if out := c.must(entry, "sessions", "--json"); !strings.Contains(out, "f01408c0-0329-481e-9127-bf001d08e34b") {
		t.Errorf("the sessions are %s", out)
	}
}

func blobPath(digest string) string {
	return filepath.Join("blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
}

// blobOf reads an object of the layout and checks the blob's digest.
func blobOf[T any](t *testing.T, dir, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if base := filepath.Base(name); strings.HasPrefix(name, "blobs") && base != fmt.Sprintf("%x", sha256.Sum256(data)) {
		t.Errorf("%s has another digest", base)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestImageIsForLinux(t *testing.T) {
	r := Release{Version: "v1.0.0", Targets: []Target{{"darwin", "arm64"}}}
	if err := image(t.Context(), r, t.TempDir(), nil); err == nil || !slices.Contains(strings.Fields(err.Error()), "Linux") {
		t.Errorf("an image for macOS: %v", err)
	}
}
