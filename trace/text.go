package trace

import "unicode/utf8"

// OneLine says whether s can stand in a trace: valid UTF-8 without control characters, so that it is one line and the
// same after being stored.
func OneLine(s string) bool {
	i := 0
	for ; i+8 <= len(s) && plain8(s[i:]); i += 8 {
	}
	for ; i < len(s); i++ {
		if b := s[i]; b < ' ' || b == 0x7f {
			return false
		} else if b >= utf8.RuneSelf {
			return oneLine(s[i:])
		}
	}
	return true
}

// plain8 says whether the first eight bytes of s are printable ASCII. It looks at all of them at once: a trace is mostly ids.
func plain8(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	x := word(s)
	deletes := x ^ 0x7f*ones
	return (x|(x-' '*ones)|(deletes-ones)&^deletes)&tops == 0
}

// word is the first eight bytes of s.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func oneLine(s string) bool {
	for i, r := range s {
		if r < ' ' || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' {
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
