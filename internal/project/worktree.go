package project

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// linkedWorktree finds the linked git worktree around dir, not beyond home, and its main
// checkout. Both are real paths. They are "" if dir lies in no linked worktree, or in one of a
// repository without a main checkout.
//
// The layout is git's (gitrepository-layout(5)): the worktree's .git is a file "gitdir: G". G is
// <common>/worktrees/<name> and contains `commondir`, naming <common> relative to G, and
// `gitdir`, naming the worktree's .git file. All of it must agree. A folder that comes with a
// .git file can name a G of its own, but cannot place G inside somebody else's <common>.
func linkedWorktree(dir, home string) (wt, main string) {
	for {
		switch gitAt(dir) {
		case gitFolder:
			return "", ""
		case gitFile:
			if main = mainOf(dir); main != "" {
				return dir, main
			}
		}
		above := filepath.Dir(dir)
		if dir == home || above == dir {
			return "", ""
		}
		dir = above
	}
}

// gitKind says what a folder's .git is.
type gitKind int8

const (
	noGit gitKind = iota // nothing that git would use, such as the empty folder that a sandbox puts in place of a missing one
	gitFolder
	gitFile
)

// gitAt looks for HEAD first: every git directory has one. So a folder with or without .git costs one system call.
func gitAt(dir string) gitKind {
	_, err := os.Lstat(in(dir, ".git/HEAD"))
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil:
		return gitFolder
	case missing && runtime.GOOS != "windows": // Windows says the same of a path through a file
		return noGit
	}
	st, err := os.Lstat(in(dir, ".git"))
	switch {
	case err == nil && st.Mode().IsRegular():
		return gitFile
	case err == nil && st.IsDir() && !missing:
		return gitFolder // it cannot be looked into
	}
	return noGit
}

func mainOf(wt string) string {
	admin := gitDir(wt)
	if admin == "" {
		return ""
	}
	common, err := pathIn(admin, "commondir")
	if err != nil || filepath.Base(common) != ".git" || filepath.Join(common, "worktrees") != filepath.Dir(admin) {
		return ""
	}
	back, err := readSmall(filepath.Join(admin, "gitdir"))
	if err != nil || !sameFile(absIn(admin, back), filepath.Join(wt, ".git")) {
		return ""
	}
	return filepath.Dir(common)
}

// gitDir is the real path of dir's git directory, dir/.git or the one that a file of that name
// points to; or "".
func gitDir(dir string) string {
	path := in(dir, ".git")
	switch gitAt(dir) {
	case gitFolder:
		return path
	case noGit:
		return ""
	}
	text, err := readSmall(path)
	target, ok := strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	real, err := resolve(absIn(dir, target))
	if err != nil {
		return ""
	}
	return real
}

// pathIn is the real path that the file name in dir contains.
func pathIn(dir, name string) (string, error) {
	text, err := readSmall(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	return resolve(absIn(dir, text))
}

func absIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

// Branch is the branch in the worktree's HEAD, the first 12 digits of the commit if it is
// detached, or "" if unknown. It reads the files and does not run git. A repository that keeps
// its refs in a table gives "".
func (p *Project) Branch() string {
	home := realHome(p.Worktree, p.env)
	for dir := p.Worktree; ; {
		if git := gitDir(dir); git != "" {
			return head(git)
		}
		above := filepath.Dir(dir)
		if dir == home || above == dir {
			return ""
		}
		dir = above
	}
}

func head(git string) string {
	text, err := readSmall(filepath.Join(git, "HEAD"))
	if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ""
	}
	if name, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok && name != ".invalid" {
		return name
	}
	if len(text) < 40 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text[:12]
}

// smallFile is the most that is read of git's files, in bytes; a path is shorter.
const smallFile = 8 << 10

// readSmall returns the text of a regular file without its final newline. It does not hang on a
// FIFO.
func readSmall(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return "", errors.Join(err, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid})
	}
	data, err := io.ReadAll(io.LimitReader(f, smallFile))
	return strings.TrimRight(string(data), "\r\n"), err
}
