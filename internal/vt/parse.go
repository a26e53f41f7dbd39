package vt

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

type state int8

const (
	ground    state = iota
	escape          // behind ESC, and the intermediate characters after it
	control         // CSI
	text            // OSC, DCS, APC, PM, SOS: up to ST, OSC also up to BEL
	endless         // a text longer than maxSeq: it is passed on as it comes
	swallowed       // a text of which nothing is passed on
)

// maxSeq bounds a sequence that is kept until it is whole, in bytes.
const maxSeq = 4 << 10

// Write takes what the program printed. pass is the same without questions to the terminal and without what reaches beyond
// it (its clipboard); reply answers the questions. Both are valid until the next call.
func (s *Screen) Write(p []byte) (pass, reply []byte) {
	s.pass, s.reply = s.pass[:0], s.reply[:0]
	for len(p) > 0 {
		if s.state == ground && len(s.seq) == 0 && p[0] >= 0x20 && p[0] < 0x7f {
			s.put(rune(p[0]))
			s.pass = append(s.pass, p[0])
			p = p[1:]
			continue
		}
		s.take(p[0])
		p = p[1:]
	}
	return s.pass, s.reply
}

func (s *Screen) take(b byte) {
	switch s.state {
	case ground:
		s.ground(b)
	case escape:
		s.escaped(b)
	case control:
		s.seq = append(s.seq, b)
		switch {
		case b >= 0x40 && b <= 0x7e:
			s.whole(s.csi())
		case b == 0x1b || b == 0x18 || b == 0x1a || b >= utf8.RuneSelf || len(s.seq) > maxSeq:
			s.drop(b)
		case b < 0x20:
			s.seq = s.seq[:len(s.seq)-1] // it acts within a sequence
			s.acts(b)
		}
	case text, endless, swallowed:
		s.text(b)
	}
}

// drop forgets a sequence that is none; an ESC begins another one, and a character beyond ASCII is one.
func (s *Screen) drop(b byte) {
	s.state, s.seq = ground, s.seq[:0]
	if b == 0x1b || b >= utf8.RuneSelf {
		s.ground(b)
	}
}

// whole ends the sequence that has come, and passes it on unless it is kept.
func (s *Screen) whole(keep bool) {
	s.state = ground
	if !keep {
		s.pass = append(s.pass, s.seq...)
	}
	s.seq = s.seq[:0]
}

func (s *Screen) ground(b byte) {
	switch {
	case b == 0x1b:
		s.seq, s.state = append(s.seq[:0], b), escape
	case b < 0x20 || b == 0x7f:
		s.seq = s.seq[:0]
		s.acts(b)
	case b < utf8.RuneSelf:
		s.seq = s.seq[:0]
		s.put(rune(b))
		s.pass = append(s.pass, b)
	default:
		s.seq = append(s.seq, b)
		if !utf8.FullRune(s.seq) {
			return
		}
		r, _ := utf8.DecodeRune(s.seq)
		if s.seq = s.seq[:0]; r >= 0x80 && r < 0xa0 { // to some terminals these begin sequences as ESC does
			return
		}
		s.put(r)
		s.pass = utf8.AppendRune(s.pass, r)
	}
}

func (s *Screen) escaped(b byte) {
	s.seq = append(s.seq, b)
	switch {
	case len(s.seq) == 2 && b == '[':
		s.state = control
	case len(s.seq) == 2 && (b == ']' || b == 'P' || b == '_' || b == '^' || b == 'X'):
		s.state = text
	case b >= 0x20 && b < 0x30 && len(s.seq) < 8: // intermediate
	case b >= 0x30 && b < 0x7f:
		s.whole(s.esc())
	default:
		s.drop(b)
	}
}

// text takes one byte of a text. An ESC and the first byte of a C1 character are held back until the next byte says what they
// are: terminals differ in what they take for the end of a text, and behind it another sequence could hide.
func (s *Screen) text(b byte) {
	last := s.seq[len(s.seq)-1]
	switch {
	case last == 0x1b && b == '\\', last != 0x1b && b == 0x07 && s.seq[1] == ']':
		s.ends(b)
	case last == 0x1b, b == 0x18, b == 0x1a:
		s.abandon()
		if s.drop(last); s.state == escape {
			s.take(b)
		}
	case last == 0xc2 && b >= 0x80 && b < 0xa0:
		s.abandon()
		s.state, s.seq = swallowed, s.seq[:2]
	default:
		if s.seq = append(s.seq, b); s.state == text && len(s.seq) > maxSeq {
			if s.state = swallowed; !s.stays() {
				s.state, s.pass = endless, append(s.pass, s.seq[:2]...)
			}
		}
		if s.state != text {
			s.flush(b == 0x1b || b == 0xc2)
		}
	}
}

// ends is the last byte of a text.
func (s *Screen) ends(b byte) {
	s.seq = append(s.seq, b)
	switch s.state {
	case text:
		s.whole(s.stays())
		return
	case endless:
		s.pass = append(s.pass, s.seq[2:]...)
	}
	s.state, s.seq = ground, s.seq[:0]
}

// abandon has terminals forget what they have of a text.
func (s *Screen) abandon() {
	if s.state == endless {
		s.pass = append(s.pass, 0x18)
	}
}

// flush keeps the first two bytes of a long text, which say of what kind it is, and the last one if it is held back.
func (s *Screen) flush(held bool) {
	n := len(s.seq)
	if held {
		n--
	}
	if s.state == endless {
		s.pass = append(s.pass, s.seq[2:n]...)
	}
	s.seq = append(s.seq[:2], s.seq[n:]...)
}

// stays reports whether a text asks the terminal something, or reaches beyond it.
func (s *Screen) stays() bool {
	body := s.seq[2:]
	switch s.seq[1] {
	case ']':
		number, rest, _ := bytes.Cut(bytes.TrimLeft(body, "0"), []byte(";"))
		switch string(number) {
		case "52", "5522": // the clipboard
			return true
		case "1337":
			return bytes.HasPrefix(rest, []byte("Copy"))
		}
		return bytes.Contains(body, []byte(";?"))
	case 'P': // all but pictures: the rest are questions, and what a multiplexer hands to the terminal around it
		return !bytes.HasPrefix(bytes.TrimLeft(body, "0123456789;"), []byte("q"))
	case '_':
		return bytes.HasPrefix(body, []byte("G")) // pictures: the terminal answers each
	}
	return false
}

// acts is a control character that is passed on, unless a terminal answers it.
func (s *Screen) acts(b byte) {
	if b != 0x05 {
		s.c0(b)
		s.pass = append(s.pass, b)
	}
}

// c0 is a control character.
func (s *Screen) c0(b byte) {
	switch b {
	case '\b':
		s.x, s.wrap = max(0, s.x-1), false
	case '\t':
		s.x, s.wrap = min(s.cols-1, s.x/8*8+8), false
	case '\n', '\v', '\f':
		s.down()
	case '\r':
		s.x, s.wrap = 0, false
	}
}

func (s *Screen) esc() (keep bool) {
	if len(s.seq) != 2 {
		return false // a character set
	}
	switch s.seq[1] {
	case '7':
		s.saved[s.side()] = cursor{s.x, s.y, s.pen}
	case '8':
		s.back()
	case 'D':
		s.down()
	case 'E':
		s.x = 0
		s.down()
	case 'M':
		s.wrap = false
		if s.y == s.top {
			s.scroll(s.top, s.bottom, -1)
		} else {
			s.y = max(0, s.y-1)
		}
	case 'c':
		cols, rows := s.cols, s.rows
		*s = Screen{modes: map[int]bool{}, pass: s.pass, reply: s.reply, seq: s.seq}
		s.Resize(cols, rows)
	case 'Z':
		s.answer("\x1b[?1;2c")
		return true
	}
	return false
}

func (s *Screen) side() int {
	if s.modes[1049] {
		return 1
	}
	return 0
}

func (s *Screen) back() {
	c := s.saved[s.side()]
	s.x, s.y, s.pen, s.wrap = min(c.x, s.cols-1), min(c.y, s.rows-1), c.pen, false
}

func (s *Screen) answer(text string) { s.reply = append(s.reply, text...) }

// csi is a control sequence: a mark, numbers, intermediate characters and a final one.
func (s *Screen) csi() (keep bool) {
	final := s.seq[len(s.seq)-1]
	body := s.seq[2 : len(s.seq)-1]
	mark := byte(0)
	if len(body) > 0 && body[0] >= '<' && body[0] <= '?' {
		mark, body = body[0], body[1:]
	}
	inter := byte(0)
	for len(body) > 0 && body[len(body)-1] < 0x30 {
		inter, body = body[len(body)-1], body[:len(body)-1]
	}
	a := s.args(body)
	switch {
	case inter != 0:
		if inter == '$' && final == 'p' { // which mode is this? an unknown one
			s.answer("\x1b[" + string(s.seq[2:len(s.seq)-2]) + ";0$y")
		}
		return inter != ' ' && inter != '!' && inter != '"' // the others draw what no screen here has, or ask
	case mark == '?':
		return s.private(final, a)
	case mark != 0:
		if mark == '>' && final == 'c' {
			s.answer("\x1b[>0;0;0c")
		}
		return true // keyboards that no other terminal of aburn's has, and questions
	case s.asked(final, a):
		return true
	default:
		s.act(final, a)
	}
	return false
}

// args are the numbers of a sequence; -1 stands for one that is left out. Of sub-numbers (4:3) only those of colours count.
// They are valid until the next call: a holder that runs for days makes no garbage.
func (s *Screen) args(body []byte) []int {
	list := append(s.numbers[:0], -1)
	sub := false
	for _, b := range body {
		last := &list[len(list)-1]
		switch {
		case b >= '0' && b <= '9' && !sub:
			*last = min(max(*last, 0)*10+int(b-'0'), 1<<20)
		case b == ';' || b == ':' && (list[0] == 38 || list[0] == 48 || len(list) > 1):
			if len(list) < 64 {
				list = append(list, -1)
			}
			sub = false
		case b == ':':
			sub = true
		}
	}
	s.numbers = list
	return list
}

func get(a []int, i, otherwise int) int {
	if i < len(a) && a[i] > 0 {
		return a[i]
	}
	return otherwise
}

// asked answers a question of the program.
func (s *Screen) asked(final byte, a []int) bool {
	switch {
	case final == 'c':
		s.answer("\x1b[?1;2c")
	case final == 'n' && a[0] == 5:
		s.answer("\x1b[0n")
	case final == 'n' && a[0] == 6:
		s.answer("\x1b[" + strconv.Itoa(s.y+1) + ";" + strconv.Itoa(s.x+1) + "R")
	case final == 't' && a[0] == 18:
		s.answer("\x1b[8;" + strconv.Itoa(s.rows) + ";" + strconv.Itoa(s.cols) + "t")
	case final == 't', final == 'n', final == 'x': // the rest, and changes of the window
	default:
		return false
	}
	return true
}
