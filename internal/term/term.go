// Package term writes to a terminal: it knows the width, tables and colours. It alone imports a
// library for colours. internal/plain decides which characters reach the terminal.
//
// Text is cut and padded by its cells on the screen, not by bytes or runes. Styles are applied
// last, so they never count as width.
package term

import (
	"io"
	"os"

	"github.com/fatih/color"
	xterm "golang.org/x/term"
)

// Out is an output, with what is known about it.
type Out struct {
	w     io.Writer
	tty   bool
	color bool
	width int
}

// New examines w once. It is a terminal if it is a file that the system calls one. Colours need a
// terminal, no --no-color (plain), no NO_COLOR (a non-empty value, see no-color.org) and a TERM
// other than "dumb".
func New(w io.Writer, env func(string) string, plain bool) *Out {
	o := &Out{w: w}
	f, ok := w.(*os.File)
	if !ok || !xterm.IsTerminal(int(f.Fd())) {
		return o
	}
	o.tty = true
	o.color = !plain && env("NO_COLOR") == "" && env("TERM") != "dumb"
	o.width = 80
	if cols, _, err := xterm.GetSize(int(f.Fd())); err == nil && cols > 0 {
		o.width = cols
	}
	return o
}

// Onto returns the same output through another writer, such as a buffer.
func (o *Out) Onto(w io.Writer) *Out {
	other := *o
	other.w = w
	return &other
}

// Wide returns the same output with lines of so many cells.
func (o *Out) Wide(width int) *Out {
	other := *o
	other.width = width
	return &other
}

// Write passes p on unchanged.
func (o *Out) Write(p []byte) (int, error) { return o.w.Write(p) }

// Terminal reports whether a person is probably looking.
func (o *Out) Terminal() bool { return o.tty }

// Width is the number of cells in a line. 0 means a file or a pipe, where nothing needs cutting.
func (o *Out) Width() int { return o.width }

// Style highlights text. The zero value does not.
type Style uint8

// The styles use the terminal's own sixteen colours, which suit the person's theme, dark or
// light.
const (
	Plain Style = iota
	Dim
	Bold
	Red
	Green
	Yellow
	Blue
	Magenta
	Cyan
	BoldRed
	BoldGreen
	BoldYellow
	BoldCyan
)

// Paint wraps text in the style's escape sequences if colours are on.
func (o *Out) Paint(s Style, text string) string {
	if !o.color || s == Plain || text == "" {
		return text
	}
	c := color.New(s.attributes()...)
	c.EnableColor() // this Out decides, not the library's look at stdout
	return c.Sprint(text)
}

func (s Style) attributes() []color.Attribute {
	switch s {
	case Dim:
		return []color.Attribute{color.Faint}
	case Bold:
		return []color.Attribute{color.Bold}
	case Red:
		return []color.Attribute{color.FgRed}
	case Green:
		return []color.Attribute{color.FgGreen}
	case Yellow:
		return []color.Attribute{color.FgYellow}
	case Blue: // plain blue is hard to read on black
		return []color.Attribute{color.FgHiBlue}
	case Magenta:
		return []color.Attribute{color.FgMagenta}
	case Cyan:
		return []color.Attribute{color.FgCyan}
	case BoldRed:
		return []color.Attribute{color.FgRed, color.Bold}
	case BoldGreen:
		return []color.Attribute{color.FgGreen, color.Bold}
	case BoldYellow:
		return []color.Attribute{color.FgYellow, color.Bold}
	case BoldCyan:
		return []color.Attribute{color.FgCyan, color.Bold}
	}
	return nil
}
