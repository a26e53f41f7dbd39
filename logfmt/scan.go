package logfmt

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// maxDepth bounds nesting, so that a line of brackets costs no stack.
const maxDepth = 512

var (
	errSyntax = errors.New("not valid JSON")
	errDepth  = errors.New("nested deeper than 512")
)

// Valid reports whether json is exactly one JSON value (RFC 8259, blanks around
// it allowed), nested at most 512 deep. Unlike gjson.Valid and json.Valid it
// needs bounded stack whatever the input; it does not look at UTF-8.
func Valid(json []byte) bool {
	end, err := scanValue(json, skipSpace(json, 0), 0)
	return err == nil && skipSpace(json, end) == len(json)
}

// scanValue returns the index after the value that begins at b[i].
func scanValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, errSyntax
	}
	switch c := b[i]; {
	case c == '"':
		return scanString(b, i)
	case c == '{':
		return scanObject(b, i, depth+1)
	case c == '[':
		return scanArray(b, i, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		return scanNumber(b, i)
	case c == 't':
		return scanWord(b, i, "true")
	case c == 'f':
		return scanWord(b, i, "false")
	case c == 'n':
		return scanWord(b, i, "null")
	}
	return i, errSyntax
}

func scanObject(b []byte, i, depth int) (int, error) {
	if depth > maxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		_, value, end, err := scanMember(b, i, depth)
		if err != nil {
			return value, err
		}
		i = skipSpace(b, end)
		if i >= len(b) {
			return i, errSyntax
		}
		switch b[i] {
		case '}':
			return i + 1, nil
		case ',':
			i = skipSpace(b, i+1)
		default:
			return i, errSyntax
		}
	}
}

// scanMember reads `"key" : value` at b[i]: the key ends (with its quote) at
// keyEnd, the value is b[value:end].
func scanMember(b []byte, i, depth int) (keyEnd, value, end int, err error) {
	if i >= len(b) || b[i] != '"' {
		return i, i, i, errSyntax
	}
	if keyEnd, err = scanString(b, i); err != nil {
		return i, keyEnd, i, err
	}
	value = skipSpace(b, keyEnd)
	if value >= len(b) || b[value] != ':' {
		return i, value, i, errSyntax
	}
	value = skipSpace(b, value+1)
	end, err = scanValue(b, value, depth)
	return keyEnd, value, end, err
}

func scanArray(b []byte, i, depth int) (int, error) {
	if depth > maxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		end, err := scanValue(b, i, depth)
		if err != nil {
			return end, err
		}
		i = skipSpace(b, end)
		if i >= len(b) {
			return i, errSyntax
		}
		switch b[i] {
		case ']':
			return i + 1, nil
		case ',':
			i = skipSpace(b, i+1)
		default:
			return i, errSyntax
		}
	}
}

// scanString returns the index after the string that begins at b[i] == '"'.
func scanString(b []byte, i int) (int, error) {
	i++
	for {
		for i+8 <= len(b) {
			m := stopBytes(binary.LittleEndian.Uint64(b[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			return i, errSyntax
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				return i, errSyntax
			}
			i += n
		case c < ' ':
			return i, errSyntax
		default:
			i++
		}
	}
}

// stopBytes marks (0x80 in its place) the first byte of w, in memory order, that
// is a quote, a backslash or below 0x20. Later marks may be false: only the
// lowest counts.
func stopBytes(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & tops
}

// escapeLen is the length of the escape that b begins with; 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func scanNumber(b []byte, i int) (int, error) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if i = skipDigits(b, i); i == first || b[first] == '0' && i > first+1 {
		return i, errSyntax
	}
	if i < len(b) && b[i] == '.' {
		frac := i + 1
		if i = skipDigits(b, frac); i == frac {
			return i, errSyntax
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		exp := i
		if i = skipDigits(b, exp); i == exp {
			return i, errSyntax
		}
	}
	return i, nil
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

func scanWord(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, errSyntax
	}
	return i + len(word), nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}
