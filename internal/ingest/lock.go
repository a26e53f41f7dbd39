package ingest

import (
	"context"
	"errors"
	"os"
	"time"

	"aburn/internal/lockfile"
)

// The files beside the archive: the lock, and the wish of one that did not wait for it.
const (
	lockName = "ingest.lock"
	wishName = "ingest.again"
)

// ErrBusy says that another process has the lock.
var ErrBusy = errors.New("another ingest is running")

// Lock is held by the one that writes to the archive.
type Lock struct {
	root *os.Root
	lock *lockfile.Lock
}

// Acquire takes the lock of the archive in dir, which it makes if there is none, and waits until ctx ends.
func Acquire(ctx context.Context, dir string) (*Lock, error) {
	l, err := begin(dir)
	if err != nil {
		return nil, err
	}
	type result struct {
		lock *lockfile.Lock
		err  error
	}
	won := make(chan result, 1)
	go func() {
		lock, err := lockfile.Acquire(l.root, lockName, forEver)
		won <- result{lock, err}
	}()
	select {
	case r := <-won:
		if r.err != nil {
			l.root.Close()
			return nil, r.err
		}
		l.lock = r.lock
		return l, nil
	case <-ctx.Done(): // the goroutine goes with the process, which ends now
		return nil, ctx.Err()
	}
}

// forEver is longer than any process waits.
const forEver = 365 * 24 * time.Hour

// TryAcquire takes the lock if nobody has it. Else it returns ErrBusy, and who has it looks once more before it ends, so
// that nothing is missed which is there now.
func TryAcquire(dir string) (*Lock, error) {
	l, err := begin(dir)
	if err != nil {
		return nil, err
	}
	for range 2 {
		l.lock, err = lockfile.Acquire(l.root, lockName, 0)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, lockfile.ErrBusy) {
			break
		}
		// Who has the lock may give it up before it sees the wish: hence the second try.
		if err = l.wish(); err != nil {
			break
		}
		err = ErrBusy
	}
	l.root.Close()
	return nil, err
}

func begin(dir string) (*Lock, error) {
	if dir == "" {
		return nil, errors.New("no place for the archive: neither ABURN_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Lock{root: root}, nil
}

func (l *Lock) wish() error {
	f, err := l.root.OpenFile(wishName, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Again says whether somebody who did not wait wants another look, and takes that wish.
func (l *Lock) Again() bool { return l.root.Remove(wishName) == nil }

// Release gives the lock up.
func (l *Lock) Release() error { return errors.Join(l.lock.Release(), l.root.Close()) }
