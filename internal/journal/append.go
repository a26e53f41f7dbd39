package journal

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// Receipt describes an append.
type Receipt struct {
	Entries    []*logfmt.Entry // as written, with seq and id
	Duplicates int             // entries left out because an earlier entry has their id
	Locked     bool
	LockWait   time.Duration
	Size       int64 // of the log before the append, in bytes; 0 without the lock
}

// Append gives the entries of build a seq and an id, and writes them with one write. It calls
// build exactly once, if possible under the lock. A nil error means acknowledged: no crash of any
// process loses the entries. If build returns none, nothing is written. Entries whose id was
// written within repeatWindow are left out.
//
// With an anchor, entries that could not be written are counted in it, and the next append begins
// with an UNWRITTEN entry, which is not in the receipt. Then build is also called, with an empty
// Tail, where the log cannot be opened.
//
// Every error is about the file: fs.ErrPermission or syscall.EROFS in an agent's sandbox,
// ErrNotRegular, a full disk. If only the sync failed, the entries are in the log and in the
// receipt, but may not survive a power cut.
func (j *Journal) Append(build func(Tail) []*logfmt.Entry) (Receipt, error) {
	if j.scratch == nil {
		j.scratch = new(scratch) // before the lock, because touching new pages takes time
	}
	start := time.Now()
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	wait := time.Since(start)
	if err != nil {
		// The lock is busy or cannot be had (a link in its place, a file system without locks).
		// The entry is written all the same.
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

// appendLocked always releases the lock, also when build panics.
func (j *Journal) appendLocked(lock *lockfile.Lock, build func(Tail) []*logfmt.Entry, wait time.Duration) (*segmentFile, Receipt, error) {
	defer lock.Release()
	r := Receipt{Locked: true, LockWait: wait}
	a := j.openAnchor()
	defer a.close()
	f, err := j.openAppend()
	if err != nil {
		if a.err == nil {
			a.fail(j.o.By, build(Tail{}), err)
		}
		return nil, r, err
	}
	tail := j.newTail(f, wait, true)
	r.Size = f.size()
	at := a.find(j, f, tail)
	r.addNew(tail, build(tail))
	if len(r.Entries) == 0 {
		return f, r, nil
	}
	all := a.tell(r.Entries)
	j.number(f, tail, all, a.seq())
	w, err := j.write(f, lead(f.size(), tail.endsTorn()), f.size(), all)
	if err != nil {
		a.fail(j.o.By, r.Entries, err)
		return f, r, err
	}
	a.told()
	a.follow(at, f, w, r.Entries[len(r.Entries)-1], j.absorbs())
	return f, r, nil
}

// addNew adds the new entries, and gives an id to those without.
func (r *Receipt) addNew(tail Tail, entries []*logfmt.Entry) {
	var seen map[string]bool // ids within entries; a single one needs no set
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

// number gives the entries consecutive numbers above anchored, or none.
func (j *Journal) number(f *segmentFile, tail Tail, entries []*logfmt.Entry, anchored logfmt.Seq) {
	seq := j.nextSeq(f, tail)
	if seq > 0 && seq <= anchored {
		seq = after(anchored) // the log was cut off, or deleted
	}
	for _, e := range entries {
		e.Seq = seq
		if seq > 0 {
			seq = after(seq)
		}
	}
}

// lead is what must precede the next entry: the first line in an empty file, a newline after a
// torn line, otherwise nothing.
func lead(size int64, torn bool) string {
	switch {
	case size == 0:
		return logfmt.FirstLine
	case torn:
		return "\n"
	}
	return ""
}

// written is what a write has put into the log.
type written struct {
	line []byte // the last entry's, without LF
	own  []byte // the bytes of the last write(2)
	end  int64  // the offset behind them; -1 = unknown
}

// write writes lead and entries with one write. lead is right only while f has the given size; size
// -1 means that it is always right.
func (j *Journal) write(f *segmentFile, lead string, size int64, entries []*logfmt.Entry) (w written, err error) {
	b := append(j.scratch.out[:0], '\n') // only written in a second attempt
	b = append(b, lead...)
	last := 0
	for _, e := range entries {
		last = len(b)
		if b, err = e.AppendTo(b); err != nil {
			return w, err
		}
	}
	w, err = writeWhole(f.File, b, size)
	w.line = b[last:]
	w.line = w.line[:bytes.IndexByte(w.line, '\n')]
	return w, err
}

// writeWhole writes b without its first byte, a newline, in one write.
//
// A short write is never continued, because another writer's entry may follow it by now:
// everything is written again, beginning with that newline. The same happens when a lock-free
// writer came between our look at the last byte and our write, and died in the middle of its own:
// our first line would be part of its torn one.
func writeWhole(f *os.File, b []byte, size int64) (written, error) {
	part, locked := b[1:], size >= 0
	for {
		n, err := writeOnce(f, part)
		w := written{own: part, end: -1}
		if err == nil && locked {
			w.end = end(f)
		}
		if err != nil || n == len(part) && (size < 0 || !glued(f, w.end, n, size)) {
			return w, err
		}
		// A write that is short without an error comes from a limit or a full
		// disk; the next one says which, unless space was freed meanwhile.
		part, size = b, -1
	}
}

// end is the offset behind what f has just appended, or -1.
func end(f *os.File) int64 {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return at
}

// glued reports whether the n bytes just written, up to end, begin after size, and not after a newline.
func glued(f *os.File, end int64, n int, size int64) bool {
	if end-int64(n) <= size {
		return false
	}
	var before [1]byte
	_, err := f.ReadAt(before[:], end-int64(n)-1)
	return err == nil && before[0] != '\n'
}

// sync makes durable entries survive a power cut, and the file's name too if we made the file.
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

// nextSeq is the number of the next entry. It is 0 if the tail holds entries without numbers
// (another tool's) and a hook may not search further.
func (j *Journal) nextSeq(f *segmentFile, t Tail) logfmt.Seq {
	entries := false
	for line := range t.Backward() {
		h, ok := logfmt.ParseHeader(line)
		if ok && h.Seq > 0 {
			return after(max(h.Seq, j.tornBlockSeq(f, &h)))
		}
		entries = entries || ok
	}
	if t.s.err != nil {
		return 0
	}
	if !entries && f.size() <= TailSize {
		return 1
	}
	if j.o.By != Command {
		return 0
	}
	return after(j.searchSeq())
}

// after is the seq after s, or 0 after the last one.
func after(s logfmt.Seq) logfmt.Seq {
	if s >= logfmt.MaxSeq {
		return 0
	}
	return s + 1
}

// tornBlockSeq is the seq of the CHECKPOINT that opens f's block, if the newest numbered entry h
// could belong to it. If the rotator was killed inside its write, the newest line is a carried
// one, with an old number.
func (j *Journal) tornBlockSeq(f *segmentFile, h *logfmt.Header) logfmt.Seq {
	if !logfmt.Event(h.Event).Lifecycle() {
		return 0
	}
	return blockOf(f).seq
}

// searchSeq is the newest seq anywhere in the log, or 0.
func (j *Journal) searchSeq() logfmt.Seq {
	for l, err := range j.Backward(BackwardOptions{}) {
		if err != nil {
			return 0
		}
		if h, ok := logfmt.ParseHeader(l.JSON); ok && h.Seq > 0 {
			return h.Seq
		}
	}
	return 0
}
