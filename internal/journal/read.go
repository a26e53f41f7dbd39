package journal

import (
	"errors"
	"iter"

	"aburn/logfmt"
)

// Line is one entry line of the log: it looks like an entry, but only
// logfmt.Parse says whether it is one.
type Line struct {
	JSON    []byte // without newline; valid until the next iteration
	Segment string // the file's name inside .oss when it was opened
	Offset  int64  // of the line's first byte
	Carried bool   // copied here by a rotation; no new event
	Pause   bool   // it is no entry line, and JSON no JSON: see Paced

	in *segmentFile
}

// Next is the position behind the line, to read on from later.
func (l Line) Next() Position {
	if l.in == nil {
		return Position{}
	}
	return Position{Segment: l.Segment, Dev: l.in.dev, Ino: l.in.ino, Offset: l.Offset + int64(len(l.JSON)) + 1}
}

// Position is a place in the log that survives rotation. The zero value is the
// beginning of the oldest segment.
type Position struct {
	Segment  string
	Dev, Ino uint64
	Offset   int64
	Before   string // bytes that have to stand directly before it, "" = any: who keeps a position notices another log in its place
}

// ErrPosition says that a position is no longer part of the log: its file was
// deleted, replaced, truncated or written anew.
var ErrPosition = errors.New("position is no longer in the log")

// lineAt makes the Line for the bytes at off.
func (s *segmentFile) lineAt(line []byte, off int64, carried bool) Line {
	return Line{JSON: line, Segment: s.name, Offset: off, Carried: carried, in: s}
}

// Unique drops the lines whose id was among the last 4,096 ids: a hook that
// fired twice, an entry that a lock-free writer wrote twice. Lines without an
// id are never dropped.
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
