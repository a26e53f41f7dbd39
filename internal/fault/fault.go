// Package fault is errors for people: a message, an exit code and hints of what to type next. Every command ends with one of them.
package fault

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/plain"
)

// Messages go to stderr in four forms:
//
//	aburn: error: the fact, with its place          (at most one, and the last message)
//	aburn: hint: what to do about it                (any number, after the error or warning)
//	aburn: warning: what is wrong; the work went on (any number)
//	aburn: note: what is worth knowing              (any number)
//
// The exit code is 0 if all is fine, 1 for a failure, 2 for a mistake in the call or the folder. `chain --expect` adds 3:
// there is nothing to build on.
const (
	ExitOK = iota
	ExitFailed
	ExitUsage
	ExitMissing
)

// Error is an error with an exit code and with hints of what the person can do. One without a message only sets the
// code: the command's answer has said the rest.
type Error struct {
	Code  int
	Msg   string
	Hints []string
}

func (f *Error) Error() string { return f.Msg }

// Usage is a mistake in how the command was called (exit 2).
func Usage(msg string, hints ...string) error {
	return &Error{ExitUsage, msg, hints}
}

// Failed is a negative answer, or work that failed (exit 1).
func Failed(msg string, hints ...string) error {
	return &Error{ExitFailed, msg, hints}
}

// Exit is an exit code without a message.
func Exit(code int) error { return &Error{Code: code} }

// Of is err as an Error. Any other error is a failure, with the hint of its method Hint if it has one.
func Of(err error) *Error {
	var f *Error
	var coder interface{ ExitCode() int }
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &coder): // the command line parser's own: a help topic that does not exist
		return &Error{ExitUsage, err.Error(), []string{"aburn --help"}}
	case errors.As(err, &hinted) && hinted.Hint() != "":
		return &Error{ExitFailed, err.Error(), []string{hinted.Hint()}}
	}
	return &Error{Code: ExitFailed, Msg: err.Error()}
}

// MaxListed is how many names a hint lists.
const MaxListed = 8

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
	if near := plain.Nearest(word, words); near != "" {
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
