package project

import (
	"iter"
	"os"
	"path/filepath"
	"strconv"
)

// HeldState is the error for a state folder inside of the project. A repository can contain such a
// folder, with a mark in it, and its agent settings can name it: so a mark there trusts nothing.
type HeldState struct{ State, Root string }

func (e *HeldState) Error() string {
	return "the state folder " + e.State + " lies in the project " + e.Root + ", so a mark of trust in it doesn't count"
}

// StateIn returns a *HeldState if the state folder lies in the project at root, a real path, or in a git checkout around
// it. A checkout that holds the home directory does not count: it is of dot files. The folder need not exist.
func StateIn(root string, env func(string) string) error {
	state := StateDir(env)
	if state == "" {
		return nil
	}
	s := searchIn(root, env)
	for holder := range s.holders(realPath(state), root) {
		if holder == root || s.home == "" || !inside(s.home, holder) {
			return &HeldState{state, root}
		}
	}
	return nil
}

// trusts reports whether the existing mark at path counts for the project at root: if no checkout of the project can have
// brought it along, or with its seal. A registered state folder is the user's own, wherever it lies; only for the project
// itself it needs the seal. So a hook's tool call follows no links and looks for no checkouts, which would be ten system
// calls.
func (s *search) trusts(path, root string) bool {
	dir := filepath.Dir(path)
	if s.env(registered) != "" {
		return !inside(dir, root) || sealed(path)
	}
	for range s.holders(realPath(dir), root) {
		return sealed(path)
	}
	return true
}

// holders yields the folders that a repository can have filled and that hold dir: the project at root, its linked worktree
// and main checkout, and the git checkouts around it. It does not ask where home is, because a variable says that. dir and
// root are real paths.
func (s *search) holders(dir, root string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if inside(dir, root) && !yield(root) {
			return
		}
		wt, main := linkedWorktree(s.dir, "")
		for _, holder := range [...]string{wt, main} {
			if holder != "" && inside(dir, holder) && !yield(holder) {
				return
			}
		}
		for up := filepath.Dir(root); up != filepath.Dir(up); up = filepath.Dir(up) {
			if !inside(dir, up) {
				continue
			}
			if gitAt(up) != noGit && !yield(up) {
				return
			}
		}
	}
}

// sealSuffix ends the name of the file beside a mark that says which file this user made: its inode number and the time
// of its last status change, which no checkout and no archive can set.
const sealSuffix = ".seal"

// seal makes the mark at path count wherever it lies.
func seal(path string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	text := sealText(st)
	if text == "" {
		return nil // no such facts here: the mark counts only outside of checkouts
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
