//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// appendFlags open the log for appending: every write goes to its end. A pipe in its place does
// not block.
const appendFlags = os.O_RDWR | os.O_APPEND | syscall.O_NONBLOCK

const readFlags = os.O_RDONLY | syscall.O_NONBLOCK

// writeOnce is one write(2). os.File.Write would continue a short write, and another writer's
// entry could come between the halves.
func writeOnce(f *os.File, b []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var werr error
	err = raw.Write(func(fd uintptr) bool {
		for {
			n, werr = syscall.Write(int(fd), b)
			if werr != syscall.EINTR { // interrupted before the first byte
				return true
			}
		}
	})
	if err == nil && werr != nil {
		err = &fs.PathError{Op: "write", Path: f.Name(), Err: werr}
	}
	return max(n, 0), err
}

// fileID identifies an open file for as long as it exists.
func fileID(_ *os.File, info fs.FileInfo) (dev, ino uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), s.Ino
	}
	return 0, 0
}

// id is fileID of a segment.
func (s Segment) id(*os.Root) (dev, ino uint64) { return fileID(nil, s.info) }

// fixedFile is an open file of fixed size, past os.File, which costs a hook three more system
// calls.
type fixedFile int

// openFixed opens an existing file for reading and writing in place. It follows no link, and a
// pipe does not block it: reading at an offset is an error there.
func openFixed(path string) (fixedFile, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != syscall.EINTR {
			return fixedFile(fd), err
		}
	}
}

func (f fixedFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := syscall.Pread(int(f), b, off)
	return max(n, 0), err // -1 with an error
}

func (f fixedFile) WriteAt(b []byte, off int64) (int, error) { return syscall.Pwrite(int(f), b, off) }
func (f fixedFile) Close() error                             { return syscall.Close(int(f)) }

// DiskFull reports an error that says that the disk, or this user's share of it, is full.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
