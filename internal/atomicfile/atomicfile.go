// Package atomicfile replaces a file as a whole: a reader, also one after a
// crash, sees the old bytes or the new ones, never a mixture and never nothing.
//
// The bytes go to a temporary file beside the target, which is then renamed
// onto it. A crash in between leaves a file named .<name>.<random>.tmp and the
// target as it was. Two writers at once are harmless: one of them wins whole.
package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Options says how safe a replacement must be.
type Options struct {
	// Sync syncs the file and its folder, so that the replacement survives a power cut.
	Sync bool
	// Check, if set, is called when the new file is complete, right before it replaces the
	// target. Its error leaves the target unchanged, and Write returns it.
	Check func() error
}

// ErrNotRegular says that the target is a link, a folder or a pipe. It was left alone.
var ErrNotRegular = errors.New("not a regular file")

// Write replaces the file at path by data. An existing target keeps its mode and owner. A new one
// gets exactly perm, whatever the umask. Links are not followed: the caller resolves them.
func Write(path string, data []byte, perm fs.FileMode, o Options) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return WriteRoot(root, filepath.Base(path), data, perm, o)
}

// WriteRoot is Write for the file called name, which contains no folder, inside root.
func WriteRoot(root *os.Root, name string, data []byte, perm fs.FileMode, o Options) error {
	old, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return err
	case !old.Mode().IsRegular():
		return &fs.PathError{Op: "replace", Path: name, Err: ErrNotRegular}
	default:
		perm = old.Mode()
	}
	temp, err := writeTemp(root, name, data, perm, old, o)
	if err != nil {
		return err
	}
	if o.Check != nil {
		err = o.Check()
	}
	if err == nil {
		err = rename(root, temp, name)
	}
	if err != nil {
		root.Remove(temp)
		return err
	}
	if !o.Sync {
		return nil
	}
	return SyncDir(root)
}

// writeTemp writes data to a new file beside name and returns the new name.
func writeTemp(root *os.Root, name string, data []byte, perm fs.FileMode, old fs.FileInfo, o Options) (string, error) {
	temp := "." + name + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
	// 0600 until the owner is right, so that nobody else reads it meanwhile.
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	err = fill(f, data, perm, old, o)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		root.Remove(temp)
		return "", err
	}
	return temp, nil
}

func fill(f *os.File, data []byte, perm fs.FileMode, old fs.FileInfo, o Options) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if old != nil {
		if err := keepOwner(f, old); err != nil {
			return err
		}
	}
	// After the owner, because chown clears the setuid bits of the mode.
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if o.Sync {
		return f.Sync()
	}
	return nil
}
