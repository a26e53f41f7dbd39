package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"time"

	"aburn/logfmt"
)

// pollEvery is the interval of a follower's polls. Polling works on every file system, and costs
// less than half a percent of a core at this pace.
const pollEvery = 50 * time.Millisecond

// primeSize is how many bytes before its start a follower reads for ids. They let it drop old
// entries that reappear when a file is truncated and restored.
const primeSize = 1 << 20

// Follow is Forward without an end: it waits for more until ctx is done. It reads the old file to
// its end before the next one, across any number of rotations. A truncated or replaced file is
// read from its beginning. An id comes once among 4,096.
func (j *Journal) Follow(ctx context.Context, from Position) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		j.read = Stats{}
		f := follower{cursor: cursor{j: j}}
		defer f.close()
		if err := f.run(ctx, from, yield); !errors.Is(err, errStop) && ctx.Err() == nil {
			yield(Line{}, err)
		}
	}
}

// follower is a cursor that waits.
type follower struct {
	cursor
	seen logfmt.Deduper
	mark []byte // bytes of f before the cursor, to notice a rewritten file
}

// run returns only with an error; errStop if the consumer stopped.
func (f *follower) run(ctx context.Context, from Position, yield func(Line, error) bool) error {
	if err := f.open(ctx, from); err != nil {
		return err
	}
	if err := f.prime(from.Offset); err != nil {
		return err
	}
	for {
		if err := f.drain(yield); err != nil {
			return err
		}
		if err := f.wait(ctx); err != nil {
			return err
		}
	}
}

// open waits until there is a log.
func (f *follower) open(ctx context.Context, from Position) error {
	for {
		if err := f.begin(from); err != nil || f.f != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// prime remembers the ids shortly before off.
func (f *follower) prime(off int64) error {
	s := newForeScan(f.f, max(0, off-primeSize), maxLine)
	for s.offset() < off {
		line, _, err := s.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if h, ok := logfmt.ParseHeader(line); ok {
			f.seen.SeenBytes(h.ID)
		}
	}
	return nil
}

// drain yields everything available, in this file and those after it.
func (f *follower) drain(yield func(Line, error) bool) error {
	for {
		line, err := f.next()
		if err == nil {
			if !repeats(&f.seen, line) && !yield(line, nil) {
				return errStop
			}
			continue
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if f.isNamed(f.j.root, Name) {
			return f.remember()
		}
		if more, err := f.advance(); !more {
			return errors.Join(err, f.remember())
		}
	}
}

func (f *follower) isNamed(root *os.Root, name string) bool { return f.f.isNamed(root, name) }

// remember keeps the bytes before the cursor as the file's mark.
func (f *follower) remember() error {
	off := f.scan.offset()
	f.mark = make([]byte, min(off, 64))
	_, err := f.f.ReadAt(f.mark, off-int64(len(f.mark)))
	if errors.Is(err, io.EOF) { // just truncated; it may have grown back before wait looks
		f.again()
		return nil
	}
	return err
}

// again restarts the file, because its content was replaced.
func (f *follower) again() {
	f.rewind()
	f.known, f.mark = true, nil
}

// wait returns when there may be more to read.
func (f *follower) wait(ctx context.Context) error {
	for {
		if err := pause(ctx); err != nil {
			return err
		}
		info, err := f.f.Stat()
		if err != nil {
			return err
		}
		off := f.scan.offset()
		switch size := info.Size(); {
		case size < off || !f.same(off):
			f.again() // truncated, and perhaps grown past the cursor again
			return nil
		case size != f.scan.next:
			f.scan.next, f.scan.buf = off, nil // an incomplete line may have changed
			return nil
		case !f.isNamed(f.j.root, Name):
			return nil
		}
	}
}

// same reports whether the bytes before the cursor are unchanged.
func (f *follower) same(off int64) bool {
	now := make([]byte, len(f.mark))
	_, err := f.f.ReadAt(now, off-int64(len(now)))
	return err == nil && bytes.Equal(now, f.mark)
}

func pause(ctx context.Context) error {
	t := time.NewTimer(pollEvery)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
