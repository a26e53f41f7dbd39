package main

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The garbage collector's settings for a run: it is short, and most of what it makes is soon garbage.
const (
	ingestGC     = 300
	ingestMemory = 100 << 20
)

// boundMemory keeps memory at what nearly all runs need, until the returned function is called. A session of half a million
// events takes more: below what is in use a limit would only make the collector run all the time, for no memory.
func boundMemory() (stop func()) {
	debug.SetGCPercent(ingestGC)
	debug.SetMemoryLimit(ingestMemory)
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
func memoryLimit(live int64) int64 { return max(ingestMemory, live+live/2) }
