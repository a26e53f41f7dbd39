package term

import (
	"fmt"
	"io"
	"strings"

	"aburn/internal/plain"
)

// PageWidth is the width of text, in cells, where no terminal says how wide it is.
const PageWidth = 80

// Paragraph prints a text, folded and indented. begin is a label in front of it, or "".
func Paragraph(out *Out, indent int, begin, text string) {
	if text = plain.Line(text); text == "" {
		return
	}
	width := TextWidth(out) - indent
	line, used := "", 0
	flush := func() {
		if used > 0 {
			fmt.Fprintf(out, "%*s%s\n", indent, "", line)
		}
		line, used = "", 0
	}
	for i, word := range splitWords(begin+text, width) {
		if used > 0 && used+1+plain.Width(word) > width {
			flush()
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		used += plain.Width(word)
		if i == 0 && begin != "" {
			word = out.Paint(Dim, word)
		}
		line += word
	}
	flush()
}

// TextWidth is how many cells a line of text may have.
func TextWidth(out *Out) int {
	if w := out.Width(); w > 0 && w < 2*PageWidth {
		return w
	}
	return PageWidth
}

// HangingParagraph prints a name and, in a column behind it, a folded text. Long words stay whole: they are paths.
func HangingParagraph(out *Out, indent int, name, text string) {
	line, used := out.Paint(Dim, plain.Pad(name, indent)), 0
	width := TextWidth(out) - indent
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

// Title prints a heading, with an empty line above it unless it is the first.
func Title(out *Out, first bool, text string) {
	if !first {
		fmt.Fprintln(out)
	}
	if plain.Width(text) > TextWidth(out) {
		Paragraph(out, 0, "", text)
		return
	}
	fmt.Fprintln(out, out.Paint(Bold, plain.Line(text)))
}

// TableWidth is the width of wide tables, in cells, where no terminal says how wide it is.
const TableWidth = 180

// splitWords are the words of a text. A word that is wider than width comes in pieces.
func splitWords(text string, width int) (list []string) {
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

// ShowMarkdown prints aburn's own Markdown: as it is on a pipe, and folded with bold headings on a terminal.
func ShowMarkdown(out *Out, text string) error {
	if !out.Terminal() { // an agent may read it
		_, err := io.WriteString(out, plain.ModelText(text))
		return err
	}
	text = plain.Text(text)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		lead, body := listLead(line)
		switch {
		case strings.HasPrefix(line, "#"):
			io.WriteString(out, out.Paint(Bold, strings.TrimLeft(line, "# "))+"\n")
		case body == "":
			io.WriteString(out, "\n")
		default:
			HangingParagraph(out, plain.Width(lead), lead, body)
		}
	}
	return nil
}

// PrintNextSteps prints commands that lead on from an answer, for a person to copy; on a pipe it prints none.
func PrintNextSteps(out *Out, commands ...string) {
	if !out.Terminal() || len(commands) == 0 {
		return
	}
	io.WriteString(out, "\n")
	for _, command := range commands {
		io.WriteString(out, out.Paint(Dim, "$ "+plain.Line(command))+"\n")
	}
}

// listLead splits a line of Markdown into the mark of a list's item ("  - ", "12. ") and its text.
func listLead(line string) (lead, body string) {
	body = strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	mark, _, ok := strings.Cut(body, " ")
	number, dot := strings.CutSuffix(mark, ".")
	if ok && (mark == "-" || dot && number != "" && strings.Trim(number, "0123456789") == "") {
		indent += len(mark) + 1
	}
	return line[:indent], line[indent:]
}
