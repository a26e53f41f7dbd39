package main

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

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
			line, human = appendSafe(nil, line), term.Clean(human)
		}
		p.buf = append(append(append(p.buf[:0], line...), '\n'), human...)
	default:
		p.buf = appendSafe(p.buf[:0], r.line)
	}
	p.buf = append(p.buf, '\n')
	_, err := p.out.Write(p.buf)
	return err
}

// printJSON prints what a command answers to --json, in one line that is safe to show.
func (a *app) printJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(appendSafe(nil, line), '\n'))
	return err
}

// appendSafe appends a JSON line in which no character can move a terminal:
// control and format characters, which other tools may write as they are, become
// \u escapes, invalid UTF-8 becomes U+FFFD. Its meaning stays.
func appendSafe(dst, line []byte) []byte {
	for len(line) > 0 {
		plain := 0
		for plain < len(line) && line[plain]-' ' < 0x7f-' ' {
			plain++
		}
		if dst, line = append(dst, line[:plain]...), line[plain:]; len(line) == 0 {
			break
		}
		r, n := utf8.DecodeRune(line)
		switch {
		case r == '\t': // between tokens
			dst = append(dst, '\t')
		case r == utf8.RuneError && n == 1:
			dst = append(dst, `\ufffd`...)
		case r > 0xffff && unicode.In(r, unicode.Cf):
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, line[:n]...)
		}
		line = line[n:]
	}
	return dst
}
