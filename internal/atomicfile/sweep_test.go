package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a killed writer left goes; what somebody is writing, and every other file, stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	then := time.Now().Add(-time.Hour)
	for _, name := range []string{".a.json.1x.tmp", ".b.2.tmp", ".other.3.tmp", ".a.json.tmp", "a.json", "b.4.tmp", ".tmp", ".a.json.5.tmp.bak"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".a.json.young.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".a.json.6.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	Sweep(root, time.Now().Add(10*time.Second), "a.json", "b")
	if got, want := names(t, dir), ".a.json.5.tmp.bak .a.json.6.tmp .a.json.tmp .a.json.young.tmp .other.3.tmp .tmp a.json b.4.tmp"; got != want {
		t.Errorf("left\n%s\nwant\n%s", got, want)
	}
}
