package kit

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// garbageSettings are those of the search for garbage, as they are.
func garbageSettings() (percent int, limit int64) {
	percent = debug.SetGCPercent(-1)
	debug.SetGCPercent(percent)
	return percent, debug.SetMemoryLimit(-1)
}

// ordinary sets them as they are in a new process, until the test ends.
func ordinary(t *testing.T) (percent int, limit int64) {
	percent, limit = debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	return 100, math.MaxInt64
}

// Garbage is left until somebody says so, and what was set before is set again; who leaves it twice changes nothing.
func TestLeaveGarbage(t *testing.T) {
	percent, limit := ordinary(t)
	collect := PauseGC()
	if p, l := garbageSettings(); p != -1 || l >= limit || l < gcHeadroom {
		t.Errorf("%d %%, limit %d", p, l)
	}
	inner := PauseGC()
	inner()
	if p, _ := garbageSettings(); p != -1 {
		t.Errorf("after the inner one %d %%", p)
	}
	collect()
	if p, l := garbageSettings(); p != percent || l != limit {
		t.Errorf("afterwards %d %%, limit %d; before %d %%, limit %d", p, l, percent, limit)
	}
}

// Once the room is used up garbage is looked for, and all is as before.
func TestGarbageIsBounded(t *testing.T) {
	percent, limit := ordinary(t)
	collect := PauseGC()
	defer collect()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var used []byte
	for range 4 * gcHeadroom >> 20 {
		used = make([]byte, 1<<20)
		for i := range used {
			used[i] = 1
		}
	}
	runtime.KeepAlive(used)
	runtime.ReadMemStats(&after)
	if after.NumGC == before.NumGC {
		t.Error("garbage was never looked for")
	}
	for { // the clean-up runs beside us
		if p, l := garbageSettings(); p == percent && l == limit {
			break
		}
		time.Sleep(time.Millisecond)
	}
}
