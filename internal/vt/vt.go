// Package vt is a terminal without a screen: it takes what a program prints and knows what a terminal would show. It answers
// the questions that programs ask of terminals, and keeps these from the terminals that look on, which would answer too.
//
// It knows what terminal programs of today use of ECMA-48 and xterm: cursor, erasing, scrolling, regions, colours, the
// alternate screen and private modes. Characters that combine with the one before are left out. No kept library does this
// without linking more than all of aburn-hold.
package vt

import (
	"strconv"
	"unicode/utf8"
)

// Screen is what a terminal shows. It is for one goroutine at a time.
type Screen struct {
	cols, rows  int
	main, alt   []cell // rows*cols; alt is nil until it is used
	cells       []cell // the one that is shown
	x, y        int
	pen         cell // what a new character looks like
	wrap        bool // the last column was written: the next character begins a line
	top, bottom int  // of the scrolling region, inclusive
	saved       [2]cursor
	modes       map[int]bool // private ones that were set
	noWrap      bool
	last        rune // for REP

	seq     []byte // of a sequence that is not whole
	numbers []int
	state   state
	pass    []byte
	reply   []byte
}

type cursor struct {
	x, y int
	pen  cell
}

// cell is one place. A wide character stands in the first of two, and the second one has none.
type cell struct {
	r      rune // 0 is a blank, or the second half of a wide one
	half   bool
	attrs  uint16 // a bit for each SGR 1 to 9
	fg, bg int32  // 0 the terminal's own, 1+n of the palette, rgb|n
}

const rgb = 1 << 24

// New is an empty screen.
func New(cols, rows int) *Screen {
	s := &Screen{modes: map[int]bool{}}
	s.Resize(cols, rows)
	return s
}

// maxSize bounds a side; what a viewer says of its size is not trusted.
const maxSize = 1000

// Resize keeps what fits from the top; with fewer lines, what stands around the cursor.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = min(max(cols, 2), maxSize), min(max(rows, 2), maxSize)
	if cols == s.cols && rows == s.rows {
		return
	}
	skip := max(0, s.y-rows+1)
	fit := func(old []cell) []cell {
		if old == nil {
			return nil
		}
		fresh := make([]cell, cols*rows)
		for y := skip; y < min(s.rows, skip+rows); y++ {
			copy(fresh[(y-skip)*cols:(y-skip+1)*cols], old[y*s.cols:(y+1)*s.cols])
		}
		return fresh
	}
	inAlt := s.modes[1049]
	main := fit(s.main)
	if main == nil {
		main = make([]cell, cols*rows)
	}
	s.main, s.alt = main, fit(s.alt)
	if s.cells = s.main; inAlt {
		s.cells = s.alt
	}
	s.cols, s.rows, s.top, s.bottom, s.wrap = cols, rows, 0, rows-1, false
	s.x, s.y = min(s.x, cols-1), min(max(0, s.y-skip), rows-1)
}

// Size of the screen.
func (s *Screen) Size() (cols, rows int) { return s.cols, s.rows }

// Cursor is where the next character goes, from 0.
func (s *Screen) Cursor() (x, y int) { return s.x, s.y }

// Bracketed reports whether the program wants pastes to be told from typing.
func (s *Screen) Bracketed() bool { return s.modes[2004] }

// Lines is the text, without blanks at the ends of lines.
func (s *Screen) Lines() []string {
	lines := make([]string, s.rows)
	var b []byte
	for y := range lines {
		row := s.cells[y*s.cols : (y+1)*s.cols]
		end := len(row)
		for end > 0 && (row[end-1].r == 0 && !row[end-1].half || row[end-1].r == ' ') {
			end--
		}
		b = b[:0]
		for _, c := range row[:end] {
			switch {
			case c.half:
			case c.r == 0:
				b = append(b, ' ')
			default:
				b = utf8.AppendRune(b, c.r)
			}
		}
		lines[y] = string(b)
	}
	return lines
}

// Redraw appends what makes another terminal show the same, in the same modes.
func (s *Screen) Redraw(dst []byte) []byte {
	dst = append(dst, "\x1b[0m\x1b[r\x1b[2J\x1b[H"...)
	if s.modes[1049] {
		dst = append(dst, "\x1b[?1049h\x1b[2J\x1b[H"...)
	}
	pen := cell{}
	for y := range s.rows {
		row := s.cells[y*s.cols : (y+1)*s.cols]
		end := len(row)
		for end > 0 && row[end-1] == (cell{}) {
			end--
		}
		if end == 0 {
			continue
		}
		dst = move(dst, 0, y)
		for _, c := range row[:end] {
			if c.half {
				continue
			}
			if look := (cell{attrs: c.attrs, fg: c.fg, bg: c.bg}); look != pen {
				dst, pen = sgr(dst, look), look
			}
			if c.r == 0 {
				c.r = ' '
			}
			dst = utf8.AppendRune(dst, c.r)
		}
	}
	dst = sgr(dst, s.pen)
	if s.top != 0 || s.bottom != s.rows-1 {
		dst = append(strconv.AppendInt(append(strconv.AppendInt(append(dst, "\x1b["...), int64(s.top+1), 10), ';'), int64(s.bottom+1), 10), 'r')
	}
	for _, m := range shownModes {
		if s.modes[m] {
			dst = append(strconv.AppendInt(append(dst, "\x1b[?"...), int64(m), 10), 'h')
		}
	}
	if s.modes[-25] {
		dst = append(dst, "\x1b[?25l"...)
	}
	return move(dst, s.x, s.y)
}

// shownModes are those that a terminal has to know to send what the program expects: keys, pastes, the mouse, focus.
var shownModes = [...]int{1, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 2004}

// Plain makes a terminal as it was before a program used it.
const Plain = "\x1b[?1049l\x1b[?1l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[r\x1b[0m\x1b[?25h"

func move(dst []byte, x, y int) []byte {
	dst = strconv.AppendInt(append(dst, "\x1b["...), int64(y+1), 10)
	return append(strconv.AppendInt(append(dst, ';'), int64(x+1), 10), 'H')
}

func sgr(dst []byte, c cell) []byte {
	dst = append(dst, "\x1b[0"...)
	for n := 1; n <= 9; n++ {
		if c.attrs&(1<<n) != 0 {
			dst = append(dst, ';', byte('0'+n))
		}
	}
	return append(colour(colour(dst, "38", c.fg), "48", c.bg), 'm')
}

func colour(dst []byte, kind string, c int32) []byte {
	switch {
	case c == 0:
		return dst
	case c&rgb == 0:
		return strconv.AppendInt(append(append(append(dst, ';'), kind...), ";5;"...), int64(c-1), 10)
	}
	dst = append(append(append(dst, ';'), kind...), ";2"...)
	for shift := 16; shift >= 0; shift -= 8 {
		dst = strconv.AppendInt(append(dst, ';'), int64(c>>shift&0xff), 10)
	}
	return dst
}
