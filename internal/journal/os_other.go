//go:build !unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const appendFlags = os.O_RDWR | os.O_APPEND

const readFlags = os.O_RDONLY

// writeOnce relies on a small write to a local file being one operation.
func writeOnce(f *os.File, b []byte) (int, error) { return f.Write(b) }

// fileID is unknown here, so positions are told apart by segment and size.
func fileID(fs.FileInfo) (dev, ino uint64) { return 0, 0 }

type fixedFile struct{ *os.File }

func openFixed(path string) (fixedFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	return fixedFile{f}, err
}

// DiskFull knows Windows' two codes for a full disk.
func DiskFull(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && (code == 39 || code == 112)
}
