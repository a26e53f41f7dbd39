// Package wire is the coder of the forms that aburn stores: numbers, texts, times and lists, one after the other and
// without names. It knows no form: each is a walk in the package that stores it.
//
// One walk over a value both writes and reads it, so that a reader cannot expect another field than the writer wrote.
// A writing Coder does not change the value. A reading Coder accepts any bytes: it never asks for more memory than the
// rest of the form could fill. After an error its methods do nothing; Err returns the first error. A form needs a
// version number that changes with its walk, and a checksum; both are up to who stores it.
package wire

import (
	"fmt"
	"math"
	"time"
)

// Coder writes fields, or reads them.
type Coder struct {
	reading bool
	out     []byte
	in      string
	at      int
	err     error
	ms      int64 // the last time, in milliseconds
}

// Writer returns a Coder that appends to dst.
func Writer(dst []byte) Coder { return Coder{out: dst} }

// Reader returns a Coder that reads form. The texts that it returns share form's memory.
func Reader(form string) Coder { return Coder{reading: true, in: form} }

// Reading reports whether fields are read, rather than written.
func (c *Coder) Reading() bool { return c.reading }

// Written returns dst with what was appended.
func (c *Coder) Written() []byte { return c.out }

// Left returns how many bytes are still to be read; 0 after an error.
func (c *Coder) Left() int { return len(c.in) - c.at }

// Err returns the first error, with its place.
func (c *Coder) Err() error { return c.err }

// End is Err, or an error if bytes are left.
func (c *Coder) End() error {
	if n := c.Left(); n > 0 {
		c.Fail("%d bytes too many", n)
	}
	return c.err
}

// Fail notes an error, if it is the first.
func (c *Coder) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("byte %d: "+format, append([]any{max(c.at, len(c.out))}, args...)...)
	}
	c.at = len(c.in)
}

// Put writes a varint. Appending to the field in place saves a write barrier per byte: a quarter of the time.
func (c *Coder) Put(u uint64) {
	for ; u >= 0x80; u >>= 7 {
		c.out = append(c.out, byte(u)|0x80)
	}
	c.out = append(c.out, byte(u))
}

// PutBytes writes s without its length.
func (c *Coder) PutBytes(s string) { c.out = append(c.out, s...) }

// PutTail takes over Written with something appended.
func (c *Coder) PutTail(out []byte) { c.out = out }

// Take reads a varint. Most have one byte.
func (c *Coder) Take() uint64 {
	if c.at < len(c.in) {
		if b := c.in[c.at]; b < 0x80 {
			c.at++
			return uint64(b)
		}
	}
	return c.takeLong()
}

// takeLong reads a varint of any length.
func (c *Coder) takeLong() (u uint64) {
	for shift := 0; c.at < len(c.in) && shift < 64; shift += 7 {
		b := c.in[c.at]
		if shift == 63 && b > 1 {
			break
		}
		c.at++
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return u
		}
	}
	c.Fail("a number does not end")
	return 0
}

// TakeBytes reads n bytes.
func (c *Coder) TakeBytes(n uint64) string {
	if n > uint64(len(c.in)-c.at) {
		c.Fail("%d bytes, and %d are left", n, len(c.in)-c.at)
		return ""
	}
	s := c.in[c.at : c.at+int(n)]
	c.at += int(n)
	return s
}

// zigzag maps numbers near 0, of either sign, to small ones.
func zigzag(n int64) uint64 { return uint64(n<<1) ^ uint64(n>>63) }

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// Int64 codes any number; those near 0 are short.
func (c *Coder) Int64(n *int64) {
	if c.reading {
		*n = unzigzag(c.Take())
		return
	}
	c.Put(zigzag(*n))
}

// Int codes any number; those near 0 are short.
func (c *Coder) Int(n *int) {
	if c.reading {
		*n = int(unzigzag(c.Take()))
		return
	}
	c.Put(zigzag(int64(*n)))
}

// Amount64 codes a number that is never negative. Reading refuses a negative one.
func (c *Coder) Amount64(n *int64) {
	if !c.reading {
		c.Put(uint64(*n))
		return
	}
	u := c.Take()
	if u > math.MaxInt64 {
		c.Fail("an amount is negative")
		return
	}
	*n = int64(u)
}

// Amount codes a number that is never negative. Reading refuses a negative one.
func (c *Coder) Amount(n *int) {
	wide := int64(*n)
	if c.Amount64(&wide); c.reading {
		*n = int(wide)
	}
}

// After codes a number as its difference to *before, and sets *before to it.
func (c *Coder) After(n, before *int64) {
	if c.reading {
		*n = *before + unzigzag(c.Take())
	} else {
		c.Put(zigzag(*n - *before))
	}
	*before = *n
}

// Flags codes up to 64 flags as the bits of one number, the first as the lowest.
func (c *Coder) Flags(all ...*bool) {
	if !c.reading {
		var bits uint64
		for i, b := range all {
			if *b {
				bits |= 1 << i
			}
		}
		c.Put(bits)
		return
	}
	bits := c.Take()
	if bits>>len(all) != 0 {
		c.Fail("%b for %d flags", bits, len(all))
		return
	}
	for i, b := range all {
		*b = bits>>i&1 == 1
	}
}

// Bool codes one flag.
func (c *Coder) Bool(b *bool) {
	switch {
	case !c.reading && *b:
		c.Put(1)
	case !c.reading:
		c.Put(0)
	default:
		u := c.Take()
		if u > 1 {
			c.Fail("%d is neither false nor true", u)
		}
		*b = u == 1
	}
}

// Float codes any number; 0 is short.
func (c *Coder) Float(f *float64) {
	if c.reading {
		*f = math.Float64frombits(c.Take())
		return
	}
	c.Put(math.Float64bits(*f))
}

// Text codes a length and its bytes.
func (c *Coder) Text(s *string) {
	if c.reading {
		*s = c.TakeBytes(c.Take())
		return
	}
	c.Put(uint64(len(*s)))
	c.out = append(c.out, *s...)
}

// Time codes a time in UTC: the milliseconds after the last time, and whether there is more than milliseconds; or no
// time. A year that JSON cannot express is an error.
func (c *Coder) Time(t *time.Time) {
	if c.reading {
		c.takeTime(t)
		return
	}
	if t.IsZero() {
		c.Put(0)
		return
	}
	if y := t.Year(); y < 0 || y > 9999 {
		c.Fail("time in the year %d", y)
		return
	}
	ms, rest := t.UnixMilli(), uint64(t.Nanosecond()%1e6)
	u := zigzag(ms-c.ms)<<1 + 1
	c.ms = ms
	if rest == 0 {
		c.Put(u)
		return
	}
	c.Put(u + 1)
	c.Put(rest)
}

func (c *Coder) takeTime(t *time.Time) {
	u := c.Take()
	if u == 0 {
		return
	}
	u--
	c.ms += unzigzag(u >> 1)
	at := time.UnixMilli(c.ms).UTC()
	if u&1 == 1 {
		at = at.Add(time.Duration(c.Take() % 1e6))
	}
	if y := at.Year(); y < 0 || y > 9999 {
		c.Fail("time in the year %d", y)
		return
	}
	*t = at
}
