package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"aburn/internal/archive"
	"aburn/internal/digests"
)

// keptDigests are those of the last questions, so that the next one need not read them again. Whether a session goes on is a
// matter of time, so that they are not kept for long, and never past a change of the archive.
type keptDigests struct {
	mu   sync.Mutex
	last []loaded // the newest last
}

// loaded is what one choice of sessions gave.
type loaded struct {
	dir    string
	filter archive.Filter
	state  archiveState
	at     time.Time
	list   []digests.Session
}

const (
	keptFor    = 10 * time.Second
	keptLoaded = 2
)

// load is digests.Load, or what it last gave for the same question. Nobody changes the digests.
func (k *keptDigests) load(ctx context.Context, dir string, f archive.Filter) ([]digests.Session, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	state := stateOf(dir)
	for _, l := range k.last {
		if l.dir == dir && l.filter == f && l.state == state && time.Since(l.at) < keptFor {
			return l.list, nil
		}
	}
	list, err := digests.Load(ctx, dir, f, nil)
	if err != nil {
		return list, err
	}
	k.last = slices.DeleteFunc(k.last, func(l loaded) bool { return l.dir == dir && l.filter == f })
	k.last = append(k.last[max(0, len(k.last)-keptLoaded+1):], loaded{dir, f, state, time.Now(), list})
	return list, nil
}

// archiveState changes whenever something is written to the archive: its file, or the log in front of it, grows, or is new.
type archiveState [2]struct {
	size     int64
	modified time.Time
}

func stateOf(dir string) (state archiveState) {
	for i, name := range []string{archive.Name, archive.Name + "-wal"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) || err != nil {
			continue
		}
		state[i].size, state[i].modified = info.Size(), info.ModTime()
	}
	return state
}
