package atomicfile

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const sharingViolation = syscall.Errno(32)

// rename replaces to by from, in root. Windows refuses while another process has the file open in a way that does not let
// others replace it, and readers have it open for moments: it is tried for a second. Often, because a crowd of readers
// leaves short gaps.
func rename(root *os.Root, from, to string) error {
	for end, wait := time.Now().Add(time.Second), time.Millisecond; ; wait = min(2*wait, 8*time.Millisecond) {
		err := root.Rename(from, to)
		if !errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(err, sharingViolation) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
	}
}
