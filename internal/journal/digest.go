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
	first, last logfmt.Seq     // of its own entries; 0 without numbers
	entries     int64          // own ones
	dropped     []logfmt.Range // as its CHECKPOINTs name them
	block       logfmt.Block
	scan        *foreScan
}

func newDigest(f *segmentFile, carry *logfmt.Carrier) *digest {
	carry.Add(nil) // ends a torn block of the segment before
	return &digest{name: f.name, scan: newForeScan(f, 0, maxLine)}
}

// read adds the segment's lines up to its current end.
func (d *digest) read(carry *logfmt.Carrier) error {
	for {
		line, _, err := d.scan.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		carry.Add(line)
		d.count(line)
	}
}

func (d *digest) count(line []byte) {
	if d.block.Step(line) {
		return
	}
	h, ok := logfmt.ParseHeader(line)
	if !ok {
		return
	}
	d.entries++
	if logfmt.Event(h.Event) == logfmt.Checkpoint {
		_, data, _ := checkpoint(line)
		d.dropped = append(d.dropped, data.Dropped...)
	}
	if h.Seq == 0 {
		return
	}
	if d.first == 0 {
		d.first = h.Seq
	}
	d.last = max(d.last, h.Seq)
}

// digestAll reads the segments, oldest first, from the last one that has a whole block. That
// block holds what the segments before it carried.
func (j *Journal) digestAll(all []Segment, carry *logfmt.Carrier) (newest *digest, err error) {
	from := len(all)
	for begun := false; from > 0 && !begun; {
		from--
		if begun, err = j.hasBlock(all[from].Name); err != nil {
			return nil, err
		}
	}
	var dropped []logfmt.Range
	for _, s := range all[from:] {
		if newest, err = j.digestOf(s.Name, carry); err != nil {
			return nil, err
		}
		dropped = append(dropped, newest.dropped...)
		newest.dropped = dropped
	}
	return newest, nil
}

func (j *Journal) hasBlock(name string) (bool, error) {
	f, err := j.open(name, readFlags)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return findBlock(f, blockZone).closed, nil
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
