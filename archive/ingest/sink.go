package ingest

import (
	"context"
	"errors"
	"sync/atomic"

	"aburn/archive"
	"aburn/internal/scrub"
	"aburn/trace"
)

// partSize is how many bytes of traces of one store are held before they are written.
const partSize = 8 << 20

// maxReason bounds what is kept of why a place could not be read, in bytes.
const maxReason = 200

// sink takes what a reader finds in one store, and passes it on in parts.
type sink struct {
	ctx     context.Context
	reader  string
	view    *archive.Archive // for reading
	run     *run
	reading *archive.Reading
	size    int // of what reading holds
	read    *atomic.Int64
	skipped []Skip
	old     int
	cursor  trace.Cursor
	done    bool
	torn    bool
	// failure is the archive's, which ends the run. A reader's is the store's own.
	failure error
}

// Previous is the trace of this reader with this id.
func (s *sink) Previous(id string) (*trace.SessionTrace, error) {
	t, err := s.view.Previous(s.ctx, s.reader, id)
	if err != nil {
		s.failure = err
	}
	return t, err
}

// Trace takes a trace. One that is invalid is skipped, and the rest of its store goes on.
func (s *sink) Trace(t *trace.SessionTrace) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	s.run.projects.settle(&t.Project)
	err := t.Validate()
	if err == nil && t.Source != s.reader {
		err = errors.New("trace " + t.Source + "/" + t.ID + " from the reader " + s.reader)
	}
	if err != nil {
		s.invalid(err)
		return nil
	}
	if keep := s.run.Keep; !keep.IsZero() && !t.End.IsZero() && t.End.Before(keep) {
		s.old++
		s.reading.Cursor.Whole = true // there is nothing to go on with
		return nil
	}
	p, err := archive.Pack(t)
	if err != nil {
		s.invalid(err)
		return nil
	}
	s.reading.Traces = append(s.reading.Traces, p)
	s.size += p.Size()
	if s.size < partSize {
		return nil
	}
	part := s.reading
	s.reading, s.size = part.Next(), 0
	return s.run.send(s.ctx, &result{reading: part, reader: s.reader})
}

// invalid notes a trace that cannot be stored. The store is then always read from its start: there is nothing to go on with.
func (s *sink) invalid(err error) {
	s.skipped = append(s.skipped, Skip{s.reading.Cursor.Path, Invalid, scrub.Head(err.Error(), 4*maxReason)})
	s.reading.Cursor.Whole = true
}

// Damaged takes a place that could not be read.
func (s *sink) Damaged(d trace.Damage) {
	d.Reason = scrub.Head(d.Reason, maxReason)
	s.reading.Damaged = append(s.reading.Damaged, d)
}

// Progress takes how many more bytes were read.
func (s *sink) Progress(n int64) {
	s.read.Add(n)
	s.run.bytes.Add(n)
}

// Done takes the cursor for the next read.
func (s *sink) Done(c trace.Cursor, torn bool) { s.cursor, s.torn, s.done = c, torn, true }
