package plain

import (
	"strings"
	"unicode/utf8"
)

// maxQuoted is how many bytes of recorded data are shown at most, so that there are no more characters either.
const maxQuoted = 120

// Code is recorded text for a model as a code span of Markdown; nothing of nothing. In it nothing is markup, and nothing ends it.
func Code(s string) string { return CodeMax(s, maxQuoted) }

// CodeMax is Code of at most max bytes of a text.
func CodeMax(s string, max int) string {
	if s = OneLine(s, max); s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "`", "'") + "`"
}

// CodePath is Code of a path, of which the end is kept if it is too long: that tells paths apart.
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

// MarkdownTable appends a table. Recorded data in its cells has to be Code.
func MarkdownTable(b *strings.Builder, titles []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(titles)
	b.WriteString(strings.Repeat("|---", len(titles)) + "|\n")
	for _, row := range rows {
		line(row)
	}
}
