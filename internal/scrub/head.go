package scrub

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reach is how far beyond the part that is kept Head looks for secrets, in bytes: the longest token of a known length
// is shorter, and of those without one the start is enough.
const reach = 2 << 10

// ellipsis ends a head that is not the whole text.
const ellipsis = "…"

// Head returns the start of s as entries store it: scrubbed, the home directory as ~, on one line, without control and
// bidi characters, at most max bytes and cut on a rune boundary with "…". A secret that the cut falls into is redacted
// like any other, as the search goes on behind the cut. The work does not grow with s.
func Head(s string, max int) string {
	if max <= len(ellipsis) {
		return ""
	}
	keep := 4 * max // redactions are mostly shorter than what they stand for
	window, whole := start(s, keep+reach)
	text := clean(window)
	if whole {
		keep = len(text)
	}
	text, cut, searched := scrubbed(text, keep)
	line := squeeze(tilde(text, home()))
	if !searched || line != text { // what stood on two lines, or far apart, now stands side by side
		line, _ = Text(line)
	}
	return shorten(line, max, cut || !whole)
}

// start is the first n bytes of s, or fewer so that no rune is cut, and whether that is all of it.
func start(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, true
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], false
}

// scrubbed is what stands in the first keep bytes of s, without secrets; cut says that more stood there, searched that out
// as it is was searched, and nothing found. A secret that begins before keep is one marker, however far it goes.
func scrubbed(s string, keep int) (out string, cut, searched bool) {
	for range maxRounds {
		spans := find(s)
		if len(spans) == 0 {
			searched = true
			break
		}
		longer := 0
		for _, sp := range spans {
			if sp.start >= keep {
				break
			}
			keep = max(keep, sp.end)
			longer += len(marker(sp.rule)) - (sp.end - sp.start)
		}
		keep += longer
		s = replace(s, spans)
	}
	out, whole := start(s, keep)
	return out, !whole, searched && whole
}

// clean takes out of s what a terminal or a reader would not show as it is: terminal sequences, control characters but
// for blanks and newlines, bidi and other invisible characters, and broken UTF-8. It comes before the search, so that
// nothing invisible can stand within a secret and hide it.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := plainRun(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if n := terminalSequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			b.WriteByte('\n')
		case !invisible(r):
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func isClean(s string) bool { return plainRun(s) == len(s) }

// plainRun is how many bytes s begins with that are shown as they are, without a look into the tables of Unicode.
func plainRun(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 { // eight printable bytes at once
		x := eight(s[i:])
		newlines, tabs, deletes := x^'\n'*ones, x^'\t'*ones, x^0x7f*ones
		blank := ^((newlines&^tops + 0x7f*ones) | newlines) | ^((tabs&^tops + 0x7f*ones) | tabs) // of these bytes alone, whatever is beside them
		if ((x-' '*ones)&^blank|x|(deletes-ones)&^deletes)&tops != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if b := s[i]; b >= utf8.RuneSelf || b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
			return i
		}
	}
	return len(s)
}

// invisible says whether r is left out.
func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u200d': // joins the parts of an emoji; alone it is invisible like the rest
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// terminalSequence is the length of the escape sequence that s begins with, 0 when it is none: ESC [ … letter.
func terminalSequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	i := 2
	for i < len(s) && i < 32 && (s[i] < '@' || s[i] > '~') {
		i++
	}
	return min(i+1, len(s))
}

// home is the home directory, "" when it is not known or is the root.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil || len(dir) < 3 {
		return ""
	}
	return strings.TrimRight(dir, "/")
}

// tilde writes ~ for the home directory where a path begins with it.
func tilde(s, home string) string {
	if home == "" || !strings.Contains(s, home) {
		return s
	}
	var b strings.Builder
	at := 0
	for i := 0; i+len(home) <= len(s); {
		n := strings.Index(s[i:], home)
		if n < 0 {
			break
		}
		i += n
		end := i + len(home)
		if begins, ends := i == 0 || !isPathByte(s[i-1]), end == len(s) || s[end] == '/' || !isPathByte(s[end]); begins && ends {
			b.WriteString(s[at:i])
			b.WriteByte('~')
			at = end
		}
		i = end
	}
	b.WriteString(s[at:])
	return b.String()
}

// isPathByte says whether b goes on with the name of a folder.
func isPathByte(b byte) bool {
	return (setWord | setDash | setDot).has(b) || b == '/' || b >= utf8.RuneSelf
}

// squeeze makes s one line, with one blank for each stretch of white space and none at its ends.
func squeeze(s string) string {
	s = strings.TrimSpace(s)
	end := squeezed(s, 0)
	if end == len(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for at := 0; ; end = squeezed(s, at) {
		b = append(b, s[at:end]...)
		if end == len(s) {
			return string(b)
		}
		r, n := utf8.DecodeRuneInString(s[end:])
		at = end + n
		if !unicode.IsSpace(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		if b[len(b)-1] != ' ' {
			b = append(b, ' ')
		}
		for at < len(s) && setSpace.has(s[at]) {
			at++
		}
	}
}

// squeezed is the end of what stays as it is from s[i] on.
func squeezed(s string, i int) int {
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || setSpace.has(s[i]) && (s[i] != ' ' || s[i-1] == ' ') {
			break
		}
	}
	return i
}

// shorten cuts s to at most max bytes; more says that more stood behind it. A marker is kept whole or left out.
func shorten(s string, max int, more bool) string {
	if len(s) <= max && !more {
		return s
	}
	end := 0
	for end < len(s) {
		n := 0
		if s[end] == markOpen[0] {
			n = markerLen(s[end:])
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[end:])
		}
		if end+n > max-len(ellipsis) {
			break
		}
		end += n
	}
	return strings.TrimRight(s[:end], " ") + ellipsis
}
