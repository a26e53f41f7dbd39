package journal

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"aburn/logfmt"
)

// This file is the part of Verify that compares the segments with what hashes say of them: the
// anchor's, those of seals, and those of carried lines.

// cover is what a hash says of one segment.
type cover struct {
	name   string
	seal   *logfmt.Seal // of a later CHECKPOINT; nil without one
	expect bool         // a CHECKPOINT should seal this one: one seals the segment after it, or one that stands there seals others
	end    mark         // the seal's
	place  mark         // the anchor's size
	whole  logfmt.Seal  // the segment as it is

	entries               int // own ones, without repeats
	behindSeal, behindAll int // of those, the ones behind the seal and behind the anchor's size
}

// count counts an entry at off.
func (c *cover) count(off int64) {
	c.entries++
	if off >= c.end.at {
		c.behindSeal++
	}
	if off >= c.place.at {
		c.behindAll++
	}
}

// changed is a segment that is not what its seal says.
type changed struct {
	at    Finding
	now   logfmt.Seal
	bound bool // it does not matter if a rotation was about to delete the segment
}

// seals reads the CHECKPOINTs of all segments.
func (v *verifier) seals(j *Journal, all []Segment, newest *segmentFile) error {
	sealed := make(map[string]*logfmt.Seal)
	v.covers = make([]cover, len(all))
	listed := func(name string) bool {
		return slices.ContainsFunc(all, func(s Segment) bool { return s.Name == name })
	}
	expect := false
	for i := len(all) - 1; i >= 0; i-- {
		c := &v.covers[i]
		c.name, c.seal, c.expect = all[i].Name, sealed[all[i].Name], expect
		b, err := headOf(j, all[i], newest)
		if err != nil {
			return err
		}
		expect = !b.opened && c.seal != nil
		for _, s := range b.sealed {
			expect = expect || listed(s.Segment)
			if old := sealed[s.Segment]; old == nil || old.Bytes < s.Bytes {
				sealed[s.Segment] = &s
			}
		}
		if c.seal != nil {
			c.end.at = c.seal.Bytes
		}
		c.place.at = v.anchor.size()
		c.end.seen, c.place.seen = c.end.at == 0, c.place.at == 0
	}
	for name := range sealed {
		if !listed(name) {
			v.gone = append(v.gone, name)
		}
	}
	slices.Sort(v.gone)
	return nil
}

// headOf is the block of a segment.
func headOf(j *Journal, s Segment, newest *segmentFile) (block, error) {
	f := newest
	if s.Name != Name {
		var err error
		f, err = j.open(s.Name, readFlags)
		if errors.Is(err, fs.ErrNotExist) {
			return block{}, errDropped
		}
		if err != nil {
			return block{}, err
		}
		defer f.Close()
	}
	return blockOf(f), nil
}

// sealed compares the segment that was just read with its seal.
func (v *verifier) sealed(c *cover) {
	text := ""
	switch {
	case c.seal == nil && !c.expect:
		return
	case c.seal == nil:
		text = "no CHECKPOINT seals it: it was put there, or the segment after it is gone"
	case !c.end.seen || c.end.hash != c.seal.Hash:
		text = "its first " + bytesText(c.seal.Bytes) + " are not what was written: lines were edited, added, removed or exchanged"
	default:
		return
	}
	v.changed = append(v.changed, changed{Finding{Segment: c.name, Kind: Changed, Text: text}, c.whole, c.seal == nil})
}

// isDropped reports whether a segment is one that a rotation was about to delete.
func (v *verifier) isDropped(name string) bool {
	n, rotated := segmentNumber(name)
	return rotated && named(logfmt.Range{First: n, Last: n}, v.dropped)
}

// judgeSealed sorts the changed segments into damage and notes.
func (v *verifier) judgeSealed() (now []logfmt.Seal) {
	for _, name := range v.gone {
		if n, _ := segmentNumber(name); !v.inGap(n) {
			f := Finding{Segment: name, Kind: Missing, Text: "a CHECKPOINT seals it, and it is gone"}
			v.changed = append(v.changed, changed{f, logfmt.Seal{Segment: name}, true})
		}
	}
	for _, c := range v.changed {
		if c.bound && v.isDropped(c.at.Segment) {
			continue
		}
		now = append(now, c.now)
		if v.accepted != nil && slices.Contains(v.accepted.Changed, c.now) {
			v.acceptedNote(c.at)
		} else {
			v.keep(&v.report.Damage, c.at)
		}
	}
	return now
}

// placed finds the segment that has the anchor's place, or -1.
func (v *verifier) placed() int {
	for i := len(v.covers) - 1; i >= 0; i-- {
		if c := &v.covers[i]; c.place.seen && c.place.hash == v.anchor.hash() {
			return i
		}
	}
	if v.anchor.size() == 0 {
		return len(v.covers)
	}
	return -1
}

// drop is what a CHECKPOINT names as dropped.
type drop struct {
	in     *cover
	off    int64
	ranges []logfmt.Range
}

// countDropped decides which CHECKPOINTs count: with an anchor the last one that it covers. A rotation
// deletes segments only after it has moved the place, and names what was dropped before.
func (v *verifier) countDropped() {
	at := -1
	if v.report.Anchored && !v.anchor.broken() {
		at = v.placed()
	}
	for _, d := range v.drops {
		i := slices.IndexFunc(v.covers, func(c cover) bool { return c.name == d.in.name })
		switch {
		case at < 0:
			v.dropped = append(v.dropped, d.ranges...)
		case i < at, i == at && d.off < v.anchor.size():
			v.dropped = d.ranges
		}
	}
}

// compareCover says whether all that the anchor covers is as it was written, and counts what it does
// not cover.
func (v *verifier) compareCover() {
	v.name, v.line, v.before = Name, 0, time.Time{}
	if v.anchor.broken() {
		v.broke()
		return
	}
	at := v.placed()
	if at < 0 {
		if v.anchor.seq() <= v.report.Last && (v.other == nil || v.same) {
			v.add(v.finding(0, Changed, "its first "+bytesText(v.anchor.size())+" are not what was written: lines were edited, added, removed or exchanged"))
		}
		return
	}
	for i := range v.covers {
		c := &v.covers[i]
		switch {
		case i > at:
			v.report.Uncovered += c.entries
		case i == at:
			v.report.Uncovered += c.behindAll
		case c.seal != nil:
			v.report.Uncovered += c.behindSeal
		default:
			v.report.Uncovered += c.entries
		}
	}
}

// broke tells that a writer missed what the anchor covered, unless a missing range tells it.
func (v *verifier) broke() {
	seq := logfmt.Seq(v.anchor.number(brokeField))
	if v.inGap(seq) {
		return
	}
	f := v.finding(0, Changed, "entry "+text(seq)+" of "+v.anchor.text(writtenField)+
		", or what stood before it, was not there any more when the next entry was written")
	if seq == 0 {
		f.Text = "what stood in it was not there any more when the next entry was written"
	}
	f.Since, f.Until = v.anchor.time(writtenField), v.anchor.time(foundField)
	v.add(f)
}

// inGap reports whether a range that is missing, and that no rotation dropped, has this number.
func (v *verifier) inGap(seq logfmt.Seq) bool {
	return slices.ContainsFunc(v.gaps, func(g gap) bool {
		return g.missing.First <= seq && seq <= g.missing.Last && !named(g.missing, v.dropped)
	})
}

func bytesText(n int64) string { return strconv.FormatInt(n, 10) + " bytes" }

// carriedLine takes a carried line.
func (v *verifier) carriedLine(line []byte, off int64) {
	v.sum.Carried(line)
	key := keyOf(line)
	if v.known && !v.originals[key] {
		v.damage(off, Changed, "it is carried, and the segment before has no such line")
	}
	v.copies = append(v.copies, key)
}

// blocks follows the segment's own entries into a block of carried lines and out of it.
func (v *verifier) blocks(e *logfmt.Entry, off int64) {
	data, ok := logfmt.CheckpointData{}, false
	if e.Event == logfmt.Checkpoint {
		data, ok = logfmt.ParseCheckpoint(e.Data)
	}
	switch {
	case ok && data.Closing:
		if !v.sum.Close(data) {
			v.damage(off, Changed, "the carried lines before it are not those that were written")
			break
		}
		v.complete = true
		v.originals = make(map[lineKey]bool) // what came before is carried over
		for _, k := range append(v.copies, v.mine...) {
			v.originals[k] = true
		}
	case ok && e.Seq > 0:
		v.sum.Open(data)
		v.known, v.copies = data.Segment == v.segmentBefore && (v.complete || v.report.First == 1), nil
		v.drops = append(v.drops, drop{v.cover, off, data.DroppedBefore(v.segmentFirst)})
	case !ok:
		v.sum.Own()
	}
}

// original keeps an own line that a rotation may carry over.
func (v *verifier) original(line []byte) {
	if h, ok := logfmt.ParseHeader(line); ok && logfmt.Event(h.Event).Lifecycle() {
		k := keyOf(line)
		v.originals[k] = true
		v.mine = append(v.mine, k)
	}
}

// lineKey identifies a line.
type lineKey [16]byte

func keyOf(line []byte) (k lineKey) {
	sum := sha256.Sum256(logfmt.TrimLine(line))
	copy(k[:], sum[:])
	return k
}
