package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"aburn/archive"
	"aburn/internal/jsonl"
	"aburn/internal/project"
	"aburn/trace"
)

const archiveName = archive.Name

// LookOptions says what a look looks for.
type LookOptions struct {
	Dir     string // of the archive
	Readers []trace.Reader
	Places  trace.Places // without Paths
	// Project, if set, is the folder whose sessions are wanted.
	Project string
	// Until, if set, ends the look. What was found counts; Changes says what was not looked at.
	Until time.Time
}

// Leave keeps only as many of Stores, the last changed first, as there are at most so many bytes to read of. It returns how
// many it took out, and how much there is to read of those.
func (c *Changes) Leave(most int64) (stores int, bytes int64) {
	var keep []trace.Store
	var sizes []int64
	for i, n := range c.Bytes {
		if n > most {
			stores, bytes = stores+1, bytes+n
			continue
		}
		most -= n
		keep, sizes = append(keep, c.Stores[i]), append(sizes, n)
	}
	c.Stores, c.Bytes = keep, sizes
	return stores, bytes
}

// Changes is what a look found: stores that the archive does not have as they are.
type Changes struct {
	// Stores are those that may hold sessions of the wanted project, the last changed first.
	Stores []trace.Store
	// Bytes is how much of each of Stores the archive has not read, as far as their sizes say.
	Bytes []int64
	// Others is how many are of other projects; Unseen how many are of a project that there was no time to find out.
	Others, Unseen int
	// Partial says that there was no time to look into all folders.
	Partial bool
	// Closed are the readers of which a folder could not be read; an ingest says which, and why.
	Closed []string

	options LookOptions
	seen    looks
	last    looks
	settled bool // a store that was left is in the archive now
}

// Look finds the stores that changed since the archive read them. It reads no store and needs no lock. Where nothing
// changed it stats the folders of the last look and the newest stores, and searches nothing. An archive that cannot be
// opened for another reason than its absence is an error.
func Look(ctx context.Context, o LookOptions) (*Changes, error) {
	l := &look{LookOptions: o, Changes: &Changes{options: o}, began: time.Now()}
	arch, err := archive.View(ctx, o.Dir)
	switch none := (*archive.NotFound)(nil); {
	case err == nil:
		defer arch.Close()
		l.arch, l.last = arch, readLooks(o.Dir)
		if l.keys, err = arch.Projects(); err != nil {
			return nil, err
		}
	case !errors.As(err, &none):
		return nil, err
	}
	l.Places.Projects = folders(l.keys)
	if o.Project != "" {
		l.Places.Projects = append(l.Places.Projects, o.Project)
	}
	searching, stop := ctx, func() {}
	if !o.Until.IsZero() {
		searching, stop = context.WithDeadline(ctx, o.Until)
	}
	defer stop()
	l.search(searching)
	if err := l.compare(); err != nil {
		return nil, err
	}
	return l.Changes, ctx.Err()
}

type look struct {
	LookOptions
	*Changes
	arch  *archive.Archive // nil if there is none
	keys  map[string]string
	began time.Time
	known map[storeKey]*archive.Known // nil until it is needed
}

// search fills seen, with one goroutine a reader.
func (l *look) search(ctx context.Context) {
	l.seen.readers = make([]readerLook, len(l.Readers))
	var wait sync.WaitGroup
	for i, reader := range l.Readers {
		wait.Go(func() {
			before := l.last.of(reader.Name())
			if before != nil && before.many() && before.stays(l.env) {
				if stores, same := before.again(); same {
					l.seen.readers[i] = *before
					l.seen.readers[i].stores, l.seen.readers[i].kept = stores, true
					return
				}
			}
			l.seen.readers[i] = l.find(ctx, reader, before)
		})
	}
	wait.Wait()
	l.Partial = slices.ContainsFunc(l.seen.readers, func(r readerLook) bool { return r.partial })
	for _, r := range l.seen.readers {
		if r.closed {
			l.Closed = append(l.Closed, r.name)
		}
	}
}

// env is the environment that the readers see.
func (l *look) env(name string) string {
	if name == "HOME" {
		return l.Places.Home
	}
	return l.Places.Getenv(name)
}

// find has a reader search. A store is left unless the last look saw it as it is.
func (l *look) find(ctx context.Context, reader trace.Reader, before *readerLook) readerLook {
	r := readerLook{name: reader.Name(), asked: []asked{{"HOME", l.Places.Home}}}
	was := map[string]*storeLook{}
	if before != nil {
		for i := range before.stores {
			was[before.stores[i].Path] = &before.stores[i]
		}
	}
	in := l.Places
	in.Getenv = r.ask(l.Places.Getenv)
	in.Opened = func(dir string, modified time.Time) { r.opened(dir, modified, l.began) }
	err := reader.Find(ctx, in, func(s trace.Store) error {
		found := storeLook{Store: s, left: true}
		if w := was[s.Path]; w != nil {
			found.left = w.left || w.Size != s.Size || !w.ModTime.Equal(s.ModTime)
			found.where = w.where
		}
		r.stores = append(r.stores, found)
		return ctx.Err()
	})
	r.partial = ctx.Err() != nil
	r.closed = err != nil && !r.partial
	return r
}

// compare asks the archive about the stores that are left, the last changed first.
func (l *look) compare() error {
	var left []*storeLook
	for i := range l.seen.readers {
		r := &l.seen.readers[i]
		for j := range r.stores {
			if r.stores[j].left {
				left = append(left, &r.stores[j])
			}
		}
	}
	slices.SortStableFunc(left, func(a, b *storeLook) int { return b.ModTime.Compare(a.ModTime) })
	for _, s := range left {
		if s.where != "" && l.Project != "" && !l.inside(s.where) {
			l.Others++
			continue
		}
		if err := l.compareStore(s); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) compareStore(s *storeLook) error {
	if err := l.loadKnown(); err != nil {
		return err
	}
	k := l.known[storeKey{s.Reader, s.Path}]
	if k != nil && unchanged(k, &s.Store) {
		s.left, s.where, l.settled = false, "", true
		return nil
	}
	if k == nil && l.Project != "" && !l.Until.IsZero() && time.Now().After(l.Until) { // finding its project means to open it
		l.Unseen++
		return nil
	}
	wanted, err := l.wanted(s, k)
	if err != nil {
		return err
	}
	if wanted {
		l.Stores, l.Bytes = append(l.Stores, s.Store), append(l.Bytes, unread(k, &s.Store))
	} else {
		l.Others++
	}
	return nil
}

// unread returns how many bytes of a store are to be read. A store that shrank, or whose reading did not end, is read whole.
func unread(k *archive.Known, s *trace.Store) int64 {
	if k == nil || k.Whole || s.Size < k.Size {
		return s.Size
	}
	return s.Size - k.Size
}

func (l *look) loadKnown() error {
	if l.known != nil {
		return nil
	}
	l.known = map[storeKey]*archive.Known{}
	if l.arch == nil {
		return nil
	}
	all, err := l.arch.Cursors()
	for i := range all {
		l.known[storeKey{all[i].Reader, all[i].Path}] = &all[i]
	}
	return err
}

// wanted reports whether a store may hold sessions of the project. One that says nothing of its project may.
func (l *look) wanted(s *storeLook, k *archive.Known) (bool, error) {
	switch {
	case l.Project == "":
		return true, nil
	case k == nil:
		s.where = folderIn(jsonl.Peek(s.Path))
		return s.where == "" || l.inside(s.where), nil
	case k.Sessions != 1: // others may be new in it
		return true, nil
	}
	project, key, err := l.arch.ProjectOf(k.Store)
	if err != nil || project == "" || within(project, l.Project) || within(key, l.Project) {
		return true, err
	}
	s.where = project
	return false, nil
}

// inside reports whether a session in the folder dir is one of the project.
func (l *look) inside(dir string) bool {
	if within(dir, l.Project) {
		return true
	}
	key, ok := l.keys[dir]
	if !ok {
		if _, key = project.Checkout(dir, l.env); key != "" {
			key = project.Original(key, l.env)
		}
	}
	if !ok && key == "" { // as settle does
		key = project.OfTree(dir, l.env)
	}
	return within(key, l.Project)
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// folderIn returns the folder that a session works in, from the beginning of its store; "" if that does not say it. The
// agents that write lines call it cwd.
func folderIn(head []byte) string {
	_, rest, ok := bytes.Cut(head, []byte(`"cwd":`))
	if !ok {
		return ""
	}
	var dir string
	if json.NewDecoder(bytes.NewReader(rest)).Decode(&dir) != nil || !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// Remember keeps what the look saw, and what is left now, for the next one. Where nothing can be written it does
// nothing: the next look searches again.
func (c *Changes) Remember(ctx context.Context) {
	if len(c.Stores) == 0 && !c.settled && !slices.ContainsFunc(c.seen.readers, func(r readerLook) bool { return !r.kept && !r.equal(c.last.of(r.name)) }) {
		return
	}
	arch, err := archive.View(ctx, c.options.Dir)
	if err != nil {
		return
	}
	defer arch.Close()
	after := look{LookOptions: c.options, Changes: c, arch: arch}
	if after.loadKnown() != nil {
		return
	}
	for i := range c.seen.readers {
		for j := range c.seen.readers[i].stores {
			s := &c.seen.readers[i].stores[j]
			k := after.known[storeKey{s.Reader, s.Path}]
			if s.left = k == nil || !unchanged(k, &s.Store); !s.left {
				s.where = ""
			}
		}
	}
	c.seen.readers = slices.DeleteFunc(c.seen.readers, func(r readerLook) bool { return r.partial || r.closed })
	_ = c.seen.write(c.options.Dir)
}
