package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// BeginAnchor makes the anchor if its file does not exist, and reports whether it did. The log
// counts as whole as it is now. It does nothing without Options.Anchor.
func (j *Journal) BeginAnchor(now time.Time) (made bool, err error) {
	if j.o.Anchor == "" {
		return false, nil
	}
	a := j.openAnchor()
	a.close()
	if !errors.Is(a.err, fs.ErrNotExist) {
		return false, nil // there, or there is something that only Accept may replace
	}
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if err != nil {
		return false, fmt.Errorf("anchor: %w", err)
	}
	defer lock.Release()
	a = j.openAnchor() // another process may have made it
	a.close()
	if !errors.Is(a.err, fs.ErrNotExist) {
		return false, nil
	}
	err = j.makeAnchor(0, 0, now)
	return err == nil, err
}

// makeAnchor writes an anchor for the log as it is, with all of it covered. ours = 0: what is there is
// not ours. The caller holds the lock.
func (j *Journal) makeAnchor(accepted, ours logfmt.Seq, now time.Time) error {
	a := anchor([]byte(anchorForm))
	a.setTime(begunField, now)
	a.setNumber(firstField, 1)
	a.setNumber(acceptedField, uint64(accepted))
	for l, err := range j.Forward(Position{}) {
		if err != nil {
			return err
		}
		if h, ok := logfmt.ParseHeader(l.JSON); ok && h.Seq > 0 && !l.Carried {
			a.setNumber(firstField, uint64(h.Seq))
			break
		}
	}
	for l, err := range j.Backward(BackwardOptions{}) {
		if err != nil {
			return err
		}
		if e, err := logfmt.Parse(l.JSON); err == nil && e.Seq > 0 && !l.Carried {
			a.advance(e.Seq, l.JSON)
			a.setTime(atField, e.Time)
			break
		}
	}
	if ours == 0 {
		ours = after(a.seq())
	}
	a.setNumber(oursField, uint64(ours))
	if err := j.coverAll(&a); err != nil {
		return err
	}
	a.seal()
	return atomicfile.Write(j.o.Anchor, a[:], 0o600, atomicfile.Options{})
}

// coverAll moves the place to the end of the newest segment.
func (j *Journal) coverAll(a *anchor) error {
	b := backward{j: j}
	f, err := b.newest()
	if f == nil {
		return err
	}
	defer f.Close()
	var l logfmt.LineHash
	if _, err := io.Copy(&l, io.NewSectionReader(f, 0, f.size())); err != nil {
		return err
	}
	a.setPlace(f.ino, &l)
	return nil
}

// errUnnumbered says that the log could not be read far enough back to number an entry.
var errUnnumbered = errors.New("the entry could not be numbered")

// Accept appends an ACCEPTED entry for the damage in r, which Verify found, and makes the anchor
// anew. From then on that damage is a note.
func (j *Journal) Accept(r Report, now time.Time) error {
	if j.o.Anchor == "" {
		return errNoAnchor
	}
	receipt, err := j.Append(func(Tail) []*logfmt.Entry {
		return []*logfmt.Entry{{
			Time: now, Cmd: logfmt.SessionCmd, Event: logfmt.Accepted, Source: "aburn", Data: r.accepted.Bytes(),
		}}
	})
	if err != nil {
		return err
	}
	seq := receipt.Entries[0].Seq
	if seq == 0 {
		return errUnnumbered
	}
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if err != nil {
		return fmt.Errorf("anchor: %w", err)
	}
	defer lock.Release()
	a := j.openAnchor()
	a.close()
	return j.makeAnchor(seq, logfmt.Seq(a.number(oursField)), now)
}
