package ledger

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"

	"aburn/internal/project"
)

// Projects are the roots of all projects of this user's that have workers, without their clones. Nothing is made.
func Projects(env func(string) string) []string {
	roots, _ := split(withWorkers(env), env)
	return roots
}

// Clones are the roots of the clones in which workers of these projects stand. The projects know of these workers too.
func Clones(env func(string) string) []string {
	_, clones := split(withWorkers(env), env)
	return clones
}

// FarKey is the name of the project's repository elsewhere.
func (s *Store) FarKey() string { return project.CloneKey(s.Key, s.Dir) }

// Far reports whether the project is a repository that an aburn made for workers of another one: a clone, or one of another machine's.
func (s *Store) Far() bool { return filepath.Dir(s.Project) == filepath.Join(s.state, project.FarDir) }

// split takes the clones out of a list of roots. A repository that another machine has here is a project like others.
func split(all []string, env func(string) string) (roots, clones []string) {
	far := filepath.Join(realPath(project.StateDir(env)), project.FarDir)
	if !slices.ContainsFunc(all, func(root string) bool { return filepath.Dir(root) == far }) {
		return all, nil
	}
	keys := map[string]bool{}
	for _, root := range all {
		if s, err := Open(root, env); err == nil {
			keys[s.FarKey()] = true
		}
	}
	for _, root := range all {
		if filepath.Dir(root) == far && keys[filepath.Base(root)] {
			clones = append(clones, root)
		} else {
			roots = append(roots, root)
		}
	}
	return roots, clones
}

func withWorkers(env func(string) string) (roots []string) {
	state := project.StateDir(env)
	if state == "" {
		return nil
	}
	dirs, _ := os.ReadDir(filepath.Join(state, project.LedgersDir))
	for _, d := range dirs {
		s := &Store{Dir: filepath.Join(state, project.LedgersDir, d.Name())}
		if root := s.root(state, d.Name()); root != "" {
			roots = append(roots, root)
		}
	}
	return roots
}

// projectOf is the root that the first line of a ledger names.
func (s *Store) projectOf(name string) string {
	f, err := os.Open(filepath.Join(s.Dir, name, fileName))
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, maxHeader)).ReadBytes('\n')
	var h Header
	if json.Unmarshal(line, &h) != nil || h.Format != "ledger" {
		return ""
	}
	return h.Project
}
