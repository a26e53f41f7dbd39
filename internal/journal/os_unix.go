//go:build unix

package journal

import (
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

// fileID identifies a file for as long as it exists.
func fileID(info fs.FileInfo) (dev, ino uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), s.Ino
	}
	return 0, 0
}
