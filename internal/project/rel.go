package project

import (
	"os"
	"path/filepath"
	"strings"
)

// Rel is path as entries store it, with forward slashes. Inside the worktree it is relative to
// its root ("." for the root itself). Otherwise it begins with ~ for the home directory, or is
// absolute. It never begins with "..". A relative path is taken as relative to the worktree's
// root. Links are followed only if the path as written lies outside, so a link in the worktree
// that leads out of it keeps the agent's name for it.
func (p *Project) Rel(path string) string {
	if path == "" {
		return ""
	}
	if os.IsPathSeparator(path[0]) && !filepath.IsAbs(path) { // on Windows, a path of a Unix shell: it has no drive
		return filepath.ToSlash(path)
	}
	path = absIn(p.Worktree, path)
	if inside(path, p.Worktree) {
		return p.local(path)
	}
	if real := realPath(path); inside(real, p.Worktree) {
		return p.local(real)
	}
	return Tilde(path, p.env)
}

func (p *Project) local(path string) string {
	rel := strings.TrimLeft(filepath.ToSlash(path[len(p.Worktree):]), "/")
	if rel == "" {
		return "."
	}
	return rel
}

// realPath follows the links in the part of path that exists. It goes down to where that ends,
// not up from the end: an agent can name a path of a hundred thousand missing folders.
func realPath(path string) string {
	if real, err := resolve(path); err == nil {
		return real
	}
	there := len(filepath.VolumeName(path)) + 1
	for i := there; i < len(path); i++ {
		if !os.IsPathSeparator(path[i]) {
			continue
		}
		if _, err := os.Stat(path[:i]); err != nil {
			break
		}
		there = i
	}
	real, err := resolve(path[:there])
	if err != nil {
		return path
	}
	return filepath.Join(real, path[there:])
}

// Tilde is path with forward slashes, and with ~ for the home directory.
func Tilde(path string, env func(string) string) string {
	if home := env("HOME"); filepath.IsAbs(home) && filepath.Dir(home) != home {
		if home = filepath.Clean(home); inside(path, home) {
			path = "~" + path[len(home):]
		}
	}
	return filepath.ToSlash(path)
}
