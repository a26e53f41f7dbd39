// Package jsonl reads files of JSON lines that somebody else is writing, in a stream, from any line to the last
// finished one, and lists folders of such files. It knows no format in the lines.
package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// MaxLine bounds the bytes of a line that are held. A longer line is passed without its data.
const MaxLine = 64 << 20

// chunk is the size of one read, in bytes.
const chunk = 256 << 10

// Line is one line of a file.
type Line struct {
	// Data is the line without its line break, valid until the next line; nil if the line is longer than MaxLine. It
	// excludes the byte order mark that may begin a file.
	Data []byte
	// N counts the lines from 1; Offset is the line's first byte.
	N, Offset int64
	// Size is the length in bytes with the line break.
	Size int64
}

// End is where a reading ended.
type End struct {
	Offset, Line int64 // the first byte that was not consumed, and the number of lines before it
	Torn         bool  // bytes without a line break follow
}

// buffers keeps buffers for later readings: most files are smaller than a chunk.
var buffers sync.Pool // of *[]byte

func buffer() []byte {
	if b, ok := buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, chunk)
}

// release keeps a buffer, unless a very long line made it large.
func release(b []byte) {
	const most = 4 * chunk
	if cap(b) <= most {
		buffers.Put(&b)
	}
}

// Read calls each for every finished line of r. r stands at offset, after lines lines. Read ends at the end of r, at
// an error of each, which it returns, or when ctx does.
func Read(ctx context.Context, r io.Reader, offset, lines int64, each func(Line) error) (End, error) {
	buf := buffer()
	defer func() { release(buf) }()
	at := End{Offset: offset, Line: lines}
	var long int64 // dropped bytes of a line longer than MaxLine
	for {
		if err := ctx.Err(); err != nil {
			return at, err
		}
		if cap(buf)-len(buf) < chunk/4 {
			grown := make([]byte, len(buf), max(2*cap(buf), chunk))
			copy(grown, buf)
			buf = grown
		}
		seen := len(buf)
		n, err := r.Read(buf[seen:min(seen+chunk, cap(buf))]) // at most a chunk, which fits the processor's caches
		buf = buf[:seen+n]
		done, from := 0, seen
		for {
			i := bytes.IndexByte(buf[from:], '\n')
			if i < 0 {
				break
			}
			end := from + i
			line := Line{Data: bytes.TrimSuffix(buf[done:end], []byte{'\r'}), N: at.Line + 1, Offset: at.Offset,
				Size: long + int64(end+1-done)}
			if long > 0 {
				line.Data, long = nil, 0
			}
			if line.Offset == 0 {
				line.Data = bytes.TrimPrefix(line.Data, []byte("\ufeff"))
			}
			if e := each(line); e != nil {
				return at, e
			}
			at.Offset, at.Line = at.Offset+line.Size, at.Line+1
			done = end + 1
			from = done
		}
		if done > 0 {
			buf = buf[:copy(buf, buf[done:])]
		}
		if len(buf) > MaxLine {
			long += int64(len(buf))
			buf = buf[:0]
		}
		switch {
		case errors.Is(err, io.EOF):
			at.Torn = len(buf) > 0 || long > 0
			return at, nil
		case err != nil:
			return at, err
		}
	}
}
