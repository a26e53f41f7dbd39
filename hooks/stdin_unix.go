//go:build linux || darwin

package hooks

import (
	"os"
	"syscall"
	"time"
)

// readInput reads f to its end, or as long as w says. For grace after that it still takes what is there: on a busy machine the time may pass before this
// process has run at all. The kernel does the waiting: a timer or goroutine would start
// threads, the largest avoidable cost of a small process.
func readInput(f *os.File, w wait) input {
	var t reader
	fd := int(f.Fd())
	for {
		left := time.Until(w.end(&t))
		ready, err := waitReadable(fd, max(left, 0))
		switch {
		case err == syscall.EINTR:
			continue
		case err == nil && !ready && left > 0:
			continue
		case err == nil && !ready, left < -grace:
			return t.input(errSlow)
		}
		n, err := syscall.Read(fd, t.free())
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if n <= 0 {
			return t.input(nil)
		}
		t.add(n)
	}
}
