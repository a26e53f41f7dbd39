// Package project decides which .oss folder a path belongs to, and whether this user trusts
// it. It starts no process, not even git, and believes nothing that a cloned repository could
// contain.
//
// Invariants:
//   - A .oss counts only as a real directory of this user that nobody else can write to (Refused
//     gives the reason).
//   - Nothing above the home directory is a project of something below it. The home directory
//     itself is one only if marked.
//   - A folder is a linked git worktree only if its .git file and git's own bookkeeping in the
//     main checkout name each other. A repository can contain only one half of that.
//   - The mark of trust lies outside of the project, is found by the project's real path, and is of one
//     .oss folder (identity.go). Inside of the project it counts only with a seal that no repository can
//     contain (state.go).
package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OssDir is the name of the folder that makes a directory a project.
const OssDir = ".oss"

// ErrNone says that neither the folder nor any above it has a .oss.
var ErrNone = errors.New("no .oss/ here or above")

// Project is a directory with a .oss folder, seen from one of its git worktrees.
type Project struct {
	Root     string // the directory that contains .oss; a real path
	Worktree string // the real root of the worktree where the search started; Root if that is the main one or none
	Wt       string // Worktree relative to Root with forward slashes; "" for Root itself
	Marked   bool   // this user ran `aburn init` here, on this machine
	Replaced bool   // this user did, but since then another .oss has taken the place of that one

	mark string // path of the mark, whether there is one or not; "" = no place for one
	env  func(string) string
}

// Find returns the project that start belongs to. The error is ErrNone if there is no .oss, or a
// *Refused if none of those found counts. If start no longer exists, the nearest existing folder
// above it counts.
func Find(start string, env func(string) string) (*Project, error) {
	dir, err := existing(start)
	if err != nil {
		return nil, err
	}
	s := searchIn(dir, env)
	if root := s.named(env("ABURN_PROJECT_DIR")); root != "" {
		return s.project(root), nil
	}
	if s.main != "" {
		if root := s.up(s.twin(dir), s.main); root != "" {
			return s.project(root), nil
		}
	}
	if root := s.up(dir, s.home); root != "" {
		return s.project(root), nil
	}
	if s.refused != nil {
		return nil, s.refused
	}
	return nil, ErrNone
}

// FindFrom is Find from the folder that an agent names; from this process's own folder if that is no absolute path.
func FindFrom(start string, env func(string) string) (*Project, error) {
	if !filepath.IsAbs(start) {
		var err error
		if start, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	return Find(start, env)
}

// At returns the project whose .oss lies in root itself, even if root is the home directory and
// not marked. It is for creating or naming a project; use Find to search.
func At(root string, env func(string) string) (*Project, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if root, err = resolve(root); err != nil {
		return nil, err
	}
	switch err := checkOss(root); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNone
	case err != nil:
		return nil, err
	}
	return searchIn(root, env).project(root), nil
}

// OpenOss opens the project's .oss folder, and checks it again, because it may have been
// replaced. Open everything in it through the returned root.
func (p *Project) OpenOss() (*os.Root, error) { return openOss(p.Root) }

// search is one run of Find.
type search struct {
	dir      string // the real path where it starts
	home     string // the real home directory if it contains dir, else ""
	wt, main string // the linked worktree around dir and its main checkout; both "" without one
	env      func(string) string
	refused  error // the first .oss that does not count
}

// searchIn is a search that starts at dir, a real path.
func searchIn(dir string, env func(string) string) *search {
	s := &search{dir: dir, home: realHome(dir, env), env: env}
	s.wt, s.main = linkedWorktree(dir, s.home)
	return s
}

// up returns the nearest directory from dir up to last whose .oss counts, or "". An empty last
// means up to the root.
func (s *search) up(dir, last string) string {
	for {
		if s.counts(dir) {
			return dir
		}
		above := filepath.Dir(dir)
		if dir == last || above == dir {
			return ""
		}
		dir = above
	}
}

func (s *search) counts(dir string) bool {
	switch err := checkOss(dir); {
	case err == nil:
		return dir != s.home || s.marked(dir)
	case !errors.Is(err, fs.ErrNotExist) && s.refused == nil:
		s.refused = err
	}
	return false
}

// named is the real path of ABURN_PROJECT_DIR if that is a project and the search starts in it or
// in one of its worktrees, else "". It cannot lead beyond the home directory either.
func (s *search) named(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir, err := resolve(dir)
	if err != nil {
		return ""
	}
	mine := inside(s.dir, dir) || s.main != "" && (inside(s.twin(s.dir), dir) || inside(dir, s.main))
	beyond := s.home != "" && dir != s.home && inside(s.home, dir)
	if !mine || beyond || !s.counts(dir) {
		return ""
	}
	return dir
}

// twin is the main checkout's folder that corresponds to a folder of the linked worktree.
func (s *search) twin(dir string) string { return filepath.Join(s.main, strings.TrimPrefix(dir, s.wt)) }

// project describes the project at root as seen from the search's start.
func (s *search) project(root string) *Project {
	p := &Project{Root: root, Worktree: root, Marked: s.marked(root), mark: markPath(root, s.env), env: s.env}
	p.Replaced = !p.Marked && s.hasMark(p.mark, root) && replaced(p.mark, root)
	switch {
	case s.main == "" || inside(root, s.wt): // no linked worktree, or one with its own .oss
	case inside(root, s.main): // as usual: .oss in the main checkout, perhaps in a subfolder
		p.Worktree = filepath.Join(s.wt, strings.TrimPrefix(root, s.main))
	case inside(s.wt, root): // .oss above all checkouts
		p.Worktree = s.wt
	}
	if p.Worktree != root {
		if rel, err := filepath.Rel(root, p.Worktree); err == nil {
			p.Wt = filepath.ToSlash(rel)
		}
	}
	return p
}

// inside reports whether path is dir or below it. Both are clean and real.
func inside(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// in joins dir and name. dir is real, so it needs no cleaning as in filepath.Join.
func in(dir, name string) string {
	if os.IsPathSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

// existing is the real path of start, or of the nearest existing folder above it: agents remove
// worktrees while their hooks still run there.
func existing(start string) (string, error) {
	dir, err := filepath.Abs(start)
	if err != nil {
		return "", err
	}
	if real := realCwd(dir); real != "" {
		return real, nil
	}
	for {
		real, err := resolve(dir)
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return real, err
		}
		dir = above
	}
}

// realHome is the real path of the home directory if it contains dir, else "". Every prefix of a
// real path is real.
func realHome(dir string, env func(string) string) string {
	home := env("HOME")
	if !filepath.IsAbs(home) {
		return ""
	}
	home = filepath.Clean(home)
	if inside(dir, home) {
		return home
	}
	if real, err := resolve(home); err == nil && inside(dir, real) {
		return real
	}
	return ""
}
