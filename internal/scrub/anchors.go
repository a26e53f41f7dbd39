package scrub

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"strings"
)

// This file works out the anchors of all rules. Only the generator and the tests call it: the linker leaves it out of
// the executables.

// Tables are the generated ones as values.
type Tables struct {
	Codes    [256]uint8   // the code of a byte, of codeBits bits; upper case has that of lower case, 0 is all others
	Trigrams [4096]uint64 // one bit for each three codes
	Sets     [256]uint16  // the set of each byte
	Anchors  []Anchor     // sorted by Tri
	Ranks    [4096]uint16 // how many bits are set in the words before each word of Trigrams that has one
	Firsts   []uint16     // the first anchor of each bit that is set, and the number of anchors
}

// Anchor is one line of the table of anchors.
type Anchor struct {
	Tri    uint32
	Text   string
	Kind   int
	Arg    int
	Lo, Hi int
}

// Build works out the tables from the rules.
func Build() (*Tables, error) {
	t := &Tables{}
	t.sets()
	anchors, err := allAnchors()
	if err != nil {
		return nil, err
	}
	if err := t.codes(anchors); err != nil {
		return nil, err
	}
	for _, a := range anchors {
		for _, third := range a.third {
			full := (a.Text + string(third))[:3]
			a.Tri = t.tri(full)
			t.Trigrams[a.Tri>>6] |= 1 << (a.Tri & 63)
			t.Anchors = append(t.Anchors, a.Anchor)
		}
	}
	slices.SortFunc(t.Anchors, func(a, b Anchor) int {
		return cmp.Or(cmp.Compare(a.Tri, b.Tri), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arg, b.Arg), cmp.Compare(a.Text, b.Text))
	})
	t.Anchors = slices.Compact(t.Anchors)
	t.index()
	return t, nil
}

// index notes where the anchors of each three codes begin.
func (t *Tables) index() {
	set := 0
	for i, word := range t.Trigrams {
		if word != 0 {
			t.Ranks[i] = uint16(set)
			set += bits.OnesCount64(word)
		}
	}
	for i := range t.Anchors {
		if i == 0 || t.Anchors[i].Tri != t.Anchors[i-1].Tri {
			t.Firsts = append(t.Firsts, uint16(i))
		}
	}
	t.Firsts = append(t.Firsts, uint16(len(t.Anchors)))
}

// wide is an anchor before its three letters are known: of two letters it has one for each byte that can follow.
type wide struct {
	Anchor
	third []byte
}

func allAnchors() ([]wide, error) {
	var all []wide
	for arg := 0; ; arg += maxShapes {
		r, _ := shapeOf(arg)
		if r == nil {
			break
		}
		if len(r.shapes) > maxShapes || len(r.id) > MaxMarker-len(markOpen)-len(markClose) {
			return nil, errors.New(r.id + ": too many shapes, or too long a name")
		}
		for n, shape := range r.shapes {
			a, err := anchorOf(shape)
			if err != nil {
				return nil, err
			}
			a.Kind, a.Arg = int(kindToken), arg+n
			all = append(all, a)
		}
	}
	plain := func(text string, kind kind, arg int) {
		all = append(all, wide{Anchor{Text: text, Kind: int(kind), Arg: arg}, []byte{0}})
	}
	for i, v := range vendors {
		plain(v.name, kindVendor, i)
	}
	for i, c := range commands {
		plain(c.name, kindCommand, i)
	}
	for _, w := range words {
		plain(w.text, w.kind, 0)
	}
	return all, nil
}

// literal is a part of a shape that stands for itself, how far from the start of a match it can stand, and what follows.
type literal struct {
	text   string
	lo, hi int
	next   set
}

// anchorOf picks the letters of a shape that a search begins with: of the literals that stand near enough to the start and
// have three letters, or two with a run behind them, the first one if it is at the start, else the longest.
func anchorOf(shape string) (wide, error) {
	var best literal
	for _, l := range literals(shape) {
		usable := l.hi <= 255 && (len(l.text) >= 3 || len(l.text) == 2 && l.next != 0)
		if usable && len(l.text) > len(best.text) && !(best.text != "" && best.hi == 0) {
			best = l
		}
	}
	a := wide{Anchor: Anchor{Text: best.text, Lo: best.lo, Hi: best.hi}, third: []byte{0}}
	switch len(best.text) {
	case 0:
		return a, errors.New(shape + ": no anchor")
	case 2:
		a.third = bytesOf(best.next)
	}
	return a, nil
}

func literals(shape string) []literal {
	var out []literal
	lo, hi := 0, 0
	for i := 0; i < len(shape); {
		switch shape[i] {
		case '<', '>':
			i++
		case '{':
			r := parseRun(shape[i:])
			lo, hi, i = lo+r.min, hi+r.max, i+r.size
		default:
			n := strings.IndexAny(shape[i:], "<>{")
			if n < 0 {
				n = len(shape) - i
			}
			l := literal{text: lower(shape[i : i+n]), lo: lo, hi: hi}
			if i+n < len(shape) && shape[i+n] == '{' {
				l.next = parseRun(shape[i+n:]).class
			}
			out = append(out, l)
			lo, hi, i = lo+n, hi+n, i+n
		}
	}
	return out
}

// bytesOf lists the bytes of a set in lower case.
func bytesOf(c set) []byte {
	var out []byte
	for b := range 256 {
		if setOf(byte(b))&c != 0 && byte(b) == fold(byte(b)) {
			out = append(out, byte(b))
		}
	}
	for b := byte('A'); b <= 'Z'; b++ {
		if setOf(b)&c != 0 && !slices.Contains(out, fold(b)) {
			out = append(out, fold(b))
		}
	}
	return out
}

// codes gives a code to each byte that stands in the first three letters of an anchor.
func (t *Tables) codes(anchors []wide) error {
	var used [256]bool
	for _, a := range anchors {
		for i := range min(3, len(a.Text)) {
			used[a.Text[i]] = true
		}
		for _, b := range a.third {
			if len(a.Text) == 2 {
				used[b] = true
			}
		}
	}
	next := uint8(1)
	for b := range 256 {
		if !used[b] {
			continue
		}
		if next == 1<<codeBits {
			return errors.New("anchors have too many different bytes")
		}
		t.Codes[b] = next
		next++
	}
	for b := byte('A'); b <= 'Z'; b++ {
		t.Codes[b] = t.Codes[fold(b)]
	}
	return nil
}

func (t *Tables) tri(text string) uint32 {
	var tri uint32
	for i := range 3 {
		tri = tri<<codeBits | uint32(t.Codes[text[i]])
	}
	return tri
}

func (t *Tables) sets() {
	for b := range 256 {
		t.Sets[b] = uint16(setOf(byte(b)))
	}
}

// setOf is the set of one byte.
func setOf(b byte) set {
	switch {
	case '0' <= b && b <= '9':
		return setDigit
	case 'a' <= b && b <= 'f':
		return setAF
	case 'g' <= b && b <= 'z':
		return setGZ
	case 'A' <= b && b <= 'F':
		return setUpAF
	case 'G' <= b && b <= 'Z':
		return setUpGZ
	}
	switch b {
	case '_':
		return setUnder
	case '-':
		return setDash
	case '.':
		return setDot
	case '+', '/':
		return setBase64
	case '=':
		return setEqual
	case '~':
		return setTilde
	case ' ', '\t', '\n', '\r':
		return setSpace
	}
	return 0
}
