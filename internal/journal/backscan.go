package journal

import (
	"bytes"
	"io"

	"aburn/logfmt"
)

// maxLine bounds the memory that one line may cost. What is longer is damage
// and stepped over: an entry of ours has at most 64 KiB, and no other tool's
// entry of a megabyte has been seen.
const maxLine = 1 << 20

// span is a line's place in a backScan's buffer.
type span struct{ from, to int }

// backScan reads the complete lines of a file from the end of a region to its
// beginning, in blocks that grow from small to 64 KiB, so that whoever stops
// early has read little.
//
//	floor          start                  end
//	  |  not read    | buf: rest|line|line| given out already
//
// rest is the end of a line whose beginning is not read yet; it stays at the
// front of buf until the next block is put before it.
type backScan struct {
	r     io.ReaderAt
	floor int64 // never read before this; a line that begins before it is not given out
	start int64 // file offset of buf[0]
	buf   []byte
	spare []byte // for the next block, if large enough
	rest  int    // bytes of buf before the first newline
	lines []span // not given out yet, in file order
	block int
	keep  bool   // lines stay valid: never reuse a buffer
	skip  bool   // inside a line longer than maxLine
	torn  bool   // the region did not end in a newline
	tail  []byte // what stands behind its last newline; valid as long as buf

	damage int64
	begun  bool
}

func newBackScan(r io.ReaderAt, floor, end int64, block int) *backScan {
	return &backScan{r: r, floor: max(floor, 0), start: end, block: block, lines: make([]span, 0, 32)}
}

// next returns the next line towards the beginning, without its newline, and
// its offset; io.EOF at the floor. The line is valid until the call after.
func (s *backScan) next() ([]byte, int64, error) {
	for len(s.lines) == 0 {
		if s.start <= s.floor {
			return s.first()
		}
		if err := s.load(); err != nil {
			return nil, 0, err
		}
	}
	l := s.lines[len(s.lines)-1]
	s.lines = s.lines[:len(s.lines)-1]
	return s.buf[l.from:l.to], s.start + int64(l.from), nil
}

// first returns the file's first line, which no newline precedes.
func (s *backScan) first() ([]byte, int64, error) {
	if !s.begun && s.rest > 0 {
		s.torn, s.tail = true, s.buf[:s.rest]
	}
	if s.rest < 0 || s.start != 0 || !s.begun || s.skip {
		return nil, 0, io.EOF
	}
	line := s.buf[:s.rest]
	s.rest = -1
	return line, 0, nil
}

// load puts the next block before what is left and finds its lines.
func (s *backScan) load() error {
	n := int(min(int64(s.block), s.start-s.floor))
	s.block = min(2*s.block, 64<<10)
	need := n + s.rest
	into := s.spare
	if cap(into) < need {
		into = make([]byte, need, need+need/2)
	}
	into = into[:need]
	if _, err := s.r.ReadAt(into[:n], s.start-int64(n)); err != nil {
		return err // also io.EOF: the file was truncated under us
	}
	before := s.buf
	copy(into[n:], before[:s.rest])
	s.spare, s.buf = nil, into
	if !s.keep {
		s.spare = before[:cap(before)]
	}
	s.start -= int64(n)
	s.split(n)
	return nil
}

// split finds the lines in buf, of which the first n bytes are new. The bytes
// behind the last newline are the tail of the file or of a line given up.
func (s *backScan) split(n int) {
	first := bytes.IndexByte(s.buf[:n], '\n')
	if first < 0 {
		s.rest = len(s.buf)
		if s.skip || s.rest > maxLine {
			s.giveUp()
		}
		return
	}
	s.rest = first
	end := len(s.buf)
	if !s.begun || s.skip { // behind the last newline is no line
		last := bytes.LastIndexByte(s.buf[:n], '\n')
		if !s.begun && last+1 < end {
			s.torn, s.tail = true, s.buf[last+1:]
		}
		s.begun, s.skip = true, false
		end = last + 1
	}
	for from := first + 1; from < end; {
		to := end
		if i := bytes.IndexByte(s.buf[from:end], '\n'); i >= 0 {
			to = from + i
		}
		s.lines = append(s.lines, span{from, to})
		from = to + 1
	}
}

// giveUp forgets the line that has grown beyond maxLine.
func (s *backScan) giveUp() {
	if !s.skip {
		s.damage++
	}
	s.torn = s.torn || !s.begun
	s.begun, s.skip, s.rest = true, true, 0
}

// entry is next for entry lines only.
func (s *backScan) entry() ([]byte, int64, error) { return entryOf(s.next, &s.damage) }

// entryOf gives the next entry line of what next gives, and counts what is damage.
func entryOf(next func() ([]byte, int64, error), damage *int64) ([]byte, int64, error) {
	for {
		line, off, err := next()
		if err != nil {
			return nil, 0, err
		}
		switch kindOf(line) {
		case logfmt.EntryLine:
			return line, off, nil
		case logfmt.Damage:
			*damage++
		}
	}
}

// kindOf is logfmt.Classify, and calls a line that does not end like an entry
// what it is: torn.
func kindOf(line []byte) logfmt.Kind {
	if len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' {
		return logfmt.EntryLine
	}
	if len(line) > 0 && line[0] == '#' {
		return logfmt.Comment
	}
	kind := logfmt.Classify(line)
	if kind == logfmt.EntryLine && !bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte("}")) {
		return logfmt.Damage
	}
	return kind
}
