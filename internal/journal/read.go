package journal

import (
	"errors"
	"iter"

	"aburn/logfmt"
)

// Line is one entry line of the log. It looks like an entry; only logfmt.Parse can tell whether
// it is one.
type Line struct {
	JSON    []byte // without newline; valid until the next iteration
	Segment string // the file's name inside .oss when it was opened
	Offset  int64  // of the line's first byte
	Carried bool   // copied by a rotation: no new event
	Pause   bool   // no entry line, and JSON is no JSON: see Paced

	in *segmentFile
}

// Next is the position after the line, to continue from later.
func (l Line) Next() Position {
	if l.in == nil {
		return Position{}
	}
	return Position{Segment: l.Segment, Dev: l.in.dev, Ino: l.in.ino, Offset: l.Offset + int64(len(l.JSON)) + 1}
}

// Position is a place in the log that survives rotation. The zero value is the beginning of the
// oldest segment.
type Position struct {
	Segment  string
	Dev, Ino uint64
	Offset   int64
	Before   string // bytes expected directly before it, "" = any; they reveal that another log took its place
}

// ErrPosition says that a position is no longer part of the log: its file was deleted, replaced,
// truncated or rewritten.
var ErrPosition = errors.New("position is no longer in the log")

func (s *segmentFile) lineAt(line []byte, off int64, carried bool) Line {
	return Line{JSON: line, Segment: s.name, Offset: off, Carried: carried, in: s}
}

// Unique drops the lines whose id was among the last 4,096 ids: a hook that fired twice, or an
// entry that a lock-free writer wrote twice. Lines without an id always pass.
func Unique(lines iter.Seq2[Line, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var d logfmt.Deduper
		for l, err := range lines {
			if err == nil && repeats(&d, l) {
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

func repeats(d *logfmt.Deduper, l Line) bool {
	h, ok := logfmt.ParseHeader(l.JSON)
	return ok && d.SeenBytes(h.ID)
}

// Newest is the beginning of the newest segment. A reading from there includes what a rotation
// carried into it, marked, because nothing before it was read. A segment without a whole block of
// carried lines although older ones exist (its rotator was killed), or with a changed one, counts
// together with the one before. Without a log it is the zero Position.
func (j *Journal) Newest() (Position, error) {
	b := backward{j: j}
	f, err := b.newest()
	for f != nil && err == nil {
		at := Position{Segment: f.name, Dev: f.dev, Ino: f.ino}
		var older *segmentFile
		if !blockOf(f).holds {
			older, err = b.before(f)
		}
		f.Close()
		if older == nil {
			return at, err
		}
		f = older
	}
	return Position{}, err
}

// Left is the number of bytes of the log after a position.
func (j *Journal) Left(p Position) int64 {
	all, err := j.Segments()
	if err != nil {
		return 0
	}
	var left int64
	for i := len(all) - 1; i >= 0; i-- {
		left += all[i].Size
		if p.in(all[i], j.root) {
			left -= p.Offset
			break
		}
	}
	return left
}
