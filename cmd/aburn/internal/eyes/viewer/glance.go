package viewer

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"aburn/hooks"
	"aburn/insight/cost/spend"
)

// How often is looked whether status lines have to be told something else, and how often they are told the same again:
// they believe it for hooks.WatchedFor.
const (
	glanceEvery = 2 * time.Second
	glanceAgain = 25 * time.Second
)

// waits are the workers and sessions that wait for the user, as status lines say it: as many as the page counts.
func (s *Site) waits(ctx context.Context) (list []hooks.Wait) {
	s.projects.Refresh(ctx, false) // nobody may have asked for a page
	if s.board != nil {
		s.board.Refresh(ctx, false)
	}
	for _, w := range s.workers.Waits() {
		list = append(list, hooks.Wait{Project: filepath.Base(w.Root), Session: w.Session})
	}
	return list
}

// KeepGlance tells status lines who waits until ctx ends, and with complete, where new sessions are read, what today costs.
func (s *Site) KeepGlance(ctx context.Context, complete bool, warn func(error)) {
	tick := time.NewTicker(glanceEvery)
	defer tick.Stop()
	var told []hooks.Wait
	var last, summed time.Time
	var of *view
	read := false
	for {
		list := s.waits(ctx)
		if !slices.Equal(list, told) || time.Since(last) > glanceAgain {
			s.tellWaits(list, time.Now(), warn)
			told, last = list, time.Now()
		}
		if v := s.view.Load(); complete && (read || v != nil && (v != of || time.Since(summed) > time.Minute)) {
			of, summed, read = v, time.Now(), false
			if err := spend.Update(ctx, s.Caller(".")); err != nil && ctx.Err() == nil {
				warn(err)
			}
		}
		select {
		case <-ctx.Done():
			s.tellWaits(nil, time.Time{}, func(error) {}) // nobody follows the projects any more
			return
		case <-s.read: // else nobody might look for a minute
			read = true
		case <-tick.C:
		}
	}
}

func (s *Site) tellWaits(list []hooks.Wait, at time.Time, warn func(error)) {
	if err := hooks.UpdateGlance(s.env, func(g *hooks.Glance) { g.Watched, g.Waits, g.More = at, list, 0 }); err != nil {
		warn(err)
	}
}
