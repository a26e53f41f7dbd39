package ingest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"aburn/archive"
	"aburn/internal/project"
	"aburn/internal/scrub"
	"aburn/trace"
)

// partSize is how many bytes of a store's traces are held before they are written.
const partSize = 8 << 20

// maxReason bounds the reason of damage, in bytes.
const maxReason = 200

// sink receives what a reader finds in one store, and passes it on in parts.
type sink struct {
	ctx     context.Context
	reader  string
	view    *archive.Archive // for reading
	run     *run
	reading *archive.Reading
	size    int // bytes of reading
	read    *atomic.Int64
	skipped []Skip
	old     int
	cursor  trace.Cursor
	done    bool
	torn    bool
	// failure is an error of the archive, which ends the run. An error of a reader only fails the store.
	failure error
}

func (s *sink) Previous(id string) (*trace.SessionTrace, error) {
	t, err := s.view.Previous(s.ctx, s.reader, id)
	if err != nil {
		s.failure = err
	}
	return t, err
}

// Trace adds a trace. It skips an invalid one and continues with the rest of the store.
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
		s.reading.Cursor.Whole = true // a reader could not continue without it
		return nil
	}
	if t.Scrub.Redacted > 0 { // what was redacted is in nobody's memory when the store has grown, so that it is read again
		s.reading.Cursor.Whole = true
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

// invalid notes a trace that cannot be stored. From then on the store is always read from its start, because a reader
// could not continue without that trace.
func (s *sink) invalid(err error) {
	s.skipped = append(s.skipped, Skip{s.reading.Cursor.Path, Invalid, scrub.Head(err.Error(), 4*maxReason)})
	s.reading.Cursor.Whole = true
}

func (s *sink) Damaged(d trace.Damage) {
	d.Reason = scrub.Head(d.Reason, maxReason)
	s.reading.Damaged = append(s.reading.Damaged, d)
}

func (s *sink) Progress(n int64) {
	s.read.Add(n)
	s.run.bytes.Add(n)
}

func (s *sink) Done(c trace.Cursor, torn bool) { s.cursor, s.torn, s.done = c, torn, true }

// projects finds the repository of a session's folder, once per folder.
type projects struct {
	getenv func(string) string
	mu     sync.Mutex
	keys   map[string]string // by path
}

// settle sets a project's key to the root of its main checkout; in a clone for workers, to that of the project. Without a work tree
// the key is what an earlier reading found, else, for the tree of a worker that was removed, its project, else the path.
func (p *projects) settle(of *trace.Project) {
	if of.Path == "" || of.Key != "" && of.Key != of.Path {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key, ok := p.keys[of.Path]
	if !ok {
		key = of.Path
		if _, main := project.Checkout(of.Path, p.getenv); main != "" {
			key = project.Original(main, p.getenv)
		} else if root := project.OfTree(of.Path, p.getenv); root != "" {
			key = root
		}
		p.keys[of.Path] = key
	}
	of.Key = key
}
