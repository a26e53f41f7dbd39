package state

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"aburn/logfmt"
)

// codec walks over a State and writes it, or walks over an empty one and fills it
// with what was written: each struct says its members once for both ways. What is
// zero is not written. Members are read in the order in which they are written and
// no others are taken, so that whatever is not ours is found out at once; nothing
// is skipped, so that nothing nests deeper than a State does.
type codec struct {
	reading bool
	out     []byte
	start   int // of the document in out
	in      []byte
	text    string // the beginning of it: texts are parts of this
	i       int
	broken  bool // what is read is no State: the rest of the walk does nothing of use, and ends

	texts []string         // those so far: one that comes again is written as its number
	seen  map[string]int64 // their numbers
	last  Mark             // the one before
	epoch Epoch            // likewise
}

func writer(dst []byte) *codec {
	return &codec{out: dst, start: len(dst), seen: make(map[string]int64, 128)}
}

func reader(data []byte) *codec {
	texts := data
	if n := bytes.LastIndex(data, []byte(`,"seen":"`)); n >= 0 {
		texts = data[:n] // what follows is long, and no text of the State's
	}
	return &codec{reading: true, in: data, text: string(texts)}
}

// begin and end are those of an object or an array.
func (c *codec) begin(open byte) {
	c.comma()
	if c.reading {
		c.take(open)
		return
	}
	c.out = append(c.out, open)
}

func (c *codec) end(closing byte) {
	if c.reading {
		c.take(closing)
		return
	}
	c.out = append(c.out, closing)
}

// comma separates a value from what stands before.
func (c *codec) comma() {
	if c.reading {
		if c.i > 0 && !opens(c.in[c.i-1]) {
			c.take(',')
		}
		return
	}
	if n := len(c.out); n > c.start && !opens(c.out[n-1]) {
		c.out = append(c.out, ',')
	}
}

// opens reports whether a value may follow the byte at once.
func opens(b byte) bool { return b == '{' || b == '[' || b == ':' }

// take reads this byte.
func (c *codec) take(b byte) {
	if c.i < len(c.in) && c.in[c.i] == b {
		c.i++
		return
	}
	c.broken = true
}

// more reports whether an array has another element.
func (c *codec) more() bool { return !c.broken && c.i < len(c.in) && c.in[c.i] != ']' }

// key writes the name of a member, or reports whether the next member has it.
func (c *codec) key(name string) bool {
	if !c.reading {
		c.comma()
		c.out = append(append(append(c.out, '"'), name...), `":`...)
		return true
	}
	if c.broken {
		return false
	}
	rest := c.in[c.i:]
	comma := 0
	if len(rest) > 0 && rest[0] == ',' {
		comma = 1
	}
	rest = rest[comma:]
	if n := len(name); len(rest) < n+3 || rest[0] != '"' || string(rest[1:n+1]) != name || rest[n+1] != '"' || rest[n+2] != ':' {
		return false
	}
	c.i += comma + len(name) + 3
	return true
}

// skip reports whether a member is not written because it is zero.
func (c *codec) skip(zero bool) bool { return zero && !c.reading }

func (c *codec) int64(name string, v *int64) {
	if !c.skip(*v == 0) && c.key(name) {
		c.number(v)
	}
}

// number is a whole one of at most 18 digits: no State has a larger one.
func (c *codec) number(v *int64) {
	c.comma()
	if !c.reading {
		c.out = strconv.AppendInt(c.out, *v, 10)
		return
	}
	i := c.i
	if i < len(c.in) && c.in[i] == '-' {
		i++
	}
	first, n := i, int64(0)
	for ; i < len(c.in) && '0' <= c.in[i] && c.in[i] <= '9' && i < first+18; i++ {
		n = n*10 + int64(c.in[i]-'0')
	}
	if i == first || i > first+1 && c.in[first] == '0' {
		c.broken = true
	}
	if first > c.i {
		n = -n
	}
	*v, c.i = n, i
}

func (c *codec) int(name string, v *int) {
	n := int64(*v)
	c.int64(name, &n)
	*v = int(n)
}

func (c *codec) uint64(name string, v *uint64) {
	n := int64(*v)
	c.int64(name, &n)
	*v = uint64(n)
}

func (c *codec) uint32(name string, v *uint32) {
	n := int64(*v)
	c.int64(name, &n)
	*v = uint32(n)
}

func (c *codec) clock(name string, v *Clock) {
	n := int64(*v)
	c.int64(name, &n)
	*v = Clock(n)
}

// bool is written if it is true.
func (c *codec) bool(name string, v *bool) {
	if c.skip(!*v) || !c.key(name) {
		return
	}
	if !c.reading {
		c.out = append(c.out, "true"...)
		return
	}
	if *v = bytes.HasPrefix(c.in[c.i:], []byte("true")); !*v {
		c.broken = true
		return
	}
	c.i += len("true")
}

// str is a text that comes once.
func (c *codec) str(name string, v *string) {
	if !c.skip(*v == "") && c.key(name) {
		c.string(v)
	}
}

func (c *codec) string(v *string) {
	if !c.reading {
		c.comma()
		c.out = logfmt.AppendString(c.out, *v)
		return
	}
	inside, plain := c.quoted()
	if hi := c.i - 1; plain && hi <= len(c.text) && utf8.Valid(inside) {
		*v = c.text[hi-len(inside) : hi]
		return
	}
	*v = logfmt.RawString(inside).String()
}

// quoted is the inside of the string that comes next; plain says that it has no
// escapes.
func (c *codec) quoted() (inside []byte, plain bool) {
	c.comma()
	c.take('"')
	n := bytes.IndexByte(c.in[c.i:], '"')
	if n < 0 || c.broken {
		c.broken = true
		return nil, false
	}
	if plain = bytes.IndexByte(c.in[c.i:c.i+n], '\\') < 0; !plain {
		for n = 0; c.i+n < len(c.in) && c.in[c.i+n] != '"'; n++ {
			if c.in[c.i+n] == '\\' {
				n++
			}
		}
		if c.i+n >= len(c.in) {
			c.broken = true
			return nil, false
		}
	}
	inside = c.in[c.i : c.i+n]
	c.i += n + 1
	return inside, plain
}

// ref is a text that may have come before.
func (c *codec) ref(name string, v *string) {
	if !c.skip(*v == "") && c.key(name) {
		c.again(v)
	}
}

// again is the number of a text that came before, else the text.
func (c *codec) again(v *string) {
	if !c.reading {
		if n, ok := c.seen[*v]; ok {
			c.number(&n)
			return
		}
		c.seen[*v] = int64(len(c.seen))
		c.string(v)
		return
	}
	if i := c.i; i+1 < len(c.in) && c.in[i] != '"' && (c.in[i] != ',' || c.in[i+1] != '"') {
		n := int64(-1)
		if c.number(&n); n < 0 || n >= int64(len(c.texts)) {
			c.broken = true
			return
		}
		*v = c.texts[n]
		return
	}
	c.string(v)
	c.texts = append(c.texts, *v)
}

// mark is an array of its own.
func (c *codec) mark(name string, m *Mark) {
	if c.skip(*m == Mark{}) || !c.key(name) {
		return
	}
	c.begin('[')
	c.place(m)
	c.end(']')
}

// place is the three numbers of a mark, each as its distance from the mark before.
func (c *codec) place(m *Mark) {
	ord, at := int64(m.Ord-c.last.Ord), m.At-c.last.At
	seq := int64(m.Seq-c.last.Seq) - ord
	c.number(&ord)
	c.number(&at)
	c.number(&seq)
	if c.reading {
		m.Ord, m.At, m.Seq = c.last.Ord+uint64(ord), c.last.At+at, c.last.Seq+logfmt.Seq(seq+ord)
	}
	c.last = *m
}

// flags are up to 63 bools in one number.
func (c *codec) flags(v ...*bool) {
	n := int64(0)
	for i, b := range v {
		if *b {
			n |= 1 << i
		}
	}
	c.number(&n)
	for i, b := range v {
		*b = n>>i&1 != 0
	}
}

// items is an array of at most max, in which each element is described by f.
func items[T any](c *codec, name string, v *[]T, max int, f func(*T, *codec)) {
	if c.skip(len(*v) == 0) || !c.key(name) {
		return
	}
	c.begin('[')
	if c.reading {
		*v = make([]T, 0, min(max, 4))
		for c.more() {
			if len(*v) == max {
				c.broken = true
				return
			}
			var x T
			f(&x, c)
			*v = append(*v, x)
		}
	} else {
		for i := range *v {
			f(&(*v)[i], c)
		}
	}
	c.end(']')
}

// tuple is f between brackets.
func tuple[T any](f func(*T, *codec)) func(*T, *codec) {
	return func(v *T, c *codec) {
		c.begin('[')
		f(v, c)
		c.end(']')
	}
}

// object is f between braces.
func object[T any](f func(*T, *codec)) func(*T, *codec) {
	return func(v *T, c *codec) {
		c.begin('{')
		f(v, c)
		c.end('}')
	}
}

// pointer is f of what is pointed to.
func pointer[T any](f func(*T, *codec)) func(**T, *codec) {
	return func(v **T, c *codec) {
		if c.reading {
			*v = new(T)
		}
		object(f)(*v, c)
	}
}

// member is a struct that is left out where it is zero.
func member[T comparable](c *codec, name string, v *T, f func(*T, *codec)) {
	if !c.skip(*v == *new(T)) && c.key(name) {
		object(f)(v, c)
	}
}

// inside is a struct that cannot be compared.
func inside[T any](c *codec, name string, v *T, zero bool, f func(*T, *codec)) {
	if !c.skip(zero) && c.key(name) {
		object(f)(v, c)
	}
}

// maybe is a struct that may not be there.
func maybe[T any](c *codec, name string, v **T, f func(*T, *codec)) {
	if !c.skip(*v == nil) && c.key(name) {
		pointer(f)(v, c)
	}
}
