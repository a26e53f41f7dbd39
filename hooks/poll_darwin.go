package hooks

import (
	"syscall"
	"time"
)

// waitReadable waits for at most d until a read of fd would not block.
func waitReadable(fd int, d time.Duration) (bool, error) {
	var set syscall.FdSet
	set.Bits[fd/32] |= 1 << (fd % 32)
	tv := syscall.NsecToTimeval(int64(d))
	err := syscall.Select(fd+1, &set, nil, nil, &tv)
	return set.Bits[fd/32]&(1<<(fd%32)) != 0, err
}
