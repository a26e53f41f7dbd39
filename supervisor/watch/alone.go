package watch

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

// LockName is the lock that a watcher holds as long as it lives; PIDName says which process that is. The lock alone
// counts: a watcher that was killed leaves the other file behind.
const (
	LockName = "watch.lock"
	PIDName  = "watch.pid"
)

// patience is how long a new watcher waits for the lock: who only asks whether somebody watches holds it for a moment.
const patience = 500 * time.Millisecond

// RunningError says that another watcher has the project.
type RunningError struct {
	PID int // 0 when it did not say
}

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return "another process watches this project"
	}
	return "process " + strconv.Itoa(e.PID) + " watches this project"
}

// Running asks for the watcher of the project whose .oss is oss. It creates nothing.
func Running(oss *os.Root) (pid int, running bool) {
	if _, err := oss.Lstat(LockName); err != nil {
		return 0, false
	}
	lock, err := lockfile.Acquire(oss, LockName, 0)
	if errors.Is(err, lockfile.ErrBusy) {
		return watcherPID(oss), true
	}
	if err == nil {
		lock.Release()
	}
	return 0, false
}

// alone makes this process the project's only watcher until release is called. The error is a *RunningError where it
// is not.
func alone(oss *os.Root) (release func(), err error) {
	lock, err := lockfile.Acquire(oss, LockName, patience)
	if errors.Is(err, lockfile.ErrBusy) {
		return nil, &RunningError{watcherPID(oss)}
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

// watcherPID is what the holder of the lock wrote; 0 in the moment before it did. It is shown to people, no more.
func watcherPID(oss *os.Root) int {
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
