package vt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestScreenOfAProgram(t *testing.T) {
	for _, c := range []struct {
		name, in string
		lines    []string // from the top; the rest is empty
		x, y     int
	}{
		{"lines", "one\r\ntwo", []string{"one", "two"}, 3, 1},
		{"the last column waits", "abcdefghij", []string{"abcdefghij"}, 9, 0},
		{"and then wraps", "abcdefghijk", []string{"abcdefghij", "k"}, 1, 1},
		{"erased to the end", "abcdef\x1b[4D\x1b[K", []string{"ab"}, 2, 0},
		{"scrolled", "1\r\n2\r\n3\r\n4\r\n5", []string{"2", "3", "4", "5"}, 1, 3},
		{"a region scrolls alone", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n", []string{"1", "3", "", "4"}, 0, 2},
		{"up and over", "abc\r\ndef\x1b[1A\x1b[1GX", []string{"Xbc", "def"}, 1, 0},
		{"a wide one", "a宽b", []string{"a宽b"}, 4, 0},
		{"a wide one does not fit", "abcdefghi宽", []string{"abcdefghi", "宽"}, 2, 1},
		{"half of a wide one is overwritten", "宽宽\x1b[2GX", []string{" X宽"}, 2, 0},
		{"the other screen", "main\x1b[?1049h\x1b[Halt\x1b[?1049l", []string{"main"}, 4, 0},
		{"a title is no text", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", []string{"ab"}, 2, 0},
		{"what is no sequence", "\x1b[\x1b[1mx\xffy", []string{"x\ufffdy"}, 3, 0},
		{"inserted and deleted", "abcdef\x1b[1;2H\x1b[2@\x1b[1;6H\x1b[P", []string{"a  bcef"}, 5, 0},
	} {
		for _, step := range []int{len(c.in), 1} { // at once, and byte by byte
			s := New(10, 4)
			for chunk := range slices.Chunk([]byte(c.in), step) {
				s.Write(chunk)
			}
			want := append(slices.Clone(c.lines), make([]string, 4-len(c.lines))...)
			if got := s.Lines(); !slices.Equal(got, want) || s.x != c.x || s.y != c.y {
				t.Errorf("%s: %q, cursor %d %d", c.name, got, s.x, s.y)
			}
		}
	}
}

// Viewers' terminals must not answer the program too: they get no question, and aburn answers.
func TestQuestionsAreAnsweredOnce(t *testing.T) {
	for in, reply := range map[string]string{
		"\x1b[6n": "\x1b[1;3R", "\x1b[c": "\x1b[?1;2c", "\x1b[0c": "\x1b[?1;2c", "\x1b[>c": "\x1b[>0;0;0c", "\x1b[5n": "\x1b[0n", "\x1b[18t": "\x1b[8;4;10t",
		"\x1b[?2026$p": "\x1b[?2026;0$y", "\x1b[?u": "", "\x1b[>1u": "", "\x1b]11;?\x1b\\": "", "\x1b]10;?\x07": "", "\x1b]52;c;aGVsbG8=\x07": "",
		"\x1bP+q544e\x1b\\": "",
		"\x1b[>q":           "", "\x05": "",
	} {
		s := New(10, 4)
		s.Write([]byte("ab"))
		var pass, got []byte
		for i := range len(in) {
			p, r := s.Write([]byte(in[i : i+1]))
			pass, got = append(pass, p...), append(got, r...)
		}
		if len(pass) > 0 || string(got) != reply {
			t.Errorf("%q: passed on %q, answered %q", in, pass, got)
		}
		if p, _ := s.Write([]byte("c")); string(p) != "c" || s.Lines()[0] != "abc" {
			t.Errorf("%q: then %q %q", in, p, s.Lines())
		}
	}
	for _, in := range []string{"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b[?2004h", "\x1b(B", "\x1b[2J\x1b[H", "宽",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"} {
		s := New(10, 4)
		if pass, reply := s.Write([]byte(in)); string(pass) != in || len(reply) > 0 {
			t.Errorf("%q: %q %q", in, pass, reply)
		}
	}
	if s := New(10, 4); !func() bool { s.Write([]byte("\x1b[?2004h")); return s.Bracketed() }() {
		t.Error("a program that takes pastes is not seen to")
	}
}

// A long text does not stay in memory, and one for the clipboard goes nowhere.
func TestLongTexts(t *testing.T) {
	s := New(10, 4)
	in := "\x1b]1337;" + strings.Repeat("x", 3*maxSeq) + "\x07done"
	if pass, _ := s.Write([]byte(in)); string(pass) != in || s.Lines()[0] != "done" {
		t.Errorf("%d bytes of %d, %q", len(pass), len(in), s.Lines())
	}
	s = New(10, 4)
	if pass, _ := s.Write([]byte("\x1b]52;c;" + strings.Repeat("x", maxSeq-8))); len(pass) > 0 {
		t.Errorf("%q", pass)
	}
}

// random is what a program may print, with a bias to what agents do.
func random(r *rand.Rand, steps int) []byte {
	var b bytes.Buffer
	n := func(most int) int { return r.IntN(most) + 1 }
	words := []string{"word ", "│ ", "宽字 ", "─────", "❯ ", "⏺ done", "x", "\r\n", "\r\n\r\n", "\t"}
	for range steps {
		switch r.IntN(16) {
		case 0:
			fmt.Fprintf(&b, "\x1b[%d;%dH", n(24), n(80))
		case 1:
			fmt.Fprintf(&b, "\x1b[%d%c", n(6), "ABCDEFG"[r.IntN(7)])
		case 2:
			fmt.Fprintf(&b, "\x1b[%dK", r.IntN(3))
		case 3:
			fmt.Fprintf(&b, "\x1b[%dJ", r.IntN(2))
		case 4:
			fmt.Fprintf(&b, "\x1b[%d%c", n(4), "PX@ST"[r.IntN(5)])
		case 5:
			top := n(18)
			fmt.Fprintf(&b, "\x1b[%d;%dr", top, top+n(5))
		case 6:
			b.WriteString([]string{"\x1b[r", "\x1bM", "\x1bD", "\x1bE", "\x1b7", "\x1b8"}[r.IntN(6)])
			fmt.Fprintf(&b, "\x1b[r\x1b[%d;%dH\x1b[%d%c", n(24), n(80), n(4), "LM"[r.IntN(2)]) // outside of a region terminals differ
		case 7:
			fmt.Fprintf(&b, "\x1b[%d;%dm", 30+r.IntN(8), r.IntN(10))
		default:
			b.WriteString(words[r.IntN(len(words))])
		}
	}
	return b.Bytes()
}

// What Redraw gives shows the same on another terminal, in the same modes.
func TestRedrawShowsTheSame(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, copied := New(80, 24), New(80, 24)
		s.Write(random(r, 200))
		if seed%3 == 0 {
			s.Write([]byte("\x1b[?1049h\x1b[?2004h\x1b[?25l"))
			s.Write(random(r, 50))
		}
		s.wrap = false // no sequence brings it back
		copied.Write(s.Redraw(nil))
		if !slices.Equal(s.Lines(), copied.Lines()) || s.x != copied.x || s.y != copied.y || s.Bracketed() != copied.Bracketed() ||
			s.modes[1049] != copied.modes[1049] {
			t.Fatalf("seed %d:\n%s\nis redrawn as\n%s", seed, strings.Join(s.Lines(), "\n"), strings.Join(copied.Lines(), "\n"))
		}
		if s.pen != copied.pen || s.top != copied.top || s.bottom != copied.bottom {
			t.Fatalf("seed %d: %+v %+v", seed, s.pen, copied.pen)
		}
	}
}

func TestColoursAreWrittenInThreeWays(t *testing.T) {
	for in, want := range map[string]cell{
		"\x1b[38;5;9mx": {r: 'x', fg: 10}, "\x1b[38;2;1;2;3mx": {r: 'x', fg: rgb | 0x010203}, "\x1b[48:2::1:2:3;1mx": {r: 'x', bg: rgb | 0x010203, attrs: 1 << 1},
		"\x1b[4:3;91mx": {r: 'x', fg: 10, attrs: 1 << 4}, "\x1b[1;31m\x1b[mx": {r: 'x'},
	} {
		s := New(10, 4)
		if s.Write([]byte(in)); s.cells[0] != want {
			t.Errorf("%q: %+v", in, s.cells[0])
		}
	}
}

func TestResizeKeepsWhereTheCursorStands(t *testing.T) {
	s := New(20, 6)
	s.Write([]byte("1\r\n2\r\n3\r\n4\r\n5\r\n6 long enough line"))
	s.Resize(8, 3)
	if got := s.Lines(); !slices.Equal(got, []string{"4", "5", "6 long e"}) || s.y != 2 {
		t.Errorf("%q %d", got, s.y)
	}
	s.Resize(-5, 1<<30)
	if cols, rows := s.Size(); cols != 2 || rows != maxSize {
		t.Error(cols, rows)
	}
}

func FuzzWrite(f *testing.F) {
	f.Add([]byte("\x1b[?1049h\x1b[3;2r\x1b[99999999999M宽\x1b[P"), uint8(9))
	f.Fuzz(func(t *testing.T, in []byte, cols uint8) {
		s := New(int(cols), 5)
		for chunk := range slices.Chunk(in, 7) {
			s.Write(chunk)
		}
		s.Resize(int(cols)/2, 9)
		s.Write(in)
		s.Lines()
		s.Redraw(nil)
	})
}
