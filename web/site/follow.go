package site

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"aburn/attention"
	"aburn/web/server"
	"aburn/web/site/snapshot"
)

// archiveEvery is how often a follower asks whether the archive was written.
const archiveEvery = time.Second

// lookingFor is how long after the last page its reader counts as looking.
const lookingFor = time.Minute

// freeAfter is how long after the last page the memory that pages took is given back.
const freeAfter = 2 * time.Second

// catchUpPatience is how long a page waits for the reading of logs that changed while nobody looked, and firstPatience how long the first page waits
// for its first sessions.
const (
	catchUpPatience = 40 * time.Millisecond
	firstPatience   = 3 * time.Second
)

// follower keeps what the pages show up to date, as long as anybody looks.
type follower struct {
	views    *snapshot.Views
	events   *server.Events
	changed  func()
	projects *attention.Projects
	workers  Workers
	life     context.Context // of the server
	paged    atomic.Int64    // when a page was last asked for, in milliseconds since 1970
}

// looked reports whether anybody would see a change: a page listens, one was asked for lately, or this is a screen of its own.
func (f *follower) looked() bool {
	return f.views.CostsOnly || f.events.Readers() > 0 || f.sincePage() < lookingFor
}

func (f *follower) sincePage() time.Duration {
	return f.views.Now().Sub(time.UnixMilli(f.paged.Load()))
}

// catchUp brings what the pages show up to date after a time in which nobody looked. What takes long is shown when it is done.
func (f *follower) catchUp() {
	idle, patience := !f.looked(), catchUpPatience
	if v := f.views.Load(); v == nil || v.Problem != nil || len(v.Rows) == 0 {
		patience = firstPatience
	}
	f.paged.Store(f.views.Now().UnixMilli())
	if !idle {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if f.projects.Refresh(f.life, true) {
			f.events.Say("now")
		}
		if f.workers.Refresh(f.life, true) {
			f.events.Say("work")
		}
		if v := f.views.Load(); v != nil && f.views.Stale(v) {
			f.views.Renew(f.life)
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
	}
}

// run follows the projects, their workers and the archive until ctx ends.
func (f *follower) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { f.projects.Run(ctx) })
	all.Go(func() { f.workers.Follow(ctx) })
	f.keepView(ctx)
	all.Wait()
}

// keepView makes the view anew when the archive changes, until ctx ends. While an ingest writes, it leaves most of the time to that.
func (f *follower) keepView(ctx context.Context) {
	tick := time.NewTicker(archiveEvery)
	defer tick.Stop()
	var next, freed time.Time
	for {
		if v := f.views.Load(); v == nil || f.looked() && !f.views.Now().Before(next) && f.views.Stale(v) {
			began := time.Now()
			f.views.Renew(ctx)
			f.changed()
			next = f.views.Now().Add(5 * time.Since(began))
			debug.FreeOSMemory() // digests take many times the memory of what is kept of them
			freed = f.views.Now()
		} else if last := time.UnixMilli(f.paged.Load()); last.After(freed) && f.sincePage() > freeAfter {
			debug.FreeOSMemory()
			freed = f.views.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
