package journal

import (
	"errors"
	"io"

	"aburn/logfmt"
)

// digest is what a rotation needs to know of a segment: its numbers, and the carried lines (in
// the carrier). It can be taken in steps while the segment grows.
type digest struct {
	name        string
	first, last logfmt.Seq // of its own entries; 0 without numbers
	entries     int64      // own ones
	drops       []dropIn   // as its CHECKPOINTs name them, with those of earlier segments
	block       logfmt.Block
	head        block    // of the segment, which says which carried lines count
	lines       *hashing // of its lines; nil = not wanted
	scan        *foreScan
}

// dropIn is what an opening CHECKPOINT names as dropped, and where it stands.
type dropIn struct {
	segment string
	off     int64
	ranges  []logfmt.Range
}

func newDigest(f *segmentFile, carry *logfmt.Carrier) *digest {
	carry.Add(nil) // ends a torn block of the segment before
	return &digest{name: f.name, head: blockOf(f), scan: newForeScan(f, 0, maxLine)}
}

// hash takes the hash of the lines too, from now on.
func (d *digest) hash() {
	d.lines = &hashing{r: d.scan.r}
	d.scan.r = d.lines
}

// read adds the segment's lines up to its current end.
func (d *digest) read(carry *logfmt.Carrier) error {
	for {
		line, off, err := d.scan.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		carried := d.block.Step(line)
		if carried && !d.head.uses(line) {
			carry.Skip()
			continue
		}
		carry.Add(line)
		if !carried {
			d.count(line, off)
		}
	}
}

func (d *digest) count(line []byte, off int64) {
	h, ok := logfmt.ParseHeader(line)
	if !ok {
		return
	}
	d.entries++
	if h.Seq == 0 {
		return
	}
	if d.first == 0 {
		d.first = h.Seq
	}
	if logfmt.Event(h.Event) == logfmt.Checkpoint {
		if _, data, ok := checkpoint(line); ok && !data.Closing {
			d.drops = append(d.drops, dropIn{d.name, off, data.DroppedBefore(d.first)})
		}
	}
	d.last = max(d.last, h.Seq)
}

// digestAll reads the segments, oldest first, from the last one whose block holds: it has what the
// segments before it carried. unsealed is the index of the oldest one that no CHECKPOINT has sealed.
func (j *Journal) digestAll(all []Segment, carry *logfmt.Carrier) (newest *digest, unsealed int, err error) {
	from, closed := len(all), false
	unsealed = from
	for holds := false; from > 0 && !holds; {
		from--
		b, err := j.blockIn(all[from].Name)
		if err != nil {
			return nil, 0, err
		}
		holds = b.holds
		if !closed {
			unsealed, closed = from, b.closed
		}
	}
	var drops []dropIn
	for _, s := range all[from:] {
		if newest, err = j.digestOf(s.Name, carry); err != nil {
			return nil, 0, err
		}
		drops = append(drops, newest.drops...)
		newest.drops = drops
	}
	return newest, unsealed, nil
}

func (j *Journal) blockIn(name string) (block, error) {
	f, err := j.open(name, readFlags)
	if err != nil {
		return block{}, err
	}
	defer f.Close()
	return findBlock(f, blockZone), nil
}

func (j *Journal) digestOf(name string, carry *logfmt.Carrier) (*digest, error) {
	f, err := j.open(name, readFlags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newDigest(f, carry)
	return d, d.read(carry)
}
