package scrub

import (
	"math/bits"
	"sort"
	"strings"
)

// view is a text with decoded escapes, and a map to the text that it came from. The first view is
// the text itself.
type view struct {
	text  string
	of    *view     // the text before decoding; nil for the first one
	parts []stretch // the parts of text that are unchanged in of, in order; a decoded byte is a part of its own
	depth int
}

// stretch is where a part begins, in a view and in the text before decoding.
type stretch struct{ at, from int }

// maxDepth is how many layers of escapes are decoded: JSON in a URL in JSON.
const maxDepth = 4

func plainView(s string) view { return view{text: s} }

// source maps offset i to the original text.
func (v *view) source(i int) int {
	for ; v.of != nil; v = v.of {
		n := sort.Search(len(v.parts), func(n int) bool { return v.parts[n].at > i }) - 1
		i += v.parts[n].from - v.parts[n].at
	}
	return i
}

// decoded is the next view, with one layer of escapes less, or false without escapes.
func (v *view) decoded() (view, bool) {
	if v.depth == maxDepth {
		return view{}, false
	}
	s := v.text
	i := nextEscape(s, 0)
	if i == len(s) {
		return view{}, false
	}
	out := view{of: v, depth: v.depth + 1}
	var text strings.Builder
	text.Grow(len(s))
	for done := 0; ; {
		if done < i || i == len(s) {
			out.parts = append(out.parts, stretch{text.Len(), done})
			text.WriteString(s[done:i])
		}
		if i == len(s) {
			break
		}
		b, n := unescape(s[i:])
		out.parts = append(out.parts, stretch{text.Len(), i})
		text.WriteByte(b)
		done = i + n
		i = nextEscape(s, done)
	}
	out.text = text.String()
	return out, true
}

// nextEscape is the offset of the first escape from i on, or len(s).
func nextEscape(s string, i int) int {
	for i = passPlain(s, i); i < len(s); i = passPlain(s, i+1) {
		if s[i] == '\\' || s[i] == '%' {
			if _, n := unescape(s[i:]); n > 1 {
				return i
			}
			i = afterRun(s, i) - 1
		}
	}
	return len(s)
}

// passPlain is the offset of the first byte from i on that can begin an escape, or len(s). It
// reads eight bytes at once, because most texts have few escapes.
func passPlain(s string, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		x := eight(s[i:])
		slash, percent := x^'\\'*ones, x^'%'*ones
		if found := ((slash-ones)&^slash | (percent-ones)&^percent) & tops; found != 0 { // the lowest bit is the first byte's
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] != '\\' && s[i] != '%' {
		i++
	}
	return i
}

// eight is the first eight bytes of s.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// afterRun is the offset after the byte at i, or after the run of backslashes there. If the whole
// run is no escape, no later part of it is one.
func afterRun(s string, i int) int {
	end := i + 1
	for s[i] == '\\' && end < len(s) && s[end] == '\\' {
		end++
	}
	return end
}

// unescape decodes the byte that s begins with, and returns how many bytes it takes. Any number
// of backslashes counts as one, as in JSON within JSON. An escape of a non-ASCII character stays.
func unescape(s string) (byte, int) {
	switch s[0] {
	case '%':
		if b, ok := hexByte(s, 1); ok {
			return b, 3
		}
	case '\\':
		n := 1
		for n < len(s) && s[n] == '\\' {
			n++
		}
		if b, size := backslashed(s[n:]); size > 0 {
			return b, n + size
		}
	}
	return s[0], 1
}

// backslashed is the byte that the letters after backslashes stand for, and the number of these
// letters, or 0.
func backslashed(s string) (byte, int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case '"', '\'', '`', '/', '=', '&':
		return s[0], 1
	case 'n', 'r':
		return '\n', 1
	case 't', '\n':
		return ' ', 1
	case 'x':
		if b, ok := hexByte(s, 1); ok {
			return b, 3
		}
	case 'u':
		if len(s) >= 5 && s[1] == '0' && s[2] == '0' {
			if b, ok := hexByte(s, 3); ok {
				return b, 5
			}
		}
	}
	return 0, 0
}

// hexByte is the printable ASCII character with the two hex digits at i.
func hexByte(s string, i int) (byte, bool) {
	if len(s) < i+2 {
		return 0, false
	}
	hi, lo := hexDigit(s[i]), hexDigit(s[i+1])
	b := byte(hi<<4 | lo)
	return b, hi|lo >= 0 && (b >= ' ' && b < 0x7f || b == '\n')
}

func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= fold(b) && fold(b) <= 'f':
		return int(fold(b)-'a') + 10
	}
	return -1
}
