package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// garbageRoom is how much memory may be taken before garbage is looked for after all: an archive of 10,000 sessions takes half of it.
const garbageRoom = 64 << 20

// leaveGarbage is for commands that keep what they read: until this one ends.
func (a *app) leaveGarbage() {
	if a.collect == nil {
		a.collect = leaveGarbage()
	}
}

// leaveGarbage puts off the search for garbage while something is worked out, until collect is called or garbageRoom is used up:
// from then on it goes on as usual. Nearly all of what is read from an archive is needed for the answer, so that looking for
// garbage in it was a quarter of the work, and found little. It is a setting of the whole process; who calls it again meanwhile,
// or has switched the search off, changes nothing.
func leaveGarbage() (collect func()) {
	percent := debug.SetGCPercent(-1)
	if percent < 0 {
		return func() {}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	limit := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, int64(min(m.Sys-m.HeapReleased, math.MaxInt64/2))+garbageRoom))
	collect = sync.OnceFunc(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	type unused struct{ _ *int }
	runtime.AddCleanup(new(unused), func(collect func()) { collect() }, collect) // nobody refers to it: the first search finds it
	return collect
}
