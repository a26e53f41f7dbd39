package jsonl

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Members calls f with each member of the JSON object obj, in order, until f returns false: the raw text of the key,
// and the raw value. It returns true if obj is an object, as far as it looked; it does not look into values. It skips
// long strings at memory speed.
func Members(obj []byte, f func(key, value []byte) bool) bool {
	obj = obj[skipBlanks(obj, 0):]
	n := Object(obj, func(key, rest []byte) int {
		n := Value(rest)
		if n < 0 {
			return n
		}
		if bytes.IndexByte(key, '\\') >= 0 {
			key = appendUnescaped(nil, key)
		}
		if !f(key, rest[:n]) {
			return Stop
		}
		return n
	})
	return n == Stop || n >= 0 && skipBlanks(obj, n) == len(obj)
}

// Elements is Members for an array.
func Elements(arr []byte, f func(value []byte) bool) bool {
	arr = arr[skipBlanks(arr, 0):]
	n := Array(arr, func(rest []byte) int {
		n := Value(rest)
		if n >= 0 && !f(rest[:n]) {
			return Stop
		}
		return n
	})
	return n == Stop || n >= 0 && skipBlanks(arr, n) == len(arr)
}

// Text returns the text of the JSON string raw; "" if raw is no string.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if inside := raw[1 : len(raw)-1]; bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	var short [512]byte // fits most texts, so that they are allocated once
	return string(AppendText(short[:0], raw))
}

// AppendText appends the text of the JSON string raw. Half of a surrogate pair becomes U+FFFD; an escape that JSON
// does not know stays as it is.
func AppendText(dst, raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return dst
	}
	return appendUnescaped(dst, raw[1:len(raw)-1])
}

// appendUnescaped is AppendText for the inside of a string.
func appendUnescaped(dst, s []byte) []byte {
	for {
		var n int
		dst, n = appendCommon(dst, s)
		if s = s[n:]; len(s) < 2 {
			return append(dst, s...)
		}
		if s[1] != 'u' { // JSON does not know it
			dst, s = append(dst, s[:2]...), s[2:]
			continue
		}
		r, n := unicodeEscape(s)
		dst = utf8.AppendRune(dst, r)
		s = s[n:]
	}
}

// escapes maps the letter after a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// wordBytes is how many bytes appendCommon looks at at once.
const wordBytes = 8

// appendCommon appends the text of s up to its first escape that is not one of a letter, and returns how many bytes of
// s that took. In programs and their output the runs between escapes are too short for bytes.IndexByte to pay.
func appendCommon(dst, s []byte) ([]byte, int) {
	const low, high = 0x0101010101010101, 0x8080808080808080
	dst = slices.Grow(dst, len(s)) // no escape grows
	from, to := s, dst[len(dst):cap(dst)]
	for len(from) >= wordBytes && len(to) >= wordBytes {
		x := binary.LittleEndian.Uint64(from)
		binary.LittleEndian.PutUint64(to, x)
		x ^= low * '\\'
		found := (x - low) &^ x & high // the lowest bit is that of the first backslash
		if found == 0 {
			from, to = from[wordBytes:], to[wordBytes:]
			continue
		}
		n := bits.TrailingZeros64(found) / 8
		from, to = from[n:], to[n:]
		if len(from) < 2 || escapes[from[1]] == 0 {
			break
		}
		to[0] = escapes[from[1]]
		from, to = from[2:], to[1:]
	}
	for len(from) > 0 {
		b, n := from[0], 1
		if b == '\\' {
			if len(from) < 2 || escapes[from[1]] == 0 {
				break
			}
			b, n = escapes[from[1]], 2
		}
		to[0] = b
		from, to = from[n:], to[1:]
	}
	return dst[:cap(dst)-len(to)], len(s) - len(from)
}

// unicodeEscape returns the rune of the \u escape or surrogate pair at the beginning of s, and its length in bytes.
func unicodeEscape(s []byte) (rune, int) {
	r := hex4(s)
	if r < 0 {
		return utf8.RuneError, min(len(s), 2)
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 returns the value of the four digits of the \uXXXX at the beginning of s, or -1.
func hex4(s []byte) rune {
	if len(s) < 6 {
		return -1
	}
	var r rune
	for _, b := range s[2:6] {
		switch {
		case b >= '0' && b <= '9':
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(b)
	}
	return r
}

// Int parses raw as a whole number.
func Int(raw []byte) (int64, bool) {
	if n, ok := digits(raw); ok {
		return n, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// digits parses a number of digits alone, few enough not to overflow.
func digits(raw []byte) (n int64, ok bool) {
	const most = 18
	for _, b := range raw {
		if b < '0' || b > '9' {
			return 0, false
		}
		n = 10*n + int64(b-'0')
	}
	return n, len(raw) > 0 && len(raw) <= most
}

func skipBlanks(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// literal returns the index after the string that begins at s[i], or -1 if the string does not end.
func literal(s []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	begin := i
	i++
	// Names, ids and times are short: looking at words is quicker than to call bytes.IndexByte.
	for most := i + 5*wordBytes; i < most && i+wordBytes <= len(s); i += wordBytes {
		x := binary.LittleEndian.Uint64(s[i:])
		quote, slash := x^'"'*ones, x^'\\'*ones
		if found := ((quote-ones)&^quote | (slash-ones)&^slash) & tops; found != 0 { // the lowest bit is of the first one
			if i += bits.TrailingZeros64(found) / 8; s[i] == '"' {
				return i + 1
			}
			break
		}
	}
	for ; i < len(s); i++ {
		n := bytes.IndexByte(s[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := i - 1
		for escapes > begin && s[escapes] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 1 {
			return i + 1
		}
	}
	return -1
}

// value returns the index after the value that begins at s[i], or -1 if there is none.
func value(s []byte, i int) int {
	if i >= len(s) {
		return -1
	}
	switch s[i] {
	case '"':
		return literal(s, i)
	case '{', '[':
		return nested(s, i)
	}
	start := i
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] == '-' ||
		s[i] == '+' || s[i] == '.') {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// nested is value for an object or array.
func nested(s []byte, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			if i = literal(s, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
