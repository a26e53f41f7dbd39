// Package lockfile holds the one lock that writers of a folder share: an
// advisory lock on a separate, empty file that nobody ever deletes or writes.
//
// Invariants:
//   - Whoever holds a Lock holds it on the file that the path named when it was
//     taken: if somebody deleted the file meanwhile, Acquire starts again on the
//     new one. A holder from before the deletion goes on unaware, so for that
//     moment there are two; what the lock guards has to bear it.
//   - The lock is no link, pipe or folder, and lies in the folder of the root.
//   - A process that dies, however it dies, holds nothing.
package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrBusy says that somebody else held the lock for the whole time that Acquire was told to wait.
var ErrBusy = errors.New("lock is held by another process")

// ErrNotRegular says that the lock's name belongs to something else than a regular file.
var ErrNotRegular = errors.New("lock is not a regular file")

// Lock is a held lock.
type Lock struct {
	f      *flock.Flock
	waited time.Duration
}

// Acquire takes the lock on the file name inside root, creating the file with
// mode 0600, and waits at most wait. It returns ErrBusy when somebody else held
// the lock all that time, ErrNotRegular when the name is not a regular file.
//
// Waiting is blocking, not polling: pollers starve each other (with a step of
// 100 ms, one of 128 processes waited 1.6 s where blocking ones waited 0.25 s).
func Acquire(root *os.Root, name string, wait time.Duration) (*Lock, error) {
	start := time.Now()
	// Once more each time the file was replaced while we waited for it. Whoever
	// replaces it for ever only makes us busy.
	for range 8 {
		info, err := ensure(root, name)
		if err != nil {
			return nil, err
		}
		f := flock.New(filepath.Join(root.Name(), name), flock.SetFlag(openFlags))
		if err := lockWithin(f, wait-time.Since(start)); err != nil {
			return nil, err
		}
		if same(f, root, name, info) {
			return &Lock{f, time.Since(start)}, nil
		}
		f.Unlock()
	}
	return nil, ErrBusy
}

// Release gives the lock up. The file stays: deleting it would let two
// processes hold "the" lock at once.
func (l *Lock) Release() error { return l.f.Unlock() }

// Waited is the time that Acquire took.
func (l *Lock) Waited() time.Duration { return l.waited }

// ensure looks at the lock's file and creates it if there is none.
func ensure(root *os.Root, name string) (fs.FileInfo, error) {
	for {
		info, err := root.Lstat(name)
		if err == nil {
			if !info.Mode().IsRegular() {
				return nil, ErrNotRegular
			}
			return info, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// O_EXCL never goes through a link; who loses the race looks again.
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDONLY, 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err == nil {
			f.Close()
		}
	}
}

// same reports whether f is open on the file that root's name is now: the path
// that flock opens could have been led elsewhere, or its file deleted, meanwhile.
func same(f *flock.Flock, root *os.Root, name string, before fs.FileInfo) bool {
	locked, err := f.Stat()
	if err != nil || !os.SameFile(locked, before) {
		return false
	}
	now, err := root.Lstat(name)
	return err == nil && os.SameFile(locked, now)
}

// lockWithin tries once and then blocks in a goroutine until it is ours or the
// time is over. A lock that is won too late is given back at once.
func lockWithin(f *flock.Flock, wait time.Duration) error {
	ok, err := f.TryLock()
	for errors.Is(err, syscall.EINTR) {
		ok, err = f.TryLock()
	}
	if err != nil || ok {
		return err
	}
	if wait <= 0 {
		return ErrBusy
	}
	won := make(chan error)
	late := make(chan struct{})
	go func() {
		err := f.Lock()
		for errors.Is(err, syscall.EINTR) { // flock(2) is interrupted; gofrs/flock does not try again
			err = f.Lock()
		}
		select {
		case won <- err:
		case <-late:
			f.Unlock()
		}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-won:
		return err
	case <-timer.C:
		close(late)
		return ErrBusy
	}
}
