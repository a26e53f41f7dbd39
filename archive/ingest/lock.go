package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"aburn/archive"
	"aburn/internal/lockfile"
)

// The files beside the archive: the lock, and the wish of one that did not wait for it.
const (
	lockName = "ingest.lock"
	wishName = "ingest.again"
)

// ErrBusy says that another process has the lock.
var ErrBusy = errors.New("another ingest is running")

// lock is held by the one that writes to the archive.
type lock struct {
	root *os.Root
	file *lockfile.Lock
}

// acquire takes the lock of the archive in dir, which it makes if there is none. If it has to wait, which it does until ctx
// ends, it calls busy before.
func acquire(ctx context.Context, dir string, busy func()) (*lock, error) {
	l, err := begin(dir)
	if err != nil {
		return nil, err
	}
	if l.file, err = lockfile.Acquire(l.root, lockName, 0); err == nil {
		return l, nil
	}
	if !errors.Is(err, lockfile.ErrBusy) {
		l.root.Close()
		return nil, &archive.NoPlace{Err: err}
	}
	busy()
	type result struct {
		file *lockfile.Lock
		err  error
	}
	won := make(chan result, 1)
	go func() {
		file, err := lockfile.Acquire(l.root, lockName, forEver)
		won <- result{file, err}
	}()
	select {
	case r := <-won:
		if r.err != nil {
			l.root.Close()
			return nil, r.err
		}
		l.file = r.file
		return l, nil
	case <-ctx.Done(): // the goroutine goes with the process, which ends now
		return nil, ctx.Err()
	}
}

// forEver is longer than any process waits.
const forEver = 365 * 24 * time.Hour

// tryAcquire takes the lock if nobody has it. Else it returns ErrBusy, and who has it looks once more before it ends, so
// that nothing is missed which is there now.
func tryAcquire(dir string) (*lock, error) {
	l, err := begin(dir)
	if err != nil {
		return nil, err
	}
	for range 2 {
		l.file, err = lockfile.Acquire(l.root, lockName, 0)
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
	if !errors.Is(err, ErrBusy) {
		err = &archive.NoPlace{Err: err}
	}
	return nil, err
}

func begin(dir string) (*lock, error) {
	if dir == "" {
		return nil, errors.New("no place for the archive: neither ABURN_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &archive.NoPlace{Err: err}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &archive.NoPlace{Err: err}
	}
	return &lock{root: root}, nil
}

func (l *lock) wish() error {
	f, err := l.root.OpenFile(wishName, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// again says whether somebody who did not wait wants another look, and takes that wish.
func (l *lock) again() bool { return l.root.Remove(wishName) == nil }

// release gives the lock up.
func (l *lock) release() error { return errors.Join(l.file.Release(), l.root.Close()) }

// Exclusively calls do with the lock of the archive in dir, and again as often as somebody wished for it meanwhile. It waits
// for the lock until ctx ends, after a call of busy. If busy is nil it returns ErrBusy instead, having left its own wish.
func Exclusively(ctx context.Context, dir string, busy func(), do func() error) error {
	for first := true; ; first = false {
		l, err := take(ctx, dir, busy)
		if err != nil {
			if !first && errors.Is(err, ErrBusy) {
				return nil // the wish is the other's
			}
			return err
		}
		busy = nil
		l.again() // of before: do begins only now
		err = do()
		for err == nil && ctx.Err() == nil && l.again() {
			err = do()
		}
		err = errors.Join(err, l.release())
		// A wish can have come between the last look and the release.
		if _, wish := os.Lstat(filepath.Join(dir, wishName)); err != nil || ctx.Err() != nil || wish != nil {
			return err
		}
	}
}

func take(ctx context.Context, dir string, busy func()) (*lock, error) {
	if busy == nil {
		return tryAcquire(dir)
	}
	return acquire(ctx, dir, busy)
}
