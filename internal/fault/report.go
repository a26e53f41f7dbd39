package fault

import (
	"io"

	"aburn/internal/plain"
)

// Reporter is told what a person should know beside an answer: of a command it is stderr.
type Reporter interface {
	Warn(msg string, hints ...string)
	Note(msg string)
	Hint(hints ...string)
}

// Plain writes what it is told to W, a line each, as commands do without colours.
type Plain struct{ W io.Writer }

func (p Plain) Warn(msg string, hints ...string) {
	p.line("warning", msg)
	p.Hint(hints...)
}

func (p Plain) Note(msg string) { p.line("note", msg) }

func (p Plain) Hint(hints ...string) {
	for _, h := range hints {
		p.line("hint", h)
	}
}

func (p Plain) line(kind, msg string) {
	io.WriteString(p.W, kind+": "+plain.Line(msg)+"\n") // a writer in memory
}
