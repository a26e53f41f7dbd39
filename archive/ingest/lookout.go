package ingest

import (
	"time"

	"aburn/archive"
	"aburn/internal/scrub"
	"aburn/trace"
)

// lookout takes the stores that one reader finds, and keeps those that may have to be read. There are thousands, and hardly
// one of them has changed.
type lookout struct {
	source *Source
	known  map[string]*record // by path
	found  int                // how many of known were found
	fresh  map[string]bool    // the paths that were found and are not known
	kept   []trace.Store      // of this round
}

// record is what is known of a store, and whether it was found.
type record struct {
	*archive.Known
	found bool
}

// remember takes in what is known of the stores.
func (r *run) remember() error {
	if r.Archive == nil {
		return nil
	}
	cursors, err := r.Archive.Cursors()
	if err != nil {
		return err
	}
	number := map[string]int{}
	for i := range cursors {
		number[cursors[i].Reader]++
	}
	records := make([]record, len(cursors))
	for i := range cursors {
		c := &cursors[i]
		l := r.lookouts[c.Reader]
		if l == nil {
			continue // nobody looks for it
		}
		if l.known == nil {
			l.known = make(map[string]*record, number[c.Reader])
		}
		records[i].Known = c
		l.known[c.Path] = &records[i]
	}
	return nil
}

// take takes a store, once, and drops it if it is as it was, and nothing else can have to do with it.
func (l *lookout) take(s trace.Store, now time.Time) {
	k := l.known[s.Path]
	switch {
	case k == nil:
		if l.fresh[s.Path] {
			return
		}
		l.fresh[s.Path] = true
	case k.found:
		return
	default:
		k.found = true
		l.found++
	}
	l.source.Stores++
	if k != nil && unchanged(k.Known, &s) && k.Outdone == 0 && k.Problem == "" && !lively(&s, now) {
		l.source.Unchanged += k.Sessions
		return
	}
	l.kept = append(l.kept, s)
}

// took says whether a store was found.
func (l *lookout) took(path string) bool {
	k := l.known[path]
	return k != nil && k.found || l.fresh[path]
}

func unchanged(k *archive.Known, s *trace.Store) bool {
	return k.Size == s.Size && k.Modified.Equal(s.ModTime) && !k.Hot && k.Scrub == scrub.Version && k.Layout == s.Layout
}
