// Package markdown writes what reports say about recorded data as Markdown for agents: whatever a session left behind stands in
// it quoted, on one line, bounded, and without characters that act on a terminal or on the order of the text.
package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"aburn/logfmt"
)

// MaxQuoted is how many bytes of recorded data are shown at most, so that there are no more characters either.
const MaxQuoted = 120

// Code is recorded text as a code span; nothing of nothing. In it nothing is markup, and nothing ends it.
func Code(s string) string { return Text(s, MaxQuoted) }

// Text is Code of at most max bytes of a text.
func Text(s string, max int) string {
	if s = logfmt.OneLine(s, max); s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "`", "'") + "`"
}

// Path is Code of a path, of which the end is kept if it is too long: that tells paths apart.
func Path(s string) string {
	if len(s) > MaxQuoted {
		from := len(s) - MaxQuoted + len("…")
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
		s = "…" + s[from:]
	}
	return Code(s)
}

// Plural is a number with its noun: "1 session", "412 sessions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Times is how often something happened: "once", "12 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// Units is how many sessions and sub-agents there are: "412 sessions and 88 sub-agents".
func Units(sessions, subagents int) string {
	if subagents == 0 {
		return Plural(sessions, "session")
	}
	return Plural(sessions, "session") + " and " + Plural(subagents, "sub-agent")
}

// Members is how many of what was looked at something is about, of sessions, or of sessions and sub-agents: "12 sessions".
func Members(n int, subagents bool) string {
	switch {
	case !subagents:
		return Plural(n, "session")
	case n == 1:
		return "1 session or sub-agent"
	}
	return strconv.Itoa(n) + " sessions and sub-agents"
}

// Session is a session as commands take it.
func Session(source, id string) string { return Code(source + "/" + id) }

// Table appends a table. Recorded data in its cells has to be Code.
func Table(b *strings.Builder, titles []string, rows [][]string) {
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
