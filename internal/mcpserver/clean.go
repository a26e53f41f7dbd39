package mcpserver

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"aburn/internal/plain"
)

// clean replaces every character in JSON strings that a model must not be shown (plain.Model), in
// escapes too, because clients give a model the decoded strings.
func clean(text []byte) []byte {
	var out []byte // nil while nothing was replaced
	kept := 0      // bytes of text already in out
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		switch {
		case r == '\\':
			r, n = escaped(text[i:])
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeRune(text[i:])
		}
		if seen := model(r); seen != r || r == utf8.RuneError && n == 1 {
			out = append(out, text[kept:i]...)
			if seen >= 0 {
				out = utf8.AppendRune(out, seen)
			}
			kept = i + n
		}
		i += n
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// escaped returns the character of a JSON escape, and the escape's length.
func escaped(text []byte) (r rune, n int) {
	unit := func(at int) rune {
		if len(text) < at+6 || text[at] != '\\' || text[at+1] != 'u' {
			return -1
		}
		u, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(u)
	}
	r = unit(0)
	if r < 0 { // a short escape, or the end of a torn text
		n = min(2, len(text))
		switch string(text[1:n]) {
		case "b":
			return '\b', n
		case "f":
			return '\f', n
		case "r":
			return '\r', n
		}
		return ' ', n
	}
	if both := utf16.DecodeRune(r, unit(6)); both != utf8.RuneError {
		return both, 12
	}
	return r, 6
}

// model is plain.Model for text of several lines.
func model(r rune) rune {
	switch r {
	case '\n', '\t':
		return r
	case '\r':
		return ' ' // between tokens, or as an escape
	}
	return plain.Model(r)
}
