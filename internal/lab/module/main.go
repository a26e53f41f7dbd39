// Command module changes the path of this module wherever the repository names it: imports, linker flags, the release's
// files, the Makefile and documents.
//
//	module [-C DIR] PATH    such as github.com/OWNER/aburn
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/module"
)

func main() {
	root := flag.String("C", ".", "the `folder` of the repository")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "module: error: one path is needed\nmodule: hint: make module MODULE=github.com/OWNER/aburn")
		os.Exit(2)
	}
	r, err := rename(*root, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "module: error:", err)
		os.Exit(1)
	}
	for _, line := range r.lines {
		fmt.Println(line)
	}
	fmt.Printf("%s is %s now: %d files changed, the lines above among them\n", r.old, r.path, r.files)
}

// A renaming is what changed.
type renaming struct {
	old, path string
	files     int
	lines     []string // the changed lines of files that are not Go, for a person to read
}

// rename changes the module's path below root. It computes all files before it writes the first one.
func rename(root, path string) (*renaming, error) {
	if err := module.CheckPath(path); err != nil {
		return nil, err
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	declared := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(gomod)
	if declared == nil {
		return nil, errors.New("go.mod names no module")
	}
	r := &renaming{old: string(declared[1]), path: path}
	if r.old == path {
		return nil, fmt.Errorf("the module's path is %s already", path)
	}
	files, packages, err := list(root)
	if err != nil {
		return nil, err
	}
	changed := map[string][]byte{}
	for _, name := range files {
		before, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		after := r.change(name, before, packages)
		if bytes.Equal(before, after) {
			continue
		}
		if strings.HasSuffix(name, ".go") { // another path sorts elsewhere
			if after, err = format.Source(after); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		} else {
			r.note(name, before, after)
		}
		changed[name] = after
	}
	for name, data := range changed {
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			return nil, err
		}
	}
	r.files = len(changed)
	return r, nil
}

// list finds the files that may name the module, and its packages with the folders above them. Of test data it reads only Go:
// the rest is what others wrote, or what aburn said.
func list(root string) (files []string, packages map[string]bool, err error) {
	packages = map[string]bool{}
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && (base == ".git" || base == ".cache" || base == "node_modules" || name == "bin" || name == "dist"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case strings.Contains(name, "testdata/"):
			if !strings.HasSuffix(base, ".go") {
				return nil
			}
		case strings.HasSuffix(base, ".go"):
			for dir := path.Dir(name); dir != "." && !packages[dir]; dir = path.Dir(dir) {
				packages[dir] = true
			}
		}
		files = append(files, name)
		return nil
	})
	return files, packages, err
}

// change is a file's content with the new path. The old path counts where a package of the module follows: a branch named
// aburn/instrument-1 and a folder ~/.cache/aburn/archive are no packages.
func (r *renaming) change(name string, data []byte, packages map[string]bool) []byte {
	if bytes.IndexByte(data, 0) >= 0 {
		return data
	}
	if strings.HasSuffix(name, ".mod") {
		declared := regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(r.old) + `(/\S*)?$`)
		return declared.ReplaceAll(data, []byte("module "+r.path+"$1"))
	}
	named := regexp.MustCompile(`(^|[^\w.@/~$-])` + regexp.QuoteMeta(r.old) + `/([\w/-]+)`)
	return named.ReplaceAllFunc(data, func(found []byte) []byte {
		m := named.FindSubmatch(found)
		if !packages[strings.TrimRight(string(m[2]), "/")] {
			return found
		}
		return fmt.Appendf(nil, "%s%s/%s", m[1], r.path, m[2])
	})
}

func (r *renaming) note(name string, before, after []byte) {
	old := strings.Split(string(before), "\n")
	for i, line := range strings.Split(string(after), "\n") {
		if i < len(old) && line != old[i] {
			r.lines = append(r.lines, fmt.Sprintf("%s:%d: %s", name, i+1, strings.TrimSpace(line)))
		}
	}
}
