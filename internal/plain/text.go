package plain

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line returns s as one line for a person: line ends and tabs become spaces, the rest is as
// Person says. Invalid bytes become Replacement, so the result has at most three times the bytes
// of s.
func Line(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(personLine, s)
}

// Text returns s as lines for a person: like Line, but \n and \t stay.
func Text(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(personText, s)
}

// ModelLine is Line for a model.
func ModelLine(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(modelLine, s)
}

// ModelText is Text for a model.
func ModelText(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(modelText, s)
}

// isASCII reports whether s is printable ASCII, all of which is shown.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Break reports whether r is a line end or tab, which becomes a space in a single line.
func Break(r rune) bool {
	return r == '\n' || r == '\r' || r == '\t' || r == 0x2028 || r == 0x2029
}

func personLine(r rune) rune {
	if Break(r) {
		return ' '
	}
	return Person(r)
}

func personText(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	return Person(r)
}

func modelLine(r rune) rune {
	if Break(r) {
		return ' '
	}
	return Model(r)
}

func modelText(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	return Model(r)
}

// OneLine is ModelLine with single spaces for runs of blanks and none at the ends, cut with "…"
// to at most max bytes (at least 3). It reads little more of s than max bytes.
func OneLine(s string, max int) string {
	if len(s) > 4*max {
		s = clip(s, 4*max) // too long in any case, unless it is mostly blank
	}
	if len(s) <= max && isASCII(s) && !strings.Contains(s, "  ") && strings.Trim(s, " ") == s {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' || Break(r) || r == 0x85 || r == 0xa0 {
			space = b.Len() > 0
			continue
		}
		if r = Model(r); r < 0 {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if b.WriteRune(r); b.Len() > max {
			break
		}
	}
	return clip(b.String(), max)
}

// Quote is OneLine in double quotes, which s cannot close.
func Quote(s string, max int) string { return strconv.Quote(OneLine(s, max)) }

// clip returns s, or its beginning and "…", in at most max bytes.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	cut := max - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " ") + "…"
}
