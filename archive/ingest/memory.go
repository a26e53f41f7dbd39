package ingest

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The garbage collector's settings for a run: it is short, and most of what it makes is soon garbage.
const (
	collectAt   = 300       // percent by which the heap grows between two collections
	memoryBound = 100 << 20 // bytes
)

// BoundMemory makes the process collect garbage as a run needs it: seldom, and within the memory that nearly all runs need,
// until the returned function is called. A session of half a million events takes more: below what is in use a limit would
// only make the collector run all the time, for no memory.
func BoundMemory() (stop func()) {
	debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(memoryBound)
	over := make(chan struct{})
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				metrics.Read(live)
				debug.SetMemoryLimit(memoryLimit(int64(live[0].Value.Uint64())))
			}
		}
	}()
	return func() { close(over) }
}

// memoryLimit is the limit while so many bytes are in use.
func memoryLimit(live int64) int64 { return max(memoryBound, live+live/2) }
