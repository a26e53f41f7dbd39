package kit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// gcHeadroom is how much memory may be taken before garbage is looked for after all: an archive of 10,000 sessions takes half of it.
const gcHeadroom = 64 << 20

// PauseGC is for commands that keep what they read: until this one ends.
func (a *App) PauseGC() {
	if a.resumeGC == nil {
		a.resumeGC = PauseGC()
	}
}

// PauseGC puts off the search for garbage while something is worked out, until collect is called or garbageRoom is used up:
// from then on it goes on as usual. Nearly all of what is read from an archive is needed for the answer, so that looking for
// garbage in it was a quarter of the work, and found little. It is a setting of the whole process; who calls it again meanwhile,
// or has switched the search off, changes nothing.
func PauseGC() (collect func()) {
	percent := debug.SetGCPercent(-1)
	if percent < 0 {
		return func() {}
	}
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(used)
	room := int64(used[0].Value.Uint64()-used[1].Value.Uint64()) + gcHeadroom
	limit := debug.SetMemoryLimit(room)
	if limit < room {
		debug.SetMemoryLimit(limit)
	}
	collect = sync.OnceFunc(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	type unused struct{ _ *int }
	runtime.AddCleanup(new(unused), func(collect func()) { collect() }, collect) // nobody refers to it: the first search finds it
	return collect
}
