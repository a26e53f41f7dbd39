package journal

import (
	"errors"
	"io"
	"io/fs"
	"iter"
)

// BackwardOptions bounds a backward reading.
type BackwardOptions struct {
	Limit  int64 // most bytes to read, not counting carried lines; 0 = all
	Newest bool  // only the newest segment and what it carries
}

// Backward yields entry lines newest first. Its work depends on how far the caller reads, not on
// the size of the log.
//
// Carried lines come last, marked as such. They come only where the reading stops before the
// segments that they were copied from: with Newest, at Limit, or where those segments are gone.
// If the newest segment does not begin with a whole block although older ones exist (its rotator was
// killed), or somebody changed the block, the reading continues into the segment before, even with
// Newest. Lines of a changed block are never yielded.
func (j *Journal) Backward(o BackwardOptions) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		j.read = Stats{}
		b := backward{j: j, o: o, left: o.Limit, yield: yield}
		if err := b.run(); err != nil && !errors.Is(err, errStop) {
			yield(Line{}, err)
		}
	}
}

// errStop says that the consumer has seen enough.
var errStop = errors.New("stop")

type backward struct {
	j     *Journal
	o     BackwardOptions
	left  int64 // of o.Limit
	yield func(Line, error) bool
	// older lists the segments before the current one, as of the first listing. What a rotation
	// adds later is newer.
	older  []Segment
	listed bool
}

// run reads segment after segment. It looks for an older one only when it needs it, because most
// callers stop in the first.
func (b *backward) run() error {
	f, err := b.newest()
	for f != nil && err == nil {
		f, err = b.segment(f)
	}
	return err
}

// newest opens the log, or the newest rotated segment if there is no log (between a rotator's
// rename and its create).
func (b *backward) newest() (*segmentFile, error) {
	f, err := b.j.open(Name, readFlags)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	all, err := b.j.Segments()
	if err != nil {
		return nil, err
	}
	return b.last(all)
}

// last opens the last segment that still exists.
func (b *backward) last(all []Segment) (*segmentFile, error) {
	for i := len(all) - 1; i >= 0; i-- {
		f, err := b.j.open(all[i].Name, readFlags)
		if !errors.Is(err, fs.ErrNotExist) { // dropped meanwhile
			b.older, b.listed = all[:i], true
			return f, err
		}
	}
	return nil, nil
}

// segment reads and closes f, and returns the segment to continue with, if any.
func (b *backward) segment(f *segmentFile) (older *segmentFile, err error) {
	defer f.Close()
	block := blockOf(f)
	floor := int64(0)
	if b.o.Limit > 0 {
		floor = max(0, f.size()-b.left)
		b.left -= f.size() - floor
	}
	if err := b.own(f, floor, block.carried); err != nil {
		return nil, err
	}
	limit := floor > 0 || b.o.Limit > 0 && b.left <= 0
	if !limit && !(b.o.Newest && block.holds) {
		if older, err = b.before(f); older != nil || err != nil {
			return older, err
		}
	}
	if block.carried.empty() {
		return nil, nil
	}
	yield := b.yield
	b.yield = func(l Line, err error) bool { return !block.uses(l.JSON) || yield(l, err) }
	return nil, b.lines(f, block.carried.from, block.carried.to, true)
}

func (b *backward) before(f *segmentFile) (*segmentFile, error) {
	if !b.listed {
		all, err := b.j.Segments()
		if err != nil {
			return nil, err
		}
		b.older, b.listed = olderThan(all, f), true
	}
	return b.last(b.older)
}

// own yields the segment's own entries down to floor.
func (b *backward) own(f *segmentFile, floor int64, block extent) error {
	if block.empty() || block.to <= floor {
		return b.lines(f, floor, f.size(), false)
	}
	if err := b.lines(f, block.to, f.size(), false); err != nil || block.from <= floor {
		return err
	}
	return b.lines(f, floor, block.from, false)
}

// lines yields the entry lines that lie within [from, to), newest first.
func (b *backward) lines(f *segmentFile, from, to int64, carried bool) error {
	// The newline before from proves that a line begins there.
	s := newBackScan(f, from-1, to, firstBlock)
	defer func() {
		b.j.read.Damage += s.damage
		b.j.read.Torn = b.j.read.Torn || s.torn && f.name == Name
	}()
	for {
		line, off, err := s.entry()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !b.yield(f.lineAt(line, off, carried), nil) {
			return errStop
		}
	}
}
