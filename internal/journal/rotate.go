package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
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
// the next time. It also moves an anchor on that somebody without it has left behind.
func (j *Journal) RotateIfDue(by By) (bool, error) {
	due, err := j.due(by)
	if err == nil && !due {
		err = j.catchUp(by)
	}
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
	var tail Tail
	if r.f != nil {
		if err := r.f.refresh(); err != nil || r.begun && r.f.size() < size {
			return false, err
		}
		tail = j.newTail(r.f, 0, true)
	}
	if r.log == nil && len(r.older) == 0 || r.log != nil && r.log.entries == 0 && len(r.older) == 0 {
		return false, nil // no log, or an empty one
	}
	if err := r.findPlace(tail); err != nil {
		return false, err
	}
	return true, r.run()
}

// findPlace finds the anchor's place. It is lost too if somebody without the anchor has sealed its
// segment as something else.
func (r *rotation) findPlace(tail Tail) error {
	r.place = r.anchor.find(r.j, r.f, tail)
	if r.place == older {
		sealed, err := r.anchor.isSealed(r.j, r.older, r.unsealed)
		if err != nil {
			return err
		}
		if !sealed {
			r.place = lost
		}
	}
	if r.place == lost {
		r.anchor.lose(r.now)
	}
	return nil
}

// rotation is one rotation. Its steps under the lock:
//
//	read what was appended since the first look
//	rename the log to its segment name
//	read again: a lock-free writer may have been quicker than the rename
//	create the log, write its block with one write, sync file and folder; the block seals what is older
//	delete what exceeds Keep; the block names it
//
// Killed before the create, it leaves no log. The next writer makes one, and the next writer that
// may rotate does the rest. A log without any seq has no number to be named by. It is then not
// renamed; its block is appended to it.
type rotation struct {
	j     *Journal
	now   time.Time
	older []Segment
	prev  *digest      // of the newest of them; only where the log is not begun, or its block does not hold
	f     *segmentFile // the log; nil when there is none
	log   *digest
	begun bool // the log has a whole block, or is the first segment
	carry *logfmt.Carrier

	unsealed int // index in older of the first segment that no CHECKPOINT has sealed
	anchor   *anchored
	place    where // of the anchor
}

// look opens the log and reads its content.
func (r *rotation) look() error {
	r.close()
	all, err := r.j.Segments()
	if err != nil {
		return err
	}
	*r = rotation{j: r.j, now: r.now, older: rotated(all), carry: logfmt.NewCarrier(r.now), anchor: r.anchor}
	r.unsealed = len(r.older)
	r.f, err = r.j.open(Name, appendFlags)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var head block
	if r.f != nil {
		head = blockOf(r.f)
		r.begun = head.closed || len(r.older) == 0
	}
	if !head.holds && len(r.older) > 0 {
		var unsealed int
		if r.prev, unsealed, err = r.j.digestAll(r.older, r.carry); err != nil {
			return err
		}
		if !r.begun {
			r.unsealed = unsealed
		}
	}
	if r.f == nil {
		return nil
	}
	r.log = newDigest(r.f, r.carry)
	if r.j.o.Anchor == "" {
		r.log.hash()
	}
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
		r.log.drops = append(r.prev.drops, r.log.drops...)
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
	seals, err := r.seals(len(drop))
	if err != nil {
		return err
	}
	dropped, err := r.ranges(drop)
	if err != nil {
		return err
	}
	b, closing, err := r.block(lead(f.size(), torn), dropped, seals)
	if err != nil {
		return err
	}
	w, err := writeWhole(f.File, b, f.size())
	if err != nil {
		return err
	}
	r.moveAnchor(f, w)
	r.anchor.advance(r.number(2), closing[:bytes.IndexByte(closing, '\n')])
	r.anchor.write()
	if r.j.o.Sync == SyncNone {
		return nil
	}
	return errors.Join(f.Sync(), atomicfile.SyncDir(r.j.root))
}

// block is the bytes of CHECKPOINT, carried lines and closing CHECKPOINT, after the newline that
// writeWhole needs. closing is the last of the three.
func (r *rotation) block(lead string, dropped []logfmt.Range, seals []logfmt.Seal) (b, closing []byte, err error) {
	lines, left := r.carry.Lines()
	p := r.prev
	open := logfmt.CheckpointData{
		Segment: p.name, First: p.first, Last: p.last, Entries: p.entries,
		Dropped: dropped, Carried: len(lines), Left: left, Sealed: seals,
	}
	b, err = r.checkpoint(open, r.number(1)).AppendTo([]byte("\n" + lead))
	if err != nil {
		return nil, nil, err
	}
	first := len(b)
	for _, line := range lines {
		b = append(append(b, line...), '\n')
	}
	last := len(b)
	shut := logfmt.CheckpointData{Closing: true, Carried: len(lines), Left: left, Sum: sha256.Sum256(b[first:])}
	b, err = r.checkpoint(shut, r.number(2)).AppendTo(b)
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

func (r *rotation) close() {
	if r.f != nil {
		r.f.Close()
		r.f = nil
	}
}
