package kit

import (
	"fmt"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// finish prints err and returns the exit code.
func (a *App) finish(err error) int {
	if err == nil {
		return fault.ExitOK
	}
	f := fault.Of(err)
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

// notStarted says why an executable that is there did not start.
func notStarted(exe string, err error) error {
	return fault.Failed(exe+" does not start: "+err.Error(), "install it again")
}
