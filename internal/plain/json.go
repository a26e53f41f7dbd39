package plain

import "unicode/utf8"

// AppendJSON appends JSON in which every character is visible. A character that a model must not
// be shown becomes a \u escape, so the JSON's meaning stays. An invalid byte becomes U+FFFD. A
// line end, which can only stand between tokens, becomes a space.
func AppendJSON(dst, json []byte) []byte {
	done := 0 // bytes of json already in dst
	for i := 0; i < len(json); {
		if c := json[i]; c == '\t' || ' ' <= c && c < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(json[i:])
		if invalid := r == utf8.RuneError && n == 1; invalid || fateOf(r) != shown {
			dst = append(dst, json[done:i]...)
			if r == '\n' || r == '\r' {
				dst = append(dst, ' ')
			} else {
				dst = appendEscape(dst, r)
			}
			done = i + n
		}
		i += n
	}
	return append(dst, json[done:]...)
}

func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return appendUnit(appendUnit(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return appendUnit(dst, r)
}

// appendUnit appends the escape of a UTF-16 unit.
func appendUnit(dst []byte, u rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}
