package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrIrregular says that there is something else than a file at a path.
var ErrIrregular = errors.New("it is no regular file")

// Open opens a regular file for reading. A pipe in a folder of sessions would be waited for without end, and a device
// would never end: of these the error is ErrIrregular.
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

// peeked is how many bytes Peek looks at.
const peeked = 4 << 10

// Peek is the beginning of a regular file, at most 4 KiB of it: enough to see whose it is. It is empty if it cannot be read.
func Peek(path string) []byte {
	f, err := Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, peeked)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return data[:n]
}
