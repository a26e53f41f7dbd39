package journal

import (
	"errors"
	"io"
	"io/fs"
	"slices"

	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// catchUp moves the anchor's place into the log after somebody without the anchor has rotated: a
// container or another machine that shares the project. If the lock is busy, it waits for the next
// time.
func (j *Journal) catchUp(by By) error {
	if !j.isBehind(by) {
		return nil
	}
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if errors.Is(err, lockfile.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	a := j.openAnchor()
	defer a.close()
	f, err := j.open(Name, readFlags)
	if err != nil {
		return err
	}
	defer f.Close()
	tail := j.newTail(f, 0, true)
	if a.find(j, f, tail) != older || !blockOf(f).closed {
		return nil // a killed rotator: the next rotation seals what is older, and moves the place
	}
	all, err := j.Segments()
	if err != nil {
		return err
	}
	all = rotated(all)
	sealed, err := a.isSealed(j, all, len(all))
	if err != nil {
		return err
	}
	if keeps, err := a.keeps(j, all); !keeps || err != nil {
		return err
	}
	if !sealed {
		a.lose(j.o.Now())
		return a.write()
	}
	var l logfmt.LineHash
	if _, err := io.Copy(&l, io.NewSectionReader(f, 0, f.size())); err != nil {
		return err
	}
	a.setPlace(f.ino, &l)
	for line := range tail.Backward() {
		if h, ok := logfmt.ParseHeader(line); ok && h.Seq > a.seq() {
			a.advance(h.Seq, line)
			break
		}
	}
	return a.write()
}

// isBehind looks without the lock whether the place is in another file than the log, and whether the
// log may be read now.
func (j *Journal) isBehind(by By) bool {
	a := j.openAnchor()
	a.close()
	if a.err != nil || a.broken() || a.inode() == 0 {
		return false
	}
	f, err := j.open(Name, readFlags)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.ino != a.inode() && (by == Command || f.size() <= hookLimit) && j.hasSegment(a.inode())
}

// isSealed reports whether the segment that has the place is what the place says, as far as a
// CHECKPOINT seals it. From unsealed on no CHECKPOINT does yet. all are the rotated segments.
//
// Without this, whoever rotates by hand could have the anchor leave a segment behind, and change it.
func (a *anchored) isSealed(j *Journal, all []Segment, unsealed int) (bool, error) {
	at := a.segment(j, all)
	if at < 0 || all[at].Size < a.size() {
		return false, nil
	}
	if at >= unsealed {
		return true, nil
	}
	for _, s := range append(slices.Clone(all[at+1:]), Segment{Name: Name}) {
		b, err := j.blockIn(s.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		for _, seal := range b.sealed {
			if seal.Segment == all[at].Name {
				return a.reaches(j, seal)
			}
		}
	}
	return false, nil
}

// segment is the index of the segment that has the place, or -1.
func (a *anchor) segment(j *Journal, all []Segment) int {
	return slices.IndexFunc(all, func(s Segment) bool {
		_, ino := s.id(j.root)
		return ino == a.inode()
	})
}

// keeps reports whether no CHECKPOINT behind the place names more as dropped than those before it do.
// Where one does, somebody without the anchor has deleted segments, or says so; a person has to accept
// that.
func (a *anchored) keeps(j *Journal, all []Segment) (bool, error) {
	var covered []logfmt.Range
	at := a.segment(j, all)
	for i, s := range append(slices.Clone(all), Segment{Name: Name}) {
		b, err := j.blockIn(s.Name)
		if err != nil {
			return false, err
		}
		for _, r := range b.dropped {
			if i > at && !named(r, covered) {
				return false, nil
			}
		}
		if b.opened && i <= at {
			covered = b.dropped // with what those before it name
		}
	}
	return true, nil
}

// reaches reports whether the hash, continued from the place, is the seal's.
func (a *anchored) reaches(j *Journal, seal logfmt.Seal) (bool, error) {
	f, err := j.open(seal.Segment, readFlags)
	if err != nil {
		return false, err
	}
	defer f.Close()
	l := a.anchor.place()
	if seal.Bytes < l.Size {
		return false, nil
	}
	_, err = io.Copy(&l, io.NewSectionReader(f, l.Size, seal.Bytes-l.Size))
	return l.Hash == seal.Hash && l.Size == seal.Bytes, err
}
