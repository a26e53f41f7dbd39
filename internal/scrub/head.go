package scrub

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reach is how many bytes past the kept part Head searches for secrets. Tokens of a known length
// are shorter; of others the beginning is enough.
const reach = 2 << 10

// ellipsis ends a cut head.
const ellipsis = "…"

// Head returns the start of s as entries store it: scrubbed, with ~ for the home directory, on
// one line, without control and bidi characters, at most max bytes, cut between characters with
// "…". It searches past the cut, so a secret at the cut is redacted like any other. The work does
// not grow with s.
func Head(s string, max int) string {
	var m Memory
	return m.Head(s, max)
}

// Head is the function Head, which also redacts the values that m holds. m then holds the values of s, too.
func (m *Memory) Head(s string, max int) string {
	if max <= len(ellipsis) {
		return ""
	}
	keep := 4 * max // a redaction is mostly shorter than its secret
	window, whole := start(s, keep+reach)
	text := clean(window)
	if whole {
		keep = len(text)
	}
	text, cut, searched := m.scrubbed(text, keep)
	line := squeeze(tilde(text, home()))
	if !searched || line != text { // joining lines, or removing text, may have formed a new secret
		line, _ = m.Text(line)
	}
	return shorten(line, max, cut || !whole)
}

// start is the first n bytes of s, or fewer so that no rune is cut. It reports whether that is
// all of s.
func start(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, true
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], false
}

// scrubbed is the first keep bytes of s without secrets. cut says that s is longer. searched says
// that exactly out was searched and nothing found. A secret that begins before keep becomes one
// marker, however long it is.
func (m *Memory) scrubbed(s string, keep int) (out string, cut, searched bool) {
	for range maxRounds {
		spans := m.find(s)
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

// clean removes what a terminal or a reader would not show: terminal sequences, control
// characters except blanks and newlines, bidi and other invisible characters, and invalid UTF-8.
// It runs before the search, so that nothing invisible can hide a secret.
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

// plainRun is the number of leading bytes that are shown unchanged, found without the tables of
// Unicode.
func plainRun(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 { // eight printable bytes at once
		x := eight(s[i:])
		newlines, tabs, deletes := x^'\n'*ones, x^'\t'*ones, x^0x7f*ones
		blank := ^((newlines&^tops + 0x7f*ones) | newlines) | ^((tabs&^tops + 0x7f*ones) | tabs) // exact for each byte, whatever its neighbours are
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

// invisible reports whether r is left out.
func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u200d': // joins the parts of an emoji; alone it is invisible
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// terminalSequence is the length of the escape sequence ESC [ … letter that s begins with, or 0.
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

// home is the home directory, or "" if it is unknown or the root.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil || len(dir) < 3 {
		return ""
	}
	return strings.TrimRight(dir, "/")
}

// tilde replaces the home directory at the beginning of paths by ~.
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

// isPathByte reports whether b continues a folder's name.
func isPathByte(b byte) bool {
	return (setWord | setDash | setDot).has(b) || b == '/' || b >= utf8.RuneSelf
}

// squeeze makes s one line, with single blanks for white space and none at the ends.
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

// squeezed is the end of the part from s[i] on that squeeze would keep.
func squeezed(s string, i int) int {
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || setSpace.has(s[i]) && (s[i] != ' ' || s[i-1] == ' ') {
			break
		}
	}
	return i
}

// shorten cuts s to at most max bytes; more says that text followed s. A marker is kept whole or
// left out.
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
