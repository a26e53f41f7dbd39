//go:build linux || darwin

package hooks

import (
	"os"
	"syscall"
	"time"
)

// readInput reads f to its end. It waits for more until deadline, and takes what is
// there already until grace after that: on a busy machine the deadline may pass
// before this process has run at all. It asks the kernel to wait, because a timer
// or a goroutine of ours would start threads, and those are the largest part of
// what a small process can save.
func readInput(f *os.File, deadline time.Time) input {
	var t intake
	fd := int(f.Fd())
	for {
		left := time.Until(deadline)
		ready, err := waitReadable(fd, max(left, 0))
		switch {
		case err == syscall.EINTR:
			continue
		case err == nil && !ready && left > 0:
			continue
		case err == nil && !ready, left < -grace:
			return t.input(errSlow)
		}
		n, err := syscall.Read(fd, t.room())
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if n <= 0 {
			return t.input(nil)
		}
		t.add(n)
	}
}
