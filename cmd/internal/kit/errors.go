package kit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/internal/plain"
	"aburn/internal/settings"
	"aburn/internal/term"
)

// How the command speaks to people, all of it on stderr:
//
//	aburn: error: the fact, with its place        (at most one, the last thing said)
//	aburn: hint: what to do about it              (any number, after the error or warning)
//	aburn: warning: what was done all the same    (any number)
//	aburn: note: what is worth knowing            (any number)
//
// The exit code is 0 when all is fine, 1 for bad news, 2 for a mistake in how
// the command was called or where; `chain --expect` adds 3, nothing to build on.
const (
	ExitOK = iota
	ExitBadNews
	ExitUsage
	ExitMissing
)

// Failure is an error with an exit code and what the person can do about it.
// A failure without a message only sets the code: all has been said.
type Failure struct {
	Code  int
	Msg   string
	Hints []string
}

func (f *Failure) Error() string { return f.Msg }

// UsageError is a mistake in how the command was called (exit 2).
func UsageError(msg string, hints ...string) error {
	return &Failure{ExitUsage, msg, hints}
}

// BadNews is an answer nobody wants, or work that went wrong (exit 1).
func BadNews(msg string, hints ...string) error {
	return &Failure{ExitBadNews, msg, hints}
}

// ExitWith is an exit code without a further word.
func ExitWith(code int) error { return &Failure{Code: code} }

// FailureOf is err as it is shown: a failure as it is, any other error as bad news with the hint that it may bring.
func FailureOf(err error) *Failure {
	var f *Failure
	var coder cli.ExitCoder
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &coder): // cli's own: a help topic that does not exist
		return &Failure{Code: ExitUsage, Msg: err.Error()}
	case errors.As(err, &hinted) && hinted.Hint() != "":
		return &Failure{ExitBadNews, err.Error(), []string{hinted.Hint()}}
	}
	return &Failure{Code: ExitBadNews, Msg: err.Error()}
}

// finish prints err in the one form and returns the exit code.
func (a *App) finish(err error) int {
	if err == nil {
		return ExitOK
	}
	f := FailureOf(err)
	if f.Msg != "" {
		a.say(term.BoldRed, "error", f.Msg)
	}
	a.Hint(f.Hints...)
	return f.Code
}

// Warn says what was done all the same, and what could be done about it.
func (a *App) Warn(msg string, hints ...string) {
	a.say(term.BoldYellow, "warning", msg)
	a.Hint(hints...)
}

// Note says what is worth knowing beside an answer.
func (a *App) Note(msg string) { a.say(term.Cyan, "note", msg) }

func (a *App) Hint(hints ...string) {
	for _, h := range hints {
		a.say(term.Cyan, "hint", h)
	}
}

// say writes one line. Messages may hold names from anywhere, so they are cleaned.
func (a *App) say(style term.Style, kind, msg string) {
	o := term.New(a.Stderr, a.Getenv, false)
	fmt.Fprintf(a.Stderr, "aburn: %s: %s\n", o.Paint(style, kind), plain.Line(msg))
}

// MaxListed is how many names are listed where there are too many.
const MaxListed = 8

// Nearest finds mistyped words for hints; a mistyped setting is found in the same way.
func Nearest(word string, candidates []string) string { return settings.Nearest(word, candidates) }

func Strings[T ~string](list ...T) []string {
	var names []string
	for _, w := range list {
		names = append(names, string(w))
	}
	return names
}

// DidYouMean is the hint for a word that is none of those that there are: the nearest one, else which there are.
func DidYouMean(word string, words []string) []string {
	if near := Nearest(word, words); near != "" {
		return []string{"did you mean " + near + "?"}
	}
	switch {
	case len(words) == 0:
		return nil
	case len(words) > MaxListed:
		words = append(slices.Clone(words[:MaxListed]), "…")
	}
	return []string{"one of " + strings.Join(words, ", ")}
}

// maxQuoted is how many characters of a word are shown again. Whoever typed more knows the rest.
const maxQuoted = 200

// Quote shows a word the person typed.
func Quote(s string) string {
	if r := []rune(s); len(r) > maxQuoted {
		s = string(r[:maxQuoted]) + "…"
	}
	return strconv.Quote(s)
}
