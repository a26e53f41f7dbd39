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
		n := f(key, text[i:])
		if n == 0 {
			n = Value(text[i:])
		}
		if n < 0 {
			return n
		}
		if i = blanks(text, i+n); i >= len(text) {
			return -1
		}
		if text[i] == '}' {
			return i + 1
		}
		if text[i] != ',' {
			return -1
		}
		i = blanks(text, i+1)
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
		n := f(text[i:])
		if n == 0 {
			n = Value(text[i:])
		}
		if n < 0 {
			return n
		}
		if i = blanks(text, i+n); i >= len(text) {
			return -1
		}
		if text[i] == ']' {
			return i + 1
		}
		if text[i] != ',' {
			return -1
		}
		i = blanks(text, i+1)
	}
}

// Value is how many bytes the JSON value takes that text begins with, -1 if there is none.
func Value(text []byte) int { return value(text, 0) }
