package install

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// SyntaxError is the first place in a settings file that is not JSON, or not what the agent documents.
type SyntaxError struct {
	Path         string
	Line, Column int // both from 1; columns count characters, without a byte-order mark
	Text         string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Text)
}

// maxDepth bounds the scanner's recursion; agents' own parsers give up far earlier.
const maxDepth = 1000

var (
	utf8BOM  = []byte("\xef\xbb\xbf")
	utf16LE  = []byte("\xff\xfe")
	utf16BE  = []byte("\xfe\xff")
	literals = [...]string{"true", "false", "null"}
)

// parse reads a settings file as the agent does.
func (a *Adapter) parse(path string, data []byte) (*document, error) {
	return scan(path, data, a.Hooks.Comments)
}

// parse reads JSON without comments.
func parse(path string, data []byte) (*document, error) { return scan(path, data, false) }

// scan reads strict JSON: no trailing commas, no NUL, valid UTF-8, one value, no comments unless the agent takes them.
// Like the agents it accepts a leading byte-order mark and duplicate keys, of which the last one counts.
func scan(path string, data []byte, comments bool) (*document, error) {
	s := scanner{path: path, data: data, comments: comments}
	switch {
	case bytes.HasPrefix(data, utf16LE), bytes.HasPrefix(data, utf16BE):
		return nil, s.fail(0, "UTF-16 text: the agents read UTF-8 only")
	case bytes.HasPrefix(data, utf8BOM):
		s.pos = len(utf8BOM)
	}
	s.space()
	if s.pos == len(data) {
		return nil, s.fail(s.pos, "the file is empty, which is not JSON")
	}
	root, err := s.value(0)
	if err != nil {
		return nil, err
	}
	s.space()
	if s.pos < len(data) {
		return nil, s.unexpected("text after the end of the JSON value")
	}
	return &document{path: path, data: data, root: root, comments: s.found}, nil
}

// scanner walks over data once, from pos.
type scanner struct {
	path     string
	data     []byte
	pos      int
	comments bool   // they count as space
	found    []span // the comments so far
}

func (s *scanner) fail(at int, format string, args ...any) error {
	line, column := place(s.data, at)
	return &SyntaxError{Path: s.path, Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}

// place turns an offset into line and column. A line ends with \n, \r\n or a lone \r.
func place(data []byte, at int) (line, column int) {
	before := bytes.TrimPrefix(data[:at], utf8BOM)
	line, last := 1, 0
	for i, b := range before {
		if b == '\n' || b == '\r' && (i+1 >= len(before) || before[i+1] != '\n') {
			line, last = line+1, i+1
		}
	}
	return line, 1 + utf8.RuneCount(before[last:])
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		case '/':
			if !s.comment() {
				return
			}
		default:
			return
		}
	}
}

// comment moves over a comment at pos, without the end of its line. It reports whether there is a whole one.
func (s *scanner) comment() bool {
	rest := s.data[s.pos:]
	n := -1
	switch {
	case !s.comments:
	case bytes.HasPrefix(rest, []byte("//")):
		if n = bytes.IndexAny(rest, "\r\n"); n < 0 {
			n = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		if n = bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			n += 4
		}
	}
	if n < 0 {
		return false
	}
	s.found = append(s.found, span{s.pos, s.pos + n})
	s.pos += n
	return true
}

// unexpected is the error for the byte or the end at pos.
func (s *scanner) unexpected(want string) error {
	if s.pos >= len(s.data) {
		return s.fail(s.pos, "the file ends here: %s", want)
	}
	switch c := s.data[s.pos]; {
	case c == 0:
		return s.fail(s.pos, "a NUL byte")
	case c == '/' && s.comments:
		return s.fail(s.pos, "no whole comment")
	case c == '/' || c == '#':
		return s.fail(s.pos, "a comment, which JSON does not have")
	case c < ' ':
		return s.fail(s.pos, "a control character (0x%02x)", c)
	}
	r, size := utf8.DecodeRune(s.data[s.pos:])
	if r == utf8.RuneError && size < 2 {
		return s.fail(s.pos, "a byte that is not UTF-8 (0x%02x)", s.data[s.pos])
	}
	return s.fail(s.pos, "%q: %s", r, want)
}

func (s *scanner) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, s.fail(s.pos, "nested more than %d deep", maxDepth)
	}
	if s.pos >= len(s.data) {
		return value{}, s.unexpected("a value is missing")
	}
	switch c := s.data[s.pos]; {
	case c == '{':
		return s.object(depth)
	case c == '[':
		return s.array(depth)
	case c == '"':
		start := s.pos
		err := s.skipString()
		return value{kind: text, start: start, end: s.pos}, err
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range literals {
		if bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
			v := value{kind: kind(word[0]), start: s.pos, end: s.pos + len(word)}
			s.pos = v.end
			return v, nil
		}
	}
	return value{}, s.unexpected("a value is missing")
}

func (s *scanner) object(depth int) (value, error) {
	v := value{kind: object, start: s.pos}
	err := s.list('}', func() error {
		if s.pos >= len(s.data) || s.data[s.pos] != '"' {
			return s.unexpected("a key in double quotes is missing")
		}
		m := member{keyStart: s.pos}
		if err := s.skipString(); err != nil {
			return err
		}
		m.key = unquote(s.data[m.keyStart:s.pos])
		s.space()
		if s.pos >= len(s.data) || s.data[s.pos] != ':' {
			return s.unexpected("a colon is missing")
		}
		s.pos++
		s.space()
		var err error
		m.value, err = s.value(depth + 1)
		v.members = append(v.members, m)
		return err
	})
	v.end = s.pos
	return v, err
}

func (s *scanner) array(depth int) (value, error) {
	v := value{kind: array, start: s.pos}
	err := s.list(']', func() error {
		elem, err := s.value(depth + 1)
		v.elems = append(v.elems, elem)
		return err
	})
	v.end = s.pos
	return v, err
}

// list reads from the opening bracket at pos to the closing one and calls one for each item.
func (s *scanner) list(closing byte, one func() error) error {
	opened := s.pos
	s.pos++
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == closing {
		s.pos++
		return nil
	}
	for {
		if s.pos >= len(s.data) {
			return s.unclosed("what", opened)
		}
		if err := one(); err != nil {
			return err
		}
		s.space()
		if s.pos >= len(s.data) {
			return s.unclosed("what", opened)
		}
		switch s.data[s.pos] {
		case closing:
			s.pos++
			return nil
		case ',':
		default:
			return s.unexpected(fmt.Sprintf("',' or %q is missing", closing))
		}
		comma := s.pos
		s.pos++
		s.space()
		if s.pos < len(s.data) && s.data[s.pos] == closing {
			return s.fail(comma, "a trailing comma, which JSON does not have")
		}
	}
}

// skipString moves over the string at pos.
func (s *scanner) skipString() error {
	opened := s.pos
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			if err := s.escape(opened); err != nil {
				return err
			}
		case c < ' ':
			return s.unexpected("")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size < 2 {
				return s.unexpected("")
			}
			s.pos += size
		}
	}
	return s.unclosed("the string that", opened)
}

// unclosed is the error for the end of the file inside of something.
func (s *scanner) unclosed(what string, opened int) error {
	line, column := place(s.data, opened)
	return s.unexpected(fmt.Sprintf("%s opened at %d:%d is never closed", what, line, column))
}

func (s *scanner) escape(opened int) error {
	n := 2
	if s.pos+1 >= len(s.data) {
		s.pos = len(s.data)
		return s.unclosed("the string that", opened)
	}
	switch s.data[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		n = 6
		for i := s.pos + 2; i < s.pos+n; i++ {
			if i >= len(s.data) {
				s.pos = i
				return s.unclosed("the string that", opened)
			}
			if !isHex(s.data[i]) {
				return s.fail(s.pos, "\\u needs four hex digits")
			}
		}
	default:
		return s.fail(s.pos, "an unknown escape in a string")
	}
	s.pos += n
	return nil
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) number() (value, error) {
	v := value{kind: number, start: s.pos}
	if s.data[s.pos] == '-' {
		s.pos++
	}
	switch {
	case s.pos < len(s.data) && s.data[s.pos] == '0':
		s.pos++
	case s.digits() == 0:
		return v, s.unexpected("a digit is missing")
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if s.digits() == 0 {
			return v, s.unexpected("a digit is missing")
		}
	}
	if s.pos < len(s.data) && (s.data[s.pos] == 'e' || s.data[s.pos] == 'E') {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		if s.digits() == 0 {
			return v, s.unexpected("a digit is missing")
		}
	}
	v.end = s.pos
	return v, nil
}

func (s *scanner) digits() (n int) {
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
		n++
	}
	return n
}
