package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrIrregular says that a path leads to something other than a regular file.
var ErrIrregular = errors.New("it is no regular file")

// Open opens a regular file for reading. Anything else is ErrIrregular: opening a pipe would block, and a device might
// never end.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w (%s)", ErrIrregular, info.Mode().Type())}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// peekBytes is how many bytes Peek reads.
const peekBytes = 4 << 10

// Peek returns the beginning of a regular file, at most 4 KiB: enough to see whose it is. It is empty if the file
// cannot be read.
func Peek(path string) []byte {
	f, err := Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, peekBytes)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return data[:n]
}
