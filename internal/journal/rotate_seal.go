package journal

import (
	"cmp"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"aburn/logfmt"
)

// This file is the part of a rotation that says what stood in the older segments: their hashes, and the
// numbers of those that are gone.

// seals seals the older segments that no CHECKPOINT has sealed, without the first n, which are about to
// be deleted.
func (r *rotation) seals(n int) ([]logfmt.Seal, error) {
	var all []logfmt.Seal
	for _, s := range r.older[max(n, r.unsealed):] {
		l, err := r.hashOf(s)
		if err != nil {
			return nil, err
		}
		all = append(all, logfmt.Seal{Segment: s.Name, Bytes: l.Size, Hash: l.Hash})
	}
	return all, nil
}

// hashOf is the hash of a segment's lines as they were written, as far as the anchor knows.
func (r *rotation) hashOf(s Segment) (l logfmt.LineHash, err error) {
	if r.log != nil && r.log.lines != nil && os.SameFile(s.info, r.f.info) {
		return r.log.lines.lines, nil
	}
	f, err := r.j.open(s.Name, readFlags)
	if err != nil {
		return l, err
	}
	defer f.Close()
	known := r.place == here && r.f != nil && os.SameFile(f.info, r.f.info) || r.place == older && r.anchor.inode() == f.ino
	if known && f.size() >= r.anchor.size() {
		l = r.anchor.anchor.place()
	}
	_, err = io.Copy(&l, io.NewSectionReader(f, l.Size, f.size()-l.Size))
	return l, err
}

// moveAnchor moves the anchor's place into f, the new log, behind the block.
func (r *rotation) moveAnchor(f *segmentFile, w written) {
	if r.place != here && r.place != older {
		return
	}
	var l logfmt.LineHash
	if r.place == here && r.f != nil && os.SameFile(f.info, r.f.info) { // it was not renamed
		l = r.anchor.anchor.place()
	}
	r.anchor.absorb(f, &l, w.own, w.end, math.MaxInt64)
}

// ranges are the numbers of the segments that rotations have dropped so far and now. What is missing
// between two segments is not among them.
func (r *rotation) ranges(drop []Segment) ([]logfmt.Range, error) {
	var all []logfmt.Range
	for _, d := range r.prev.drops {
		if !r.counts(d) {
			continue
		}
		if r.place == here || r.place == older {
			all = nil // it names what those before it do, and those may have been absorbed with what somebody put in
		}
		all = append(all, d.ranges...)
	}
	for _, s := range drop {
		last, err := r.j.lastIn(s.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, logfmt.Range{First: s.First, Last: last})
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
	return merged, nil
}

// lastIn is the last number in a rotated segment, 0 without one.
func (j *Journal) lastIn(name string) (logfmt.Seq, error) {
	f, err := j.open(name, readFlags)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	scan := newBackScan(f, 0, f.size(), firstBlock)
	for {
		line, _, err := scan.entry()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if h, ok := logfmt.ParseHeader(line); ok && h.Seq > 0 {
			return max(h.Seq, j.tornBlockSeq(f, &h)), nil
		}
	}
}

// counts reports whether a CHECKPOINT counts that names ranges as dropped: with an anchor, only if it is
// covered. Otherwise whoever forges one before a rotation could delete a segment unseen.
func (r *rotation) counts(d dropIn) bool {
	covered := false
	switch r.place {
	case nowhere, lost:
		return true
	case here:
		covered = d.segment != Name
	case older:
		at := slices.IndexFunc(r.older, func(s Segment) bool { return s.Name == d.segment })
		in := slices.IndexFunc(r.older, func(s Segment) bool {
			_, ino := s.id(r.j.root)
			return ino == r.anchor.inode()
		})
		if covered = at >= 0 && at < in; at != in {
			return covered
		}
	}
	return covered || d.off < r.anchor.size()
}
