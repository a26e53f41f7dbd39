package hooks

import (
	"syscall"
	"time"
	"unsafe"
)

// waitReadable waits for at most d until a read of fd would not block.
func waitReadable(fd int, d time.Duration) (bool, error) {
	const pollin = 1
	p := struct {
		fd              int32
		events, revents int16
	}{fd: int32(fd), events: pollin}
	ts := syscall.NsecToTimespec(int64(d))
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if errno != 0 {
		return false, errno
	}
	return n > 0, nil
}
