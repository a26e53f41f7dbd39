package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"aburn/logfmt"
)

// The anchor's place is the end of the bytes that it covers. This file moves it.

// hookAbsorb is how many bytes after the place a hook reads at most. They are others' entries: mostly
// none, or a few of writers without the lock.
const hookAbsorb = 1 << 20

// where says where an anchor's place is.
type where int

const (
	nowhere where = iota // there is no anchor
	here                 // in the log
	older                // in a rotated segment: its rotator was killed, or had no anchor
	lost                 // what the anchor covers is not there
)

// find looks for the anchor's place. f is the log as it is now, with its tail; nil without one. It
// reads no more of f than an append does: whether all that is covered is still the same, only Verify
// finds out.
func (a *anchored) find(j *Journal, f *segmentFile, t Tail) where {
	switch {
	case a.err != nil:
		return nowhere
	case a.broken():
		return lost
	case f == nil && a.size() == 0:
		return here
	case (f == nil || a.inode() != f.ino) && a.inode() != 0 && j.hasSegment(a.inode()):
		return older
	case f != nil && f.size() >= a.size() && a.holds(t):
		return here
	}
	return lost
}

// hasSegment reports whether a rotated segment has the file number ino.
func (j *Journal) hasSegment(ino uint64) bool {
	all, err := j.Segments()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(rotated(all), func(s Segment) bool {
		_, n := s.id(j.root)
		return n == ino
	})
}

// holds reports whether the newest entry that the anchor knows is in the tail, if it must be.
func (a *anchor) holds(t Tail) bool {
	want := a.seq()
	if want == 0 {
		return true
	}
	for line := range t.Backward() {
		h, ok := logfmt.ParseHeader(line)
		if !ok || h.Seq == 0 || h.Seq > want {
			continue
		}
		return h.Seq == want && a.isNewest(line)
	}
	return t.s.f.size() > TailSize || t.s.err != nil
}

// isNewest reports whether line is the entry that the anchor names.
func (a *anchor) isNewest(line []byte) bool {
	sum := sha256.Sum256(line)
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:]) == string(a[sumField.from:sumField.to])
}

// lose notes that a writer did not find what the anchor covers. The place stays as it is from then on.
func (a *anchor) lose(found time.Time) {
	if a.broken() {
		return
	}
	copy(a[brokeField.from:brokeField.to], a[seqField.from:seqField.to])
	copy(a[writtenField.from:writtenField.to], a[atField.from:atField.to])
	a.setTime(foundField, found)
}

func (a *anchor) broken() bool { return a[foundField.from] != noTime[0] }

func (a *anchor) size() int64 { return int64(a.number(sizeField)) }

func (a *anchor) hash() (h logfmt.Hash) {
	hex.Decode(h[:], a[hashField.from:hashField.to])
	return h
}

func (a *anchor) inode() uint64 {
	n, _ := strconv.ParseUint(a.text(fileField), 16, 64)
	return n
}

// setPlace moves the place to the end of the complete lines in l, of the segment ino.
func (a *anchor) setPlace(ino uint64, l *logfmt.LineHash) {
	a.setNumber(sizeField, uint64(l.Size))
	hex.Encode(a[hashField.from:hashField.to], l.Hash[:])
	const digits = "0123456789abcdef"
	for i := fileField.to - 1; i >= fileField.from; i-- {
		a[i] = digits[ino&15]
		ino >>= 4
	}
}

// absorb moves the place behind own, bytes that end at end in f. What stands before them it reads, at
// most limit bytes. l is at the place.
func (a *anchor) absorb(f *segmentFile, l *logfmt.LineHash, own []byte, end, limit int64) {
	gap := end - int64(len(own)) - l.Size
	switch {
	case end < 0 || gap < 0:
		return // the end is unknown, or somebody cuts the file at this moment
	case gap > limit:
		io.Copy(l, io.NewSectionReader(f, l.Size, limit))
	default:
		if gap > 0 {
			if n, err := io.Copy(l, io.NewSectionReader(f, l.Size, gap)); err != nil || n < gap {
				break
			}
		}
		l.Write(own)
	}
	a.setPlace(f.ino, l)
}

// place is a LineHash at the anchor's place.
func (a *anchor) place() logfmt.LineHash { return logfmt.LineHash{Size: a.size(), Hash: a.hash()} }

// Uncovered counts the entries of the newest segment that the anchor does not cover, and those of them
// without number. It is 0 without an anchor, and where the anchor lost its place: Verify says more.
func (j *Journal) Uncovered() (entries, unnumbered int, err error) {
	a := j.openAnchor()
	a.close()
	if a.err != nil || a.broken() {
		return 0, 0, nil
	}
	f, err := j.open(Name, readFlags)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	from := a.size()
	if a.inode() != f.ino {
		from = 0
	}
	for scan := newForeScan(f, from, maxLine); ; {
		line, _, err := scan.entry()
		if errors.Is(err, io.EOF) {
			return entries, unnumbered, nil
		}
		if err != nil {
			return entries, unnumbered, err
		}
		if h, ok := logfmt.ParseHeader(line); ok {
			entries++
			if h.Seq == 0 {
				unnumbered++
			}
		}
	}
}
