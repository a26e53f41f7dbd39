//go:build linux || darwin

package hooks

import (
	"os"
	"syscall"
	"time"
)

// readInput reads f to its end or until deadline, whichever comes first. It asks
// the kernel to wait, because a timer or a goroutine of ours would start threads,
// and those are the largest part of what a small process can save.
func readInput(f *os.File, deadline time.Time) input {
	var t intake
	fd := int(f.Fd())
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return t.input(errSlow)
		}
		if ready, err := waitReadable(fd, left); err == syscall.EINTR || err == nil && !ready {
			continue
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
