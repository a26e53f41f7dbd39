// Package atomicfile replaces a file as a whole: a reader, also one after a
// crash, sees the old bytes or the new ones, never a mixture and never nothing.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// Options says how much a replacement must survive.
type Options struct {
	// Sync makes the replacement survive a power cut: the file and its folder are synced.
	Sync bool
}

// ErrNotRegular says that the target exists and is no regular file (a link, a
// folder, a pipe), so it was left alone.
var ErrNotRegular = errors.New("not a regular file")

// Write replaces the file at path by data. An existing target keeps its mode
// and owner; perm counts only for a new one. Links are not followed: the
// caller resolves them.
func Write(path string, data []byte, perm fs.FileMode, o Options) error {
	return errors.ErrUnsupported
}

// WriteRoot is Write for the file name inside root.
func WriteRoot(root *os.Root, name string, data []byte, perm fs.FileMode, o Options) error {
	return errors.ErrUnsupported
}
