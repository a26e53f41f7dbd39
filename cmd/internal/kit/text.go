package kit

import (
	"fmt"
	"io"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/term"
)

// PageWidth is how wide a text is, in cells, where nobody says how wide the screen is.
const PageWidth = 80

// Paragraph prints a text over as many lines as it takes, the first one begun by a word of ours.
func Paragraph(out *term.Out, indent int, begin, text string) {
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
			word = out.Paint(term.Dim, word)
		}
		line += word
	}
	flush()
}

// TextWidth is how wide a line of text may be.
func TextWidth(out *term.Out) int {
	if w := out.Width(); w > 0 && w < 2*PageWidth {
		return w
	}
	return PageWidth
}

// HangingParagraph prints a name, and a text behind it that goes on below itself. Words that are too long stay whole: they are paths.
func HangingParagraph(out *term.Out, indent int, name, text string) {
	line, used := out.Paint(term.Dim, plain.Pad(name, indent)), 0
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

// Title prints a part's heading; not the first one's, a line above it.
func Title(out *term.Out, first bool, text string) {
	if !first {
		fmt.Fprintln(out)
	}
	if plain.Width(text) > TextWidth(out) {
		Paragraph(out, 0, "", text)
		return
	}
	fmt.Fprintln(out, out.Paint(term.Bold, plain.Line(text)))
}

// TableWidth is how wide the tables of sessions are where no terminal says how wide they can be.
const TableWidth = 180

// splitWords are the words of a text, those that are wider than a line in pieces.
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

// Join puts the texts that are there behind one another.
func Join(parts ...string) string {
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

// ShortID is how many bytes of an id are enough, mostly.
const ShortID = 8

// ShowMarkdown prints Markdown of ours: as it is where no person looks, else with its lines folded at the terminal's width and
// its headings standing out.
func ShowMarkdown(out *term.Out, text string) error {
	if !out.Terminal() { // an agent reads it, as likely as not
		_, err := io.WriteString(out, plain.ModelText(text))
		return err
	}
	text = plain.Text(text)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		lead, body := listLead(line)
		switch {
		case strings.HasPrefix(line, "#"):
			io.WriteString(out, out.Paint(term.Bold, strings.TrimLeft(line, "# "))+"\n")
		case body == "":
			io.WriteString(out, "\n")
		default:
			HangingParagraph(out, plain.Width(lead), lead, body)
		}
	}
	return nil
}

// PrintNextSteps names the commands that lead on from what was shown, ready to be copied by a person; programs and agents get none.
func PrintNextSteps(out *term.Out, commands ...string) {
	if !out.Terminal() || len(commands) == 0 {
		return
	}
	io.WriteString(out, "\n")
	for _, command := range commands {
		io.WriteString(out, out.Paint(term.Dim, "$ "+plain.Line(command))+"\n")
	}
}

// listLead parts the beginning of a list's item, "  - " or "12. ", from its text.
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

// ShellWord is a text as one word of a shell, a path or a name that others gave.
func ShellWord(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._/-+", r))
	}) < 0 && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
