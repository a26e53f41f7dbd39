package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// help is what --help says of a command (cmd/internal/kit/help.go writes it).
type help struct {
	words    []string // aburn queue add
	about    string
	usage    []string
	text     []string // paragraphs
	sections []section
	below    []help // its commands
}

type section struct {
	title string
	rows  [][2]string
	lines []string // of examples
}

var heading = regexp.MustCompile(`^[A-Z][A-Za-z ]*:$`)

// readHelp asks for the help of a command, and of those below it.
func readHelp(say func(args ...string) (string, error), words []string, below bool) (help, error) {
	text, err := say(append(append([]string{}, words...), "--help")...)
	if err != nil {
		return help{}, err
	}
	h, err := parseHelp(text)
	if err != nil {
		return h, err
	}
	if len(words) == 0 && slices.Contains(h.commandNames(), "help") { // it shows the most used commands
		if text, err = say("help", "all"); err != nil {
			return help{}, err
		}
		all, err := parseHelp("all - all\n\nUsage: all\n\n" + text)
		if err != nil {
			return help{}, err
		}
		h.sections = append(all.sections, slices.DeleteFunc(h.sections, section.holdsCommands)...)
	}
	if !below {
		return h, nil
	}
	for _, name := range h.commandNames() {
		one, err := readHelp(say, append(append([]string{}, words...), name), true)
		if err != nil {
			return h, err
		}
		h.below = append(h.below, one)
	}
	return h, nil
}

func parseHelp(text string) (help, error) {
	blocks := strings.Split(strings.TrimSpace(text), "\n\n")
	name, about, ok := strings.Cut(strings.Join(strings.Fields(blocks[0]), " "), " - ")
	if !ok || len(blocks) < 2 || !strings.HasPrefix(blocks[1], "Usage: ") {
		return help{}, fmt.Errorf("this is no help: %.80q", text)
	}
	h := help{words: strings.Fields(name), about: about, usage: strings.Split(strings.TrimPrefix(blocks[1], "Usage: "), "\n")}
	for _, block := range blocks[2:] {
		lines := strings.Split(block, "\n")
		if !heading.MatchString(lines[0]) {
			h.text = append(h.text, strings.Join(lines, " "))
			continue
		}
		for _, line := range lines {
			if heading.MatchString(line) {
				h.sections = append(h.sections, section{title: strings.TrimSuffix(line, ":")})
				continue
			}
			h.sections[len(h.sections)-1].add(line)
		}
	}
	return h, nil
}

// add reads a line: two columns, or the second column of the line above.
func (s *section) add(line string) {
	if s.title == "Examples" {
		s.lines = append(s.lines, strings.TrimSpace(line))
		return
	}
	if strings.HasPrefix(line, "   ") && len(s.rows) > 0 {
		row := &s.rows[len(s.rows)-1]
		row[1] = strings.TrimSpace(row[1] + " " + strings.TrimSpace(line))
		return
	}
	left, right, _ := strings.Cut(strings.TrimSpace(line), "  ")
	s.rows = append(s.rows, [2]string{left, strings.TrimSpace(right)})
}

// holdsCommands says whether the section lists commands: those of aburn stand below headings of their own.
func (s section) holdsCommands() bool {
	return s.title != "Options" && s.title != "Everywhere" && s.title != "Examples"
}

func (h help) commandNames() (names []string) {
	for _, s := range h.sections {
		for _, row := range s.rows {
			if s.holdsCommands() {
				name, _, _ := strings.Cut(row[0], ",")
				names = append(names, name)
			}
		}
	}
	return names
}

func (h help) page() string { return strings.Join(h.words, "-") }

// roff is the manual page, in the man macros, which all readers know.
func (h help) roff(r Release) []byte {
	var b bytes.Buffer
	title(&b, r, h.page())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", escape(h.page()), escape(h.about))
	h.body(&b, "SH")
	for _, one := range h.below {
		one.nested(&b)
	}
	b.WriteString(".SH \"SEE ALSO\"\n")
	if h.page() == "aburn" {
		b.WriteString("Each command has a page of its own, such as\n.BR aburn\\-install\\-hooks (1).\n")
	} else {
		b.WriteString(".BR aburn (1)\n")
	}
	return b.Bytes()
}

// nested is a command below another, and those below it.
func (h help) nested(b *bytes.Buffer) {
	fmt.Fprintf(b, ".SH \"%s\"\n%s.\n.PP\n", escape(strings.ToUpper(strings.Join(h.words, " "))), escape(h.about))
	h.body(b, "SS")
	for _, one := range h.below {
		one.nested(b)
	}
}

// body writes usage, text and sections; heading is the macro of their headings.
func (h help) body(b *bytes.Buffer, heading string) {
	for i, line := range h.usage {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(b, ".B %s\n", escape(line))
	}
	if len(h.text) > 0 && heading == "SH" {
		b.WriteString(".SH DESCRIPTION\n")
	}
	for i, paragraph := range h.text {
		if i > 0 || heading != "SH" {
			b.WriteString(".PP\n")
		}
		b.WriteString(line(paragraph))
	}
	for _, s := range h.sections {
		if s.title != "Everywhere" || heading == "SH" {
			s.roff(b, heading)
		}
	}
}

func (s section) roff(b *bytes.Buffer, heading string) {
	name := s.title
	if heading == "SH" {
		name = strings.ToUpper(name)
	}
	fmt.Fprintf(b, ".%s \"%s\"\n", heading, escape(name))
	for _, row := range s.rows {
		fmt.Fprintf(b, ".TP\n.B %s\n%s", escape(row[0]), line(row[1]))
	}
	if len(s.lines) > 0 {
		b.WriteString(".nf\n")
		for _, l := range s.lines {
			b.WriteString(line(l))
		}
		b.WriteString(".fi\n")
	}
}

// commentRoff is the page of an executable that people do not run: what its source says of it.
func commentRoff(r Release, name, doc string) []byte {
	paragraphs := strings.Split(strings.TrimSpace(doc), "\n\n")
	text := strings.TrimPrefix(strings.Join(strings.Fields(paragraphs[0]), " "), "Command "+name+" ")
	about, _, _ := strings.Cut(text, ". ")
	about, _, _ = strings.Cut(strings.TrimSuffix(about, "."), ": ")
	var b bytes.Buffer
	title(&b, r, name)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.B %s\n%s", escape(name), escape(about), escape(name), line(text))
	for _, paragraph := range paragraphs[1:] {
		if strings.HasPrefix(paragraph, "\t") {
			fmt.Fprintf(&b, ".PP\n.nf\n%s.fi\n", line(strings.TrimSpace(paragraph)))
			continue
		}
		fmt.Fprintf(&b, ".PP\n%s", line(strings.Join(strings.Fields(paragraph), " ")))
	}
	b.WriteString(".SH \"SEE ALSO\"\n.BR aburn (1)\n")
	return b.Bytes()
}

func title(b *bytes.Buffer, r Release, page string) {
	fmt.Fprintf(b, ".TH %s 1 %s \"aburn %s\" aburn\n", escape(strings.ToUpper(page)), r.Time.Format("2006-01-02"), escape(r.Number()))
}

// line is text that begins on a line of its own: a dot or a quote at its start would be a command.
func line(text string) string {
	text = escape(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text + "\n"
}

// escape keeps roff's own characters as they are meant, and writes all others in ASCII. A bare - would become a hyphen,
// which cannot be pasted.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, `"`, `\(dq`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	var b strings.Builder
	for _, c := range text {
		if c < 0x80 {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}
