package ingest

import (
	"time"

	"aburn/archive"
	"aburn/internal/scrub"
	"aburn/trace"
)

// storeFilter takes the stores that one reader finds and keeps those that may have to be read. There are thousands,
// and hardly one has changed.
type storeFilter struct {
	source  *Source
	known   map[string]*knownStore // by path
	found   int                    // how many of known were found
	unknown map[string]bool        // found paths that are not known
	kept    []trace.Store          // of this round
}

// knownStore is a store that was read before, and whether it was found now.
type knownStore struct {
	*archive.Known
	found bool
}

func (r *run) loadKnown() error {
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
	records := make([]knownStore, len(cursors))
	for i := range cursors {
		c := &cursors[i]
		l := r.filters[c.Reader]
		if l == nil {
			continue // no reader looks for it
		}
		if l.known == nil {
			l.known = make(map[string]*knownStore, number[c.Reader])
		}
		records[i].Known = c
		l.known[c.Path] = &records[i]
	}
	return nil
}

// accept takes a store, once. It drops the store if it is unchanged and no other store can depend on it.
func (l *storeFilter) accept(s trace.Store, now time.Time) {
	k := l.known[s.Path]
	switch {
	case k == nil:
		if l.unknown[s.Path] {
			return
		}
		l.unknown[s.Path] = true
	case k.found:
		return
	default:
		k.found = true
		l.found++
	}
	l.source.Stores++
	if k != nil && unchanged(k.Known, &s) && k.Outdone == 0 && k.Problem == "" && !changedLately(&s, now) {
		l.source.Unchanged += k.Sessions
		return
	}
	l.kept = append(l.kept, s)
}

func (l *storeFilter) wasFound(path string) bool {
	k := l.known[path]
	return k != nil && k.found || l.unknown[path]
}

func unchanged(k *archive.Known, s *trace.Store) bool {
	return k.Size == s.Size && k.Modified.Equal(s.ModTime) && !k.Hot && k.Scrub == scrub.Version && k.Layout == s.Layout
}
