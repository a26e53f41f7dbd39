// Package excerpt makes what a page shows of a text that an agent wrote: scrubbed, without hidden characters, folded, as prose,
// code or a patch. Nothing in it is markup of the text's own, and nothing loads or leads anywhere.
package excerpt

import (
	"html/template"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// Block is a piece of a text.
type Block struct {
	Name  string        // of the member of an input
	Prose template.HTML // from Markdown; then there are no lines
	Head  []Line
	Fold  string // what stands between Head and Tail, and is left out
	Tail  []Line
	Patch bool
	// Language is the one of its code, by the ending of a file; "" is coloured as no code. See Coloured.
	Language string
}

// Line is a run of lines of one kind: "", "add", "del" or "at" of a patch.
type Line struct{ Kind, Text string }

// Limits say how much of a text is shown. The zero value shows all.
type Limits struct {
	Head, Tail int // lines; a text of at most Head+Tail+2 lines is shown whole
	Width      int // bytes of a line
	Prose      int // bytes of Markdown
}

// Folded is how a list of events shows texts.
var Folded = Limits{Head: 6, Tail: 4, Width: 240, Prose: 4000}

// MaxScrubbed is the size of the longest text that is shown. Half a text may hold half a secret, which no rule knows.
const MaxScrubbed = 4 << 20

// Scrubber takes secrets out of the texts of one session. A value that one of them gives away is taken out of all.
type Scrubber struct{ memory scrub.Memory }

// Learn notes the secrets of a text.
func (s *Scrubber) Learn(text []byte) {
	if len(text) > MaxScrubbed {
		return
	}
	s.memory.Learn(string(text))
	for _, m := range members(text) {
		s.memory.Learn(m.value)
	}
}

// clean is a text as it may be shown. Hidden characters could part a secret, so it is scrubbed before and after they are replaced.
func (s *Scrubber) clean(text string) string {
	text, _ = s.memory.Text(text)
	if shown := plain.Text(text); shown != text {
		text, _ = s.memory.Text(shown)
	}
	return text
}

// Text is a text as it may be shown, for whoever shows it otherwise.
func (s *Scrubber) Text(text string) string {
	return s.clean(strings.ToValidUTF8(text, string(plain.Replacement)))
}

// Prose shows Markdown, as models write it.
func (s *Scrubber) Prose(text []byte, l Limits) []Block {
	all := s.Text(string(text))
	left := 0
	if l.Prose > 0 && len(all) > l.Prose {
		cut := strings.LastIndexByte(all[:l.Prose], '\n')
		if cut < l.Prose/2 {
			cut = strings.LastIndexByte(strings.ToValidUTF8(all[:l.Prose], ""), ' ')
		}
		if cut <= 0 {
			return s.Code("", text, l)
		}
		left = len(all) - cut
		all = all[:cut]
	}
	b := Block{Prose: markdown(all)}
	if left > 0 {
		b.Fold = "… " + plain.Size(int64(left)) + " more"
	}
	return []Block{b}
}

// Code shows a text as it stands, for example what a command printed. A patch is coloured.
func (s *Scrubber) Code(name string, text []byte, l Limits) []Block {
	return []Block{s.code(name, string(text), l)}
}

func (s *Scrubber) code(name, text string, l Limits) Block {
	if kind := binary(text); kind != "" {
		return Block{Name: plain.Line(name), Fold: kind}
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.TrimRight(s.Text(colourless(text)), "\n")
	b := Block{Name: plain.Line(name), Patch: isPatch(text)}
	list := strings.Split(text, "\n")
	head, tail := list, []string(nil)
	if l.Head > 0 && len(list) > l.Head+l.Tail+2 {
		head, tail = list[:l.Head], list[len(list)-l.Tail:]
		left := list[l.Head : len(list)-l.Tail]
		size := len(left)
		for _, line := range left {
			size += len(line)
		}
		b.Fold = "… " + plain.Plural(int64(len(left)), "line") + ", " + plain.Size(int64(size))
	}
	b.Head, b.Tail = runs(head, b.Patch, l), runs(tail, b.Patch, l)
	return b
}

// In gives blocks of code the language of a file, but for those whose language is known.
func In(file string, list []Block) []Block {
	for i := range list {
		if list[i].Language == "" {
			list[i].Language = LanguageOf(file)
		}
	}
	return list
}

// runs joins lines of one kind.
func runs(lines []string, patch bool, l Limits) (all []Line) {
	var text strings.Builder
	kind := ""
	flush := func() {
		if text.Len() > 0 {
			all = append(all, Line{kind, strings.TrimSuffix(text.String(), "\n")})
			text.Reset()
		}
	}
	for _, line := range lines {
		of := ""
		if patch {
			of = kindOf(line)
		}
		if of != kind {
			flush()
			kind = of
		}
		if l.Width > 0 && len(line) > l.Width {
			line = strings.ToValidUTF8(line[:l.Width], "") + " … " + plain.Size(int64(len(line)-l.Width)) + " more"
		}
		text.WriteString(line + "\n")
	}
	flush()
	return all
}

// binary says what a text is that is no text, "" if it is one.
func binary(text string) string {
	const least = 400
	if len(text) < least {
		return ""
	}
	rest := text
	if strings.HasPrefix(text, "data:") {
		_, rest, _ = strings.Cut(text, ",")
	}
	for i := range min(len(rest), 4*least) {
		c := rest[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '+' && c != '/' && c != '=' && c != '-' && c != '_' {
			return ""
		}
	}
	return "(binary data, " + plain.Size(int64(len(text))) + ", not shown)"
}

// colourless takes the escape sequences of a terminal's colours out of a text: ESC [ numbers m.
func colourless(text string) string {
	if !strings.Contains(text, "\x1b[") {
		return text
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		n := 0
		for n < len(after) && n < 20 && (after[n] >= '0' && after[n] <= '9' || after[n] == ';') {
			n++
		}
		if n < len(after) && after[n] == 'm' {
			text = after[n+1:]
			continue
		}
		b.WriteString("\x1b[") // some other sequence, which is shown
		text = after
	}
}
