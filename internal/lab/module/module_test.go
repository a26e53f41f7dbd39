package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

const elsewhere = "example.com/somebody/else"

// TestAnotherPath gives a copy of this repository another path: nothing imports the old one, and the executables are found under
// the new one. ABURN_MODULE=quick copies test data too, and runs `make quick` there.
func TestAnotherPath(t *testing.T) {
	whole := os.Getenv("ABURN_MODULE") == "quick"
	if !whole {
		world.Slow(t)
	}
	root := copied(t, whole)
	r, err := rename(root, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if r.files < 1000 || len(r.lines) < 5 {
		t.Errorf("%d files and %d lines elsewhere changed", r.files, len(r.lines))
	}
	checkNoImport(t, root, r.old)
	for _, name := range []string{"Makefile", ".goreleaser.yaml", "docs/reference/packages.md", ".ci/lint.mod", "go.mod"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(data); !strings.Contains(text, elsewhere) || strings.Contains(text, " "+r.old+"/cmd") || strings.Contains(text, "module "+r.old) {
			t.Errorf("%s names %s", name, r.old)
		}
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	if all := run("go", "list", "-deps", "./cmd/..."); strings.Contains("\n"+all, "\n"+r.old+"/") || !strings.Contains("\n"+all, "\n"+elsewhere+"/cmd/aburn\n") {
		t.Errorf("go list says\n%s", all)
	}
	run("go", "build", "-buildvcs=false", "-o", "bin/", "./cmd/aburn-hold")
	if whole {
		t.Log(run("make", "quick"))
	}
	again, err := rename(root, "example.org/third")
	if err != nil || again.old != elsewhere || again.files != r.files {
		t.Errorf("the next path: %+v, %v", again, err)
	}
	if _, err := rename(root, "example.org/third"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("the same path: %v", err)
	}
}

// TestChange says which names are the module's.
func TestChange(t *testing.T) {
	r := &renaming{old: "old", path: elsewhere}
	packages := map[string]bool{"cmd": true, "cmd/internal": true, "cmd/internal/kit": true, "instrument": true, "archive": true}
	for before, after := range map[string]string{
		`import "old/archive"`:              `import "` + elsewhere + `/archive"`,
		"-X old/cmd/internal/kit.release=v": "-X " + elsewhere + "/cmd/internal/kit.release=v",
		`"old/cmd/"+name`:                   `"` + elsewhere + `/cmd/"+name`,
		"(old/instrument)":                  "(" + elsewhere + "/instrument)",
		"the branch old/instrument-RUN":     "",
		"the branch old/worker":             "",
		"~/.cache/old/archive":              "",
		"@old/archive":                      "",
		"notold/archive":                    "",
		"old archive":                       "",
	} {
		if after == "" {
			after = before
		}
		if got := string(r.change("x", []byte(before), packages)); got != after {
			t.Errorf("%s became %s", before, got)
		}
	}
	if got := string(r.change("a.mod", []byte("module old/lint\n"), packages)); got != "module "+elsewhere+"/lint\n" {
		t.Errorf("the other module is %s", got)
	}
	if _, err := rename(t.TempDir(), "no path"); err == nil {
		t.Error("a path with a blank was taken")
	}
}

// checkNoImport fails where a file imports a package of the old path.
func checkNoImport(t *testing.T, root, old string) {
	n := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range file.Imports {
			if path, _ := strconv.Unquote(imp.Path.Value); path == old || strings.HasPrefix(path, old+"/") {
				t.Errorf("%s imports %s", name, path)
			}
		}
		n++
		return nil
	})
	if err != nil || n < 1000 {
		t.Fatalf("%d files: %v", n, err)
	}
}

// copied copies the repository, without its history, and without test data unless it is to be tested whole.
func copied(t *testing.T, whole bool) string {
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	err = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(top, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == ".git" || rel == ".cache" || rel == "bin" || rel == "dist" || !whole && d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(root, rel), 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, filepath.Join(root, rel))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(root, rel), data, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}
