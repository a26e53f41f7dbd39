//go:build unix

package hooks

import (
	"syscall"
	"time"
)

// ownGroup makes a wrapped command the first of a group of processes, so that what it started can be ended with it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (w *wrappedLine) end() { _ = syscall.Kill(-w.process.Pid, syscall.SIGKILL) }

// rest is what the pipe holds, at most n bytes. It waits for no more.
func (w *wrappedLine) rest(n int) []byte {
	raw, err := w.stdout.SyscallConn()
	if err != nil || n <= 0 || w.stdout.SetReadDeadline(time.Time{}) != nil {
		return nil
	}
	text, got := make([]byte, n), 0
	_ = raw.Read(func(fd uintptr) bool {
		for got < n {
			k, err := syscall.Read(int(fd), text[got:])
			if err == syscall.EINTR {
				continue
			}
			if k <= 0 {
				break // EAGAIN, or its end
			}
			got += k
		}
		return true
	})
	return text[:got]
}
