// Package jsonl reads files of JSON lines that somebody else is writing: in a stream, from any line on, to the last line
// that is finished.
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

// chunk is how much is read at once, in bytes.
const chunk = 256 << 10

// Line is one line of a file.
type Line struct {
	// Data is the line without its end, valid until the next one; nil if the line is longer than MaxLine. The byte order
	// mark that a file may begin with is no part of it.
	Data []byte
	// N counts the lines from 1, Offset is the first byte's.
	N, Offset int64
	// Size is the length in bytes with its end.
	Size int64
}

// End is where a reading ended.
type End struct {
	Offset, Line int64 // of the first byte that was not consumed, and how many lines come before it
	Torn         bool  // bytes follow that no newline ends
}

// buffers holds what readings that are over leave to the next one: most files are smaller than a chunk.
var buffers sync.Pool // of *[]byte

func buffer() []byte {
	if b, ok := buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, chunk)
}

// release keeps a buffer for the next reading, unless a very long line made it large.
func release(b []byte) {
	const most = 4 * chunk
	if cap(b) <= most {
		buffers.Put(&b)
	}
}

// Read calls each for every finished line of r, which stands at offset, after lines lines. It ends at the end of r, at an
// error of each, which it returns, or when ctx does.
func Read(ctx context.Context, r io.Reader, offset, lines int64, each func(Line) error) (End, error) {
	buf := buffer()
	defer func() { release(buf) }()
	at := End{Offset: offset, Line: lines}
	var long int64 // bytes of a line that is longer than MaxLine, which are gone
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
		n, err := r.Read(buf[seen:min(seen+chunk, cap(buf))]) // not more than the processor's caches hold
		buf = buf[:seen+n]
		done, from := 0, seen
		for {
			i := bytes.IndexByte(buf[from:], '\n')
			if i < 0 {
				break
			}
			end := from + i
			line := Line{Data: bytes.TrimSuffix(buf[done:end], []byte{'\r'}), N: at.Line + 1, Offset: at.Offset, Size: long + int64(end+1-done)}
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
