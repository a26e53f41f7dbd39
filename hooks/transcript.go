package hooks

import (
	"bytes"
	"io"
	"os"
	"syscall"

	"github.com/tidwall/gjson"
)

// maxFirst is how much of a transcript's first record is read, in bytes: a version
// stands before the long parts.
const maxFirst = 4 << 10

// openRegular opens regular files only; a read of any other could block.
func openRegular(path string) (*os.File, int64) {
	if path == "" {
		return nil, 0
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, 0
	}
	return f, st.Size()
}

// FirstRecord is the beginning of a transcript's first record. It may be cut; Get still
// finds the members before the cut.
func FirstRecord(path string) gjson.Result {
	f, _ := openRegular(path)
	if f == nil {
		return gjson.Result{}
	}
	defer f.Close()
	b := make([]byte, maxFirst)
	n, _ := io.ReadFull(f, b)
	line, _, _ := bytes.Cut(b[:n], []byte{'\n'})
	return gjson.ParseBytes(line)
}

// Tail is the whole lines in the last max bytes of a transcript; nil if it cannot
// be read.
func Tail(path string, max int64) []byte {
	b, _ := TailOf(path, max)
	return b
}

// TailOf is Tail; more reports whether the transcript is longer.
func TailOf(path string, max int64) (b []byte, more bool) {
	f, size := openRegular(path)
	if f == nil {
		return nil, false
	}
	defer f.Close()
	b = make([]byte, min(size, max))
	n, err := f.ReadAt(b, size-int64(len(b)))
	if err != nil && err != io.EOF {
		return nil, false
	}
	if b = b[:n]; size > max {
		_, b, _ = bytes.Cut(b, []byte{'\n'})
	}
	return b[:bytes.LastIndexByte(b, '\n')+1], size > max
}

// LastRecord is pick's last result among the records that mention word.
func LastRecord(b []byte, word string, pick func(record gjson.Result) gjson.Result) (found gjson.Result) {
	if word == "" {
		return found
	}
	for {
		i := bytes.Index(b, []byte(word))
		if i < 0 {
			return found
		}
		start, end := bytes.LastIndexByte(b[:i], '\n')+1, len(b)
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			end = i + n
		}
		if r := pick(gjson.ParseBytes(b[start:end])); r.Exists() {
			found = r
		}
		b = b[min(end+1, len(b)):]
	}
}
