package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// Aside describes a log that SetAside has moved.
type Aside struct {
	Folder      string    // in .oss; "" = there was no log
	Entries     int64     // readable ones
	First, Last time.Time // of the first and the last of them in the file; zero without one
}

// SetAside moves the log with all its segments, and the files of the given names, into a new folder of .oss, whole. What nobody here has written
// must not be read as the log of this machine, and must not be lost. The next entry begins a new log.
//
// A writer that opened the log before the move, and writes without the lock, finds it moved and writes its entry again, as after a rotation.
func (j *Journal) SetAside(folder string, also ...string) (Aside, error) {
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if err != nil {
		return Aside{}, fmt.Errorf("%s: %w", LockName, err)
	}
	defer lock.Release()
	names, err := j.logNames()
	if err != nil || len(names) == 0 {
		return Aside{}, err
	}
	a := Aside{Folder: folder}
	for l, err := range j.Forward(Position{}) {
		if err != nil {
			break // it is moved all the same
		}
		if e, err := logfmt.Parse(l.JSON); err == nil && !l.Carried {
			if a.Entries++; a.First.IsZero() {
				a.First = e.Time
			}
			a.Last = e.Time
		}
	}
	if err := j.root.Mkdir(folder, 0o700); err != nil {
		return Aside{}, err
	}
	for _, name := range append(names, also...) {
		if err := j.root.Rename(name, folder+"/"+name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return a, err
		}
	}
	return a, nil
}

// logNames lists everything that has the name of the log or of a segment, of whatever type.
func (j *Journal) logNames() (names []string, err error) {
	dir, err := j.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	all, err := dir.Readdirnames(-1)
	for _, name := range all {
		if _, segment := segmentNumber(name); segment || name == Name {
			names = append(names, name)
		}
	}
	return names, err
}
