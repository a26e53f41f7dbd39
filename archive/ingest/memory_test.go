package ingest

import "testing"

// The limit is what is promised as long as that is enough, and always leaves the collector room to make.
func TestMemoryLimit(t *testing.T) {
	for live, want := range map[int64]int64{0: memoryBound, 40 << 20: memoryBound, 100 << 20: 150 << 20, 1 << 30: 3 << 29} {
		if got := memoryLimit(live); got != want {
			t.Errorf("with %d bytes in use it is %d, not %d", live, got, want)
		}
	}
}
