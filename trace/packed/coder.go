package packed

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// coder writes fields to out, or reads them from in. After an error it goes on without effect.
type coder struct {
	reading bool
	out     []byte
	in      string
	at      int
	err     error
	ms      int64 // of the last time
	recent  [places]string
}

// fail notes the first thing that is wrong, with its place.
func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("byte %d: "+format, append([]any{c.at}, args...)...)
	}
	c.at = len(c.in)
}

func (c *coder) write(u uint64) {
	if u < 0x80 {
		c.out = append(c.out, byte(u))
		return
	}
	c.out = binary.AppendUvarint(c.out, u)
}

// read reads a varint.
func (c *coder) read() uint64 {
	if c.at < len(c.in) && c.in[c.at] < 0x80 {
		c.at++
		return uint64(c.in[c.at-1])
	}
	var u uint64
	for shift := 0; c.at < len(c.in) && shift < 64; shift += 7 {
		b := c.in[c.at]
		c.at++
		if b < 0x80 {
			return u | uint64(b)<<shift
		}
		u |= uint64(b&0x7f) << shift
	}
	c.fail("a number does not end")
	return 0
}

// bytes reads n bytes.
func (c *coder) bytes(n uint64) string {
	if n > uint64(len(c.in)-c.at) {
		c.fail("%d bytes, and %d are left", n, len(c.in)-c.at)
		return ""
	}
	s := c.in[c.at : c.at+int(n)]
	c.at += int(n)
	return s
}

// zigzag makes small numbers of those near 0, whatever their sign.
func zigzag(n int64) uint64 { return uint64(n<<1) ^ uint64(n>>63) }

func zagzig(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func (c *coder) int64(n *int64) {
	if c.reading {
		*n = zagzig(c.read())
		return
	}
	c.write(zigzag(*n))
}

func (c *coder) int(n *int) {
	wide := int64(*n)
	c.int64(&wide)
	*n = int(wide)
}

// after is a number as its difference to the one before it.
func (c *coder) after(n, before *int64) {
	if c.reading {
		*n = *before + zagzig(c.read())
	} else {
		c.write(zigzag(*n - *before))
	}
	*before = *n
}

func (c *coder) bool(b *bool) {
	switch {
	case !c.reading && *b:
		c.write(1)
	case !c.reading:
		c.write(0)
	default:
		u := c.read()
		if u > 1 {
			c.fail("%d is neither false nor true", u)
		}
		*b = u == 1
	}
}

func (c *coder) float(f *float64) {
	if c.reading {
		*f = math.Float64frombits(c.read())
		return
	}
	c.write(math.Float64bits(*f))
}

// pointer is a field that may be missing.
func pointer[T any](c *coder, p **T, field func(*T)) {
	there := *p != nil
	c.bool(&there)
	if !there {
		return
	}
	if c.reading {
		*p = new(T)
	}
	field(*p)
}

// time is in UTC, in milliseconds after the last one and whether there is more than milliseconds, or not there.
func (c *coder) time(t *time.Time) {
	if c.reading {
		c.readTime(t)
		return
	}
	if t.IsZero() {
		c.write(0)
		return
	}
	if y := t.Year(); y < 0 || y > 9999 {
		c.fail("time in the year %d", y)
		return
	}
	ms, rest := t.UnixMilli(), uint64(t.Nanosecond()%1e6)
	u := zigzag(ms-c.ms)<<1 + 1
	c.ms = ms
	if rest == 0 {
		c.write(u)
		return
	}
	c.write(u + 1)
	c.write(rest)
}

func (c *coder) readTime(t *time.Time) {
	u := c.read()
	if u == 0 {
		return
	}
	u--
	c.ms += zagzig(u >> 1)
	at := time.UnixMilli(c.ms).UTC()
	if u&1 == 1 {
		at = at.Add(time.Duration(c.read() % 1e6))
	}
	if y := at.Year(); y < 0 || y > 9999 {
		c.fail("time in the year %d", y)
		return
	}
	*t = at
}

// list is as many as there are, after their number. What is read is never nil.
func list[T any](c *coder, all *[]T, each func(*T)) {
	n := uint64(len(*all))
	if !c.reading {
		c.write(n)
	} else {
		n = c.read()
		// Each takes a few bytes: no number may ask for more memory than the rest of the text can fill.
		if n > uint64(len(c.in)-c.at) {
			c.fail("%d of a list, and %d bytes are left", n, len(c.in)-c.at)
			n = 0
		}
		*all = make([]T, n)
	}
	for i := range *all {
		if c.err != nil {
			return
		}
		each(&(*all)[i])
	}
}
