package main

import (
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/logfmt"
)

// record is an entry with the JSON line it was read from.
type record struct {
	logfmt.Entry
	line []byte
	open bool // the start of a call that has no end
}

// form is what entries are printed as.
type form int

const (
	people    form = iota // one line in columns
	jsonLines             // the JSON line as it was read, without control characters
	raw                   // as in the log: the JSON line and the line for people
)

// printer prints entries in one of the forms.
type printer struct {
	form form
	out  *term.Out
	rows *rows
	buf  []byte
}

func newPrinter(cmd *cli.Command, out *term.Out) *printer {
	p := &printer{out: out, rows: newRows(out, time.Local)}
	switch {
	case cmd.Bool("json"):
		p.form = jsonLines
	case cmd.Bool("raw"):
		p.form = raw
	}
	return p
}

func (p *printer) print(r record, now time.Time) error {
	switch p.form {
	case people:
		return p.rows.print(&r, now)
	case raw:
		line, human := r.line, r.Human()
		if p.out.Terminal() {
			line, human = plain.AppendJSON(nil, line), plain.Line(human)
		}
		p.buf = append(append(append(p.buf[:0], line...), '\n'), human...)
	default:
		p.buf = plain.AppendJSON(p.buf[:0], r.line)
	}
	p.buf = append(p.buf, '\n')
	_, err := p.out.Write(p.buf)
	return err
}
