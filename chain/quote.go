package chain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxPath and MaxText bound, in bytes, what is shown of a path and of a summary from the log.
	MaxPath = 240
	MaxText = 400
	maxName = 120 // of a branch or worktree
)

// Quote shows a string from the log on one line: bare if it consists of the characters of names and paths, else quoted,
// with whatever could change a terminal or hide from a reader written as an escape; cut to about max bytes.
func Quote(s string, max int) string {
	s = cut(s, max)
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return Quoted(s, max)
}

// Quoted is Quote that always quotes: for sentences.
func Quoted(s string, max int) string {
	s = cut(s, max)
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029':
			b.WriteByte(' ')
		case hidden(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Worktree names a worktree as entries call it.
func Worktree(wt string) string {
	if wt == "" {
		return "the main worktree"
	}
	return "the worktree " + Quote(wt, maxName)
}

// plain characters need no quotes.
func plain(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._:/-+@=~", r)
	}
	return r == '…' || !hidden(r) && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// hidden characters are those that are not seen as themselves: controls, formats (bidirectional ones, tags, zero width),
// variation selectors beyond those of emoji, fillers, what is not assigned, and bytes that are no UTF-8.
func hidden(r rune) bool {
	if r >= ' ' && r < 0x7f {
		return false
	}
	return r == utf8.RuneError || !unicode.IsGraphic(r) || r >= 0xe0000 && r < 0xe1000 ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

// cut shortens s to at most max bytes, on a rune boundary, ending in … if something was left out.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end := max - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// oneLine is s for a shell that takes it as one word: no line break, and nothing hidden.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t':
			return ' '
		case hidden(r):
			return utf8.RuneError
		}
		return r
	}, s)
}
