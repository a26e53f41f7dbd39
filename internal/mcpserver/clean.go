package mcpserver

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"aburn/internal/term"
)

// clean is JSON in whose strings every character shows: what would act on a terminal or on the order of the text, and what nobody
// sees but a model, is U+FFFD, as in what the commands print. Clients hand a model the strings as they are.
func clean(text []byte) []byte {
	var out []byte // nil while nothing was replaced
	kept := 0      // of text, in out
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		switch {
		case r == '\\':
			r, n = escaped(text[i:])
		case r >= utf8.RuneSelf:
			if r, n = utf8.DecodeRune(text[i:]); n == 1 {
				r = -1
			}
		}
		if (r < 0 || n > 1) && !shown(r) {
			out = append(append(out, text[kept:i]...), string(utf8.RuneError)...)
			kept = i + n
		}
		i += n
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// escaped is the character that an escape of JSON stands for, and the length of that.
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
	if r < 0 { // \n and its like
		return ' ', min(2, len(text))
	}
	if both := utf16.DecodeRune(r, unit(6)); both != utf8.RuneError {
		return both, 12
	}
	return r, 6
}

// shown says whether a character can stand in a text of several lines.
func shown(r rune) bool { return utf8.ValidRune(r) && term.CleanText(string(r)) == string(r) }
