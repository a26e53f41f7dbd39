package project

import (
	"os"
	"path/filepath"
)

// Checkout finds the git work tree around dir, without starting git. It returns the work tree's
// root and that of its main checkout; the two differ only for a linked worktree. Both are real
// paths. They are "" outside of any work tree, and where the home directory itself is the nearest
// one.
func Checkout(dir string, env func(string) string) (worktree, main string) {
	dir, err := existing(dir)
	if err != nil {
		return "", ""
	}
	home := realHome(dir, env)
	if worktree, main = linkedWorktree(dir, home); main != "" {
		return worktree, main
	}
	for dir != home && dir != filepath.Dir(dir) {
		if isCheckout(dir) {
			return dir, dir
		}
		dir = filepath.Dir(dir)
	}
	return "", ""
}

// isCheckout reports whether git would take dir for the root of a work tree: its .git is a git directory, or a file that
// leads to one.
func isCheckout(dir string) bool {
	switch gitAt(dir) {
	case gitFolder:
		return true
	case gitFile:
		git := gitDir(dir)
		if git == "" {
			return false
		}
		_, err := os.Lstat(filepath.Join(git, "HEAD"))
		return err == nil
	}
	return false
}
