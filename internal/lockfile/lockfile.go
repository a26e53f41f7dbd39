// Package lockfile holds the one lock that writers of a folder share: an
// advisory lock on a separate file that is never deleted.
package lockfile

import (
	"errors"
	"os"
	"time"
)

// ErrBusy says that somebody else held the lock for the whole time that Acquire was told to wait.
var ErrBusy = errors.New("lock is held by another process")

// Lock is a held lock.
type Lock struct {
	waited time.Duration
}

// Acquire takes the lock on the file name inside root, waiting at most wait.
// It returns ErrBusy when somebody else held it all the time.
func Acquire(root *os.Root, name string, wait time.Duration) (*Lock, error) {
	return nil, ErrBusy
}

// Release gives the lock up. The file stays: deleting it would let two
// processes hold "the" lock at once.
func (l *Lock) Release() error { return nil }

// Waited is the time that Acquire spent until the lock was ours.
func (l *Lock) Waited() time.Duration { return l.waited }
