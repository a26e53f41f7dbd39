package rows

import (
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/logfmt"
)

// Record is an entry with the JSON line it was read from.
type Record struct {
	logfmt.Entry
	Line []byte
	Open bool // the start of a call that has no end
}

// form is what entries are printed as.
type form int

const (
	People    form = iota // one line in columns
	JSONLines             // the JSON line as it was read, without control characters
	raw                   // as in the log: the JSON line and the line for people
)

// Printer prints entries in one of the forms.
type Printer struct {
	Form form
	out  *term.Out
	Rows *rows
	buf  []byte
}

func NewPrinter(cmd *cli.Command, out *term.Out) *Printer {
	p := &Printer{out: out, Rows: NewRows(out, time.Local)}
	switch {
	case cmd.Bool("json"):
		p.Form = JSONLines
	case cmd.Bool("raw"):
		p.Form = raw
	}
	return p
}

func (p *Printer) Print(r Record, now time.Time) error {
	switch p.Form {
	case People:
		return p.Rows.Print(&r, now)
	case raw:
		line, human := r.Line, r.Human()
		if p.out.Terminal() {
			line, human = plain.AppendJSON(nil, line), plain.Line(human)
		}
		p.buf = append(append(append(p.buf[:0], line...), '\n'), human...)
	default:
		p.buf = plain.AppendJSON(p.buf[:0], r.Line)
	}
	p.buf = append(p.buf, '\n')
	_, err := p.out.Write(p.buf)
	return err
}
