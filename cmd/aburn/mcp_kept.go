package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
)

// kept is what `aburn mcp` keeps of the archive between two questions, so that the next one need not read it again: as long as
// nothing was written to the archive. Questions are answered one after the other, and nobody changes what is kept.
type kept struct {
	digests []keptDigests // the newest last
	forest  *forest
	of      archiveState // when the forest was read
}

// keptDigests is what one choice of sessions gave.
type keptDigests struct {
	filter archive.Filter
	of     archiveState
	at     time.Time
	live   bool // a session goes on
	list   []digests.Session
}

// A session that goes on stops doing so by mere time, so that a list with one is not kept for long even if nothing is written.
const (
	keptFor     = 10 * time.Second
	keptChoices = 2
)

// load is digests.Load, or what it last gave for the same choice.
func (k *kept) load(ctx context.Context, dir string, f archive.Filter) ([]digests.Session, error) {
	since, until := f.Since.Truncate(time.Millisecond), f.Until.Truncate(time.Millisecond)
	f.Since, f.Until = time.Time{}, time.Time{} // they are counted from now, so that they are never the same
	list, err := k.loadAlways(ctx, dir, f)
	if since.IsZero() && until.IsZero() {
		return list, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(s digests.Session) bool {
		return s.End.IsZero() || s.End.Before(since) || !until.IsZero() && !s.End.Before(until)
	}), err
}

// loadAlways is load for a choice without times.
func (k *kept) loadAlways(ctx context.Context, dir string, f archive.Filter) ([]digests.Session, error) {
	state := stateOf(dir)
	for _, l := range k.digests {
		if l.filter == f && l.of == state && (!l.live || time.Since(l.at) < keptFor) {
			return l.list, nil
		}
	}
	list, err := digests.Load(ctx, dir, f, nil)
	if err != nil {
		return list, err
	}
	k.digests = slices.DeleteFunc(k.digests, func(l keptDigests) bool { return l.filter == f })
	live := slices.ContainsFunc(list, func(s digests.Session) bool { return s.Live })
	k.digests = append(k.digests[max(0, len(k.digests)-keptChoices+1):], keptDigests{f, state, time.Now(), live, list})
	return list, nil
}

// forest is all trees of the archive.
func (a *app) forest(ctx context.Context, arch *archive.Archive) (*forest, error) {
	a.leaveGarbage()
	if a.agent == nil {
		return plant(ctx, arch)
	}
	k, state := a.agent.kept, stateOf(archive.Dir(a.env))
	if k.forest != nil && k.of == state {
		return k.forest, nil
	}
	f, err := plant(ctx, arch)
	if err != nil {
		return nil, err
	}
	k.forest, k.of = f, state
	return f, nil
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
