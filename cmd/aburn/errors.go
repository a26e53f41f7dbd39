package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/internal/plain"
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
	exitOK = iota
	exitBadNews
	exitUsage
	exitMissing
)

// failure is an error with an exit code and what the person can do about it.
// A failure without a message only sets the code: all has been said.
type failure struct {
	code  int
	msg   string
	hints []string
}

func (f *failure) Error() string { return f.msg }

// usageError is a mistake in how the command was called (exit 2).
func usageError(msg string, hints ...string) error {
	return &failure{exitUsage, msg, hints}
}

// badNews is an answer nobody wants, or work that went wrong (exit 1).
func badNews(msg string, hints ...string) error {
	return &failure{exitBadNews, msg, hints}
}

// exitOnly is an exit code without a further word.
func exitOnly(code int) error { return &failure{code: code} }

// failureOf is err as it is shown: a failure as it is, any other error as bad news with the hint that it may bring.
func failureOf(err error) *failure {
	var f *failure
	var coder cli.ExitCoder
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &coder): // cli's own: a help topic that does not exist
		return &failure{code: exitUsage, msg: err.Error()}
	case errors.As(err, &hinted) && hinted.Hint() != "":
		return &failure{exitBadNews, err.Error(), []string{hinted.Hint()}}
	}
	return &failure{code: exitBadNews, msg: err.Error()}
}

// finish prints err in the one form and returns the exit code.
func (a *app) finish(err error) int {
	if err == nil {
		return exitOK
	}
	f := failureOf(err)
	if f.msg != "" {
		a.say(term.BoldRed, "error", f.msg)
	}
	a.hint(f.hints...)
	return f.code
}

// warn says what was done all the same, and what could be done about it.
func (a *app) warn(msg string, hints ...string) {
	a.say(term.BoldYellow, "warning", msg)
	a.hint(hints...)
}

// note says what is worth knowing beside an answer.
func (a *app) note(msg string) { a.say(term.Cyan, "note", msg) }

func (a *app) hint(hints ...string) {
	for _, h := range hints {
		a.say(term.Cyan, "hint", h)
	}
}

// say writes one line. Messages may hold names from anywhere, so they are cleaned.
func (a *app) say(style term.Style, kind, msg string) {
	o := term.New(a.err, a.env, false)
	fmt.Fprintf(a.err, "aburn: %s: %s\n", o.Paint(style, kind), plain.Line(msg))
}
