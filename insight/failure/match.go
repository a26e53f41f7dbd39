package failure

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A phrase is what a rule looks for in the head of an error, in lower case. It matches whole
// words: a letter or digit at its edge must not touch another one, nor a slash, which would make
// it part of a path. The marks:
//
//	#   a number
//	%   a number other than 0
//	##  the sign #
//	…   up to maxGap bytes of anything
//	*   at an edge: no word boundary needed there
//
// Writing without spaces between words (Chinese, Japanese) has no word boundaries.
const maxGap = 120

// maxDigits bounds the number that "#" matches. Without a bound, each of a thousand digits would
// begin a number of its own, and each phrase would try them all.
const maxDigits = 20

// maxText is how many bytes of a text are searched. Traces keep no more of an error.
const maxText = 1000

// phrases finds the phrases of all rules in one pass. It tries a phrase only where its first
// three bytes stand.
type phrases struct {
	all    []phrase
	begins [buckets][]uint16 // phrases that begin a word
	within [buckets][]uint16 // all others
	rules  []*rule
}

const buckets = 1 << 13

const maxRules = 128

// phrase is a phrase without its marks, and the rule that it belongs to.
type phrase struct {
	rule       int
	unless     bool
	text       string // before the gap
	rest       string // after the gap
	wordBegins bool   // word boundary needed before the first letter, after the last one
	wordEnds   bool
}

// compiled holds all rules and phrases, built on first use. Rules stand in this order: words that
// only one cause explains come before words that many can.
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

// add removes the marks and files the phrase under its first bytes.
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

// begins lists the buckets under which text can begin: a leading number has one digit, two, or
// more.
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

// bucket hashes the first three bytes. All digits count as one.
func bucket(a, b, c byte) int {
	return (int(digitless(a))*1849 + int(digitless(b))*43 + int(digitless(c))) & (buckets - 1)
}

func digitless(b byte) byte {
	if isDigit(b) {
		return '0'
	}
	return b
}

// isWord reports whether r is part of a word that has boundaries.
func isWord(r rune) bool {
	return r < 0x2e80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// found is the rules with a match in a text, for what they want (said) and for what excludes them
// (unless).
type found struct {
	said, unless [maxRules]bool
}

// find searches a text in lower case for all phrases.
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

// beginsWord reports whether no part of a word or path precedes text[i].
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

// endsWord reports whether no part of a word, path or file name stands at text[i].
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

// at reports whether the phrase matches at text[i:], where the caller has checked its beginning.
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

// pass matches want at text[i:] and returns where the match ends.
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

// lower returns text in lower case, at most maxText bytes of it, in buf where it fits.
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

// statusForms are the words before an HTTP status.
var statusForms = [...]string{
	"http", "http error", "http/1.0", "http/1.1", "http/2", "http/#", "status", "status:", "status code", "status code:",
	"code", "code:", "error", "error:", "failed with", "response", "rejected",
}

// statuses returns the first HTTP statuses in a text in lower case: numbers from 400 to 599 after
// a word that announces one.
func statuses(text []byte) (all [4]int) {
	n := 0
	for i := 0; i+3 <= len(text) && n < len(all); i++ {
		if (text[i] == '4' || text[i] == '5') && isStatus(text, i) {
			all[n] = int(text[i]-'0')*100 + int(text[i+1]-'0')*10 + int(text[i+2]-'0')
			n++
			i += 2
		}
	}
	return all
}

// isStatus reports whether an announced HTTP status stands at text[i:].
func isStatus(text []byte, i int) bool {
	if i+3 > len(text) || text[i] != '4' && text[i] != '5' || !isDigit(text[i+1]) || !isDigit(text[i+2]) ||
		i+3 < len(text) && (isWordByte(text[i+3]) || text[i+3] == '.' && i+4 < len(text) && isDigit(text[i+4])) {
		return false
	}
	const longest = 24
	before := strings.TrimRight(strings.ToLower(string(text[max(0, i-longest):i])), " (=\"'")
	if len(before) == min(i, longest) {
		return false // no separator between word and number
	}
	for _, form := range statusForms {
		if rest, ok := strings.CutSuffix(before, form); ok && (rest == "" || !isWordByte(rest[len(rest)-1])) {
			return true
		}
	}
	return false
}
