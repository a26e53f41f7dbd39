package journal

import (
	"errors"
	"io"
	"iter"
)

// Forward yields every entry line from a position to the log's end, oldest
// first. Carried lines come only where the segment before was not read, and
// marked. Damage is counted in Stats and never ends the reading. What is
// appended while it reads it may see.
func (j *Journal) Forward(from Position) iter.Seq2[Line, error] {
	return j.Paced(from, 0)
}

// Paced is Forward for who has little time: where pace bytes or more go by without an entry line (blank lines,
// comments, damage), it yields the line that it is at, marked as Pause, from which reading can go on later.
func (j *Journal) Paced(from Position, pace int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { j.forward(from, pace, yield, nil) }
}

// forward is Forward. Where much is left of a segment, it lets many, unless that
// is nil, go on with the cursor for a while; many reports false to stop.
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

// begin is start, again when a rotation came in between.
func (c *cursor) begin(from Position) error {
	for {
		if err := c.start(from); !errors.Is(err, errMoved) {
			return err
		}
	}
}

// End is the position behind the last complete line of the log; the zero
// Position when there is no log.
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
	if err != nil { // not one complete line
		return f.lineAt(nil, -1, false).Next(), nil
	}
	return f.lineAt(line, off, false).Next(), nil
}
