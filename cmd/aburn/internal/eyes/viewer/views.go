package viewer

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"aburn/archive"
)

// views keeps the newest view of the archive.
type views struct {
	*scope
	// costsOnly leaves out how sessions ended, which takes most of a view's time.
	costsOnly bool
	roots     func() []string // of the trusted projects as they are now; nil as long as nobody has looked
	renewed   func()          // called after a view has replaced another one

	newest atomic.Pointer[view]
	making sync.Mutex // one view is made at a time
}

// load is the newest view, nil before the first one.
func (s *views) load() *view { return s.newest.Load() }

// current is the newest view, or a first one.
func (s *views) current(ctx context.Context) *view {
	if v := s.load(); v != nil {
		return v
	}
	return s.renew(ctx)
}

// renew makes the view anew if the archive, the day or the set of projects has changed since.
func (s *views) renew(ctx context.Context) *view {
	s.making.Lock()
	defer s.making.Unlock()
	if v := s.load(); v != nil && !s.stale(v) {
		return v
	}
	first := s.load() == nil
	v := makeView(ctx, s.scope, s.costsOnly)
	if ctx.Err() != nil {
		return v
	}
	s.newest.Store(v)
	if !first {
		s.renewed()
	}
	return v
}

// problemEvery is how often a view that could not be read is tried again.
const problemEvery = 30 * time.Second

// stale reports whether the archive says something else by now.
func (s *views) stale(v *view) bool {
	now := s.Now()
	return v.archiveState != archive.StateOf(s.dir) || v.today != now.Format(time.DateOnly) || v.live && now.Sub(v.made) > archive.LiveFor/2 ||
		v.problem != nil && now.Sub(v.made) > problemEvery || s.otherRoots(v)
}

// otherRoots reports whether projects were trusted, or no longer, since the view was made.
func (s *views) otherRoots(v *view) bool {
	roots := s.roots()
	return roots != nil && !slices.Equal(v.trusted, roots)
}
