//go:build !unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

const appendFlags = os.O_RDWR | os.O_APPEND

const readFlags = os.O_RDONLY

// writeOnce relies on a small write to a local file being one operation.
func writeOnce(f *os.File, b []byte) (int, error) { return f.Write(b) }

// id is fileID of a segment. Only an open file tells it here.
func (s Segment) id(root *os.Root) (dev, ino uint64) {
	f, err := root.Open(s.Name)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !os.SameFile(info, s.info) { // renamed meanwhile
		return 0, 0
	}
	return fileID(f, info)
}

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
