package round

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// TestStill draws what may happen to a worker and to its machine, and looks at it now and then. Who is called stuck was silent for the
// threshold of awake time in one go: without an entry, a call that runs, growth of the transcript, a boot or a restart of who looks.
// And who is silent for long is found.
func TestStill(t *testing.T) {
	world.Slow(t)
	found := 0
	for seed := range uint64(world.Storm(3000)) {
		r := rand.New(rand.NewPCG(seed, 30))
		threshold := time.Duration(1+r.IntN(600)) * time.Second
		s, now := &stall{}, sight{up: time.Hour, boot: "b0", works: true, newest: "0"}
		quiet, transcript, known := now.up, "t0", r.IntN(4) > 0
		grown := func() string {
			if !known {
				return ""
			}
			return transcript
		}
		for n := range 60 {
			now.up += time.Duration(r.Int64N(int64(threshold / 2)))
			again := true
			switch r.IntN(12) {
			case 0: // it wrote, and perhaps began or ended a call
				now.newest, now.works = fmt.Sprint(n), r.IntN(4) > 0
			case 1:
				transcript = fmt.Sprint("t", n)
			case 2: // a machine that slept: no time passed here; its wall clock is asked by nobody
				again = false
			case 3:
				if again = r.IntN(4) == 0; again {
					now.boot, now.up = fmt.Sprint("b", n), time.Duration(r.Int64N(int64(time.Minute)))
				}
			case 4:
				if again = r.IntN(4) == 0; again {
					s = &stall{}
				}
			default:
				again = false
			}
			if again || !now.works {
				quiet = now.up
			}
			lasted := s.see(now, threshold, grown)
			if lasted > 0 && (now.up-quiet < threshold || !now.works || !known) {
				t.Fatalf("seed %d, look %d: stuck after %v of %v, works %t, transcript known %t", seed, n, now.up-quiet, threshold, now.works, known)
			}
			if lasted == 0 && known && now.works && now.up-quiet > 4*threshold {
				t.Fatalf("seed %d, look %d: not found after %v of %v", seed, n, now.up-quiet, threshold)
			}
			if lasted > 0 {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("nobody was stuck")
	}
}

// TestStillNeedsAClock: where the system says no uptime nobody is stuck.
func TestStillNeedsAClock(t *testing.T) {
	s := &stall{}
	for range 100 {
		if s.see(sight{works: true, newest: "1"}, time.Nanosecond, func() string { return "t" }) > 0 {
			t.Fatal("stuck without a clock")
		}
	}
}
