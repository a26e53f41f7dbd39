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
	all, err := r.droppedBefore()
	if err != nil {
		return nil, err
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

// droppedBefore are the ranges that CHECKPOINTs name so far. With an anchor only the last one counts that
// it covers: that one names what those before it do, and whoever forges another one could delete a
// segment unseen.
func (r *rotation) droppedBefore() (all []logfmt.Range, err error) {
	switch r.place {
	case nowhere, lost:
		for _, d := range r.prev.drops {
			all = append(all, d.ranges...)
		}
	case here:
		for _, d := range r.prev.drops {
			if d.segment != Name || d.off < r.anchor.size() {
				all = slices.Clone(d.ranges)
			}
		}
	case older:
		at := r.anchor.segment(r.j, r.older)
		for b := (block{}); at >= 0 && !b.opened; at-- {
			if b, err = r.j.blockIn(r.older[at].Name); err != nil {
				return nil, err
			}
			all = slices.Clone(b.dropped)
		}
	}
	return all, nil
}
