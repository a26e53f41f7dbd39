package jsonl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// A folder tells of its files what os.Lstat does, also through a link to it, and is never a file.
func TestFolder(t *testing.T) {
	world.Links(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"b.jsonl": "{}\n", "a": "", "c": "longer than the others"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"link": "c", "nowhere": "none"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	way := filepath.Join(t.TempDir(), "way")
	if err := os.Symlink(dir, way); err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(way)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	names := ""
	for i, e := range folder.Entries {
		names += e.Name + " "
		if path := filepath.Join(way, e.Name); folder.Path(i) != path {
			t.Errorf("%s is %s", path, folder.Path(i))
		}
		want, err := os.Lstat(filepath.Join(dir, e.Name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := folder.Stat(i); err != nil || got.Size != want.Size() || !got.ModTime.Equal(want.ModTime()) || e.Type != want.Mode().Type() {
			t.Errorf("%s: %+v, %v; want %d, %s", e.Name, got, err, want.Size(), want.ModTime())
		}
	}
	if names != "a b.jsonl c link nowhere " {
		t.Errorf("entries %s", names)
	}
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Stat(0); !os.IsNotExist(err) {
		t.Errorf("a file that went: %v", err)
	}
	for _, no := range []string{filepath.Join(dir, "c"), filepath.Join(dir, "none")} {
		if _, err := OpenFolder(no); err == nil {
			t.Errorf("%s is no folder", no)
		}
	}
}

// A folder of more entries than the system tells at once, with names of all lengths, has each of them once.
func TestLargeFolder(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	for i := range 3000 {
		name := fmt.Sprintf("%04d%s", i, strings.Repeat("x", i%252))
		if i%100 == 0 {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(dir + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if len(folder.Entries) != len(want) {
		t.Fatalf("%d entries of %d", len(folder.Entries), len(want))
	}
	for i, e := range folder.Entries {
		if e.Name != want[i].Name() || e.Type != want[i].Type() || folder.Path(i) != filepath.Join(dir, e.Name) {
			t.Fatalf("entry %d is %s, %s, not %s", i, e.Name, e.Type, want[i])
		}
	}
}
