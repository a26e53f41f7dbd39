package logfmt

import "github.com/tidwall/gjson"

// Range is a run of sequence numbers, both ends included.
type Range struct{ First, Last Seq }

// CheckpointData is what a CHECKPOINT says. A rotation writes two: the opening
// one names the segment before and how many carried lines follow; the closing
// one says how many were carried.
type CheckpointData struct {
	Closing bool
	// Of the opening one:
	Segment     string  // file name of the previous segment
	First, Last Seq     // its first and last seq; 0 when it has none
	Entries     int64   // its entries
	Dropped     []Range // ranges of seq whose segments were deleted since the last CHECKPOINT
	Missing     []Range // ranges named as lost: verify does not count them again
	// Of both:
	Carried int // lines between the two
	Left    int // lines that would have carried but did not fit
}

// Bytes is the data object of the CHECKPOINT.
func (c CheckpointData) Bytes() []byte {
	var o Object
	if c.Closing {
		return o.Int("carried", int64(c.Carried)).Int("left", int64(c.Left)).Bytes()
	}
	o.Str("segment", c.Segment).Int("first", int64(c.First)).Int("last", int64(c.Last)).Int("entries", c.Entries)
	o.Int("carrying", int64(c.Carried)).Int("left", int64(c.Left))
	return o.Bytes()
}

// ParseCheckpoint reads the data object of a CHECKPOINT.
func ParseCheckpoint(data []byte) (CheckpointData, bool) {
	r := gjson.ParseBytes(data)
	if v := r.Get("carried"); v.Exists() {
		return CheckpointData{Closing: true, Carried: int(v.Int()), Left: int(r.Get("left").Int())}, true
	}
	if v := r.Get("carrying"); v.Exists() {
		return CheckpointData{
			Segment: r.Get("segment").Str, First: Seq(r.Get("first").Uint()), Last: Seq(r.Get("last").Uint()),
			Entries: r.Get("entries").Int(), Carried: int(v.Int()), Left: int(r.Get("left").Int()),
		}, true
	}
	return CheckpointData{}, false
}

// Block tells carried lines from a segment's own while reading forwards. The
// zero value stands at the start of a file.
type Block struct{ left int }

// Step takes the next line of the file, of any kind, and reports whether it is
// a carried one: a copy of an entry of an earlier segment, no new event.
func (b *Block) Step(line []byte) bool { return false }
