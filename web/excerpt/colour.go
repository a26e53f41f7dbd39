package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Coloured is a run of lines of one kind, in pieces.
type Coloured struct {
	Kind  string
	Spans []Span
}

// Coloured are a block's lines by the syntax of its language. Where a patch replaces lines by as many others, what differs within a line is
// marked.
func (b *Block) Coloured(lines []Line) []Coloured {
	list := make([]Coloured, len(lines))
	language := b.Language
	for i, line := range lines {
		if b.Patch && line.Kind == "at" {
			if of := languageOfHead(line.Text); of != "" {
				language = of
			}
			list[i] = Coloured{line.Kind, []Span{{Text: line.Text}}}
			continue
		}
		list[i] = Coloured{line.Kind, spans(language, line.Text)}
		if b.Patch {
			list[i].Spans = signed(language, line.Text)
		}
	}
	for i := 0; i+1 < len(lines); i++ {
		if lines[i].Kind == "del" && lines[i+1].Kind == "add" {
			markWords(&list[i], &list[i+1], lines[i].Text, lines[i+1].Text)
		}
	}
	return list
}

// signed are the pieces of lines of a patch: their signs are not part of the code.
func signed(language, text string) []Span {
	code := []byte(text)
	for i := range code {
		if i == 0 || code[i-1] == '\n' {
			if code[i] == '+' || code[i] == '-' {
				code[i] = ' '
			}
		}
	}
	list, at := spans(language, string(code)), 0
	for i := range list {
		list[i].Text = text[at : at+len(list[i].Text)]
		at += len(list[i].Text)
	}
	return list
}

// languageOfHead is the language of the file that a patch's head names, "" where it names none.
func languageOfHead(head string) (language string) {
	for line := range strings.SplitSeq(head, "\n") {
		for _, before := range []string{"+++ ", "--- ", "*** Update File: ", "*** Add File: "} {
			if name, ok := strings.CutPrefix(line, before); ok && language == "" {
				language = LanguageOf(strings.TrimSpace(name))
			}
		}
	}
	return language
}

// markWords marks in two runs with as many lines what differs within each pair of lines, by whole words. A pair that has little in common is
// not marked: all of it is new.
func markWords(del, add *Coloured, before, after string) {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	if len(old) != len(now) {
		return
	}
	var inOld, inNow [][2]int
	atOld, atNow := 0, 0
	for i := range old {
		if from, to, end := difference(old[i], now[i]); from >= 0 {
			inOld, inNow = append(inOld, [2]int{atOld + from, atOld + to}), append(inNow, [2]int{atNow + from, atNow + end})
		}
		atOld, atNow = atOld+len(old[i])+1, atNow+len(now[i])+1
	}
	del.Spans, add.Spans = marked(del.Spans, inOld), marked(add.Spans, inNow)
}

// difference is where two lines of a patch differ: from the same byte in both, to one of each. from is -1 where marks would not help.
func difference(a, b string) (from, toA, toB int) {
	from = 1 // behind the sign
	if len(a) < 1 || len(b) < 1 {
		return -1, 0, 0
	}
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	toA, toB = len(a), len(b)
	for toA > from && toB > from && a[toA-1] == b[toB-1] {
		toA, toB = toA-1, toB-1
	}
	for from > 1 && (inWord(a, from) || inWord(b, from)) {
		from--
	}
	for toA < len(a) && toB < len(b) && (inWord(a, toA) || inWord(b, toB)) {
		toA, toB = toA+1, toB+1
	}
	if same := len(strings.TrimSpace(a[1:from])) + len(strings.TrimSpace(a[toA:])); same*3 < len(a)-1 || from == toA && from == toB {
		return -1, 0, 0
	}
	return from, toA, toB
}

// inWord reports whether a place is inside of a word, or of a character.
func inWord(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return false
	}
	if !utf8.RuneStart(text[at]) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return isWord(before) && isWord(after)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// marked are the pieces of a text, parted at the ranges, which are in order and marked.
func marked(list []Span, ranges [][2]int) (out []Span) {
	at := 0
	for _, s := range list {
		for s.Text != "" {
			for len(ranges) > 0 && ranges[0][1] <= at {
				ranges = ranges[1:]
			}
			n, mark := len(s.Text), false
			if len(ranges) > 0 {
				switch from, to := ranges[0][0]-at, ranges[0][1]-at; {
				case from > 0:
					n = min(n, from)
				default:
					n, mark = min(n, to), true
				}
			}
			out = append(out, Span{s.Class, s.Text[:n], mark})
			s.Text, at = s.Text[n:], at+n
		}
	}
	return out
}
