package journal

import (
	"io"
	"math/rand/v2"
	"os"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// Receipt says what an append did.
type Receipt struct {
	Entries    []*logfmt.Entry // as written, with seq and id
	Duplicates int             // entries left out because their id stands a little before
	Locked     bool
	LockWait   time.Duration
}

// Append asks build for entries, exactly once and if possible under the lock,
// gives them seq and id, and writes them with one write. A nil error means
// acknowledged: no crash of any process loses them. build may return none, and
// then nothing is written. Entries whose id stands a little before, as far back as
// repeatWindow, are left out.
//
// Every error is about the file: fs.ErrPermission or syscall.EROFS in an agent's
// sandbox, ErrNotRegular, a full disk. If only the sync failed the entries are
// in the log and in the receipt, but may not survive a power cut.
func (j *Journal) Append(build func(Tail) []*logfmt.Entry) (Receipt, error) {
	if j.desk == nil {
		j.desk = new(desk) // before the lock: its pages are new
	}
	start := time.Now()
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	wait := time.Since(start)
	if err != nil {
		// Busy, or not to be had (a link in its place, a file system without
		// locks): the entry is written all the same.
		return j.appendFree(build, wait)
	}
	f, r, err := j.appendLocked(lock, build, wait)
	if f == nil {
		return r, err
	}
	defer f.Close()
	if err != nil {
		return r, err
	}
	return r, j.sync(f, r.Entries)
}

// appendLocked releases the lock in any case, also when build panics.
func (j *Journal) appendLocked(lock *lockfile.Lock, build func(Tail) []*logfmt.Entry, wait time.Duration) (*segmentFile, Receipt, error) {
	defer lock.Release()
	r := Receipt{Locked: true, LockWait: wait}
	f, err := j.openAppend()
	if err != nil {
		return nil, r, err
	}
	tail := j.newTail(f, wait, true)
	r.take(tail, build(tail))
	if len(r.Entries) == 0 {
		return f, r, nil
	}
	j.number(f, tail, r.Entries)
	return f, r, j.write(f, lead(f.size(), tail.endsTorn()), f.size(), r.Entries)
}

// take keeps the entries that are new, with an id each.
func (r *Receipt) take(tail Tail, entries []*logfmt.Entry) {
	var seen map[string]bool // of these entries; nothing to look in for one
	has := tail.has
	if len(entries) > 1 {
		seen = make(map[string]bool, len(entries))
	}
	if len(entries) > fewEntries {
		there := tail.ids(entries)
		has = func(e *logfmt.Entry) bool { return there[e.ID] }
	}
	for _, e := range entries {
		if e.ID == "" {
			e.ID = NewID()
		} else if seen[e.ID] || has(e) {
			r.Duplicates++
			continue
		}
		if seen != nil {
			seen[e.ID] = true
		}
		r.Entries = append(r.Entries, e)
	}
}

// number gives the entries the next numbers, or none.
func (j *Journal) number(f *segmentFile, tail Tail, entries []*logfmt.Entry) {
	seq := j.nextSeq(f, tail)
	for _, e := range entries {
		e.Seq = seq
		if seq > 0 {
			seq = after(seq)
		}
	}
}

// lead is what must stand before the next entry: the first line in an empty
// file, a newline behind a torn line, else nothing.
func lead(size int64, torn bool) string {
	switch {
	case size == 0:
		return logfmt.FirstLine
	case torn:
		return "\n"
	}
	return ""
}

// write writes lead and entries with one write. The lead is right if f still
// has the given size then; -1 = it is right in any case.
func (j *Journal) write(f *segmentFile, lead string, size int64, entries []*logfmt.Entry) error {
	b := append(j.desk.out[:0], '\n') // stands ready for a second attempt
	b = append(b, lead...)
	for _, e := range entries {
		var err error
		if b, err = e.AppendTo(b); err != nil {
			return err
		}
	}
	return writeWhole(f.File, b, size)
}

// writeWhole writes b without its first byte, which is a newline, in one write.
//
// A short write is never continued, because another writer's entry may stand
// behind it by now: everything is written again, beginning with that newline.
// So it is when a lock-free writer came between our look at the last byte and
// our write, and died in the middle of its own: our first line would be part of
// its torn one.
func writeWhole(f *os.File, b []byte, size int64) error {
	part := b[1:]
	for {
		n, err := writeOnce(f, part)
		if err != nil || n == len(part) && (size < 0 || !glued(f, n, size)) {
			return err
		}
		// A write that is short without an error comes from a limit or a full
		// disk; the next one says which, unless space was freed meanwhile.
		part, size = b, -1
	}
}

// glued reports whether the n bytes just written do not begin at size, as
// expected, but behind something else than a newline.
func glued(f *os.File, n int, size int64) bool {
	end, err := f.Seek(0, io.SeekCurrent) // where an append left off
	if err != nil || end-int64(n) <= size {
		return false
	}
	var before [1]byte
	_, err = f.ReadAt(before[:], end-int64(n)-1)
	return err == nil && before[0] != '\n'
}

// sync makes durable entries survive a power cut, and the name of a file that
// we made with them.
func (j *Journal) sync(f *segmentFile, entries []*logfmt.Entry) error {
	if len(entries) == 0 || j.o.Sync == SyncNone {
		return nil
	}
	if j.o.Sync == SyncAll || anyDurable(entries) {
		if err := syncData(f.File); err != nil {
			return err
		}
	}
	if f.made {
		return atomicfile.SyncDir(j.root)
	}
	return nil
}

func anyDurable(entries []*logfmt.Entry) bool {
	for _, e := range entries {
		if e.Event.Durable() {
			return true
		}
	}
	return false
}

// NewID returns a random entry id of 16 hexadecimal digits.
func NewID() string {
	const digits = "0123456789abcdef"
	var id [16]byte
	n := rand.Uint64()
	for i := range id {
		id[i] = digits[n&15]
		n >>= 4
	}
	return string(id[:])
}
