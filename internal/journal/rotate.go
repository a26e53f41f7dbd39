package journal

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// hookLimit is the largest segment that a hook rotates, in bytes. Reading it for carried lines
// takes a few hundredths of a second. A larger one waits for a command.
const hookLimit = 64 << 20

// RotateIfDue rotates the log if it has grown to Options.Rotate, and finishes what a killed
// rotator left undone. It reports whether it did either. If the lock is busy, rotation waits for
// the next time.
func (j *Journal) RotateIfDue(by By) (bool, error) {
	due, err := j.due(by)
	if !due || err != nil {
		return false, err
	}
	did, err := j.rotate(j.o.Rotate)
	if errors.Is(err, lockfile.ErrBusy) {
		return false, nil
	}
	return did, err
}

// Rotate rotates the log whatever its size, unless it is empty.
func (j *Journal) Rotate() error {
	_, err := j.rotate(1)
	return err
}

// due checks without the lock; rotate checks again.
func (j *Journal) due(by By) (bool, error) {
	f, err := j.open(Name, readFlags)
	if errors.Is(err, fs.ErrNotExist) {
		all, err := j.Segments()
		return len(all) > 0, err
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if by == Hook && f.size() > hookLimit {
		return false, nil
	}
	if f.size() >= j.o.Rotate {
		return true, nil
	}
	b, known := knownBlock(f)
	if !known {
		b = findBlock(f, blockZone)
	}
	if b.closed || by == Hook && known && !b.opened {
		return false, nil // a hook spares the listing of the folder: the log begins with number 1
	}
	all, err := j.Segments()
	return len(olderThan(all, f)) > 0, err
}

// begun reports whether f begins as it should: with a whole block, or, as the first segment, with
// anything.
func (j *Journal) begun(f *segmentFile) (bool, error) {
	if blockOf(f).closed {
		return true, nil
	}
	all, err := j.Segments()
	return len(olderThan(all, f)) == 0, err
}

// rotate rotates the log if it has at least size bytes, or does not begin as it should. Most of
// the reading happens before the lock is taken.
func (j *Journal) rotate(size int64) (bool, error) {
	r := rotation{j: j, now: j.o.Now()}
	defer r.close()
	if err := r.look(); err != nil {
		return false, err
	}
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if err != nil {
		return false, err
	}
	defer lock.Release()
	r.anchor = j.openAnchor()
	defer r.anchor.close()
	if !r.begun || !r.f.isNamed(j.root, Name) {
		// Created, rotated or replaced meanwhile, or another rotator was at work.
		if err := r.look(); err != nil {
			return false, err
		}
	}
	if r.begun {
		if now, err := r.f.sizeNow(); err != nil || now < size {
			return false, err
		}
	}
	if r.log == nil && len(r.older) == 0 || r.log != nil && r.log.entries == 0 && len(r.older) == 0 {
		return false, nil // no log, or an empty one
	}
	return true, r.run()
}

// rotation is one rotation. Its steps under the lock:
//
//	read what was appended since the first look
//	rename the log to its segment name
//	read again: a lock-free writer may have been quicker than the rename
//	create the log, write its block with one write, sync file and folder
//	delete what exceeds Keep; the block names it
//
// Killed before the create, it leaves no log. The next writer makes one, and the next writer that
// may rotate does the rest. A log without any seq has no number to be named by. It is then not
// renamed; its block is appended to it.
type rotation struct {
	j     *Journal
	now   time.Time
	older []Segment
	prev  *digest      // of the newest of them; only where the log is not begun
	f     *segmentFile // the log; nil when there is none
	log   *digest
	begun bool
	carry *logfmt.Carrier

	anchor *anchored
}

// look opens the log and reads its content.
func (r *rotation) look() error {
	r.close()
	all, err := r.j.Segments()
	if err != nil {
		return err
	}
	*r = rotation{j: r.j, now: r.now, older: rotated(all), carry: logfmt.NewCarrier(r.now), anchor: r.anchor}
	r.f, err = r.j.open(Name, appendFlags)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else if err == nil {
		r.begun, err = r.j.begun(r.f)
	}
	if err == nil && !r.begun {
		r.prev, err = r.j.digestAll(r.older, r.carry)
	}
	if err != nil || r.f == nil {
		return err
	}
	r.log = newDigest(r.f, r.carry)
	return r.log.read(r.carry)
}

// run moves the log away, if it has a number to be named by, and begins the new one.
func (r *rotation) run() error {
	if r.f != nil && (r.log.last > 0 || len(r.older) == 0) {
		if err := r.moveAway(); err != nil {
			return err
		}
	}
	drop := r.excess()
	if err := r.begin(drop); err != nil {
		return err
	}
	for _, s := range drop {
		r.j.root.Remove(s.Name) // on failure, the next rotation tries again
	}
	return nil
}

// moveAway renames the log and reads what was added before the rename.
func (r *rotation) moveAway() error {
	if err := r.log.read(r.carry); err != nil {
		return err
	}
	number := r.log.first
	if n := len(r.older); n > 0 && number <= r.older[n-1].First {
		number = r.older[n-1].First + 1 // somebody put an old log back
	}
	name := Name + "." + strconv.FormatUint(uint64(number), 10)
	if err := r.j.root.Rename(Name, name); err != nil {
		return err
	}
	if err := r.log.read(r.carry); err != nil {
		return err
	}
	if r.prev != nil {
		r.log.last = max(r.log.last, r.prev.last)
		r.log.dropped = append(r.prev.dropped, r.log.dropped...)
	}
	size, err := r.f.sizeNow()
	if err != nil {
		return err
	}
	r.older = append(r.older, Segment{name, number, size, r.f.info})
	r.prev = r.log
	r.prev.name = name
	return nil
}

// begin appends the block to the log, which it creates unless a lock-free writer was quicker.
func (r *rotation) begin(drop []Segment) error {
	f, err := r.j.openAppend()
	if err != nil {
		return err
	}
	defer f.Close()
	torn, err := f.endsTorn()
	if err != nil {
		return err
	}
	b, closing, err := r.block(lead(f.size(), torn), r.ranges(drop))
	if err != nil {
		return err
	}
	if err := writeWhole(f.File, b, f.size()); err != nil {
		return err
	}
	r.anchor.advance(r.number(2), closing[:bytes.IndexByte(closing, '\n')])
	r.anchor.write()
	if r.j.o.Sync == SyncNone {
		return nil
	}
	return errors.Join(f.Sync(), atomicfile.SyncDir(r.j.root))
}

// block is the bytes of CHECKPOINT, carried lines and closing CHECKPOINT, after the newline that
// writeWhole needs. closing is the last of the three.
func (r *rotation) block(lead string, dropped []logfmt.Range) (b, closing []byte, err error) {
	lines, left := r.carry.Lines()
	p := r.prev
	open := logfmt.CheckpointData{
		Segment: p.name, First: p.first, Last: p.last, Entries: p.entries,
		Dropped: dropped, Carried: len(lines), Left: left,
	}
	b, err = r.checkpoint(open, r.number(1)).AppendTo([]byte("\n" + lead))
	if err != nil {
		return nil, nil, err
	}
	for _, line := range lines {
		b = append(append(b, line...), '\n')
	}
	last := len(b)
	b, err = r.checkpoint(logfmt.CheckpointData{Closing: true, Carried: len(lines), Left: left}, r.number(2)).AppendTo(b)
	return b, b[last:], err
}

// number is the n-th seq after the newest one.
func (r *rotation) number(n int) logfmt.Seq {
	seq := max(r.prev.last, r.anchor.seq())
	for ; n > 0; n-- {
		seq = after(seq)
	}
	return seq
}

func (r *rotation) checkpoint(data logfmt.CheckpointData, seq logfmt.Seq) *logfmt.Entry {
	return &logfmt.Entry{
		Time: r.now, Cmd: logfmt.SessionCmd, Event: logfmt.Checkpoint, Seq: seq,
		ID: NewID(), Source: "aburn", Data: data.Bytes(),
	}
}

// excess lists the oldest segments beyond Keep. It never includes the newest rotated one: a
// lock-free writer may still have it open.
func (r *rotation) excess() []Segment {
	total := int64(0)
	for _, s := range r.older {
		total += s.Size
	}
	n := 0
	for ; n < len(r.older)-1 && total > r.j.o.Keep; n++ {
		total -= r.older[n].Size
	}
	return r.older[:n]
}

// ranges are the numbers of the segments that rotations have dropped so far and now.
func (r *rotation) ranges(drop []Segment) []logfmt.Range {
	all := slices.Clone(r.prev.dropped)
	if len(drop) > 0 {
		all = append(all, logfmt.Range{First: max(drop[0].First, 1), Last: r.older[len(drop)].First - 1})
	}
	slices.SortFunc(all, func(a, b logfmt.Range) int { return cmp.Compare(a.First, b.First) })
	merged := all[:0]
	for _, x := range all {
		n := len(merged)
		switch {
		case x.First > x.Last: // without numbered entries
		case n > 0 && x.First <= merged[n-1].Last+1:
			merged[n-1].Last = max(merged[n-1].Last, x.Last)
		default:
			merged = append(merged, x)
		}
	}
	return merged
}

func (r *rotation) close() {
	if r.f != nil {
		r.f.Close()
		r.f = nil
	}
}
