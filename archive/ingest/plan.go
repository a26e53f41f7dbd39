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

	"aburn/archive"
	"aburn/trace"
)

// job is a store to be read.
type job struct {
	reader trace.Reader
	store  trace.Store
	before *archive.Cursor // nil if the store is new
}

// plan finds stores and returns those to be read, last changed first. first says that it is the first round; later
// ones skip the stores already found.
func (r *run) plan(ctx context.Context, first bool) ([]job, error) {
	meanwhile := func() error { return nil }
	if first {
		meanwhile = r.loadKnown
	}
	// What is known of the stores is small and nearly all of it is needed until the end: there is little garbage.
	gc := debug.SetGCPercent(planGC)
	err := r.find(ctx, meanwhile)
	debug.SetGCPercent(gc)
	if err != nil {
		return nil, err
	}
	if first {
		if err := r.findVanished(); err != nil {
			return nil, err
		}
	}
	var jobs []job
	for _, reader := range r.Readers {
		l := r.filters[reader.Name()]
		r.report.found = append(r.report.found, l.kept...)
		for _, s := range l.kept {
			k := l.known[s.Path]
			if !r.shouldRead(l.source, &s, k) {
				continue
			}
			before, err := r.before(k)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, job{reader, s, before})
			size := s.Size
			if before != nil && !before.Whole && before.At.Offset < size {
				size -= before.At.Offset
			}
			r.allBytes.Add(size)
			if r.DryRun {
				l.source.Read++
				l.source.Bytes += size
			}
		}
		l.kept = nil
	}
	r.allFiles.Add(int64(len(jobs)))
	slices.SortStableFunc(jobs, func(a, b job) int { return b.store.ModTime.Compare(a.store.ModTime) })
	return jobs, nil
}

// before returns the cursor of a known store, with its place.
func (r *run) before(k *knownStore) (*archive.Cursor, error) {
	if k == nil {
		return nil, nil
	}
	place, err := r.Archive.Place(k.Store)
	return &archive.Cursor{Known: *k.Known, Place: place}, err
}

// planGC is GOGC while stores are looked for: the first collection is at 16 MB.
const planGC = 400

// find has the readers find their stores. Meanwhile it runs meanwhile, which must be done before the first store is
// accepted.
func (r *run) find(ctx context.Context, meanwhile func() error) error {
	if r.Stores != nil {
		return r.takeStores(meanwhile)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(r.Readers))
	done := make(chan struct{})
	var wait sync.WaitGroup
	for i, reader := range r.Readers {
		l := r.filters[reader.Name()]
		wait.Go(func() {
			errs[i] = reader.Find(ctx, r.Places, func(s trace.Store) error {
				<-done
				l.accept(s, r.report.Started)
				return ctx.Err()
			})
		})
	}
	failed := meanwhile()
	if failed != nil {
		stop()
	}
	close(done)
	wait.Wait()
	if err := cmp.Or(failed, ctx.Err()); err != nil {
		return err
	}
	r.noteUnreadable(errs)
	return nil
}

// takeStores accepts the stores that were named, in place of a search.
func (r *run) takeStores(meanwhile func() error) error {
	if err := meanwhile(); err != nil {
		return err
	}
	for _, s := range r.Stores {
		if l := r.filters[s.Reader]; l != nil {
			l.accept(s, r.report.Started)
		}
	}
	return nil
}

// noteUnreadable notes the folders that readers could not open. All readers look into the places that a person named,
// so only the first one reports those.
func (r *run) noteUnreadable(errs []error) {
	seen := map[Skip]bool{}
	for i := range r.report.Sources {
		for _, s := range r.report.Sources[i].Skipped {
			seen[s] = len(r.Places.Paths) > 0
		}
	}
	for i, err := range errs {
		if err == nil {
			continue
		}
		source := &r.report.Sources[i]
		before := len(source.Skipped)
		source.skip(err)
		fresh := slices.DeleteFunc(source.Skipped[before:], func(s Skip) bool { return seen[s] })
		source.Skipped = source.Skipped[:before+len(fresh)]
		for _, s := range fresh {
			seen[s] = len(r.Places.Paths) > 0
		}
	}
}

// shouldRead reports whether a store is to be read, and counts it if not.
func (r *run) shouldRead(source *Source, s *trace.Store, k *knownStore) bool {
	switch {
	case k != nil && unchanged(k.Known, s):
		source.Unchanged += k.Sessions
		if k.Problem != "" {
			source.Skipped = append(source.Skipped, Skip{s.Path, UnknownLayout, k.Problem})
		}
		return false
	case !r.Since.IsZero() && s.ModTime.Before(r.Since):
		source.Skipped = append(source.Skipped,
			Skip{s.Path, NotSince, "it has not changed since " + r.Since.Format("2006-01-02 15:04")})
		return false
	}
	return true
}

// findVanished handles the known stores that are no longer at their path. The file's number tells where a store moved;
// sessions of stores found nowhere are marked. It does nothing if places or stores were named, because those say nothing
// about others.
func (r *run) findVanished() error {
	if r.chosen() || r.Archive == nil {
		return nil
	}
	lost := map[storeKey]*archive.Cursor{}
	var fresh []trace.Store
	for reader, l := range r.filters {
		if l.found == len(l.known) {
			continue // no store is lost or moved
		}
		for path, k := range l.known {
			if k.found {
				continue
			}
			if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
				lost[storeKey{reader, path}] = &archive.Cursor{Known: *k.Known}
			}
		}
		for _, s := range l.kept {
			if l.known[s.Path] == nil {
				fresh = append(fresh, s)
			}
		}
	}
	if len(lost) == 0 {
		return nil
	}
	if err := r.findMoved(lost, fresh); err != nil {
		return err
	}
	return r.markGone(lost)
}

// findMoved finds which of the new stores are lost ones under another path.
func (r *run) findMoved(lost map[storeKey]*archive.Cursor, fresh []trace.Store) error {
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
		if c == nil || info.Size() < c.PathSize { // another file got the number
			continue
		}
		l := r.filters[s.Reader]
		l.source.Notes = append(l.source.Notes, Note{s.Path, Moved, "it was " + c.Path})
		delete(lost, storeKey{s.Reader, c.Path})
		delete(was, file{s.Reader, device, inode})
		delete(l.known, c.Path)
		if r.DryRun {
			continue
		}
		if err := r.Archive.Moved(s.Reader, c.Path, s.Path); err != nil {
			return err
		}
		c.Path, c.Whole, c.Hot = s.Path, true, true
		l.known[s.Path] = &knownStore{&c.Known, true}
	}
	return nil
}

func (r *run) markGone(lost map[storeKey]*archive.Cursor) error {
	keys := make([]storeKey, 0, len(lost))
	for k := range lost {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b storeKey) int {
		return cmp.Or(cmp.Compare(a.reader, b.reader),
			cmp.Compare(a.path, b.path))
	})
	var stores []int64
	for _, k := range keys {
		r.sources[k.reader].Gone += lost[k].Sessions
		stores = append(stores, lost[k].Store)
		delete(r.filters[k.reader].known, k.path)
	}
	if r.DryRun || len(stores) == 0 {
		return nil
	}
	if err := r.Archive.Forget(stores); err != nil {
		return err
	}
	for _, l := range r.filters {
		for _, k := range l.known { // another store may have the sessions kept from one of these
			if k.Outdone > 0 {
				k.Whole, k.Hot = true, true
			}
		}
	}
	return nil
}
