package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aburn/internal/project"
	"aburn/worker"
)

// Store is the ledgers of one project's workers.
type Store struct {
	Project string // the real path of its root
	Key     string // names the project in paths: its folder's name and a part of the hash of its path
	Dir     string // of the workers' folders
	state   string
	trees   string
	// Clock gives entries their time and the machine's clock; nil is those of this machine.
	Clock func(*worker.Fact)
}

// Open gives the store of the project at root, a real path. Nothing is made.
func Open(root string, env func(string) string) (*Store, error) {
	state := project.StateDir(env)
	if state != "" {
		state = realPath(state)
	}
	if state == "" || state == root || strings.HasPrefix(state, root+string(filepath.Separator)) {
		return nil, ErrNoState
	}
	key := project.KeyOf(root, state)
	return &Store{Project: root, Key: key, Dir: filepath.Join(state, project.LedgersDir, key), state: state, trees: filepath.Join(state, project.TreesDir, key)},
		nil
}

// realPath resolves the links in a path whose end may not exist yet.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if above := filepath.Dir(path); above != path {
		return filepath.Join(realPath(above), filepath.Base(path))
	}
	return path
}

// Place has worktrees lie in another folder than that of the state.
func (s *Store) Place(dir string) { s.trees = realPath(dir) }

// Note remembers the folder that Place named, so that sessions of a tree that is gone are still known as the project's.
func (s *Store) Note() error {
	if s.trees == filepath.Join(s.state, project.TreesDir, s.Key) {
		return nil
	}
	return project.NoteTrees(s.state, s.Key, s.trees)
}

// Tree is where the worktree of a worker belongs.
func (s *Store) Tree(name string) string { return filepath.Join(s.trees, name) }

// Book is the ledger of the worker with this name.
func (s *Store) Book(name string) *Book {
	return &Book{Name: name, Dir: filepath.Join(s.Dir, name), store: s}
}

// Names lists the workers of the project, sorted.
func (s *Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && ValidName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// maxName is how long a worker's name may be, in bytes: it is a part of paths, branches and tmux sessions.
const maxName = 40

// ValidName says what is wrong with a worker's name.
func ValidName(name string) error {
	switch {
	case name == "":
		return errors.New("a name has at least one character")
	case len(name) > maxName:
		return fmt.Errorf("a name has at most %d characters", maxName)
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || name[0] == '-':
		return errors.New("a name has a-z, 0-9 and -, and does not begin with -")
	}
	return nil
}
