package instrument

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/atomicfile"
	"aburn/internal/git"
)

// DirtyError says which files have changes that git does not have, or that there is no
// repository.
type DirtyError struct {
	Files []string // nil: no repository
}

func (e *DirtyError) Error() string {
	if len(e.Files) == 0 {
		return "the folder is in no git repository"
	}
	return strings.Join(e.Files, ", ") + ": not committed as it is"
}

// Clean returns a *DirtyError unless git has every file that r would change as it is
// now. environ is for git.
func (r *RunResult) Clean(ctx context.Context, dir string, environ []string) error {
	args := []string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--"}
	n := len(args)
	for _, f := range r.Files {
		if f.Status == Success {
			args = append(args, f.Path)
		}
	}
	args = append(args, r.RegistryFiles...)
	if len(args) == n {
		return nil
	}
	g, err := git.In(dir, environ).Unfiltered(ctx)
	var list []string
	if err == nil {
		list, err = g.List(ctx, args...)
	}
	var failed *git.Error
	switch {
	case errors.As(err, &failed), errors.Is(err, git.ErrNone):
		return &DirtyError{}
	case err != nil:
		return err
	}
	var dirty []string
	for _, line := range list {
		name := line[min(3, len(line)):]
		if !strings.HasPrefix(line, "??") || !slices.ContainsFunc(r.RegistryFiles, func(f string) bool { return strings.HasSuffix(name, f) }) {
			dirty = append(dirty, name)
		}
	}
	if len(dirty) > 0 {
		return &DirtyError{dirty}
	}
	return nil
}

// Write puts the result on disk: the registry's files first, then each file of code in
// one step. A file that changed since it was read is left alone: one of code failed, one
// of the registry ends all. A crash leaves each file as it was or as it should be.
func (r *RunResult) Write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return &PathError{dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	for _, name := range r.RegistryFiles {
		if err := replace(root, name, r.Had[path.Base(name)], r.Registry[path.Base(name)]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Written = true
	}
	for _, f := range r.Files {
		if f.Status != Success {
			continue
		}
		if err := replace(root, f.Path, f.Before, f.After); err != nil {
			f.Status, f.Reason = Failed, err.Error()
			r.Succeeded, r.Failed = r.Succeeded-1, r.Failed+1
			continue
		}
		r.Written = true
	}
	return nil
}

// Replace writes a file below dir in one step, if it still is what it was. before is nil
// for any. It follows no link out of dir.
func Replace(dir, name string, before, after []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, name, before, after)
}

// ReadSource reads a file of code below dir, within the parser's limits.
func ReadSource(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, name)
}

// ErrChanged says that somebody changed a file between its reading and its writing.
var ErrChanged = errors.New("the file changed while aburn worked; it was left alone")

// replace writes a file in one step, if it still is what it was. before is nil for any,
// and empty for one that is not there.
func replace(root *os.Root, name string, before, after []byte) error {
	in := root
	if dir := path.Dir(name); dir != "." {
		sub, err := root.OpenRoot(filepath.FromSlash(dir))
		if err != nil {
			return err
		}
		defer sub.Close()
		in = sub
	}
	return atomicfile.WriteRoot(in, path.Base(name), after, 0o644, atomicfile.Options{Sync: true, Check: func() error {
		if before == nil {
			return nil
		}
		now, err := in.ReadFile(path.Base(name))
		if len(before) == 0 && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return cmp.Or(err, unlessEqual(now, before))
	}})
}

func unlessEqual(now, before []byte) error {
	if bytes.Equal(now, before) {
		return nil
	}
	return ErrChanged
}
