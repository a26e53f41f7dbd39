package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"aburn/logfmt"
)

// cursor reads the log forwards, segment by segment. It keeps its file open, so a rename does not
// change what it reads.
type cursor struct {
	j     *Journal
	f     *segmentFile
	scan  *foreScan
	watch carryWatch
	block *block     // of f, once a carried line was met
	known bool       // the segment before was read, so carried lines are skipped
	base  logfmt.Seq // segments with a higher number come after f
	last  bool       // f has a successor; this is the last look at it
	pace  int64      // see Paced; 0: never pause
	all   []Segment  // the latest listing
	at    int        // f's index in a listing
}

// start opens the segment that contains from, or the oldest one for the zero Position. Without a
// log it leaves f nil.
func (c *cursor) start(from Position) error {
	all, err := c.j.Segments()
	if err != nil {
		return err
	}
	if from == (Position{}) {
		if len(all) == 0 {
			return nil
		}
		return c.enter(all, 0, false)
	}
	for i, s := range all {
		if !from.in(s, c.j.root) {
			continue
		}
		if from.Offset > s.Size {
			return ErrPosition
		}
		if err := c.enter(all, i, from.Offset > 0); err != nil {
			return err
		}
		return c.seek(from)
	}
	return ErrPosition
}

func (p Position) in(s Segment, root *os.Root) bool {
	dev, ino := s.id(root)
	if ino == 0 && p.Ino == 0 { // unknown on this system
		return s.Name == p.Segment
	}
	return dev == p.Dev && ino == p.Ino
}

// errMoved says that a segment was renamed between the look and the opening.
var errMoved = errors.New("segment was renamed meanwhile")

// enter opens all[i] at its beginning.
func (c *cursor) enter(all []Segment, i int, known bool) error {
	f, err := c.j.open(all[i].Name, readFlags)
	if errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	if err != nil {
		return err
	}
	if !os.SameFile(f.info, all[i].info) {
		f.Close()
		return errMoved
	}
	c.close()
	c.f, c.known, c.last, c.at = f, known, false, i
	c.base = all[i].First
	if f.name == Name && i > 0 {
		c.base = all[i-1].First
	}
	c.rewind()
	return nil
}

func (c *cursor) rewind() {
	c.count()
	c.watch, c.block = carryWatch{zone: blockZone}, nil
	if c.scan != nil {
		c.scan.next, c.scan.buf, c.scan.skip = 0, nil, false
		c.scan.r = c.f
		return
	}
	c.scan = newForeScan(c.f, 0, maxLine)
}

// seek goes to a position, the beginning of a line, and finds out whether carried lines surround
// it.
func (c *cursor) seek(to Position) error {
	if !c.standsBefore(to) {
		return ErrPosition // other bytes are there now
	}
	if b, known := knownBlock(c.f); known && (b.closed || !b.opened) && to.Offset >= max(b.end, 1) {
		c.watch = carryWatch{} // past the only possible block
	}
	for c.watch.watches(c.scan.offset()) && c.scan.offset() < to.Offset {
		line, _, err := c.scan.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		c.watch.carried(line)
	}
	c.scan.next, c.scan.buf = to.Offset, nil
	return nil
}

// standsBefore reports whether the bytes expected before p are there, at least a newline.
func (c *cursor) standsBefore(p Position) bool {
	want := p.Before
	if want == "" && p.Offset > 0 {
		want = "\n"
	}
	b := make([]byte, len(want))
	if int64(len(b)) > p.Offset {
		return false
	}
	_, err := c.f.ReadAt(b, p.Offset-int64(len(b)))
	return err == nil && string(b) == want && (p.Offset == 0 || b[len(b)-1] == '\n')
}

// next returns the next entry line of f, or a pause. It returns io.EOF at f's current end.
func (c *cursor) next() (Line, error) {
	for since := c.scan.offset(); ; {
		line, off, err := c.scan.line()
		if err != nil {
			return Line{}, err
		}
		carried := c.watch.watches(off) && c.watch.carried(line)
		switch kindOf(line) {
		case logfmt.EntryLine:
			if !carried || !c.known && c.uses(line) {
				return c.f.lineAt(line, off, carried), nil
			}
		case logfmt.Damage:
			c.scan.damage++
		}
		if c.pace > 0 && c.scan.offset()-since >= c.pace {
			pause := c.f.lineAt(line, off, carried)
			pause.Pause = true
			return pause, nil
		}
	}
}

// uses reports whether readers use this carried line of f.
func (c *cursor) uses(line []byte) bool {
	if c.block == nil {
		b := blockOf(c.f)
		c.block = &b
	}
	return c.block.uses(line)
}

// advance continues with the segment after f, or reports false if there is none. The first call
// with a successor stays at f, to read what a lock-free writer added meanwhile.
func (c *cursor) advance() (bool, error) {
	for moved := false; ; moved = true {
		all, err := c.segments(moved)
		if err != nil {
			return false, err
		}
		i, known := c.successor(all)
		if i >= len(all) {
			return false, nil
		}
		if !c.last {
			c.last = true
			return true, nil
		}
		if err := c.enter(all, i, known); !errors.Is(err, errMoved) {
			return err == nil, err
		}
	}
}

// segments lists the segments, unless f and its successor were both rotated in the last listing:
// nothing can come between them any more.
func (c *cursor) segments(anew bool) ([]Segment, error) {
	if i := c.index(c.all); !anew && i >= 0 && i+2 < len(c.all) {
		return c.all, nil
	}
	all, err := c.j.Segments()
	c.all = all
	return all, err
}

// index is f's index in a listing, or -1.
func (c *cursor) index(all []Segment) int {
	if c.at < len(all) && os.SameFile(all[c.at].info, c.f.info) {
		return c.at
	}
	return indexOf(all, c.f.info)
}

// successor is the index of the segment after f, and whether nothing is missing between the two.
// If f is no longer a segment, a rotation dropped it or somebody replaced it.
func (c *cursor) successor(all []Segment) (i int, known bool) {
	if i := c.index(all); i >= 0 {
		return i + 1, true
	}
	for i, s := range all {
		if s.Name == Name || s.First > c.base {
			return i, false
		}
	}
	return len(all), false
}

// count adds the damage found so far to the journal's Stats.
func (c *cursor) count() {
	if c.scan != nil {
		c.j.read.Damage += c.scan.damage
		c.scan.damage = 0
	}
}

func (c *cursor) close() {
	c.count()
	if c.f != nil {
		c.f.Close()
		c.f = nil
	}
}
