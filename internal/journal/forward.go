package journal

import (
	"errors"
	"io"
	"iter"
)

// Forward yields every entry line from a position to the log's end, oldest first. Carried lines
// come only where the segment before was not read, and are marked. Damage is counted in Stats and
// never ends the reading. Lines appended meanwhile may come or not.
func (j *Journal) Forward(from Position) iter.Seq2[Line, error] {
	return j.Paced(from, 0)
}

// Paced is Forward for callers with little time. Where pace bytes or more pass without an entry
// line (blank lines, comments, damage), it yields the current line marked as Pause. Reading can
// continue from there later.
func (j *Journal) Paced(from Position, pace int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { j.forward(from, pace, yield, nil) }
}

// forward is Forward. Where much of a segment is left, it calls many (unless nil), which advances
// the cursor for a while. many reports false to stop.
func (j *Journal) forward(from Position, pace int64, yield func(Line, error) bool, many func(*cursor) bool) {
	j.read = Stats{}
	c := cursor{j: j, pace: pace}
	defer c.close()
	if err := c.begin(from); err != nil {
		yield(Line{}, err)
		return
	}
	for c.f != nil {
		line, err := c.next()
		if err == nil {
			if !yield(line, nil) || many != nil && c.isLong() && !many(&c) {
				return
			}
			continue
		}
		if errors.Is(err, io.EOF) {
			var more bool
			if more, err = c.advance(); more {
				continue
			}
		}
		if err != nil {
			yield(Line{}, err)
		}
		j.read.Torn = len(c.scan.buf) > 0 || c.scan.skip
		return
	}
}

// begin is start, repeated if a rotation interferes.
func (c *cursor) begin(from Position) error {
	for {
		if err := c.start(from); !errors.Is(err, errMoved) {
			return err
		}
	}
}

// File opens the file that has a position, by whatever name it has by now. The error is ErrPosition if it is no longer in the log.
func (j *Journal) File(at Position) (interface {
	io.ReaderAt
	io.Closer
}, error) {
	c := cursor{j: j}
	if err := c.begin(at); err != nil {
		c.close()
		return nil, err
	}
	if c.f == nil { // the zero Position, and no log
		return nil, ErrPosition
	}
	return c.f, nil
}

// End is the position after the last complete line of the log, or the zero Position without a
// log.
func (j *Journal) End() (Position, error) {
	b := backward{j: j}
	f, err := b.newest()
	if f == nil {
		return Position{}, err
	}
	defer f.Close()
	s := newBackScan(f, 0, f.size(), firstBlock)
	line, off, err := s.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return Position{}, err
	}
	if err != nil { // no complete line
		return f.lineAt(nil, -1, false).Next(), nil
	}
	return f.lineAt(line, off, false).Next(), nil
}
