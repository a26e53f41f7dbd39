package journal

import (
	"bytes"
	"io"

	"aburn/logfmt"
)

// maxLine bounds the memory of one line. A longer line is damage and is skipped: our entries have
// at most 64 KiB, and no other tool's entry of a megabyte has been seen.
const maxLine = 1 << 20

// span is a line's place in a backScan's buffer.
type span struct{ from, to int }

// backScan reads the complete lines of a region of a file, last line first. Its blocks grow from
// small to 64 KiB, so that a reader who stops early has read little.
//
//	floor          start                  end
//	  |  not read    | buf: rest|line|line| returned already
//
// rest is the end of a line whose beginning is still unread. It stays at the front of buf until
// the next block is put before it.
type backScan struct {
	r     io.ReaderAt
	floor int64 // nothing before this is read, nor a line that begins before it
	start int64 // file offset of buf[0]
	buf   []byte
	spare []byte // for the next block, if it is large enough
	rest  int    // bytes of buf before the first newline
	lines []span // not returned yet, in file order
	block int
	keep  bool   // lines stay valid: never reuse a buffer
	skip  bool   // inside a line longer than maxLine
	torn  bool   // the region did not end in a newline
	tail  []byte // what follows its last newline; valid as long as buf

	damage int64
	begun  bool
}

func newBackScan(r io.ReaderAt, floor, end int64, block int) *backScan {
	return &backScan{r: r, floor: max(floor, 0), start: end, block: block, lines: make([]span, 0, 32)}
}

// next returns the previous line of the file, without its newline, and its offset; io.EOF at the
// floor. The line is valid until the next call.
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

// load puts the next block before the rest and finds its lines.
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

// split finds the lines in buf, whose first n bytes are new. The bytes after the last newline are
// the tail of the file, or of a line that was given up.
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
	if !s.begun || s.skip { // no line follows the last newline
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

// giveUp skips the line that has grown beyond maxLine.
func (s *backScan) giveUp() {
	if !s.skip {
		s.damage++
	}
	s.torn = s.torn || !s.begun
	s.begun, s.skip, s.rest = true, true, 0
}

// entry is next for entry lines only.
func (s *backScan) entry() ([]byte, int64, error) { return entryOf(s.next, &s.damage) }

// entryOf returns the next entry line from next, and counts damaged lines.
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

// kindOf is logfmt.Classify, except that a line without an entry's end is torn.
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
