package jsonl

// Stop is returned by a callback of Object or Array to end the pass.
const Stop = -2

// Object passes once over the JSON object at the beginning of text. It calls f with each raw key and the text after
// the colon. f returns the length of the value in bytes, as from Object, Array or Value; 0 to have it skipped; or
// Stop. Object returns the object's length in bytes; -1 if there is no object, as far as it looked, or if f returned
// -1; Stop if f did. Members looks at nested values twice, Object does not.
func Object(text []byte, f func(key, rest []byte) int) int {
	if len(text) == 0 || text[0] != '{' {
		return -1
	}
	i := skipBlanks(text, 1)
	if i < len(text) && text[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(text) || text[i] != '"' {
			return -1
		}
		end := literal(text, i)
		if end < 0 {
			return -1
		}
		key := text[i+1 : end-1]
		if i = skipBlanks(text, end); i >= len(text) || text[i] != ':' {
			return -1
		}
		i = skipBlanks(text, i+1)
		var more bool
		if i, more = next(text, i, f(key, text[i:]), '}'); !more {
			return i
		}
	}
}

// Array is Object for an array.
func Array(text []byte, f func(rest []byte) int) int {
	if len(text) == 0 || text[0] != '[' {
		return -1
	}
	i := skipBlanks(text, 1)
	if i < len(text) && text[i] == ']' {
		return i + 1
	}
	for {
		var more bool
		if i, more = next(text, i, f(text[i:]), ']'); !more {
			return i
		}
	}
}

// next skips a value of n bytes at i (n as returned by f of Object) and the comma behind it. If more is false, at is
// the result of Object.
func next(text []byte, i, n int, closing byte) (at int, more bool) {
	if n == 0 {
		n = Value(text[i:])
	}
	if n < 0 {
		return n, false
	}
	if i = skipBlanks(text, i+n); i >= len(text) {
		return -1, false
	}
	switch text[i] {
	case closing:
		return i + 1, false
	case ',':
		return skipBlanks(text, i+1), true
	}
	return -1, false
}

// Value returns the length in bytes of the JSON value at the beginning of text, -1 if there is none.
func Value(text []byte) int { return value(text, 0) }
