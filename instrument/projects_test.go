package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"aburn/instrument/jsast"
	"aburn/instrument/scan"
)

// found and wrong are what a scan of all labelled projects finds of the labels, and beside them.
const (
	labelledFound = 8
	labelledWrong = 0
)

// TestLabelledProjects: scans find what a reader would give a span, over the files of a project.
func TestLabelledProjects(t *testing.T) {
	files, err := filepath.Glob("scan/testdata/projects/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	engine := jsast.NewGoja()
	found, wrong, all := 0, 0, 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		var labels []string
		for _, f := range archive.Files {
			if f.Name == "labels" {
				labels = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
				continue
			}
			at := filepath.Join(dir, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Select(t.Context(), dir, []string{dir}, Defaults(), os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Scan(t.Context(), engine, dir, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		all += len(labels)
		for _, f := range got.Files {
			for _, fn := range f.Functions {
				is, label := fn.Verdict == scan.Candidate, slices.Contains(labels, f.Path+" "+fn.Name)
				switch {
				case is && label:
					found++
				case is:
					wrong++
				}
				if is != label {
					t.Logf("%s: %s %s: %s: %s", file, f.Path, fn.Name, fn.Verdict, fn.Reason)
				}
			}
		}
	}
	if found != labelledFound || wrong != labelledWrong {
		t.Errorf("%d of %d found and %d wrong; the constants say %d and %d", found, all, wrong, labelledFound, labelledWrong)
	}
}
