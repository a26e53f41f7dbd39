package ingest

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"aburn/archive"
	"aburn/trace"
)

// Options says what is read.
type Options struct {
	// Archive is written to; with DryRun it may be nil, or for reading only.
	Archive *archive.Archive
	Readers []trace.Reader
	Places  trace.Places
	// Since leaves stores alone that have not changed since; zero reads all.
	Since time.Time
	// Keep deletes sessions that ended before, and stores none of them; zero keeps all.
	Keep time.Time
	// DryRun says what would be read, and reads nothing.
	DryRun bool
	// Progress is told a few times a second how far the run is.
	Progress func(Progress)
}

// workers is how many stores are read at once.
const workers = 2

// often is how often Progress is called.
const often = 100 * time.Millisecond

// run is one run.
type run struct {
	Options
	report   *Report
	sources  map[string]*Source
	lookouts map[string]*lookout // by reader
	projects projects
	results  chan *result
	stop     context.CancelFunc

	files, bytes atomic.Int64 // that are done
	allFiles     atomic.Int64 // these grow with each round, while Progress is told
	allBytes     atomic.Int64
	linking      atomic.Bool
}

// storeKey names a store.
type storeKey struct{ reader, path string }

// Run reads what is new in the stores that the readers find, and puts it into the archive. When ctx ends it stores what was
// read, says so in the report, and returns no error. With an error the report says what was done before it.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{
		Options: o, report: &Report{Started: time.Now(), Sources: make([]Source, len(o.Readers))}, sources: map[string]*Source{},
		lookouts: map[string]*lookout{},
	}
	for i, reader := range o.Readers {
		r.report.Sources[i].Name = reader.Name()
		r.sources[reader.Name()] = &r.report.Sources[i]
		r.lookouts[reader.Name()] = &lookout{source: &r.report.Sources[i], fresh: map[string]bool{}}
	}
	err := r.all(ctx)
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		r.report.Interrupted, err = true, nil
	}
	r.report.Took = time.Since(r.report.Started)
	return r.report, err
}

func (r *run) all(ctx context.Context) error {
	if !r.DryRun && !r.Keep.IsZero() {
		n, err := r.Archive.Expire(ctx, r.Keep)
		r.report.Expired = n
		if err != nil {
			return err
		}
	}
	if err := r.rounds(ctx); err != nil || r.DryRun {
		return err
	}
	if ctx.Err() == nil {
		r.linking.Store(true)
		if err := r.finish(ctx); err != nil {
			return err
		}
	}
	return r.damage()
}

// rounds reads all stores that are found, and then those that are found only because sessions told of their projects.
func (r *run) rounds(ctx context.Context) error {
	defer r.follow()()
	for known, first := -1, true; ctx.Err() == nil; first = false {
		keys := map[string]string{}
		if r.Archive != nil {
			var err error
			if keys, err = r.Archive.Projects(); err != nil {
				return err
			}
		}
		if len(keys) == known {
			break
		}
		known = len(keys)
		r.Places.Projects = folders(keys)
		r.projects = projects{getenv: r.Places.Getenv, keys: keys}
		jobs, err := r.plan(ctx, first)
		if err != nil || r.DryRun {
			return err
		}
		if err := r.read(ctx, jobs); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// folders is the projects that exist.
func folders(keys map[string]string) (list []string) {
	seen := map[string]bool{}
	for path, key := range keys {
		for _, dir := range [...]string{path, key} {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				list = append(list, dir)
			}
		}
	}
	slices.Sort(list)
	return list
}

// finish does what needs all that was read.
func (r *run) finish(ctx context.Context) (err error) {
	if r.report.Linked, err = r.Archive.Link(ctx); err != nil {
		return err
	}
	if err = r.Archive.Relist(); err != nil {
		return err
	}
	if r.report.Rescrubbed, err = r.Archive.Rescrub(ctx); err != nil || r.report.Expired+r.report.Rescrubbed == 0 {
		return err
	}
	return r.Archive.Compact()
}

// damage puts what could not be read into the report: in this run, and in the last one of the stores that did not change.
// Where places were named it is of the stores in them only.
func (r *run) damage() error {
	named, limit := len(r.Places.Paths) > 0, MaxDamaged
	if named { // theirs may be the last
		limit = math.MaxInt
	}
	places, all, err := r.Archive.Damage(limit)
	if err != nil {
		return err
	}
	for _, d := range places {
		s := r.sources[d.Reader]
		if s == nil || named && !r.lookouts[d.Reader].took(d.Path) {
			continue
		}
		if s.DamagedAll++; len(s.Damaged) < MaxDamaged {
			s.Damaged = append(s.Damaged, Place{d.Path, d.Damage})
		}
	}
	if named {
		return nil
	}
	for reader, n := range all {
		if s := r.sources[reader]; s != nil {
			s.DamagedAll = n
		}
	}
	return nil
}

// follow calls Progress until the returned function is called.
func (r *run) follow() (stop func()) {
	if r.Progress == nil {
		return func() {}
	}
	tell := func() {
		r.Progress(Progress{
			Files: int(r.allFiles.Load()), FilesDone: int(r.files.Load()), Bytes: r.allBytes.Load(), BytesDone: min(r.bytes.Load(), r.allBytes.Load()),
			Took: time.Since(r.report.Started), Linking: r.linking.Load(),
		})
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(often)
		defer tick.Stop()
		for {
			select {
			case <-over:
				tell()
				return
			case <-tick.C:
				tell()
			}
		}
	}()
	return func() { close(over); <-ended }
}
