package ingest

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"time"

	"aburn/archive"
	"aburn/trace"
)

// Options says what a run reads.
type Options struct {
	// Archive is written to. With DryRun it may be nil, or open for reading only.
	Archive *archive.Archive
	Readers []trace.Reader
	Places  trace.Places
	// Stores, if not nil, are the only ones that are read. Nobody searches for others, and none counts as gone.
	Stores []trace.Store
	// Within, if set, is how long stores are read. What was read is linked; Report.Left counts the rest.
	Within time.Duration
	// Since skips stores that have not changed since; zero reads all.
	Since time.Time
	// Keep deletes sessions that ended before it, and stores none of them; zero keeps all.
	Keep time.Time
	// DryRun reports what would be read, and reads nothing.
	DryRun bool
	// Progress is called a few times a second.
	Progress func(Progress)
}

// workers is how many stores are read at once.
const workers = 2

// progressEvery is the interval between calls of Progress.
const progressEvery = 100 * time.Millisecond

// run is the state of one Run.
type run struct {
	Options
	report   *Report
	sources  map[string]*Source
	filters  map[string]*storeFilter // by reader
	projects projects
	results  chan *result
	stop     context.CancelFunc

	files, bytes atomic.Int64 // done so far
	kept         atomic.Int64 // of files, those that were read to their end
	allFiles     atomic.Int64 // these grow with each round
	allBytes     atomic.Int64
	linking      atomic.Bool
}

type storeKey struct{ reader, path string }

// Run reads what is new in the stores that the readers find, and writes it to the archive. When ctx ends it stores
// what was read, marks the report as Interrupted and returns no error. With an error the report says what was done
// before it.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{
		Options: o, report: &Report{Started: time.Now(),
			Sources: make([]Source, len(o.Readers))}, sources: map[string]*Source{},
		filters: map[string]*storeFilter{},
	}
	for i, reader := range o.Readers {
		r.report.Sources[i].Name = reader.Name()
		r.sources[reader.Name()] = &r.report.Sources[i]
		r.filters[reader.Name()] = &storeFilter{source: &r.report.Sources[i], unknown: map[string]bool{}}
	}
	err := r.all(ctx)
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		r.report.Interrupted, err = true, nil
	}
	if !o.DryRun {
		r.report.Left = int(r.allFiles.Load() - r.kept.Load())
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

// rounds reads all stores, and then those found only because sessions named their projects.
func (r *run) rounds(ctx context.Context) error {
	defer r.reportProgress()()
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

// chosen reports whether somebody named what is read. That says nothing about other stores.
func (r *run) chosen() bool { return len(r.Places.Paths) > 0 || r.Stores != nil }

// folders returns the projects that exist.
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

// finish does what needs all readings: linking, retention, scrubbing again.
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

// damage adds the unreadable places to the report, including those of unchanged stores from their last reading. If
// places were named it adds only those of stores in them.
func (r *run) damage() error {
	named, limit := r.chosen(), MaxDamaged
	if named { // the damage in named stores may be the last
		limit = math.MaxInt
	}
	places, all, err := r.Archive.Damage(limit)
	if err != nil {
		return err
	}
	for _, d := range places {
		s := r.sources[d.Reader]
		if s == nil || named && !r.filters[d.Reader].wasFound(d.Path) {
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

// reportProgress calls Progress until stop is called.
func (r *run) reportProgress() (stop func()) {
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
		tick := time.NewTicker(progressEvery)
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

// The garbage collector's settings for a run, which is short and makes mostly garbage.
const (
	collectAt   = 300       // percent by which the heap grows between two collections
	memoryBound = 100 << 20 // bytes
)

// BoundMemory makes the process collect garbage seldom, within the memory that nearly all runs need, until stop is
// called. A session of half a million events needs more: a limit below the live heap would make the collector run all
// the time and free nothing.
func BoundMemory() (stop func()) {
	before := debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(memoryBound)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				metrics.Read(live)
				debug.SetMemoryLimit(memoryLimit(int64(live[0].Value.Uint64())))
			}
		}
	}()
	return func() {
		close(over)
		<-ended // it sets the limit, too
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// memoryLimit returns the limit for this size of the live heap, in bytes.
func memoryLimit(live int64) int64 { return max(memoryBound, live+live/2) }
