package home

import (
	"strings"
)

// texts is made-up text to cut pieces from: words of invented syllables in lines, some of them with what is awkward
// in JSON.
type texts struct {
	raw, esc []byte // the same text plain and as in a JSON string
	rawAt    []int  // where each word begins
	escAt    []int
	brief    bool
}

// poolSize is about how many bytes of text there are to cut from.
const poolSize = 1 << 20

var syllables = strings.Fields("ba be bo da de do fa fi fu ga go ka ke ki la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va " +
	"ve vi vo za ze zo")

// awkward is what readers stumble over: escapes, wide characters, terminal sequences, JSON in JSON.
var awkward = []string{"zürich", "東京", "→", "…", "\x1b[32m", "\t", `"quo"`, `a\b`, "🙂", "<b>", `{"k":[1,"x"]}`, `C:\tmp\new`, `\u0041`, "`x`", "\u2028"}

func newTexts(r *random, brief bool) *texts {
	t := &texts{brief: brief}
	words := make([]string, 400)
	for i := range words {
		for range r.from(1, 4) {
			words[i] += pick(r, syllables)
		}
	}
	for len(t.raw) < poolSize {
		t.add(pick(r, words))
		switch r.below(40) {
		case 0:
			t.add(" " + pick(r, awkward))
		case 1, 2, 3:
			t.add("\n")
			continue
		case 4:
			t.add("\n    ")
			continue
		}
		t.add(" ")
	}
	return t
}

func (t *texts) add(s string) {
	t.rawAt, t.escAt = append(t.rawAt, len(t.raw)), append(t.escAt, len(t.esc))
	t.raw = append(t.raw, s...)
	t.esc = appendEscaped(t.esc, s)
}

// piece is a cut of the text: plain, and as it stands in a JSON string.
type piece struct{ raw, esc []byte }

// cut is about n bytes of text; n is what it is in a full-sized home.
func (t *texts) cut(r *random, n int) piece {
	if t.brief {
		n = n/8 + 8
	}
	n = max(1, min(n, len(t.raw)/2))
	words := max(1, n*len(t.rawAt)/len(t.raw))
	i := r.below(len(t.rawAt) - words - 1)
	return piece{t.raw[t.rawAt[i]:t.rawAt[i+words]], t.esc[t.escAt[i]:t.escAt[i+words]]}
}

// words is a short text on one line, without anything awkward.
func (t *texts) words(r *random, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range r.from(2, 3) {
			b.WriteString(pick(r, syllables))
		}
	}
	return b.String()
}

// appendEscaped appends s as it stands in a JSON string.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}
