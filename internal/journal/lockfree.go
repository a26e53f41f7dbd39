package journal

import (
	"errors"
	"time"

	"aburn/logfmt"
)

// appendFree is Append without the lock. The bytes begin with a newline, in case somebody's torn
// line precedes them, and have no seq.
//
// In a new, empty log the first line replaces the newline: it ends in one, so what follows it is
// just as safe.
func (j *Journal) appendFree(build func(Tail) []*logfmt.Entry, wait time.Duration) (Receipt, error) {
	r := Receipt{LockWait: wait}
	f, err := j.openAppend()
	if err != nil {
		return r, err
	}
	tail := j.newTail(f, wait, false)
	r.addNew(tail, build(tail))
	for _, e := range r.Entries {
		e.Seq = 0
	}
	// One attempt for each rotation that moves the file away meanwhile. Rotations are minutes
	// apart; the limit is for somebody who keeps replacing the file.
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

// errMoving says that somebody keeps replacing the log, so that the entry's file is unknown.
var errMoving = errors.New("log was replaced during each of 8 attempts to append")

// writeFree writes the entries to f and closes it. moved says that f is no longer the log.
func (j *Journal) writeFree(f *segmentFile, entries []*logfmt.Entry) (moved bool, err error) {
	defer f.Close()
	if len(entries) == 0 {
		return false, nil
	}
	lead := "\n"
	if f.size() == 0 {
		lead = logfmt.FirstLine
	}
	if _, err := j.write(f, lead, -1, entries); err != nil {
		return false, err
	}
	if !f.isNamed(j.root, Name) {
		return true, nil
	}
	return false, j.sync(f, entries)
}
