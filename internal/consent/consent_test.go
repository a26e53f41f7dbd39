package consent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/project"
)

// TestConsentCountsForOneProjectAndOneLine: nothing is permitted without a mark, and a file of consents that comes from
// elsewhere permits nothing.
func TestConsentCountsForOneProjectAndOneLine(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	made := func() *project.Project {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, project.OssDir), 0o700); err != nil {
			t.Fatal(err)
		}
		p, err := project.At(dir, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := made(), made()
	if err := Give(a, "npm test"); !errors.Is(err, fs.ErrNotExist) || Given(a, "npm test") {
		t.Fatalf("without a mark: %v", err)
	}
	for _, p := range []*project.Project{a, b} {
		if err := project.Mark(p.Root); err != nil {
			t.Fatal(err)
		}
	}
	if err := Give(a, "npm test", "npx prettier"); err != nil {
		t.Fatal(err)
	}
	if err := Give(a, "node x"); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{"npm test": true, "npx prettier": true, "node x": true, "npm test ": false, "": false} {
		if Given(a, line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
	if Given(b, "npm test") {
		t.Error("another project's consent counts")
	}
	data, err := os.ReadFile(a.Consents())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.Consents(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if Given(b, "npm test") {
		t.Error("a copied file of consents counts")
	}
	if err := project.Unmark(a.Root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(a.Consents()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("consent outlives the mark")
	}
}
