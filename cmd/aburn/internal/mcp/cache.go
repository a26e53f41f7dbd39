package mcp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/cmd/aburn/internal/sessions"
)

// archiveCache remembers what was read of the archive for one question, so that the next one need not read it again: as long as
// nothing was written to the archive. Questions are answered one after the other, and nobody changes what is remembered.
type archiveCache struct {
	dir     string          // of the archive
	digests []cachedDigests // the newest last
	trees   *sessions.Forest
	of      archiveState // when the trees were read
}

// cachedDigests is what one choice of sessions gave.
type cachedDigests struct {
	filter archive.Filter
	of     archiveState
	at     time.Time
	live   bool // a session goes on
	list   []digests.Session
}

// A session that goes on stops doing so by mere time, so that a list with one is not good for long even if nothing is written.
const (
	liveFor       = 10 * time.Second
	cachedChoices = 2
)

// load is digests.Load, or what it last gave for the same choice.
func (c *archiveCache) load(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	since, until := f.Since.Truncate(time.Millisecond), f.Until.Truncate(time.Millisecond)
	f.Since, f.Until = time.Time{}, time.Time{} // they are counted from now, so that they are never the same
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
	state := stateOf(c.dir)
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

// forest is readForest, or what it last gave.
func (c *archiveCache) forest(ctx context.Context, arch *archive.Archive) (*sessions.Forest, error) {
	state := stateOf(c.dir)
	if c.trees != nil && c.of == state {
		return c.trees, nil
	}
	f, err := sessions.ReadForest(ctx, arch)
	if err == nil {
		c.trees, c.of = f, state
	}
	return f, err
}

// archiveState changes whenever something is written to the archive: its file, or the log in front of it, grows, or is new.
type archiveState [2]struct {
	size     int64
	modified time.Time
}

// stateOf is the state of the archive in dir, and the zero one of none.
func stateOf(dir string) (state archiveState) {
	for i, name := range []string{archive.Name, archive.Name + "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			state[i].size, state[i].modified = info.Size(), info.ModTime()
		}
	}
	return state
}
