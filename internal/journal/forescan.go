package journal

import (
	"bytes"
	"io"
)

// foreBlock is how many bytes a forward reading reads at once. More is not quicker, and each new
// page costs a short process a fault.
const foreBlock = 64 << 10

// foreScan reads the complete lines of a file forwards, in blocks. Lines are slices of the block:
// no copy, no allocation.
type foreScan struct {
	r    io.ReaderAt
	next int64  // file offset after buf
	buf  []byte // read, not returned yet
	room []byte // the block that contains buf; grows to foreBlock, for a long line to most
	most int
	full bool // the last read filled the block, so that a larger one pays
	skip bool // inside a line longer than most
	// until is how far a line longer than most is followed at most; 0: to its end.
	until int64

	damage int64
	gaveUp int64 // offset of the last skipped line
}

// newForeScan reads from offset off. Neither a line nor a block may be longer than most.
func newForeScan(r io.ReaderAt, off int64, most int) *foreScan {
	return &foreScan{r: r, next: off, most: most, full: true}
}

// offset is the file offset of the first line not returned yet.
func (s *foreScan) offset() int64 { return s.next - int64(len(s.buf)) }

// line returns the next complete line without its newline, and its offset. It returns io.EOF when
// there is none; after more was written, it continues. The line is valid until the next call.
func (s *foreScan) line() ([]byte, int64, error) {
	for {
		if i := bytes.IndexByte(s.buf, '\n'); i >= 0 {
			line, off := s.buf[:i], s.offset()
			s.buf = s.buf[i+1:]
			if !s.skip {
				return line, off, nil
			}
			s.skip = false // the end of a skipped line
			continue
		}
		if s.skip && s.until > 0 && s.next > s.until {
			return nil, 0, io.EOF
		}
		if err := s.fill(); err != nil {
			return nil, 0, err
		}
	}
}

// fill reads more after the incomplete line in buf.
func (s *foreScan) fill() error {
	if len(s.buf) == s.most || s.skip {
		if !s.skip {
			s.damage++
			s.gaveUp = s.offset()
		}
		s.skip, s.buf = true, nil
	}
	room := s.room
	if s.full && len(room) < min(foreBlock, s.most) || len(s.buf) == len(room) {
		room = make([]byte, min(max(4*len(room), 16<<10), s.most))
	}
	kept := copy(room, s.buf)
	n, err := s.r.ReadAt(room[kept:], s.next)
	s.room, s.next, s.buf = room, s.next+int64(n), room[:kept+n]
	s.full = len(s.buf) == len(room)
	if n > 0 {
		return nil
	}
	return err
}

// entry is line for entry lines only.
func (s *foreScan) entry() ([]byte, int64, error) { return entryOf(s.line, &s.damage) }
