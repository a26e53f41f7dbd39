package journal

import (
	"context"
	"errors"
	"iter"
)

// Line is one JSON line of the log.
type Line struct {
	JSON    []byte // without newline; valid until the next iteration
	Segment string // the file's name inside .oss
	Offset  int64  // of the line's first byte
	Carried bool   // copied here by a rotation; no new event

	next Position
}

// Next is the position behind the line, to read on from later.
func (l Line) Next() Position { return l.next }

// Position is a place in the log that survives rotation. The zero value is the
// beginning of the oldest segment.
type Position struct {
	Segment  string
	Dev, Ino uint64
	Offset   int64
}

// ErrPosition says that a position is no longer part of the log: its file was
// deleted, replaced or truncated.
var ErrPosition = errors.New("position is no longer in the log")

// BackwardOptions bounds a backward reading.
type BackwardOptions struct {
	Limit  int64 // bytes to read at most; 0 = all
	Newest bool  // no further than the newest segment and what it carries
}

// Forward yields every entry line from a position to the log's end, oldest
// first. Carried blocks are skipped where the previous segment was read.
// Damage is counted in Stats and never ends the reading.
func (j *Journal) Forward(from Position) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { yield(Line{}, errors.ErrUnsupported) }
}

// Backward yields entry lines newest first.
func (j *Journal) Backward(o BackwardOptions) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { yield(Line{}, errors.ErrUnsupported) }
}

// End is the position behind the last complete line of the log.
func (j *Journal) End() (Position, error) { return Position{}, errors.ErrUnsupported }

// Follow is Forward that does not end: it waits for more until ctx is done,
// and yields every id once across rotation, truncation and replacement.
func (j *Journal) Follow(ctx context.Context, from Position) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { yield(Line{}, errors.ErrUnsupported) }
}

// Unique drops the lines whose id was among the last 4,096 ids.
func Unique(lines iter.Seq2[Line, error]) iter.Seq2[Line, error] { return lines }
