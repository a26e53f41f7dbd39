package jsonl_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/jsonl"
)

// Only files are opened, through a link too; what is no file is told at once.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
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
