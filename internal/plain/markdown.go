package plain

import (
	"strings"
	"unicode/utf8"
)

// maxQuoted is the most bytes of recorded data in a code span, and therefore the most characters.
const maxQuoted = 120

// Code quotes recorded text for a model as a Markdown code span, or "" for "". Nothing inside is
// markup, and nothing ends the span.
func Code(s string) string { return CodeMax(s, maxQuoted) }

// CodeMax is Code of at most max bytes of a text.
func CodeMax(s string, max int) string {
	if s = OneLine(s, max); s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "`", "'") + "`"
}

// CodePath is Code of a path. A long path keeps its end, which tells paths apart.
func CodePath(s string) string {
	if len(s) > maxQuoted {
		from := len(s) - maxQuoted + len("…")
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
		s = "…" + s[from:]
	}
	return Code(s)
}

// MarkdownTable appends a table. Recorded data in its cells must be quoted with Code.
func MarkdownTable(b *strings.Builder, titles []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(titles)
	b.WriteString(strings.Repeat("|---", len(titles)) + "|\n")
	for _, row := range rows {
		line(row)
	}
}

// cell escapes the pipes of a cell. A backslash in front of one would be what is escaped instead: it goes.
func cell(s string) string {
	for strings.Contains(s, `\|`) {
		s = strings.ReplaceAll(s, `\|`, "|")
	}
	return strings.ReplaceAll(s, "|", `\|`)
}
