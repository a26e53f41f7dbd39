package journal

import (
	"errors"
	"io"
)

// Newest is the beginning of the newest segment. Read from there, what a rotation
// carried into it comes too, marked: nothing before it was read. A segment without
// a whole block of carried lines although older ones exist (its rotator was killed)
// counts together with the one before. It is the zero Position when there is no log.
func (j *Journal) Newest() (Position, error) {
	b := backward{j: j}
	f, err := b.newest()
	for f != nil && err == nil {
		at := Position{Segment: f.name, Dev: f.dev, Ino: f.ino}
		var older *segmentFile
		if !blockOf(f).closed {
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

// Before is what stands in the log directly before a position: the last n bytes, or
// fewer where the segment begins. Who kept them can tell later whether the log is
// still the one that he read. The error is ErrPosition when p is not in the log.
func (j *Journal) Before(p Position, n int) ([]byte, error) {
	all, err := j.Segments()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if !p.in(s) {
			continue
		}
		f, err := j.open(s.Name, readFlags)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		b := make([]byte, min(p.Offset, int64(n)))
		if _, err := f.ReadAt(b, p.Offset-int64(len(b))); err != nil {
			if errors.Is(err, io.EOF) {
				err = ErrPosition // truncated
			}
			return nil, err
		}
		return b, nil
	}
	return nil, ErrPosition
}

// Left is how many bytes of the log lie behind a position.
func (j *Journal) Left(p Position) int64 {
	all, err := j.Segments()
	if err != nil {
		return 0
	}
	var left int64
	for i := len(all) - 1; i >= 0; i-- {
		left += all[i].Size
		if p.in(all[i]) {
			left -= p.Offset
			break
		}
	}
	return left
}
