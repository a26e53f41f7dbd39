package jsonl

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder tells of its files what os.Lstat does, also through a link to it, and is never a file.
func TestFolder(t *testing.T) {
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
	for _, e := range folder.Entries {
		names += e.Name() + " "
		want, err := os.Lstat(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := folder.Stat(e); err != nil || got.Size != want.Size() || !got.ModTime.Equal(want.ModTime()) || e.Type() != want.Mode().Type() {
			t.Errorf("%s: %+v, %v; want %d, %s", e.Name(), got, err, want.Size(), want.ModTime())
		}
	}
	if names != "a b.jsonl c link nowhere " {
		t.Errorf("entries %s", names)
	}
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Stat(folder.Entries[0]); !os.IsNotExist(err) {
		t.Errorf("a file that went: %v", err)
	}
	for _, no := range []string{filepath.Join(dir, "c"), filepath.Join(dir, "none")} {
		if _, err := OpenFolder(no); err == nil {
			t.Errorf("%s is no folder", no)
		}
	}
}
