package manager

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"aburn/internal/hold"
	"aburn/internal/lab/world"
)

// A holder that has certified the end of its tree may live on for a moment. Who merges or cleans up then waits, and is not told
// that it still ends what the agent left.
func TestHolderIsWaitedFor(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a")
	control := hold.Path(y.crew.Store.Book("w").Dir, "control", 1)
	for what, do := range map[string]func() error{
		"merge": func() error { return requireSettledTree(y.crew, y.member("w")) },
		"cleanup": func() error {
			r, err := RemoveTree(t.Context(), y.crew, y.repo, y.member("w"), CleanupOptions{DryRun: true})
			if err == nil && r.Why != "" {
				err = errors.New(r.Why)
			}
			return err
		},
	} {
		y.must(unix.Mkfifo(control, 0o600))
		holder, err := unix.Open(control, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		y.must(err)
		ended := make(chan bool)
		go func() { // it ends when somebody has asked for it: the end of a pipe that was open for writing says so
			list := []unix.PollFd{{Fd: int32(holder), Events: unix.POLLIN}}
			asked := false
			for end := time.Now().Add(2 * time.Minute); !asked && time.Now().Before(end); {
				_, err := unix.Poll(list, 100)
				asked = err == nil && list[0].Revents&unix.POLLHUP != 0
			}
			unix.Close(holder)
			ended <- asked
		}()
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if !<-ended {
			t.Errorf("%s: nobody asked for the holder", what)
		}
		y.must(os.Remove(control))
	}
	if r, err := RemoveTree(t.Context(), y.crew, y.repo, y.member("w"), CleanupOptions{}); err != nil || !r.Removed {
		t.Errorf("%+v, %v", r, err)
	}
}
