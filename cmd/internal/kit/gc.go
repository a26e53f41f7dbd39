package kit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// gcHeadroom is how much memory may be allocated before the collector runs after all. An archive of 10,000 sessions takes half
// of it.
const gcHeadroom = 64 << 20

// PauseGC pauses the garbage collector until the command ends: for commands that keep what they read.
func (a *App) PauseGC() {
	if a.resumeGC == nil {
		a.resumeGC = PauseGC()
	}
}

// PauseGC pauses the garbage collector until collect is called or gcHeadroom is used up. An answer needs nearly all that was
// read from the archive for it: the collector was a quarter of the work, and freed little. The pause holds for the whole
// process. A second call meanwhile, or one with the collector switched off, changes nothing.
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
	runtime.AddCleanup(new(unused), func(collect func()) { collect() }, collect) // the first collection finds it and ends the pause
	return collect
}
