package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/internal/project"
)

// Named is a project of this user's under the name by which commands find it.
type Named struct {
	Name  string `json:"name"`
	Root  string `json:"path"`
	Added bool   `json:"added,omitempty"` // the person gave it this name; otherwise it is that of the folder
}

// namesFile holds the names that the person gave, and the root of each.
const namesFile, namesLock = "names.json", "names.lock"

// Known are all projects that this user marked, that have workers, or that the person named, by name. One that is named has
// only that name. A clone is no project of its own.
func Known(env func(string) string) (list []Named) {
	given, _ := names(project.StateDir(env))
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list, seen[given[name]] = append(list, Named{name, given[name], true}), true
	}
	all, _ := split(append(withWorkers(env), project.Marked(env)...), env)
	for _, root := range all {
		if st, err := os.Stat(root); !seen[root] && err == nil && st.IsDir() {
			list, seen[root] = append(list, Named{Name: filepath.Base(root), Root: root}), true
		}
	}
	slices.SortFunc(list, func(a, b Named) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Root, b.Root)) })
	return list
}

// Meant are the projects that a word means: the one that the person gave this name, else those with this path or folder's name.
func Meant(list []Named, word string) (meant []Named) {
	for _, n := range list {
		if n.Added && n.Name == word {
			return []Named{n}
		}
		if n.Name == word || n.Root == word {
			meant = append(meant, n)
		}
	}
	return meant
}

func names(state string) (map[string]string, error) {
	given := map[string]string{}
	if state == "" {
		return given, ErrNoState
	}
	data, err := os.ReadFile(filepath.Join(state, namesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return given, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &given)
	}
	if err != nil {
		return map[string]string{}, fmt.Errorf("%s cannot be read: %w", filepath.Join(state, namesFile), err)
	}
	return given, nil
}

// ValidProject says what is wrong with a project's name.
func ValidProject(name string) error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}
	switch {
	case name == "" || len(name) > 64:
		return errors.New("a project's name has 1 to 64 characters")
	case strings.ContainsFunc(name, bad) || name[0] == '-' || name[0] == '.':
		return errors.New("a project's name is of letters, digits, -, _ and ., and begins with a letter or digit")
	}
	return nil
}

// Rename changes the names that the person gave; change gets them with their roots. An error of change changes nothing.
func Rename(env func(string) string, change func(given map[string]string) error) error {
	state := project.StateDir(env)
	if state == "" {
		return ErrNoState
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, namesLock, 10*time.Second)
	if err != nil {
		return err
	}
	defer lock.Release()
	given, err := names(state)
	if err == nil {
		err = change(given)
	}
	if err != nil {
		return err
	}
	data, _ := json.MarshalIndent(given, "", "  ") // strings
	return atomicfile.Write(filepath.Join(state, namesFile), append(data, '\n'), 0o600, atomicfile.Options{Sync: true})
}
