package project

import (
	"os"
	"path/filepath"
	"strings"
)

// rootSuffix ends the name of the file beside a mark that says whose mark it is: the name of the mark itself is a hash.
const rootSuffix = ".root"

// remember notes beside the mark at path that it is root's.
func remember(path, root string) error {
	name := path + rootSuffix
	if old, err := os.ReadFile(name); err == nil && string(old) == root {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".root-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which is gone if the rename succeeded
	if _, err := f.WriteString(root); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Marked is the roots of the projects that this user has marked, as far as the marks say so: one that was made by an aburn
// before 21 November 2026 does when the project is marked again. A project that has moved away since is among them.
func Marked(env func(string) string) []string {
	dir := StateDir(env)
	if dir == "" {
		return nil
	}
	dir = filepath.Join(dir, "projects")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // nothing was marked
	}
	var roots []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), rootSuffix)
		if !ok {
			continue
		}
		root, err := os.ReadFile(filepath.Join(dir, e.Name()))
		// Only a mark vouches for a project, and only the mark that its own path leads to.
		if path := filepath.Join(dir, name); err == nil && path == markPath(string(root), env) && checkMark(path) == nil {
			roots = append(roots, string(root))
		}
	}
	return roots
}
