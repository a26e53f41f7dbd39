package site

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"aburn/attention"
	"aburn/hooks"
	"aburn/insight/cost/spend"
	"aburn/web/site/snapshot"
)

// statusEvery is how often statusLines asks whether something else waits, and statusAgain how often it writes the same again:
// status lines believe it for hooks.WatchedFor.
const (
	statusEvery = 2 * time.Second
	statusAgain = 25 * time.Second
)

// statusLines keeps the file up to date that agents' status lines read.
type statusLines struct {
	*snapshot.Scope
	views    *snapshot.Views
	projects *attention.Projects
	workers  Workers
	ingested <-chan struct{} // has an entry after an ingest has ended
}

// waits are the workers and sessions that wait for the user, as status lines show them: as many as the page counts.
func (s *statusLines) waits(ctx context.Context) (list []hooks.Wait) {
	s.projects.Refresh(ctx, false) // nobody may have asked for a page
	s.workers.Refresh(ctx, false)
	for _, w := range s.workers.Waits() {
		list = append(list, hooks.Wait{Project: filepath.Base(w.Root), Session: w.Session})
	}
	return list
}

// keep writes who waits until ctx ends, and with complete, where new sessions are read, what today costs.
func (s *statusLines) keep(ctx context.Context, complete bool, warn func(error)) {
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	var written []hooks.Wait
	var last, summed time.Time
	var of *snapshot.View
	read := false
	for {
		list := s.waits(ctx)
		if !slices.Equal(list, written) || time.Since(last) > statusAgain {
			s.write(list, time.Now(), warn)
			written, last = list, time.Now()
		}
		if v := s.views.Load(); complete && (read || v != nil && (v != of || time.Since(summed) > time.Minute)) {
			of, summed, read = v, time.Now(), false
			if err := spend.Update(ctx, s.Caller(".")); err != nil && ctx.Err() == nil {
				warn(err)
			}
		}
		select {
		case <-ctx.Done():
			s.write(nil, time.Time{}, func(error) {}) // nobody follows the projects any more
			return
		case <-s.ingested: // else nobody might look for a minute
			read = true
		case <-tick.C:
		}
	}
}

func (s *statusLines) write(list []hooks.Wait, at time.Time, warn func(error)) {
	if err := hooks.UpdateGlance(s.Env, func(g *hooks.Glance) { g.Watched, g.Waits, g.More = at, list, 0 }); err != nil {
		warn(err)
	}
}
