package jsonl

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openFolder opens path if it is a folder: a pipe would be waited for.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY, 0)
}

// Stat looks at one of the entries, and not at what it links to.
func (d *Folder) Stat(e fs.DirEntry) (Stat, error) {
	var s unix.Stat_t
	for {
		err := unix.Fstatat(int(d.handle.Fd()), e.Name(), &s, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			return Stat{s.Size, time.Unix(s.Mtim.Unix())}, nil
		}
		if err != unix.EINTR {
			return Stat{}, &fs.PathError{Op: "fstatat", Path: e.Name(), Err: err}
		}
	}
}
