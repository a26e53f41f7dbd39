package tree

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is sent arrives with its modes and links, and is known as copied. What lies there already stays.
func TestCarry(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write := func(dir, name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(from, ".env", "A=1\n", 0o600)
	write(from, "cache/a b", "x", 0o755)
	write(to, "there", "mine", 0o600)
	write(from, "there", "theirs", 0o600)
	for name, target := range map[string]string{"cache/link": "a b", "out": "../elsewhere", "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(from, name)); err != nil {
			t.Skip(err)
		}
	}
	var stream bytes.Buffer
	left, err := SendFiles(t.Context(), (&Repo{Main: from}), &stream, []string{".env", "cache/a b", "cache/link", "out", "gone", "missing", "there"})
	if err != nil || strings.Join(left, " ") != "out gone missing" {
		t.Errorf("left %q, %v", left, err)
	}
	whole := stream.Bytes()
	tr := &Tree{Path: to}
	done, err := tr.Receive(t.Context(), bytes.NewReader(whole))
	if err != nil || len(done) != 3 {
		t.Fatalf("%v %v", done, err)
	}
	if st, err := os.Stat(filepath.Join(to, "cache/a b")); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", st, err)
	}
	for name, want := range map[string]string{".env": "A=1\n", "cache/link": "x", "there": "mine"} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	for _, c := range done {
		if !tr.same(c) {
			t.Errorf("%+v is not as it was copied", c)
		}
	}
	for n := range len(whole) / 512 { // cut anywhere: an error, or less than all
		cut := &Tree{Path: t.TempDir()}
		if done, err := cut.Receive(t.Context(), bytes.NewReader(whole[:n*512+1])); err == nil && len(done) > 3 {
			t.Errorf("cut after %d: %v", n*512+1, done)
		}
	}
}

// Nothing is written outside of the tree, nor into git's folder, whoever sends it.
func TestReceiveRefuses(t *testing.T) {
	for _, h := range []tar.Header{
		{Name: "../out", Typeflag: tar.TypeReg}, {Name: "/tmp/out", Typeflag: tar.TypeReg}, {Name: ".git/hooks/x", Typeflag: tar.TypeReg},
		{Name: ".GIT/config", Typeflag: tar.TypeReg}, {Name: ".git", Typeflag: tar.TypeReg}, {Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
		{Name: "a/b", Typeflag: tar.TypeSymlink, Linkname: "../../etc"}, {Name: "a", Typeflag: tar.TypeLink, Linkname: "b"}, {Name: "a", Typeflag: tar.TypeFifo},
	} {
		var stream bytes.Buffer
		w := tar.NewWriter(&stream)
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		w.Close()
		dir := t.TempDir()
		if done, err := (&Tree{Path: dir}).Receive(t.Context(), &stream); err == nil {
			t.Errorf("%+v: %v", h, done)
		}
		if found, _ := os.ReadDir(dir); len(found) > 0 {
			t.Errorf("%+v: %v", h, found)
		}
	}
}
