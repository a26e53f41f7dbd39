package jsonl

// Stop is what a function that Object or Array calls returns to have no more of it looked at.
const Stop = -2

// Object passes once over the JSON object that text begins with. It calls f with each key, as it stands there, and what
// follows the colon; f returns how many bytes of that the value takes, as Object, Array and Value say, 0 to have it
// passed over, or Stop. Object returns how many bytes the object takes; -1 if it is none, as far as it looked, or where f
// returned that; Stop if f did. In contrast to Members it is made for values within values: none is looked at twice.
func Object(text []byte, f func(key, rest []byte) int) int {
	if len(text) == 0 || text[0] != '{' {
		return -1
	}
	i := blanks(text, 1)
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
		if i = blanks(text, end); i >= len(text) || text[i] != ':' {
			return -1
		}
		i = blanks(text, i+1)
		var more bool
		if i, more = behind(text, i, f(key, text[i:]), '}'); !more {
			return i
		}
	}
}

// Array is Object for an array.
func Array(text []byte, f func(rest []byte) int) int {
	if len(text) == 0 || text[0] != '[' {
		return -1
	}
	i := blanks(text, 1)
	if i < len(text) && text[i] == ']' {
		return i + 1
	}
	for {
		var more bool
		if i, more = behind(text, i, f(text[i:]), ']'); !more {
			return i
		}
	}
}

// behind passes over a value of n bytes at i (n as f of Object says it) and the comma behind it: more says that another
// one follows, at the index that it returns. Else that is what Object returns.
func behind(text []byte, i, n int, closing byte) (at int, more bool) {
	if n == 0 {
		n = Value(text[i:])
	}
	if n < 0 {
		return n, false
	}
	if i = blanks(text, i+n); i >= len(text) {
		return -1, false
	}
	switch text[i] {
	case closing:
		return i + 1, false
	case ',':
		return blanks(text, i+1), true
	}
	return -1, false
}

// Value is how many bytes the JSON value takes that text begins with, -1 if there is none.
func Value(text []byte) int { return value(text, 0) }
