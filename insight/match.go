package insight

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A phrase is what a rule looks for in the head of an error, in lower case. It matches whole words: where it begins or ends
// in a letter or digit, none may stand beside it. "*" at an end lifts that. "#" stands for a number, "…" for up to maxGap
// bytes of anything. Writing that has no spaces between words (Chinese, Japanese) has no such bounds.
const maxGap = 120

// maxText is how much of a text is looked at: a trace keeps no more of an error.
const maxText = 1000

// phrases finds all phrases in a text at once. A phrase is looked for only where its first three bytes stand.
type phrases struct {
	all     []phrase
	buckets [1 << 12][]uint16
	rules   []ruleSpan
}

// phrase is a phrase without its marks.
type phrase struct {
	text        string // up to the first gap
	rest        string // behind it
	open, shut  bool   // its beginning and end need no bounds
	wordBegins  bool   // its first letter can be part of a longer word, and so can its last
	wordEnds    bool
	beginsDigit bool
}

// ruleSpan is where a rule's phrases stand among all.
type ruleSpan struct {
	rule     *rule
	from, to int
}

// compiled is the rules' phrases, made when they are first asked for.
var compiled = sync.OnceValue(func() *phrases {
	p := new(phrases)
	for i := range rules {
		s := ruleSpan{rule: &rules[i], from: len(p.all)}
		for _, text := range rules[i].says {
			p.add(text)
		}
		s.to = len(p.all)
		p.rules = append(p.rules, s)
	}
	return p
})

func (p *phrases) add(text string) {
	var x phrase
	text, x.open = strings.CutPrefix(text, "*")
	text, x.shut = strings.CutSuffix(text, "*")
	x.text, x.rest, _ = strings.Cut(text, "…")
	x.beginsDigit = x.text[0] == '#'
	first, _ := utf8.DecodeRuneInString(x.text)
	last, _ := utf8.DecodeLastRuneInString(x.text)
	x.wordBegins = !x.open && isWord(first)
	x.wordEnds = !x.shut && x.rest == "" && (isWord(last) || last == '#')
	h := bucket(x.text[0], x.text[1], x.text[2])
	p.buckets[h] = append(p.buckets[h], uint16(len(p.all)))
	p.all = append(p.all, x)
}

// bucket is where phrases are kept that begin with these bytes. All digits are one, and what stands for them.
func bucket(a, b, c byte) int {
	return (int(digitless(a))*961 + int(digitless(b))*31 + int(digitless(c))) & (1<<12 - 1)
}

func digitless(b byte) byte {
	if b >= '0' && b <= '9' {
		return '#'
	}
	return b
}

// isWord says whether a letter has bounds: those of writing without spaces have none.
func isWord(r rune) bool {
	return r < 0x2e80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// found is which phrases stand in a text, as bits.
type found [maxPhrases / 64]uint64

// maxPhrases is how many phrases there can be.
const maxPhrases = 1024

func (f *found) any(from, to int) bool {
	for i := from; i < to; i++ {
		if f[i/64]>>(i%64)&1 != 0 {
			return true
		}
	}
	return false
}

// find looks for all phrases in a text in lower case.
func (p *phrases) find(text []byte) (f found) {
	for i := 0; i+3 <= len(text); i++ {
		for _, n := range p.buckets[bucket(text[i], text[i+1], text[i+2])] {
			if f[n/64]>>(n%64)&1 == 0 && p.all[n].at(text, i) {
				f[n/64] |= 1 << (n % 64)
			}
		}
	}
	return f
}

// at says whether the phrase stands at text[i:].
func (x *phrase) at(text []byte, i int) bool {
	if x.wordBegins && !x.beginsDigit && i > 0 {
		if r, _ := utf8.DecodeLastRune(text[:i]); isWord(r) {
			return false
		}
	}
	end, ok := pass(text, i, x.text)
	if !ok {
		return false
	}
	if x.rest != "" {
		for k := end; k < len(text) && k <= end+maxGap; k++ {
			if _, ok := pass(text, k, x.rest); ok {
				return true
			}
		}
		return false
	}
	if x.wordEnds && end < len(text) {
		if r, _ := utf8.DecodeRune(text[end:]); isWord(r) {
			return false
		}
	}
	return true
}

// pass is where what stands in text[i:] ends, if that is want.
func pass(text []byte, i int, want string) (end int, ok bool) {
	for k := 0; k < len(want); k++ {
		if want[k] == '#' {
			from := i
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			if i == from {
				return 0, false
			}
			continue
		}
		if i >= len(text) || text[i] != want[k] {
			return 0, false
		}
		i++
	}
	return i, true
}

// lower is the beginning of a text in lower case, in buf as far as that has room.
func lower(buf []byte, text string) []byte {
	if len(text) > maxText {
		text = text[:maxText]
	}
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return append(buf[:0], strings.ToLower(text)...)
		}
	}
	buf = buf[:len(text)]
	for i := range buf {
		b := text[i]
		if b-'A' < 26 {
			b += 'a' - 'A'
		}
		buf[i] = b
	}
	return buf
}
