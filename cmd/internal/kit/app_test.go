package kit

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"testing"
	"testing/synctest"
)

// When a command is over nothing of UntilSignal runs on, whether a signal came or not.
func TestUntilSignalLeavesNothing(t *testing.T) {
	// What the runtime begins at the first of these lives on, which nothing in a bubble of synctest may.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	for name, came := range map[string]bool{"no signal": false, "a signal": true} {
		synctest.Test(t, func(t *testing.T) {
			before := runtime.NumGoroutine()
			parent, signalled := context.WithCancel(context.Background())
			defer signalled()
			ctx, stop := UntilSignal(parent)
			if came {
				signalled()
				synctest.Wait()
			}
			if came != (ctx.Err() != nil) {
				t.Errorf("%s: %v", name, ctx.Err())
			}
			stop()
			synctest.Wait()
			if now := runtime.NumGoroutine(); now != before {
				t.Errorf("%s: %d goroutines, %d before", name, now, before)
			}
		})
	}
}
