package project

import (
	"os"
	"path/filepath"
	"strconv"
)

// HeldState is the error for a state folder inside of the project. A repository can contain such a
// folder, with a mark in it, and its agent settings can name it: so a mark there vouches for nothing.
type HeldState struct{ State, Root string }

func (e *HeldState) Error() string {
	return "the state folder " + e.State + " lies in the project " + e.Root + ", so a mark of trust in it does not count"
}

// StateIn returns a *HeldState if the state folder lies in the project at root, a real path. The
// folder need not exist.
func StateIn(root string, env func(string) string) error {
	if state := StateDir(env); state != "" && searchIn(root, env).holds(realPath(state), root) {
		return &HeldState{state, root}
	}
	return nil
}

// vouches reports whether the existing mark at path counts for the project at root. Links are followed unless the state
// folder is registered: a variable can lead through /proc or a repository's link, the user's own folder only through the
// user's links. To follow them costs a hook seven system calls.
func (s *search) vouches(path, root string) bool {
	dir := filepath.Dir(path)
	if s.env(registered) == "" {
		dir = realPath(dir)
	}
	return !s.holds(dir, root) || sealed(path)
}

// holds reports whether dir lies in the project at root, in its linked worktree, or in a git checkout
// around it. A checkout whose root is the home directory does not count: it may hold dot files, and
// every project with them. dir and root are real paths.
func (s *search) holds(dir, root string) bool {
	if inside(dir, root) || s.main != "" && (inside(dir, s.wt) || inside(dir, s.main)) {
		return true
	}
	for up := filepath.Dir(root); up != filepath.Dir(up) && (s.home == "" || !inside(s.home, up)); up = filepath.Dir(up) {
		if !inside(dir, up) {
			continue
		}
		if _, err := os.Lstat(in(up, ".git")); err == nil {
			return true
		}
	}
	return false
}

// sealSuffix ends the name of the file beside a mark that this user made inside of the project on
// purpose. It holds the mark's inode number and time of last status change, which no checkout and no
// archive can set.
const sealSuffix = ".inside"

// sealFor makes the mark at path count, if it lies inside of the project at root.
func sealFor(path, root string) error {
	if StateIn(root, os.Getenv) == nil {
		return nil
	}
	return seal(path)
}

// seal makes the mark at path count inside of its project.
func seal(path string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	text := sealText(st)
	if text == "" {
		return errNoSeal
	}
	return beside(path+sealSuffix, text)
}

func sealed(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	text := sealText(st)
	note, err := os.ReadFile(path + sealSuffix)
	return err == nil && text != "" && string(note) == text
}

func sealOf(inode uint64, sec, nsec int64) string {
	return strconv.FormatUint(inode, 10) + " " + strconv.FormatInt(sec, 10) + " " + strconv.FormatInt(nsec, 10)
}
