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
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, dir
		}
		dir = filepath.Dir(dir)
	}
	return "", ""
}
