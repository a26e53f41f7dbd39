package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/workspace"
	"aburn/supervisor/watchlock"
)

// watchEvery is how often it is looked whether a project that nobody watches has begun to live.
const watchEvery = 15 * time.Second

// livelyFor is how long after its last entry a project is worth a watcher.
const livelyFor = 12 * time.Hour

// notices watches all projects that live and that nobody else watches, until ctx ends. A watcher that ends because its project does not
// live any more begins again with the next entry. Each warning is given once.
func (o *Options) notices(ctx context.Context, link func(session string) string) {
	var mu sync.Mutex
	said, projects := map[string]bool{}, map[string]watched{}
	running := sync.WaitGroup{}
	defer running.Wait()
	once := func(msg string, hints ...string) {
		mu.Lock()
		defer mu.Unlock()
		if !said[msg] {
			said[msg] = true
			o.Warn(msg, hints...)
		}
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		for _, root := range o.Site.Followed() {
			written := writtenAt(root)
			mu.Lock()
			fresh := o.Site.Now().Sub(written) < livelyFor && !projects[root].runs && written.After(projects[root].until)
			if fresh {
				projects[root] = watched{runs: true}
			}
			mu.Unlock()
			if !fresh {
				continue
			}
			running.Go(func() {
				until := o.watchOne(ctx, root, once, link)
				mu.Lock()
				defer mu.Unlock()
				projects[root] = watched{until: until}
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// watched is a project's watcher.
type watched struct {
	runs  bool
	until time.Time // a later entry is worth another watcher
}

// watchOne watches a project, and returns after which entry it is worth another try.
func (o *Options) watchOne(ctx context.Context, root string, warn workspace.WarnFunc, link func(session string) string) time.Time {
	c := o.Site.Caller(root)
	c.Warn = func(msg string, hints ...string) { warn(filepath.Base(root)+": "+msg, hints...) }
	began := writtenAt(root)
	err := o.Watch(ctx, c, link)
	if other := (*watchlock.RunningError)(nil); errors.As(err, &other) {
		return began.Add(-time.Nanosecond) // the other one may end at any time
	}
	if err != nil && ctx.Err() == nil {
		c.Warn(err.Error())
	}
	return writtenAt(root)
}

func writtenAt(root string) time.Time {
	st, err := os.Stat(filepath.Join(root, project.OssDir, journal.Name))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
