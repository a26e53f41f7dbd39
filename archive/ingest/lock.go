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

// The files beside the archive: the lock, and the request of a process that did not wait for it.
const (
	lockName    = "ingest.lock"
	requestName = "ingest.again"
)

// ErrBusy says that another process has the lock.
var ErrBusy = errors.New("another ingest is running")

// lock is held by the process that writes to the archive.
type lock struct {
	root *os.Root
	file *lockfile.Lock
}

// acquire takes the lock of the archive in dir, which it makes if needed. It waits until ctx ends, after one call of
// busy.
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
		file, err := lockfile.Acquire(l.root, lockName, noTimeout)
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
	case <-ctx.Done(): // the goroutine ends with the process, now
		return nil, ctx.Err()
	}
}

const noTimeout = 365 * 24 * time.Hour

// tryAcquire takes the lock if nobody has it. Otherwise it returns ErrBusy, and the holder runs once more before it
// ends, so that nothing is missed that exists now.
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
		// The holder may release the lock before it sees the request: hence the second try.
		if err = l.requestRerun(); err != nil {
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

func (l *lock) requestRerun() error {
	f, err := l.root.OpenFile(requestName, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// takeRequest reports whether a process that did not wait wants another run, and removes its request.
func (l *lock) takeRequest() bool { return l.root.Remove(requestName) == nil }

func (l *lock) release() error { return errors.Join(l.file.Release(), l.root.Close()) }

// Exclusively calls do under the lock of the archive in dir, and again for each request made meanwhile. It waits for
// the lock until ctx ends, after one call of busy. If busy is nil it does not wait: it leaves a request and returns
// ErrBusy.
func Exclusively(ctx context.Context, dir string, busy func(), do func() error) error {
	for first := true; ; first = false {
		l, err := take(ctx, dir, busy)
		if err != nil {
			if !first && errors.Is(err, ErrBusy) {
				return nil // the holder sees the request
			}
			return err
		}
		busy = nil
		l.takeRequest() // drop older requests: do begins only now
		err = do()
		for err == nil && ctx.Err() == nil && l.takeRequest() {
			err = do()
		}
		err = errors.Join(err, l.release())
		// A request may have come between the last look and the release.
		if _, wish := os.Lstat(filepath.Join(dir, requestName)); err != nil || ctx.Err() != nil || wish != nil {
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
