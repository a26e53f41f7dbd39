package tree

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileAt: a file is read from a commit, whatever lies in the checkout.
func TestFileAt(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %s", args, out)
		}
	}
	git("init", "-q")
	os.MkdirAll(filepath.Join(dir, "a b"), 0o755)
	os.WriteFile(filepath.Join(dir, "a b", "*.md"), []byte("one\ntwo\n"), 0o644)
	os.Symlink("/etc/passwd", filepath.Join(dir, "link.md"))
	os.WriteFile(filepath.Join(dir, "long.md"), []byte(strings.Repeat("x", 100)), 0o644)
	git("add", ".")
	git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "first")
	os.WriteFile(filepath.Join(dir, "a b", "*.md"), []byte("changed\n"), 0o644)
	r, err := Open(t.Context(), dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := r.FileAt(t.Context(), "HEAD", "a b/*.md", 99); text != "one\ntwo" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	for path, want := range map[string]error{"none.md": fs.ErrNotExist, "a b": nil, "link.md": nil, "long.md": ErrLong, "../x": nil} {
		if text, err := r.FileAt(t.Context(), "HEAD", path, 99); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %q %v", path, text, err)
		}
	}
}
