// Package project decides which .oss folder a path belongs to and whether this user has vouched for it, without
// starting a process and without trusting anything that a cloned repository could have put there.
package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OssDir is the name of the folder that makes a directory a project.
const OssDir = ".oss"

// ErrNone says that there is no .oss here or above.
var ErrNone = errors.New("no .oss/ here or above")

// Project is one directory with a .oss folder, seen from one of its git worktrees.
type Project struct {
	Root     string // the directory that holds .oss; a real path
	Worktree string // the real root of the worktree that the search started in; Root when it is the main one or none
	Wt       string // Worktree relative to Root with forward slashes; "" for Root itself
	Marked   bool   // this user ran `aburn init` here on this machine

	env func(string) string
}

// Find returns the project that start belongs to, or ErrNone.
func Find(start string, env func(string) string) (*Project, error) {
	dir, err := filepath.Abs(start)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for {
		if st, err := os.Lstat(filepath.Join(dir, OssDir)); err == nil && st.IsDir() {
			return &Project{Root: dir, Worktree: dir, Marked: marked(dir, env), env: env}, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, ErrNone
		}
		dir = up
	}
}

// FindFor is Find from where the given agent's hook has to start: the project folder that Claude Code names in its
// environment, else this process's own folder; for the other agents the folder in the payload.
func FindFor(agent, payloadCwd string, env func(string) string) (*Project, error) {
	start := payloadCwd
	if agent == "claude" {
		start = env("CLAUDE_PROJECT_DIR")
	}
	if start == "" {
		var err error
		if start, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	return Find(start, env)
}

// OpenOss opens the project's .oss folder. Everything in it is to be opened through the root that it returns.
func (p *Project) OpenOss() (*os.Root, error) { return os.OpenRoot(filepath.Join(p.Root, OssDir)) }

// Branch is the branch that the worktree's HEAD names, the first 12 digits of the commit when it is detached, or "".
func (p *Project) Branch() string { return "" }

// Rel is path as entries store it: relative to the worktree's root, below the home directory with ~, else absolute.
func (p *Project) Rel(path string) string {
	if r, err := filepath.Rel(p.Worktree, path); err == nil && filepath.IsLocal(r) {
		return filepath.ToSlash(r)
	}
	return filepath.ToSlash(path)
}
