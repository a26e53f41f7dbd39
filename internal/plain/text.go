package plain

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line is s as one line for a person: line ends and tabs are spaces, the rest is as Person says. Invalid bytes are Replacement, so
// it has at most three times the bytes of s.
func Line(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(personLine, s)
}

// Text is s as lines for a person: Line, but that \n and \t stay.
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

// isASCII says whether s is printable ASCII, of which everything is shown.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Break says whether r ends a line or is a tab: it is a space in what has to be one line.
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

// OneLine is ModelLine with one space for each run of blanks and none at the ends, in at most max bytes (at least 3), cut with "…".
// It looks at no more of s than about max bytes need.
func OneLine(s string, max int) string {
	if len(s) > 4*max {
		s = clip(s, 4*max) // too long whatever it holds, unless it is mostly blank
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

// clip is s, or its beginning and "…", in at most max bytes.
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
