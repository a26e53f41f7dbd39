package snapshot

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"aburn/archive"
)

// Views keeps the newest view of the archive.
type Views struct {
	*Scope
	// CostsOnly leaves out how sessions ended, which takes most of a view's time.
	CostsOnly bool
	Roots     func() []string // of the trusted projects as they are now; nil as long as nobody has looked
	Renewed   func()          // called after a view has replaced another one

	newest atomic.Pointer[View]
	making sync.Mutex // one view is made at a time
}

// Load is the newest view, nil before the first one.
func (s *Views) Load() *View { return s.newest.Load() }

// Current is the newest view, or a first one.
func (s *Views) Current(ctx context.Context) *View {
	if v := s.Load(); v != nil {
		return v
	}
	return s.Renew(ctx)
}

// Renew makes the view anew if the archive, the day or the set of projects has changed since.
func (s *Views) Renew(ctx context.Context) *View {
	s.making.Lock()
	defer s.making.Unlock()
	if v := s.Load(); v != nil && !s.Stale(v) {
		return v
	}
	first := s.Load() == nil
	v := makeView(ctx, s.Scope, s.CostsOnly)
	if ctx.Err() != nil {
		return v
	}
	s.newest.Store(v)
	if !first {
		s.Renewed()
	}
	return v
}

// problemEvery is how often a view that could not be read is tried again.
const problemEvery = 30 * time.Second

// Stale reports whether the archive says something else by now.
func (s *Views) Stale(v *View) bool {
	now := s.Now()
	return v.archiveState != archive.StateOf(s.Dir) || v.Today != now.Format(time.DateOnly) || v.live && now.Sub(v.Made) > archive.LiveFor/2 ||
		v.Problem != nil && now.Sub(v.Made) > problemEvery || s.otherRoots(v)
}

// otherRoots reports whether projects were trusted, or no longer, since the view was made.
func (s *Views) otherRoots(v *View) bool {
	roots := s.Roots()
	return roots != nil && !slices.Equal(v.marked, roots)
}
