package figures

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
)

// Names are the projects whose rows may leave the machine: folders, and the names that the user gave them.
type Names struct{ byDir map[string]string }

// NameRule says what IsName wants.
const NameRule = "a name has letters, digits, spaces, dots, - and _, at most 64"

// IsName reports whether a project or a person can be called so. A name has no slash, so that nobody sends a path by mistake.
func IsName(name string) bool {
	ok, _ := regexp.MatchString(`^[\pL\pN][\pL\pN ._-]{0,63}$`, name)
	return ok
}

// Add names the project in dir, an absolute path, and those below it.
func (n *Names) Add(dir, name string) error {
	switch {
	case !filepath.IsAbs(dir):
		return fmt.Errorf("%q is no absolute path", dir)
	case !IsName(name):
		return fmt.Errorf("%q can't be a name", name)
	}
	if n.byDir == nil {
		n.byDir = map[string]string{}
	}
	n.byDir[filepath.Clean(dir)] = name
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		n.byDir[real] = name
	}
	return nil
}

// Of is the name of the project with this key, by the nearest folder that has one; empty if none has.
func (n *Names) Of(key string) string {
	for dir := key; key != ""; dir = filepath.Dir(dir) {
		if name := n.byDir[dir]; name != "" {
			return name
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// Lines are the folders with their names, for a person and for a consent.
func (n *Names) Lines() (list []string) {
	for dir, name := range n.byDir {
		list = append(list, dir+" = "+name)
	}
	slices.Sort(list)
	return list
}
