package atomicfile

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const sharingViolation = syscall.Errno(32)

// rename replaces to by from, in root. Windows refuses while another process has the file open, and readers have it open
// for moments: it is tried for a second.
func rename(root *os.Root, from, to string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := root.Rename(from, to)
		if wait > 512*time.Millisecond || !errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(err, sharingViolation) {
			return err
		}
		time.Sleep(wait)
	}
}
