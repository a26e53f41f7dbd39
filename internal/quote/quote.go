// Package quote shows texts from a log in sentences for people and models: on one line, cut, and without secrets.
package quote

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"aburn/internal/plain"
	"aburn/internal/scrub"
)

const (
	// Bounds of what is shown of a path, of a summary, and of a branch or worktree, in bytes.
	MaxPath = 240
	MaxText = 400
	MaxName = 120 // of a branch or worktree
)

// Text shows a string from the log on one line, without secrets, cut to about max bytes. It is
// bare if it consists of the characters of names and paths, and otherwise quoted. Characters that
// plain.Model replaces become escapes, so that a model can still tell two files apart. Characters
// that it removes are left out.
func Text(s string, max int) string {
	s = cut(withoutSecrets(s), max)
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !bare(r) }) < 0 {
		return s
	}
	return quoted(s)
}

// Always is Text with quotes in any case, for sentences.
func Always(s string, max int) string { return quoted(cut(withoutSecrets(s), max)) }

// withoutSecrets comes before every cut, because the rest of a cut secret is not found any more. The
// search passes over characters that are left out: one of them could hide a secret.
func withoutSecrets(s string) string {
	clean, secrets := scrub.Text(strings.Map(func(r rune) rune {
		if plain.Model(r) < 0 {
			return -1
		}
		return r
	}, s))
	if secrets == 0 {
		return s
	}
	return clean
}

func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch seen := plain.Model(r); {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case plain.Break(r):
			b.WriteByte(' ')
		case seen == plain.Replacement:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		case seen >= 0:
			b.WriteRune(seen)
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
	return "the worktree " + Text(wt, MaxName)
}

// bare reports whether r needs no quotes.
func bare(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._:/-+@=~", r)
	}
	return r == '…' || plain.Model(r) == r && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// cut shortens s to at most max bytes of whole characters, ending in … if something was left out.
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
