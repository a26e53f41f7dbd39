package logfmt

import (
	"strings"
	"unicode/utf8"
)

// unsafeRune reports the unsafe characters of SPEC.md, which are never written raw. They are part
// of the format; internal/plain says what may be shown.
func unsafeRune(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r <= 0x9f:
		return true
	case r < 0x61c:
		return false
	case r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case 0x200e <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f:
		return true
	case 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe0fff:
		return true
	}
	return false
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string that a terminal can show: unsafe characters escaped,
// invalid UTF-8 replaced, no HTML escapes.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, n = utf8.DecodeRuneInString(s[i:]); !unsafeRune(r) && (r != utf8.RuneError || n > 1) {
				i += n
				continue
			}
		}
		dst = appendEscape(append(dst, s[done:i]...), r, n)
		i += n
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}

// appendEscape appends the JSON escape of r. An invalid byte (RuneError of width 1) becomes
// U+FFFD itself.
func appendEscape(dst []byte, r rune, width int) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r == utf8.RuneError && width == 1:
		return append(dst, "\uFFFD"...)
	case r > 0xffff:
		r -= 0x10000
		return appendHex4(appendHex4(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return appendHex4(dst, r)
}

func appendHex4(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// appendClean appends valid JSON without blanks between tokens, and with the unsafe characters in
// its strings escaped. Existing escapes stay.
func appendClean(dst, json []byte) []byte {
	inside := false
	for i := 0; i < len(json); i++ {
		c := json[i]
		switch {
		case !inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		case c == '"':
			inside = !inside
		case inside && c == '\\':
			dst = append(dst, c)
			i++
			c = json[i]
		case c >= 0x7f:
			r, n := utf8.DecodeRune(json[i:])
			if unsafeRune(r) || r == utf8.RuneError && n == 1 {
				dst = appendEscape(dst, r, n)
			} else {
				dst = append(dst, json[i:i+n]...)
			}
			i += n - 1
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// clip returns s, or its beginning and "…", in at most max bytes (at least 3) of whole
// characters.
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

// oneLine returns s for the human line: a run of blanks and line ends becomes one space, other
// unsafe characters and invalid bytes become U+FFFD. It returns at most max bytes, and reads
// little more of s.
func oneLine(s string, max int) string {
	if len(s) <= max && isOneLine(s) {
		return s
	}
	if len(s) > 4*max {
		s = clip(s, 4*max) // too long in any case, unless it is mostly blank
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == 0x2028 || r == 0x2029 || r == 0x85 || r == 0xa0:
			space = b.Len() > 0
			continue
		case unsafeRune(r):
			r = utf8.RuneError
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

// isOneLine reports whether oneLine would leave s unchanged, as printable ASCII.
func isOneLine(s string) bool {
	space := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && space {
			return false
		}
		space = s[i] == ' '
	}
	return !space || s == ""
}
