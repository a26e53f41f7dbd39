package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendJSON appends the trace in its JSON form: that of encoding/json to the byte, except that an empty list is [].
func (t *SessionTrace) AppendJSON(dst []byte) ([]byte, error) {
	e := encoder{buf: dst}
	e.trace(t)
	return e.buf, e.err
}

// MarshalJSON is AppendJSON for encoding/json. Decoding needs more, because an event's body stands under the name of
// its kind: package packed stores traces, and tests read the JSON with package tracetest.
func (t *SessionTrace) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil) }

// MarshalJSON writes the event with its body under the name of its kind.
func (e Event) MarshalJSON() ([]byte, error) {
	var enc encoder
	enc.event(&e)
	return enc.buf, enc.err
}

// encoder writes JSON. Each name begins with the byte before it, "{" or ",", and holds the colon.
type encoder struct {
	buf  []byte
	err  error
	day  int64 // of date: days since 1970, plus one
	date [len("2006-01-02T")]byte
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) text(name, s string) {
	e.raw(name)
	e.buf = appendString(e.buf, s)
}

func (e *encoder) textIf(name, s string) {
	if s != "" {
		e.text(name, s)
	}
}

func (e *encoder) int(name string, n int64) {
	e.raw(name)
	e.buf = strconv.AppendInt(e.buf, n, 10)
}

func (e *encoder) intIf(name string, n int64) {
	if n != 0 {
		e.int(name, n)
	}
}

func (e *encoder) intPointer(name string, n *int) {
	if n != nil {
		e.int(name, int64(*n))
	}
}

func (e *encoder) bool(name string, b bool) {
	e.raw(name)
	e.buf = strconv.AppendBool(e.buf, b)
}

func (e *encoder) boolIf(name string, b bool) {
	if b {
		e.bool(name, b)
	}
}

func (e *encoder) timeIf(name string, t time.Time) {
	if t.IsZero() {
		return
	}
	if y := t.Year(); y < 0 || y > 9999 {
		e.fail(fmt.Errorf("time in the year %d", y))
		return
	}
	e.raw(name)
	e.raw(`"`)
	if t.Location() == time.UTC && t.Nanosecond()%1e6 == 0 && t.Unix() >= 0 {
		e.millis(t)
	} else {
		e.buf = t.AppendFormat(e.buf, time.RFC3339Nano)
	}
	e.raw(`"`)
}

// millis writes a time like time.RFC3339Nano. Most times share the day of the one before, so the date is formatted
// only when it changes.
func (e *encoder) millis(t time.Time) {
	const perDay = 24 * 3600 * 1000
	ms := t.UnixMilli()
	if day := ms/perDay + 1; day != e.day {
		e.day = day
		t.AppendFormat(e.date[:0], "2006-01-02T")
	}
	e.buf = append(e.buf, e.date[:]...)
	s := int(ms % perDay / 1000)
	h, m := s/3600, s/60%60
	s %= 60
	e.buf = append(e.buf, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10),
		byte('0'+s%10))
	if part := int(ms % 1000); part > 0 {
		e.buf = append(e.buf, '.', byte('0'+part/100), byte('0'+part/10%10), byte('0'+part%10))
		e.buf = bytes.TrimRight(e.buf, "0")
	}
	e.buf = append(e.buf, 'Z')
}

// any writes values that are too rare for code of their own.
func (e *encoder) any(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		e.fail(err)
		return
	}
	e.raw(name)
	e.buf = append(e.buf, data...)
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func list[T any](e *encoder, name string, all []T, each func(*T)) {
	e.raw(name)
	e.raw("[")
	for i := range all {
		if i > 0 {
			e.raw(",")
		}
		each(&all[i])
	}
	e.raw("]")
}

// The bytes that need no escape, as bits: those below 64, and those from 64 to 127.
const (
	plainLow  = (1<<64 - 1) &^ (1<<' ' - 1) &^ (1<<'"' | 1<<'&' | 1<<'<' | 1<<'>')
	plainHigh = (1<<64 - 1) &^ (1 << ('\\' - 64))
)

func isPlain(b byte) bool {
	bits := uint64(plainLow)
	if b >= 64 {
		bits = plainHigh
	}
	return b < utf8.RuneSelf && bits>>(b&63)&1 != 0
}

// special is 0 if none of the eight bytes of x needs an escape.
func special(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quotes := (x | 4*ones) ^ '&'*ones // is 0 in a byte that was " or &
	angles := (x | 2*ones) ^ '>'*ones // < or >
	slash := x ^ '\\'*ones
	return (x | (x - ' '*ones) | (quotes-ones)&^quotes | (angles-ones)&^angles | (slash-ones)&^slash) & tops
}

// verbatim returns how many bytes at the beginning of s need no escape, a lower bound that steps by eight.
func verbatim(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if special(word(s[i:])) != 0 {
			return i
		}
	}
	if i > 0 && special(word(s[len(s)-8:])) == 0 {
		return len(s)
	}
	return i
}

const hexDigits = "0123456789abcdef"

// appendString appends s like encoding/json, which also escapes what HTML or JavaScript could misread.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := verbatim(s); i < len(s); {
		b := s[i]
		if isPlain(b) {
			i++
			continue
		}
		size, escape := 1, ""
		if b >= utf8.RuneSelf {
			var r rune
			switch r, size = utf8.DecodeRuneInString(s[i:]); {
			case r == utf8.RuneError && size == 1:
				escape = `\ufffd`
			case r == '\u2028':
				escape = `\u2028`
			case r == '\u2029':
				escape = `\u2029`
			default:
				i += size
				i += verbatim(s[i:])
				continue
			}
		}
		dst = append(dst, s[done:i]...)
		if escape == "" {
			dst = appendEscape(dst, b)
		} else {
			dst = append(dst, escape...)
		}
		i += size
		done = i
		i += verbatim(s[i:])
	}
	return append(append(dst, s[done:]...), '"')
}

func appendEscape(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
}
