// Package watchlock is the lock by which a project has at most one watcher, and by which anybody sees whether it has one.
package watchlock

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
)

// LockName is the lock that a watcher holds as long as it lives. PIDName holds its process id. Only the lock counts: a
// killed watcher leaves the other file behind.
const (
	LockName = "watch.lock"
	PIDName  = "watch.pid"
)

// lockWait is how long a new watcher waits for the lock: a call of Running holds it for a moment.
const lockWait = 500 * time.Millisecond

// RunningError means that another process watches the project.
type RunningError struct {
	PID int // 0 if unknown
}

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return "another process watches this project"
	}
	return "process " + strconv.Itoa(e.PID) + " watches this project"
}

// Running reports whether a process watches the project with this .oss, and its id. It creates nothing.
func Running(oss *os.Root) (pid int, running bool) {
	if _, err := oss.Lstat(LockName); err != nil {
		return 0, false
	}
	lock, err := lockfile.Acquire(oss, LockName, 0)
	if errors.Is(err, lockfile.ErrBusy) {
		return WatcherPID(oss), true
	}
	if err == nil {
		lock.Release()
	}
	return 0, false
}

// Acquire makes this process the project's only watcher until release is called. The error is a *RunningError if
// another process is.
func Acquire(oss *os.Root) (release func(), err error) {
	lock, err := lockfile.Acquire(oss, LockName, lockWait)
	if errors.Is(err, lockfile.ErrBusy) {
		return nil, &RunningError{WatcherPID(oss)}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "lock", Path: LockName, Err: err}
	}
	pid := strconv.Itoa(os.Getpid()) + "\n"
	if err := atomicfile.WriteRoot(oss, PIDName, []byte(pid), 0o600, atomicfile.Options{}); err != nil {
		lock.Release()
		return nil, err
	}
	return func() {
		oss.Remove(PIDName)
		lock.Release()
	}, nil
}

// WatcherPID is the id that the holder of the lock wrote; 0 until it has. It is only shown to people.
func WatcherPID(oss *os.Root) int {
	info, err := oss.Lstat(PIDName)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 32 {
		return 0
	}
	data, err := oss.ReadFile(PIDName)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
