package failure

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A phrase is what a rule looks for in the head of an error, in lower case. It matches whole words: where it begins or ends
// in a letter or digit, none may stand beside it, nor a slash, which makes it part of a path. "*" at an end lifts that. "#" stands for a number, "%" for one that is not 0,
// "##" for the sign #, and "…" for up to maxGap bytes of anything. Writing that has no spaces between words (Chinese, Japanese)
// has no such bounds.
const maxGap = 120

// maxDigits is how long a number that "#" stands for can be. Numbers may begin within longer ones, so that of a thousand digits each
// would be looked at a thousand times, for each phrase.
const maxDigits = 20

// maxText is how much of a text is looked at: a trace keeps no more of an error.
const maxText = 1000

// phrases finds the phrases of all rules in a text at once. A phrase is looked for only where its first three bytes stand, and
// within a word only if it may begin there.
type phrases struct {
	all    []phrase
	begins [buckets][]uint16 // of the phrases that begin a word
	within [buckets][]uint16 // of the others
	rules  []*rule
}

const buckets = 1 << 13

// maxRules is how many rules there can be.
const maxRules = 128

// phrase is a phrase without its marks, and what it is for.
type phrase struct {
	rule       int
	unless     bool
	text       string // up to the first gap
	rest       string // behind it
	wordBegins bool   // its first letter must begin a word, its last one end it
	wordEnds   bool
}

// compiled is all rules and their phrases, made when they are first asked for. The rules are asked in this order: what only
// one cause can say comes before what many can.
var compiled = sync.OnceValue(func() *phrases {
	p := new(phrases)
	locale, _ := localeRules() // a test holds that no line of them is bad
	for _, group := range [...][]rule{agentRules, codeRules, systemRules, locale, restRules} {
		for i := range group {
			r := &group[i]
			for _, text := range r.says {
				p.add(phrase{rule: len(p.rules), text: text})
			}
			for _, text := range r.unless {
				p.add(phrase{rule: len(p.rules), unless: true, text: text})
			}
			p.rules = append(p.rules, r)
		}
	}
	return p
})

// add takes the marks off a phrase and puts it where it is looked for.
func (p *phrases) add(x phrase) {
	text, open := strings.CutPrefix(x.text, "*")
	text, shut := strings.CutSuffix(text, "*")
	x.text, x.rest, _ = strings.Cut(text, "…")
	first, _ := utf8.DecodeRuneInString(x.text)
	last, _ := utf8.DecodeLastRuneInString(x.text)
	x.wordBegins = !open && isWord(first)
	x.wordEnds = !shut && x.rest == "" && (isWord(last) || last == '#' || last == '%')
	list := &p.within
	if x.wordBegins {
		list = &p.begins
	}
	for _, b := range begins(x.text) {
		list[b] = append(list[b], uint16(len(p.all)))
	}
	p.all = append(p.all, x)
}

// begins is the buckets of the texts that can begin a phrase: a number can have one digit, two, or more.
func begins(text string) []int {
	if !strings.ContainsAny(text[:3], "#%") {
		return []int{bucket(text[0], text[1], text[2])}
	}
	var forms []string
	for _, number := range [...]string{"0", "00", "000"} {
		form := strings.NewReplacer("##", "#", "#", number, "%", number).Replace(text)[:3]
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	all := make([]int, len(forms))
	for i, f := range forms {
		all[i] = bucket(f[0], f[1], f[2])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func isNumberMark(b byte) bool { return b == '#' || b == '%' }

// bucket is where phrases are kept that begin with these bytes. All digits are one.
func bucket(a, b, c byte) int {
	return (int(digitless(a))*1849 + int(digitless(b))*43 + int(digitless(c))) & (buckets - 1)
}

func digitless(b byte) byte {
	if isDigit(b) {
		return '0'
	}
	return b
}

// isWord says whether a letter has bounds: those of writing without spaces have none.
func isWord(r rune) bool {
	return r < 0x2e80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// found is which rules have a phrase in a text, one that they want and one that they do not bear.
type found struct {
	said, unless [maxRules]bool
}

// find looks for all phrases in a text in lower case.
func (p *phrases) find(text []byte, f *found) {
	for i := 0; i+3 <= len(text); i++ {
		b := bucket(text[i], text[i+1], text[i+2])
		if list := p.within[b]; list != nil {
			p.try(list, text, i, f)
		}
		if list := p.begins[b]; list != nil && beginsWord(text, i) {
			p.try(list, text, i, f)
		}
	}
}

// beginsWord says whether no part of a word or path stands before text[i].
func beginsWord(text []byte, i int) bool {
	if i == 0 {
		return true
	}
	if c := text[i-1]; c < utf8.RuneSelf {
		return !isWordByte(c) && c != '/' && c != '\\'
	}
	r, _ := utf8.DecodeLastRune(text[:i])
	return !isWord(r)
}

// endsWord says whether no part of a word, path or file's name stands at text[i].
func endsWord(text []byte, i int) bool {
	if i >= len(text) {
		return true
	}
	switch c := text[i]; {
	case c == '/' || c == '\\':
		return false
	case c == '.':
		return i+1 >= len(text) || text[i+1] < 'a' || text[i+1] > 'z'
	case c < utf8.RuneSelf:
		return !isWordByte(c)
	}
	r, _ := utf8.DecodeRune(text[i:])
	return !isWord(r)
}

func (p *phrases) try(list []uint16, text []byte, i int, f *found) {
	for _, n := range list {
		x := &p.all[n]
		to := &f.said
		if x.unless {
			to = &f.unless
		}
		if !to[x.rule] && x.at(text, i) {
			to[x.rule] = true
		}
	}
}

// at says whether the phrase stands at text[i:], where it may begin.
func (x *phrase) at(text []byte, i int) bool {
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
	return !x.wordEnds || endsWord(text, end)
}

// pass is where what stands in text[i:] ends, if that is want.
func pass(text []byte, i int, want string) (end int, ok bool) {
	for k := 0; k < len(want); k++ {
		c := want[k]
		if c == '#' && k+1 < len(want) && want[k+1] == '#' {
			k++
		} else if isNumberMark(c) {
			from := i
			for i < len(text) && i < from+maxDigits && isDigit(text[i]) {
				i++
			}
			if i == from || c == '%' && strings.Trim(string(text[from:i]), "0") == "" {
				return 0, false
			}
			continue
		}
		if i >= len(text) || text[i] != c {
			return 0, false
		}
		i++
	}
	return i, true
}

// lower is the beginning of a text in lower case, in buf, which has room for maxText bytes, if that will do.
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
