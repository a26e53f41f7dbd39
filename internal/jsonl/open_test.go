package jsonl_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/jsonl"
	"aburn/internal/lab/world"
)

// Only files are opened, through a link too; what is no file is told at once.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.jsonl")
	if err := world.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, p := range []string{path, link} {
		f, err := jsonl.Open(p)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		f.Close()
	}
	if _, err := jsonl.Open(dir); !errors.Is(err, jsonl.ErrIrregular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := jsonl.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// Only the beginning of a file is looked at; of what is no file, or empty, there is none.
func TestPeek(t *testing.T) {
	dir := t.TempDir()
	for n, want := range map[int]int{0: 0, 1: 1, 4096: 4096, 4097: 4096} {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := len(jsonl.Peek(path)); got != want {
			t.Errorf("of %d bytes %d", n, got)
		}
	}
	if jsonl.Peek(dir) != nil || jsonl.Peek(filepath.Join(dir, "none")) != nil {
		t.Error("what is no file begins with nothing")
	}
}
