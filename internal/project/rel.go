package project

import (
	"os"
	"path/filepath"
	"strings"
)

// Rel is path as entries store it, with forward slashes: relative to the worktree's root when it lies in there ("." for
// the root itself), else with the home directory as ~, else absolute. It never begins with "..". A relative path is
// taken as relative to the worktree's root. Links in the path are followed only where the path as written lies outside,
// so a link in the worktree that leads out of it is still named as the agent named it.
func (p *Project) Rel(path string) string {
	if path == "" {
		return ""
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

// realPath follows the links in the part of path that exists. It goes down to where that ends, and not up from the
// end: an agent can name a path of a hundred thousand folders that are not there.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
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
	real, err := filepath.EvalSymlinks(path[:there])
	if err != nil {
		return path
	}
	return filepath.Join(real, path[there:])
}

// Tilde is path with forward slashes and, where it lies in the home directory, ~ in its place.
func Tilde(path string, env func(string) string) string {
	if home := env("HOME"); filepath.IsAbs(home) && filepath.Dir(home) != home {
		if home = filepath.Clean(home); inside(path, home) {
			path = "~" + path[len(home):]
		}
	}
	return filepath.ToSlash(path)
}
