package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Parse reads a trace in its JSON form. Unknown members, members of another type than they are written in, and what
// Validate refuses are errors. The trace's texts share one copy of data.
func Parse(data []byte) (*SessionTrace, error) {
	d := decoder{text: string(data)}
	t := new(SessionTrace)
	d.trace(t)
	d.end()
	if d.err != nil {
		return nil, fmt.Errorf("parse trace: %w", d.err)
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return t, nil
}

// UnmarshalJSON reads what AppendJSON writes, and nothing else. It does not validate: Parse does.
func (t *SessionTrace) UnmarshalJSON(data []byte) error {
	*t = SessionTrace{}
	d := decoder{text: string(data)}
	d.trace(t)
	d.end()
	return d.err
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (e *Event) UnmarshalJSON(data []byte) error {
	*e = Event{}
	d := decoder{text: string(data)}
	d.event(e)
	d.end()
	return d.err
}

// decoder reads JSON with a known form. After an error it reads on without effect.
type decoder struct {
	text string
	at   int
	err  error
}

// fail notes the first thing that is wrong, with its place.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("byte %d: "+format, append([]any{d.at}, args...)...)
	}
	d.at = len(d.text)
}

func (d *decoder) end() {
	if d.blanks(); d.err == nil && d.at < len(d.text) {
		d.fail("more than one value")
	}
}

func (d *decoder) blanks() {
	for d.at < len(d.text) && (d.text[d.at] == ' ' || d.text[d.at] == '\n' || d.text[d.at] == '\t' || d.text[d.at] == '\r') {
		d.at++
	}
}

// next passes over blanks and b, if that comes next.
func (d *decoder) next(b byte) bool {
	d.blanks()
	if d.at < len(d.text) && d.text[d.at] == b {
		d.at++
		return true
	}
	return false
}

// object calls member for each member; that reads the value, or is false if there is none of this name.
func (d *decoder) object(member func(name string) bool) {
	if !d.next('{') {
		d.fail("it is not an object")
		return
	}
	if d.next('}') {
		return
	}
	for d.err == nil {
		at := d.at
		name := d.string()
		if !d.next(':') {
			d.fail("a colon is missing")
			return
		}
		if !member(name) {
			d.at = at
			d.fail("unknown member %q", name)
		}
		if d.next('}') {
			return
		}
		if !d.next(',') {
			d.fail("a comma is missing")
		}
	}
}

// array reads an array of objects, whose first member as AppendJSON writes them is first. It is never nil.
func array[T any](d *decoder, first string, each func(*T)) []T {
	// No text can hold a quotation mark that is not escaped, so this is how many there are, of this kind or others.
	all := make([]T, 0, strings.Count(d.text[d.at:], first))
	if !d.next('[') {
		d.fail("it is not an array")
		return all
	}
	if d.next(']') {
		return all
	}
	for d.err == nil {
		var zero T
		all = append(all, zero)
		each(&all[len(all)-1])
		if d.next(']') {
			break
		}
		if !d.next(',') {
			d.fail("a comma is missing")
		}
	}
	return all
}

// string reads a string.
func (d *decoder) string() string {
	if !d.next('"') {
		d.fail("it is not a string")
		return ""
	}
	start, plain := d.at, true
	for i := d.at; i < len(d.text); i++ {
		switch b := d.text[i]; {
		case b == '"':
			d.at = i + 1
			if plain {
				return d.text[start:i]
			}
			return d.unquote(d.text[start-1 : i+1])
		case b == '\\':
			plain = false
			i++
		case b < ' ':
			d.at = i
			d.fail("a control character in a string")
			return ""
		case b >= utf8.RuneSelf && plain:
			// encoding/json reads broken UTF-8 as U+FFFD, and so do we.
			if r, n := utf8.DecodeRuneInString(d.text[i:]); r == utf8.RuneError && n == 1 {
				plain = false
			} else {
				i += n - 1
			}
		}
	}
	d.fail("a string does not end")
	return ""
}

func (d *decoder) unquote(literal string) string {
	var s string
	if err := json.Unmarshal([]byte(literal), &s); err != nil {
		d.fail("%v", err)
	}
	return s
}

// number reads the letters of a number.
func (d *decoder) number() string {
	d.blanks()
	start := d.at
	for d.at < len(d.text) && strings.IndexByte("+-.0123456789Ee", d.text[d.at]) >= 0 {
		d.at++
	}
	return d.text[start:d.at]
}

func (d *decoder) int64() int64 {
	s := d.number()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || s[0] == '+' || len(s) > 1 && (s[0] == '0' || s[:2] == "-0") {
		d.fail("%q is not a whole number", s)
	}
	return n
}

func (d *decoder) int() int {
	n := d.int64()
	if n > math.MaxInt || n < math.MinInt {
		d.fail("%d is too large", n)
	}
	return int(n)
}

func (d *decoder) float() float64 {
	var f float64
	if s := d.number(); json.Unmarshal([]byte(s), &f) != nil {
		d.fail("%q is not a number", s)
	}
	return f
}

func (d *decoder) bool() bool {
	d.blanks()
	rest := d.text[d.at:]
	switch {
	case strings.HasPrefix(rest, "true"):
		d.at += len("true")
		return true
	case strings.HasPrefix(rest, "false"):
		d.at += len("false")
	default:
		d.fail("it is neither true nor false")
	}
	return false
}

// time reads a time in UTC.
func (d *decoder) time() time.Time {
	s := d.string()
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !strings.HasSuffix(s, "Z") {
		d.fail("%q is not a time in UTC", s)
		return time.Time{}
	}
	return t
}

// skipped reads a value of any form as it stands.
func (d *decoder) skipped() json.RawMessage {
	d.blanks()
	dec := json.NewDecoder(strings.NewReader(d.text[d.at:]))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			d.at += int(syntax.Offset)
		}
		d.fail("%v", err)
		return nil
	}
	d.at += int(dec.InputOffset())
	return raw
}
