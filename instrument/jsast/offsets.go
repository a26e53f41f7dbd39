package jsast

import (
	"slices"
	"unicode/utf8"
)

// Pos is a place in the source. Offset counts bytes from 0, Line from 1, Column
// bytes of the line from 1. Lines end where JavaScript ends them: LF, CR LF, CR,
// U+2028, U+2029.
type Pos struct{ Offset, Line, Column int }

// Range is the bytes from Start up to, and without, End.
type Range struct{ Start, End int }

// Holds says whether other lies within r.
func (r Range) Holds(other Range) bool { return r.Start <= other.Start && other.End <= r.End }

const byteOrderMark = "\uFEFF"

// offsets turns UTF-16 code units into bytes.
type offsets struct {
	base  int     // bytes before the text: the byte order mark
	bytes []int32 // of each code unit and of the end; nil where all is ASCII
	max   int
}

func newOffsets(text string, base int) offsets {
	o := offsets{base: base, max: len(text)}
	if isASCII(text) {
		return o
	}
	o.bytes = make([]int32, 0, len(text)+1)
	for i, r := range text {
		o.bytes = append(o.bytes, int32(i))
		if r > 0xFFFF { // two code units; nothing starts between them
			o.bytes = append(o.bytes, int32(i))
		}
	}
	o.bytes = append(o.bytes, int32(len(text)))
	o.max = len(o.bytes) - 1
	return o
}

// byteAt fails on what is no offset of the text.
func (o offsets) byteAt(unit int) (int, bool) {
	if unit < 0 || unit > o.max {
		return 0, false
	}
	if o.bytes == nil {
		return o.base + unit, true
	}
	return o.base + int(o.bytes[unit]), true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lineStarts gives the offset of each line's first byte.
func lineStarts(source []byte) []int {
	starts := []int{0}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\r' && i+1 < len(source) && source[i+1] == '\n':
			continue
		case c == '\n', c == '\r':
			starts = append(starts, i+1)
		case c == 0xE2 && i+2 < len(source) && source[i+1] == 0x80 && (source[i+2] == 0xA8 || source[i+2] == 0xA9):
			starts = append(starts, i+3)
		}
	}
	return starts
}

func posAt(starts []int, offset int) Pos {
	line, found := slices.BinarySearch(starts, offset)
	if !found {
		line--
	}
	return Pos{offset, line + 1, offset - starts[line] + 1}
}
