package packed

import (
	"encoding/hex"

	"aburn/internal/wire"
)

// A trace has few different texts: ids of turns, responses and calls, names, models. Reader and writer keep each in a
// place that follows from its letters, until another text takes that place. places is their number.
const places = 2048

// A text begins with a number. An even one is twice the text's length, and the text follows. An odd one is twice one
// of these kinds, plus one.
const (
	isUUID   = iota // 16 bytes follow, as 36 letters
	isHex16         // 8 bytes follow, as 16 letters: a hash
	isRecent        // the number of the place follows
)

// The lengths of texts that are shorter as bytes.
const (
	uuidLen  = 36
	hex16Len = 16
)

// place returns a text's place: by its length and its last letters, in which ids differ most.
func place(s string) uint64 {
	h := uint64(len(s))
	if len(s) >= 8 {
		e := s[len(s)-8:]
		h += uint64(e[0]) | uint64(e[1])<<8 | uint64(e[2])<<16 | uint64(e[3])<<24 | uint64(e[4])<<32 | uint64(e[5])<<40 | uint64(e[6])<<48 | uint64(e[7])<<56
	} else {
		for i := range len(s) {
			h = h<<8 + uint64(s[i])
		}
	}
	return h * 0x9e3779b97f4a7c15 >> (64 - 11) // 2^64 by the golden ratio
}

// coder walks over a trace and remembers recent values.
type coder struct {
	wire.Coder
	version uint64 // of what is read or written
	last    last
	recent  [places]string
}

// texts codes several texts, after a number whose bits say which are not empty.
func (c *coder) texts(all ...*string) {
	var there uint64
	if c.Reading() {
		if there = c.Take(); there>>len(all) != 0 {
			c.Fail("%b for %d texts", there, len(all))
			return
		}
	} else {
		for i, s := range all {
			if *s != "" {
				there |= 1 << i
			}
		}
		c.Put(there)
	}
	for i, s := range all {
		switch {
		case there>>i&1 == 0:
		case c.Reading():
			*s = c.readText()
		default:
			c.writeText(*s)
		}
	}
}

func (c *coder) writeText(s string) {
	if len(s) < 2 {
		c.literal(s)
		return
	}
	at := place(s)
	if c.recent[at] == s {
		c.Put((isRecent+at)<<1 + 1)
		return
	}
	c.recent[at] = s
	switch {
	case len(s) == uuidLen && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-':
		if !c.digits(isUUID, s[:8], s[9:13], s[14:18], s[19:23], s[24:]) {
			c.literal(s)
		}
	case len(s) != hex16Len || !c.digits(isHex16, s):
		c.literal(s)
	}
}

func (c *coder) literal(s string) {
	c.Put(uint64(len(s)) << 1)
	c.PutBytes(s)
}

// digits writes the parts of a text as bytes if they are lower-case hexadecimal digits.
func (c *coder) digits(kind uint64, parts ...string) bool {
	out := append(c.Written(), byte(kind<<1+1))
	for _, p := range parts {
		for i := 0; i+1 < len(p); i += 2 {
			high, low := digit[p[i]], digit[p[i+1]]
			if high&low < isDigit {
				return false
			}
			out = append(out, high<<4|low&^isDigit)
		}
	}
	c.PutTail(out)
	return true
}

// digit maps a lower-case hexadecimal digit to its value plus isDigit, and other bytes to 0.
var digit = [256]byte{
	'0': isDigit, '1': isDigit + 1, '2': isDigit + 2, '3': isDigit + 3, '4': isDigit + 4, '5': isDigit + 5, '6': isDigit + 6, '7': isDigit + 7,
	'8': isDigit + 8, '9': isDigit + 9, 'a': isDigit + 10, 'b': isDigit + 11, 'c': isDigit + 12, 'd': isDigit + 13, 'e': isDigit + 14, 'f': isDigit + 15,
}

const isDigit = 16

func (c *coder) readText() string {
	u := c.Take()
	var s string
	switch kind := u >> 1; {
	case u&1 == 0:
		if s = c.TakeBytes(kind); len(s) < 2 {
			return s
		}
	case kind == isUUID:
		s = uuid(c.TakeBytes(16))
	case kind == isHex16:
		s = hex.EncodeToString([]byte(c.TakeBytes(8)))
	default:
		if kind -= isRecent; kind >= places || c.recent[kind] == "" {
			c.Fail("there is no text in place %d", kind)
			return ""
		}
		return c.recent[kind]
	}
	if c.Err() != nil {
		return ""
	}
	c.recent[place(s)] = s
	return s
}

// uuid formats 16 bytes.
func uuid(b string) string {
	if len(b) != 16 {
		return ""
	}
	var s [uuidLen]byte
	var all [32]byte
	hex.Encode(all[:], []byte(b))
	copy(s[:], all[:8])
	copy(s[9:], all[8:12])
	copy(s[14:], all[12:16])
	copy(s[19:], all[16:20])
	copy(s[24:], all[20:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
