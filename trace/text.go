package trace

import "unicode/utf8"

// OneLine says whether s can stand in a trace: valid UTF-8 without control characters, so that it is one line and the
// same after being stored.
func OneLine(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b < ' ' || b == 0x7f {
			return false
		} else if b >= utf8.RuneSelf {
			return oneLine(s[i:])
		}
	}
	return true
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
