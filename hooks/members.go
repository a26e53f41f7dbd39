package hooks

import (
	"strings"

	"github.com/tidwall/gjson"
)

// JSON is one valid JSON value as it stands in a payload. It is parsed only on demand:
// a payload may hold megabytes that nobody looks at.
type JSON string

// Get returns the value at a gjson path.
func (v JSON) Get(path string) gjson.Result { return gjson.Get(string(v), path) }

// Parse returns v as a gjson value.
func (v JSON) Parse() gjson.Result { return gjson.Parse(string(v)) }

// Str returns v's text if v is a string, else "".
func (v JSON) Str() string {
	if v == "" || v[0] != '"' {
		return ""
	}
	return v.Parse().Str
}

// Members calls f with every member of the object v, in order, until it returns
// false. It passes over long strings as fast as memory is read, where a parser
// that unescapes them would copy.
func (v JSON) Members(f func(key string, value JSON) bool) {
	s := strings.TrimLeft(string(v), " \t\r\n")
	if s == "" || s[0] != '{' {
		return
	}
	for i := skipBlanks(s, 1); i < len(s) && s[i] == '"'; {
		end := skipString(s, i)
		key := s[i+1 : end-1]
		if strings.IndexByte(key, '\\') >= 0 {
			key = gjson.Parse(s[i:end]).Str
		}
		start := skipBlanks(s, skipBlanks(s, end)+1) // over the colon
		if i = skipValue(s, start); !f(key, JSON(s[start:i])) {
			return
		}
		if i = skipBlanks(s, i); i < len(s) && s[i] == ',' {
			i = skipBlanks(s, i+1)
		}
	}
}

func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at s[i].
func skipString(s string, i int) int {
	for i++; ; i++ {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s)
		}
		i += n
		escapes := 0
		for s[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the index after the value that begins at s[i].
func skipValue(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = skipString(s, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		default:
			i++
			if depth == 0 { // a number or a word
				for i < len(s) && strings.IndexByte(",]} \t\r\n", s[i]) < 0 {
					i++
				}
				return i
			}
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return i
}
