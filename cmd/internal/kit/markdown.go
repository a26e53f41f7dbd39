package kit

import (
	"io"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/term"
)

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
		lead, body := ListLead(line)
		switch {
		case strings.HasPrefix(line, "#"):
			io.WriteString(out, out.Paint(term.Bold, strings.TrimLeft(line, "# "))+"\n")
		case body == "":
			io.WriteString(out, "\n")
		default:
			ParagraphHanging(out, plain.Width(lead), lead, body)
		}
	}
	return nil
}

// SayNext names the commands that lead on from what was shown, ready to be copied by a person; programs and agents get none.
func SayNext(out *term.Out, commands ...string) {
	if !out.Terminal() || len(commands) == 0 {
		return
	}
	io.WriteString(out, "\n")
	for _, command := range commands {
		io.WriteString(out, out.Paint(term.Dim, "$ "+plain.Line(command))+"\n")
	}
}

// ListLead parts the beginning of a list's item, "  - " or "12. ", from its text.
func ListLead(line string) (lead, body string) {
	body = strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	mark, _, ok := strings.Cut(body, " ")
	number, dot := strings.CutSuffix(mark, ".")
	if ok && (mark == "-" || dot && number != "" && strings.Trim(number, "0123456789") == "") {
		indent += len(mark) + 1
	}
	return line[:indent], line[indent:]
}
