package ingest

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"aburn/internal/archive"
	"aburn/internal/scrub"
	"aburn/trace"
)

// job is a store that is to be read.
type job struct {
	reader trace.Reader
	store  trace.Store
	before *archive.Cursor // nil if it is new
}

// plan finds the stores that were not found yet, and says which are to be read, those that changed last first.
func (r *run) plan(ctx context.Context) ([]job, error) {
	first := len(r.seen) == 0
	meanwhile := func() error { return nil }
	if first {
		meanwhile = r.remember
	}
	// What is known of the stores is small, and nearly all of it is needed until the end: there is little garbage to look for.
	gc := debug.SetGCPercent(planGC)
	found, err := r.find(ctx, meanwhile)
	debug.SetGCPercent(gc)
	if err != nil {
		return nil, err
	}
	r.report.found = append(r.report.found, found...)
	if first {
		if err := r.vanished(found); err != nil {
			return nil, err
		}
	}
	var jobs []job
	for i, stores := range found {
		source := &r.report.Sources[i]
		source.Stores += len(stores)
		for _, s := range stores {
			before := r.known[storeKey{source.Name, s.Path}]
			if !r.wanted(source, &s, before) {
				continue
			}
			if before != nil {
				if before.Place, err = r.Archive.Place(before.Store); err != nil {
					return nil, err
				}
			}
			jobs = append(jobs, job{r.Readers[i], s, before})
			size := s.Size
			if before != nil && !before.Whole && before.At.Offset < size {
				size -= before.At.Offset
			}
			r.allBytes.Add(size)
			if r.DryRun {
				source.Read++
				source.Bytes += size
			}
		}
	}
	r.allFiles.Add(int64(len(jobs)))
	slices.SortStableFunc(jobs, func(a, b job) int { return b.store.ModTime.Compare(a.store.ModTime) })
	return jobs, nil
}

// planGC is GOGC while stores are looked for: the first collection is at 16 MB.
const planGC = 400

// find is the stores of each reader. While they are looked for it does something else.
func (r *run) find(ctx context.Context, meanwhile func() error) ([][]trace.Store, error) {
	found := make([][]trace.Store, len(r.Readers))
	errs := make([]error, len(r.Readers))
	var wait sync.WaitGroup
	for i, reader := range r.Readers {
		wait.Go(func() {
			errs[i] = reader.Find(ctx, r.Places, func(s trace.Store) error {
				if !r.seen[storeKey{reader.Name(), s.Path}] {
					found[i] = append(found[i], s)
				}
				return ctx.Err()
			})
		})
	}
	err := meanwhile()
	wait.Wait()
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	if len(r.seen) == 0 {
		n := 0
		for _, stores := range found {
			n += len(stores)
		}
		r.seen = make(map[storeKey]bool, n)
	}
	for i, err := range errs {
		if err != nil {
			r.report.Sources[i].skip(err, "")
		}
		for _, s := range found[i] {
			r.seen[storeKey{r.report.Sources[i].Name, s.Path}] = true
		}
	}
	return found, nil
}

// wanted says whether a store is to be read, and counts it if it is not.
func (r *run) wanted(source *Source, s *trace.Store, before *archive.Cursor) bool {
	switch {
	case before != nil && unchanged(before, s):
		source.Unchanged += before.Sessions
		if before.Problem != "" {
			source.Skipped = append(source.Skipped, Skip{s.Path, UnknownLayout, before.Problem})
		}
		return false
	case !r.Since.IsZero() && s.ModTime.Before(r.Since):
		source.Skipped = append(source.Skipped, Skip{s.Path, NotSince, "it has not changed since " + r.Since.Format("2006-01-02 15:04")})
		return false
	}
	return true
}

func unchanged(c *archive.Cursor, s *trace.Store) bool {
	return c.Size == s.Size && c.Modified.Equal(s.ModTime) && !c.Hot && c.Scrub == scrub.Version && c.Layout == s.Layout
}

// vanished finds the stores that are where they were no more. Where they are now is known by the file's number; the
// sessions of those that are nowhere are marked. Named places say nothing about what else there is.
func (r *run) vanished(found [][]trace.Store) error {
	if len(r.Places.Paths) > 0 || r.Archive == nil {
		return nil
	}
	lost := map[storeKey]*archive.Cursor{}
	for k, c := range r.known {
		if r.sources[k.reader] == nil || r.seen[k] {
			continue
		}
		if _, err := os.Lstat(k.path); errors.Is(err, fs.ErrNotExist) {
			lost[k] = c
		}
	}
	if len(lost) == 0 {
		return nil
	}
	var fresh []trace.Store
	for i, stores := range found {
		for _, s := range stores {
			if r.known[storeKey{r.report.Sources[i].Name, s.Path}] == nil {
				fresh = append(fresh, s)
			}
		}
	}
	if err := r.moved(lost, fresh); err != nil {
		return err
	}
	return r.gone(lost)
}

// moved finds which of the new stores are lost ones under another path.
func (r *run) moved(lost map[storeKey]*archive.Cursor, fresh []trace.Store) error {
	type file struct {
		reader        string
		device, inode int64
	}
	was := map[file]*archive.Cursor{}
	for k, c := range lost {
		var err error
		if c.Place, err = r.Archive.Place(c.Store); err != nil {
			return err
		}
		if c.Inode != 0 {
			was[file{k.reader, c.Device, c.Inode}] = c
		}
	}
	for _, s := range fresh {
		info, err := os.Stat(s.Path)
		if err != nil {
			continue
		}
		device, inode := fileID(info)
		c := was[file{s.Reader, device, inode}]
		if c == nil || info.Size() < c.PathSize { // another file has got the number
			continue
		}
		source := r.sources[s.Reader]
		source.Notes = append(source.Notes, Note{s.Path, Moved, "it was " + c.Path})
		delete(lost, storeKey{s.Reader, c.Path})
		delete(was, file{s.Reader, device, inode})
		delete(r.known, storeKey{s.Reader, c.Path})
		if r.DryRun {
			continue
		}
		if err := r.Archive.Moved(s.Reader, c.Path, s.Path); err != nil {
			return err
		}
		c.Path, c.Whole, c.Hot = s.Path, true, true
		r.known[storeKey{s.Reader, s.Path}] = c
	}
	return nil
}

// gone marks the sessions of the stores that are nowhere.
func (r *run) gone(lost map[storeKey]*archive.Cursor) error {
	keys := make([]storeKey, 0, len(lost))
	for k := range lost {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b storeKey) int { return cmp.Or(cmp.Compare(a.reader, b.reader), cmp.Compare(a.path, b.path)) })
	var stores []int64
	for _, k := range keys {
		r.sources[k.reader].Gone += lost[k].Sessions
		stores = append(stores, lost[k].Store)
		delete(r.known, k)
	}
	if r.DryRun || len(stores) == 0 {
		return nil
	}
	if err := r.Archive.Forget(stores); err != nil {
		return err
	}
	for _, c := range r.known { // another store may have what was kept from one of these
		if c.Outdone > 0 {
			c.Whole, c.Hot = true, true
		}
	}
	return nil
}
