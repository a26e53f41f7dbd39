package logfmt

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// Range is a run of sequence numbers, both ends included.
type Range struct{ First, Last Seq }

// CheckpointData is the data of a CHECKPOINT. A rotation writes two: the opening one names the
// segment before and announces the number of carried lines; the closing one repeats that number.
type CheckpointData struct {
	Closing bool
	Carried int // lines between the two
	Left    int // lines that would have carried but did not fit

	// Only in the closing one:
	Sum Hash // SHA-256 over the carried lines, each with its LF; zero = unknown

	// Only in the opening one:
	Segment     string  // file name of the previous segment
	First, Last Seq     // its first and last seq; 0 without any
	Entries     int64   // its own entries
	Dropped     []Range // seqs of the segments that rotations have deleted so far
	Sealed      []Seal  // the older segments that no earlier CHECKPOINT has sealed
}

// DroppedBefore are the dropped ranges that count in a segment whose first own number is first: those
// below it.
func (c *CheckpointData) DroppedBefore(first Seq) (all []Range) {
	for _, r := range c.Dropped {
		if r.Last < first {
			all = append(all, r)
		}
	}
	return all
}

// Seal is the hash of the lines in the first Bytes bytes of a segment.
type Seal struct {
	Segment string
	Bytes   int64
	Hash    Hash
}

func (c CheckpointData) Bytes() []byte {
	var o Object
	if c.Closing {
		o.Int("carried", int64(c.Carried)).Int("left", int64(c.Left))
		if c.Sum != (Hash{}) {
			o.Str("sha256", c.Sum.String())
		}
		return o.Bytes()
	}
	o.Str("segment", c.Segment).Int("first", int64(c.First)).Int("last", int64(c.Last)).Int("entries", c.Entries)
	o.Int("carrying", int64(c.Carried)).Int("left", int64(c.Left))
	if len(c.Dropped) > 0 {
		o.Raw("dropped", appendRanges(nil, c.Dropped))
	}
	if len(c.Sealed) > 0 {
		o.Raw("sealed", appendSeals(nil, c.Sealed))
	}
	return o.Bytes()
}

func appendSeals(b []byte, seals []Seal) []byte {
	b = append(b, '[')
	for i, s := range seals {
		if i > 0 {
			b = append(b, ',')
		}
		var o Object
		b = append(b, o.Str("segment", s.Segment).Int("bytes", s.Bytes).Str("hash", s.Hash.String()).Bytes()...)
	}
	return append(b, ']')
}

// sealsOf leaves out what is no seal.
func sealsOf(v gjson.Result) (all []Seal) {
	v.ForEach(func(_, s gjson.Result) bool {
		h, ok := parseHash(s.Get("hash").Str)
		if bytes := s.Get("bytes"); ok && bytes.Type == gjson.Number {
			all = append(all, Seal{s.Get("segment").Str, bytes.Int(), h})
		}
		return true
	})
	return all
}

func appendRanges(b []byte, ranges []Range) []byte {
	b = append(b, '[')
	for i, r := range ranges {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(append(b, '['), uint64(r.First), 10)
		b = append(strconv.AppendUint(append(b, ','), uint64(r.Last), 10), ']')
	}
	return append(b, ']')
}

func rangesOf(v gjson.Result) (all []Range) {
	v.ForEach(func(_, pair gjson.Result) bool {
		if p := pair.Array(); len(p) == 2 && seqOf(p[0]) <= seqOf(p[1]) {
			all = append(all, Range{seqOf(p[0]), seqOf(p[1])})
		}
		return true
	})
	return all
}

// ParseCheckpoint reads the data object of a CHECKPOINT. It returns false for an object of
// neither kind.
func ParseCheckpoint(data []byte) (CheckpointData, bool) {
	r := gjson.ParseBytes(data)
	c := CheckpointData{Left: count(r.Get("left"))}
	if v := r.Get("carried"); v.Type == gjson.Number {
		c.Closing, c.Carried = true, count(v)
		c.Sum, _ = parseHash(r.Get("sha256").Str)
		return c, true
	}
	v := r.Get("carrying")
	if v.Type != gjson.Number {
		return CheckpointData{}, false
	}
	c.Carried, c.Segment, c.Entries = count(v), r.Get("segment").Str, int64(count(r.Get("entries")))
	c.First, c.Last = seqOf(r.Get("first")), seqOf(r.Get("last"))
	c.Dropped, c.Sealed = rangesOf(r.Get("dropped")), sealsOf(r.Get("sealed"))
	return c, true
}

// count reads a number of things, limited to 0 … 1<<31-1.
func count(v gjson.Result) int { return int(max(0, min(v.Num, 1<<31-1))) }

func seqOf(v gjson.Result) Seq { n, _ := parseSeq([]byte(v.Raw)); return n }

func checkpointText(data string) string {
	c, ok := ParseCheckpoint([]byte(data))
	if !ok {
		return ""
	}
	lines := strconv.Itoa(c.Carried) + " lines carried over"
	if c.Left > 0 {
		lines += ", " + strconv.Itoa(c.Left) + " left behind"
	}
	if c.Closing {
		return lines
	}
	entries := strconv.FormatInt(c.Entries, 10) + " entries"
	return "continues " + c.Segment + " (" + entries + "); " + lines
}
