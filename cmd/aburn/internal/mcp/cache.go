package mcp

import (
	"context"
	"slices"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/insight/forest"
)

// archiveCache caches what questions read from the archive, until something is written to the archive. Questions come one after
// the other, and nobody changes the cached values.
type archiveCache struct {
	dir     string          // of the archive
	digests []cachedDigests // the newest last
	trees   *forest.Forest
	of      archive.State // when the trees were read
	at      time.Time
	treesOf string // the only project in them, or ""
}

type cachedDigests struct {
	filter archive.Filter
	of     archive.State
	at     time.Time
	live   bool // a session is running
	list   []digests.Session
}

// A running session ends by mere time, so that a list with one is cached only for liveFor.
const (
	liveFor       = 10 * time.Second
	cachedChoices = 2
)

// load is digests.Load, cached.
func (c *archiveCache) load(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	since, until := f.Since.Truncate(time.Millisecond), f.Until.Truncate(time.Millisecond)
	f.Since, f.Until = time.Time{}, time.Time{} // they are relative to now, so they never repeat
	list, err := c.loadTimeless(ctx, f)
	if since.IsZero() && until.IsZero() {
		return list, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(s digests.Session) bool {
		return s.End.IsZero() || s.End.Before(since) || !until.IsZero() && !s.End.Before(until)
	}), err
}

// loadTimeless is load for a choice without times.
func (c *archiveCache) loadTimeless(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	state := archive.StateOf(c.dir)
	for _, l := range c.digests {
		if l.filter == f && l.of == state && (!l.live || time.Since(l.at) < liveFor) {
			return l.list, nil
		}
	}
	list, err := digests.Load(ctx, c.dir, f, nil)
	if err != nil {
		return list, err
	}
	c.digests = slices.DeleteFunc(c.digests, func(l cachedDigests) bool { return l.filter == f })
	live := slices.ContainsFunc(list, func(s digests.Session) bool { return s.Live })
	c.digests = append(c.digests[max(0, len(c.digests)-cachedChoices+1):], cachedDigests{f, state, time.Now(), live, list})
	return list, nil
}

// forest is sessions.ReadForest of an archive that shows only this project, cached.
func (c *archiveCache) forest(within string) func(context.Context, *archive.Archive) (*forest.Forest, error) {
	return func(ctx context.Context, arch *archive.Archive) (*forest.Forest, error) {
		state := archive.StateOf(c.dir)
		if c.trees != nil && c.of == state && c.treesOf == within && (!c.trees.Running() || time.Since(c.at) < liveFor) {
			return c.trees, nil
		}
		f, err := forest.ReadForest(ctx, arch)
		if err == nil {
			c.trees, c.of, c.at, c.treesOf = f, state, time.Now(), within
		}
		return f, err
	}
}
