package logfmt

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds nesting, so that a line of brackets uses no stack.
const maxDepth = 512

// scanError is the fault at the returned place.
type scanError string

const (
	errSyntax scanError = "not valid JSON"
	errDepth  scanError = "nested deeper than 512"
)

func (e scanError) Error() string { return string(e) }

// Valid reports whether json is exactly one JSON value (RFC 8259, with blanks around it), nested
// at most 512 deep. Unlike gjson.Valid and json.Valid it needs only bounded stack. It does not
// check UTF-8.
func Valid(json []byte) bool {
	end, err := scanValue(json, skipSpace(json, 0))
	return err == nil && skipSpace(json, end) == len(json)
}

// nesting says for each open bracket whether it is an object's.
type nesting struct {
	depth  int
	object [maxDepth / 64]uint64
}

func (n *nesting) push(object bool) bool {
	if n.depth == maxDepth {
		return false
	}
	word, bit := n.depth/64, uint64(1)<<(n.depth%64)
	n.object[word] &^= bit
	if object {
		n.object[word] |= bit
	}
	n.depth++
	return true
}

func (n *nesting) inObject() bool {
	top := n.depth - 1
	return top >= 0 && n.object[top/64]>>(top%64)&1 != 0
}

// scanValue returns the index after the value that begins at b[i], or the index of the fault.
func scanValue(b []byte, i int) (end int, err error) {
	var n nesting
	for {
		if i, err = n.begin(b, i); err != nil {
			return i, err
		}
		if i, err = n.close(b, i); err != nil || n.depth == 0 {
			return i, err
		}
		if i, err = n.next(b, i); err != nil {
			return i, err
		}
	}
}

// begin reads a scalar, or opening brackets up to the first scalar or empty container in them.
func (n *nesting) begin(b []byte, i int) (int, error) {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return scanString(b, i)
		case c == '-' || '0' <= c && c <= '9':
			return scanNumber(b, i)
		case c == '{' || c == '[':
			if !n.push(c == '{') {
				return i, errDepth
			}
			if i = skipSpace(b, i+1); i < len(b) && b[i] == c+2 { // '}' is '{'+2, ']' is '['+2
				return i, nil
			}
			if c == '{' {
				var err error
				if i, err = scanKey(b, i); err != nil {
					return i, err
				}
			}
		default:
			return scanWord(b, i)
		}
	}
	return i, errSyntax
}

// close reads the closing brackets at b[i].
func (n *nesting) close(b []byte, i int) (int, error) {
	for n.depth > 0 {
		if i = skipSpace(b, i); i >= len(b) {
			return i, errSyntax
		}
		if c := b[i]; c != '}' && c != ']' {
			return i, nil
		} else if (c == '}') != n.inObject() {
			return i, errSyntax
		}
		n.depth--
		i++
	}
	return i, nil
}

// next skips the comma, and in an object the next key.
func (n *nesting) next(b []byte, i int) (int, error) {
	if b[i] != ',' {
		return i, errSyntax
	}
	i = skipSpace(b, i+1)
	if n.inObject() {
		return scanKey(b, i)
	}
	return i, nil
}

// scanKey reads `"key" :` at b[i] and returns where the value begins.
func scanKey(b []byte, i int) (int, error) {
	if i >= len(b) || b[i] != '"' {
		return i, errSyntax
	}
	i, err := scanString(b, i)
	if err != nil {
		return i, err
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return i, errSyntax
	}
	return skipSpace(b, i+1), nil
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

// stopBytes marks with 0x80 the first byte of w, in memory order, that is a quote, a backslash or
// below 0x20. Later marks may be wrong: only the lowest counts.
func stopBytes(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & tops
}

// escapeLen is the length of the escape that b begins with, or 0.
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

func scanWord(b []byte, i int) (int, error) {
	for _, word := range [...]string{"true", "false", "null"} {
		if hasPrefix(b[i:], word) {
			return i + len(word), nil
		}
	}
	return i, errSyntax
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}
