package scrub

import (
	"strings"
	"testing"
	"time"
)

// What is no escape takes no longer in a long run than alone: hooks have no time for it.
func TestLongRuns(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, s := range []string{strings.Repeat(`\`, 1<<20), strings.Repeat("\\", 1<<20) + "q", strings.Repeat(strings.Repeat(`\`, 1<<16)+"q", 16)} {
			if got, n := Text(s); n > 0 || got != s {
				t.Errorf("%d redactions in backslashes", n)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("a megabyte of backslashes takes longer than 2 min")
	}
}
