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
		f := flock.New(filepath.Join(root.Name(), name), flock.SetFlag(openFlags))
		err := lockWithin(f, wait-time.Since(start))
		if errors.Is(err, fs.ErrNotExist) {
			if err := create(root, name); err != nil {
				return nil, err
			}
			continue
		}
		if errors.Is(err, ErrBusy) {
			return nil, err
		}
		info, lerr := root.Lstat(name)
		if lerr == nil && !info.Mode().IsRegular() {
			f.Unlock()
			return nil, ErrNotRegular
		}
		if err != nil {
			return nil, err
		}
		// The path that flock opened could have been led elsewhere, or its file
		// deleted while we waited.
		if locked, err := f.Stat(); err == nil && lerr == nil && os.SameFile(locked, info) {
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

// create makes the lock's file. O_EXCL never goes through a link; who loses the
// race to make it uses the winner's.
func create(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
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
