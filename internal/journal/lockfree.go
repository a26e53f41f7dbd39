package journal

import (
	"errors"
	"time"

	"aburn/logfmt"
)

// appendFree is Append without the lock: the bytes begin with a newline, in
// case somebody's torn line stands before them, and carry no seq.
//
// Where the log is new and empty the first line takes the newline's place: it
// ends in one, so what follows it is safe just the same.
func (j *Journal) appendFree(build func(Tail) []*logfmt.Entry, wait time.Duration) (Receipt, error) {
	r := Receipt{LockWait: wait}
	f, err := j.openAppend()
	if err != nil {
		return r, err
	}
	tail := j.newTail(f, wait, false)
	r.take(tail, build(tail))
	for _, e := range r.Entries {
		e.Seq = 0
	}
	// Once more each time a rotation moved the file away under us. Rotations are
	// minutes apart; somebody who replaces the file for ever does not get more.
	for range 8 {
		moved, err := j.writeFree(f, r.Entries)
		if err != nil || !moved {
			return r, err
		}
		if f, err = j.openAppend(); err != nil {
			return r, err
		}
	}
	f.Close()
	return r, errMoving
}

// errMoving says that somebody keeps replacing the log, so that nobody can say
// in which file the entry is now.
var errMoving = errors.New("log was replaced during each of 8 attempts to append")

// writeFree writes the entries to f and closes it. It reports whether f is the
// log no more.
func (j *Journal) writeFree(f *segmentFile, entries []*logfmt.Entry) (moved bool, err error) {
	defer f.Close()
	if len(entries) == 0 {
		return false, nil
	}
	lead := "\n"
	if f.size() == 0 {
		lead = logfmt.FirstLine
	}
	if err := j.write(f, lead, -1, entries); err != nil {
		return false, err
	}
	if !f.isNamed(j.root, Name) {
		return true, nil
	}
	return false, j.sync(f, entries)
}
