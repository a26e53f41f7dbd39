package main

import (
	"aburn/internal/plain"
	"aburn/internal/term"
	"fmt"
	"strings"
)

// pageWidth is how wide a text is, in cells, where nobody says how wide the screen is.
const pageWidth = 80

// paragraph prints a text over as many lines as it takes, the first one begun by a word of ours.
func paragraph(out *term.Out, indent int, begin, text string) {
	if text = plain.Line(text); text == "" {
		return
	}
	width := widthOf(out) - indent
	line, used := "", 0
	flush := func() {
		if used > 0 {
			fmt.Fprintf(out, "%*s%s\n", indent, "", line)
		}
		line, used = "", 0
	}
	for i, word := range fields(begin+text, width) {
		if used > 0 && used+1+plain.Width(word) > width {
			flush()
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		used += plain.Width(word)
		if i == 0 && begin != "" {
			word = out.Paint(term.Dim, word)
		}
		line += word
	}
	flush()
}

// widthOf is how wide a line of text may be.
func widthOf(out *term.Out) int {
	if w := out.Width(); w > 0 && w < 2*pageWidth {
		return w
	}
	return pageWidth
}

// paragraphHanging prints a name, and a text behind it that goes on below itself. Words that are too long stay whole: they are paths.
func paragraphHanging(out *term.Out, indent int, name, text string) {
	line, used := out.Paint(term.Dim, plain.Pad(name, indent)), 0
	width := widthOf(out) - indent
	for word := range strings.FieldsSeq(text) {
		if used > 0 && used+1+plain.Width(word) > width {
			fmt.Fprintln(out, line)
			line, used = strings.Repeat(" ", indent), 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+plain.Width(word)
	}
	fmt.Fprintln(out, line)
}

// title prints a part's heading; not the first one's, a line above it.
func title(out *term.Out, first bool, text string) {
	if !first {
		fmt.Fprintln(out)
	}
	if plain.Width(text) > widthOf(out) {
		paragraph(out, 0, "", text)
		return
	}
	fmt.Fprintln(out, out.Paint(term.Bold, plain.Line(text)))
}

// pipeWidth is how wide the tables of sessions are where no terminal says how wide they can be.
const pipeWidth = 180

// fields are the words of a text, those that are wider than a line in pieces.
func fields(text string, width int) (list []string) {
	for _, word := range strings.Fields(text) {
		piece, used := "", 0
		for _, r := range word {
			w := plain.Width(string(r))
			if used+w > width {
				list = append(list, piece)
				piece, used = "", 0
			}
			piece, used = piece+string(r), used+w
		}
		list = append(list, piece)
	}
	return list
}

// join puts the texts that are there behind one another.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(p)
	}
	return b.String()
}

// shortID is how many bytes of an id are enough, mostly.
const shortID = 8
