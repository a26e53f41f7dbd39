package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"aburn/archive"
	"aburn/internal/scrub"
	"aburn/trace"
)

// hotFor is how recent a change must be for another one to leave size and time as they are.
const hotFor = 2 * time.Second

// result is what came of reading a store, or a part of it.
type result struct {
	reader  string
	reading *archive.Reading // nil if there is nothing to write
	bytes   int64
	old     int
	skipped []Skip
	notes   []Note
	last    bool
}

// read reads the jobs and writes the results. An error is the archive's.
func (r *run) read(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return nil
	}
	ctx, r.stop = context.WithCancel(ctx)
	defer r.stop()
	if r.Within > 0 {
		var end context.CancelFunc
		ctx, end = context.WithDeadline(ctx, r.report.Started.Add(r.Within))
		defer end()
	}
	r.results = make(chan *result, workers)
	queue := make(chan job)
	go func() {
		defer close(queue)
		for _, j := range jobs {
			select {
			case queue <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	var wait sync.WaitGroup
	errs := make([]error, workers)
	for i := range workers {
		wait.Go(func() { errs[i] = r.work(ctx, queue) })
	}
	go func() {
		wait.Wait()
		close(r.results)
	}()
	failed := r.write()
	return errors.Join(append(errs, failed)...)
}

// work reads stores until the queue is empty. An error is the archive's.
func (r *run) work(ctx context.Context, queue <-chan job) error {
	view, err := r.Archive.Reader(context.WithoutCancel(ctx))
	if err != nil {
		r.stop()
		return err
	}
	defer view.Close()
	for j := range queue {
		res, err := r.store(ctx, view, j)
		if err == nil {
			err = r.send(ctx, res)
		}
		r.files.Add(1)
		if err == nil {
			r.kept.Add(1)
		}
		if err != nil && ctx.Err() == nil {
			r.stop()
			return err
		}
	}
	return nil
}

// send hands a result to the writer.
func (r *run) send(ctx context.Context, res *result) error {
	select {
	case r.results <- res:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// store reads one store. The result says what went wrong with the store; an error is the archive's, or ctx has ended.
func (r *run) store(ctx context.Context, view *archive.Archive, j job) (*result, error) {
	res := &result{reader: j.reader.Name(), last: true}
	s := j.store
	c := archive.Cursor{Known: archive.Known{Reader: res.reader, Path: s.Path, Layout: s.Layout, Size: s.Size,
		Modified: s.ModTime, Scrub: scrub.Version}}
	if j.before != nil {
		c.Store = j.before.Store
	}
	info, err := os.Stat(s.Path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errors.New("neither a file nor a folder")
	}
	goOn := false
	if err == nil && j.before != nil && !j.before.Whole && j.before.Scrub == scrub.Version &&
		j.before.Layout == s.Layout {
		var why NoteKind
		if goOn, why, err = continues(j.before, &s); why != "" {
			res.notes = append(res.notes, Note{s.Path, why, "it is read from its start again"})
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // it just disappeared; the next run finds where it went
		return res, nil
	case err != nil:
		res.skipped = append(res.skipped, Skip{s.Path, Unreadable, reason(err)})
		return res, nil
	}
	if goOn {
		s.Cursor = j.before.At
	}
	read := new(atomic.Int64)
	k := &sink{ctx: ctx, reader: res.reader, view: view, run: r, reading: archive.NewReading(c, !goOn), read: read}
	err = readGuarded(ctx, j.reader, s, k)
	res.bytes, res.old, res.skipped, res.reading = read.Load(), k.old, append(res.skipped, k.skipped...), k.reading
	switch {
	case k.failure != nil:
		return nil, k.failure
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	r.settle(res, k, info, &s, err)
	return res, nil
}

// settle notes how a reading ended, and where the next one begins.
func (r *run) settle(res *result, k *sink, before os.FileInfo, s *trace.Store, err error) {
	c := &res.reading.Cursor
	if err != nil {
		res.reading.Whole = false // sessions that it did not give may still exist
	}
	var unknown *trace.UnknownLayout
	switch {
	case errors.As(err, &unknown):
		c.Problem = reason(err)
		res.skipped = append(res.skipped, Skip{s.Path, UnknownLayout, c.Problem})
	case errors.Is(err, fs.ErrNotExist):
		res.reading = nil
		return
	case err != nil:
		kind := Unreadable
		if invalid := new(trace.Invalid); errors.As(err, &invalid) {
			kind = Invalid
		}
		res.skipped = append(res.skipped, Skip{s.Path, kind, reason(err)})
		if len(res.reading.Traces) == 0 { // the traces of earlier readings stay
			res.reading = nil
			return
		}
		c.Whole, c.Hot = true, true
	case k.done:
		c.At = k.cursor
	}
	if k.torn {
		res.notes = append(res.notes, Note{s.Path, Growing, "its last record is not finished"})
	}
	if age := time.Since(s.ModTime); age < hotFor && age > -hotFor {
		c.Hot = true
	}
	if err := identify(c, s); err != nil {
		c.Whole, c.Hot = true, true
	}
	if device, inode := fileID(before); device != c.Device || inode != c.Inode {
		c.Whole, c.Hot = true, true // the file was replaced meanwhile
	}
}

// readGuarded calls the reader, whose panic fails the store and not the run.
func readGuarded(ctx context.Context, reader trace.Reader, s trace.Store, k *sink) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reader failed: %v", p)
		}
	}()
	return reader.Read(ctx, s, k)
}

// reason formats an error for reports and the archive.
func reason(err error) string { return scrub.Head(err.Error(), 4*maxReason) }

// skip notes an error of no store, or several joined ones: each once, however often ingest looks.
func (s *Source) skip(err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			s.skip(one)
		}
		return
	}
	path, kind := "", Unreadable
	if unknown := new(trace.UnknownLayout); errors.As(err, &unknown) {
		path, kind = unknown.Path, UnknownLayout
	} else if at := new(fs.PathError); errors.As(err, &at) {
		path = at.Path
	}
	if skip := (Skip{path, kind, reason(err)}); !slices.Contains(s.Skipped, skip) {
		s.Skipped = append(s.Skipped, skip)
	}
}
