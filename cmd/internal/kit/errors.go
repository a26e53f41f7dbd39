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

// Messages go to stderr in four forms:
//
//	aburn: error: the fact, with its place          (at most one, and the last message)
//	aburn: hint: what to do about it                (any number, after the error or warning)
//	aburn: warning: what is wrong; the work went on (any number)
//	aburn: note: what is worth knowing              (any number)
//
// The exit code is 0 if all is fine, 1 for bad news, 2 for a mistake in the call or the folder. `chain --expect` adds 3:
// there is nothing to build on.
const (
	ExitOK = iota
	ExitBadNews
	ExitUsage
	ExitMissing
)

// Failure is an error with an exit code and with hints of what the person can do. One without a message only sets the
// code: the command's answer has said the rest.
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

// BadNews is a negative answer, or work that failed (exit 1).
func BadNews(msg string, hints ...string) error {
	return &Failure{ExitBadNews, msg, hints}
}

// ExitWith is an exit code without a message.
func ExitWith(code int) error { return &Failure{Code: code} }

// FailureOf is err as a Failure. An error that is none is bad news, with the hint of its method Hint if it has one.
func FailureOf(err error) *Failure {
	var f *Failure
	var coder cli.ExitCoder
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &coder): // cli's own: a help topic that does not exist
		return &Failure{ExitUsage, err.Error(), []string{"aburn --help"}}
	case errors.As(err, &hinted) && hinted.Hint() != "":
		return &Failure{ExitBadNews, err.Error(), []string{hinted.Hint()}}
	}
	return &Failure{Code: ExitBadNews, Msg: err.Error()}
}

// finish prints err and returns the exit code.
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

// Warn prints what is wrong although the work goes on, and hints of what can be done.
func (a *App) Warn(msg string, hints ...string) {
	a.say(term.BoldYellow, "warning", msg)
	a.Hint(hints...)
}

// Note prints what is worth knowing beside an answer.
func (a *App) Note(msg string) { a.say(term.Cyan, "note", msg) }

// Hint prints what can be done about the message before it.
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

// MaxListed is how many names a hint lists.
const MaxListed = 8

// Nearest is the candidate that a mistyped word most likely means, "" if none is near.
func Nearest(word string, candidates []string) string { return settings.Nearest(word, candidates) }

// Strings are words of any string type.
func Strings[T ~string](list ...T) []string {
	var names []string
	for _, w := range list {
		names = append(names, string(w))
	}
	return names
}

// DidYouMean is the hint for an unknown word: the nearest of words, else a list of them.
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

// maxQuoted is how many characters of a typed word an error repeats.
const maxQuoted = 200

// Quote is a word that the person typed, as an error repeats it.
func Quote(s string) string {
	if r := []rune(s); len(r) > maxQuoted {
		s = string(r[:maxQuoted]) + "…"
	}
	return strconv.Quote(s)
}
