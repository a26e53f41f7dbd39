package trace

import (
	"unicode/utf8"

	"aburn/internal/plain"
)

// OneLine reports whether s may stand in a trace: valid UTF-8 without control characters, so that it is one line and
// survives storing unchanged.
func OneLine(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if unusual(word(s[i:])) != 0 {
			return oneLineFrom(s, i)
		}
	}
	if i > 0 { // overlap the last eight bytes instead of a byte loop
		return unusual(word(s[len(s)-8:])) == 0 || oneLineFrom(s, i)
	}
	return oneLineFrom(s, i)
}

// unusual is 0 if the eight bytes of x are printable ASCII. A trace is mostly ids, so eight at once pay.
func unusual(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	deletes := x ^ 0x7f*ones
	return (x | (x - ' '*ones) | (deletes-ones)&^deletes) & tops
}

// oneLineFrom checks s from byte i on.
func oneLineFrom(s string, i int) bool {
	for ; i < len(s); i++ {
		if b := s[i]; b < ' ' || b == 0x7f {
			return false
		} else if b >= utf8.RuneSelf {
			return oneLine(s[i:])
		}
	}
	return true
}

// word returns the first eight bytes of s.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func oneLine(s string) bool {
	for i, r := range s {
		if plain.Control(r) {
			return false
		}
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return false
			}
		}
	}
	return true
}
