package project

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Begin makes the git repository around dir a project that this user trusts. It is for a hook of a user who records everywhere: nobody is
// asked. dir has no .oss here or above; ErrNone is also the error where a user would not expect a project:
//   - outside of a repository, and in one that holds the home directory or aburn's state;
//   - in a folder for temporary files;
//   - in a repository of another user, or one in which others can write;
//   - in a repository that ships an .oss, which would be trusted with what it brings;
//   - for a hook whose command line doesn't name this user's folders: then only variables name them, and a repository can set those.
//
// Two hooks may begin at once: only the one that made .oss goes on, the other finds nothing to record in for this one event.
func Begin(dir string, env func(string) string) (*Project, error) {
	if env(registered) == "" {
		return nil, ErrNone
	}
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	_, root := Checkout(dir, env)
	if root == "" || !mayBegin(root, env) {
		return nil, ErrNone
	}
	// The folder gets its name when it is whole.
	made, err := os.MkdirTemp(root, OssDir+".new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(made) // gone after the rename
	if err := os.WriteFile(in(made, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return nil, err
	}
	if err := os.Rename(made, in(root, OssDir)); err != nil { // refused where another hook's .oss has a .gitignore already
		return nil, err
	}
	if err := mark(markPath(root, env), root); err != nil {
		return nil, err
	}
	return Find(dir, env)
}

func mayBegin(root string, env func(string) string) bool {
	home := env("HOME")
	if real, err := resolve(home); err == nil {
		home = real
	}
	if markPath(root, env) == "" || inside(home, root) || StateIn(root, env) != nil || Temporary(root, env) {
		return false
	}
	st, err := os.Lstat(root)
	if err != nil || foreign(st) != "" {
		return false
	}
	_, err = os.Lstat(in(root, OssDir))
	return errors.Is(err, fs.ErrNotExist) && !shipsOss(root)
}

// maxIndex bounds how much of git's index is read, in bytes. A larger one counts as shipping an .oss.
const maxIndex = 64 << 20

// shipsOss reports whether the index of the repository at root has a path in .oss, even if no such file is there now. The index has whole
// paths (its version 4 the part of a path that differs from the one before, which still holds this one's end).
func shipsOss(root string) bool {
	git := gitDir(root)
	if git == "" {
		return true
	}
	f, err := os.Open(in(git, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return false // nothing is committed yet
	}
	if err != nil {
		return true
	}
	defer f.Close()
	index, err := io.ReadAll(io.LimitReader(f, maxIndex+1))
	return err != nil || len(index) > maxIndex || bytes.Contains(index, []byte(OssDir+"/"))
}

// Temporary reports whether path is in a folder for temporary files. A home directory in such a folder doesn't count, because the settings in it
// are as temporary.
func Temporary(path string, env func(string) string) bool {
	home := env("HOME")
	for _, dir := range [...]string{env("TMPDIR"), os.TempDir(), "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders",
		"/dev/shm"} {
		if !filepath.IsAbs(dir) {
			continue
		}
		if dir = strings.TrimRight(filepath.Clean(dir), string(filepath.Separator)); dir == "" || !inside(path, dir) {
			continue
		}
		if !filepath.IsAbs(home) || !inside(home, dir) || !inside(path, filepath.Clean(home)) {
			return true
		}
	}
	return false
}

// Unfit reports whether a folder is no place for a project: it holds the home directory, or is a folder for temporary files.
func Unfit(dir string, env func(string) string) bool {
	home := env("HOME")
	if real, err := resolve(home); err == nil {
		home = real
	}
	if real, err := existing(dir); err == nil {
		dir = real
	}
	return filepath.IsAbs(home) && inside(home, dir) || Temporary(dir, env)
}

// InitHint is the command that makes a project for somebody in dir.
func InitHint(dir string, env func(string) string) string {
	if Unfit(dir, env) {
		return "aburn -C PROJECT init  # in the folder of a project"
	}
	return "aburn init"
}
