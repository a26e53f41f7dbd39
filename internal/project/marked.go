package project

import (
	"os"
	"path/filepath"
	"strings"
)

// rootSuffix ends the name of the file beside a mark that holds the project's root. The mark's
// own name is a hash.
const rootSuffix = ".root"

// remember records root beside the mark at path.
func remember(path, root string) error { return beside(path+rootSuffix, root) }

// beside writes a note beside a mark, unless it is there.
func beside(name, text string) error {
	if old, err := os.ReadFile(name); err == nil && string(old) == text {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".note-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // already gone if the rename succeeded
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = os.Rename(f.Name(), name)
	if err != nil { // Windows refuses while another process has name open: perhaps to write the same
		if now, e := os.ReadFile(name); e == nil && string(now) == text {
			return nil
		}
	}
	return err
}

// Marked lists the roots of the projects that this user has marked. A mark from before 21
// November 2026 has no root until the project is marked again. Projects that have moved away
// since are included.
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
		// A project counts only if its own path leads to this mark.
		if path := filepath.Join(dir, name); err == nil && path == markPath(string(root), env) && searchIn(string(root), env).listed(path, string(root)) {
			roots = append(roots, string(root))
		}
	}
	return roots
}

// listed is marked, but for a project that is gone: it has no .oss that could be another one.
func (s *search) listed(path, root string) bool {
	_, err := os.Lstat(in(root, OssDir))
	return s.hasMark(path, root) && (ofOss(path, root) || os.IsNotExist(err))
}
