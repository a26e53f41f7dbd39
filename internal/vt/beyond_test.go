package vt

import (
	"strings"
	"testing"
)

// What reaches beyond the terminal does not, however it is written: viewers' terminals read more forms than one.
func TestNothingReachesBeyond(t *testing.T) {
	const content = "aGVsbG8="
	long := strings.Repeat("x", 2*maxSeq)
	for _, in := range []string{
		"\x1b]52;c;" + content + "\x07", "\x1b]052;c;" + content + "\x07", "\x1b]52;;" + content + "\x1b\\", "\x1b]5522;type=write;" + content + "\x1b\\",
		"\x1b]1337;Copy=:" + content + "\x07",
		"\x1b]0;a\x1b]52;c;" + content + "\x07", "\x1b]0;" + long + "\x1b]52;c;" + content + "\x07", // a sequence within another one
		"\u009d52;c;" + content + "\u009c", "\x1b]0;a\u009c\u009d52;c;" + content + "\x07", "\x1b]0;" + long + "\u009c\u009d52;c;" + content + "\x07",
		"\x1b[\u009d52;c;" + content + "\x07",
		"\x1b]52;c;" + long + content + "\x07", "\x1bPtmux;\x1b\x1b]52;c;" + content + "\x07\x1b\\",
	} {
		for _, step := range []int{len(in), 1} {
			s := New(80, 4)
			var pass []byte
			for i := 0; i < len(in); i += step {
				p, _ := s.Write([]byte(in[i : i+step]))
				pass = append(pass, p...)
			}
			terminal := strings.NewReplacer("\u009d", "\x1b]", "\u009c", "\x1b\\").Replace(string(pass))
			for _, part := range strings.Split(terminal, "\x1b]")[1:] {
				if number := strings.TrimLeft(part, "0"); strings.HasPrefix(number, "52;") || strings.HasPrefix(number, "5522;") || strings.HasPrefix(number, "1337;Copy") {
					t.Errorf("%.60q: passed on %.60q", in, pass)
				}
			}
			if strings.ContainsFunc(string(pass), func(r rune) bool { return r >= 0x80 && r < 0xa0 }) {
				t.Errorf("%.60q: control characters in %.60q", in, pass)
			}
			if p, _ := s.Write([]byte("\x1b[2J\x1b[Hnext")); !strings.HasSuffix(string(p), "next") || s.Lines()[0] != "next" {
				t.Errorf("%.60q: then %q %q", in, p, s.Lines())
			}
		}
	}
}

// A text for the clipboard that is long stands on no screen.
func TestLongClipboardShowsNothing(t *testing.T) {
	for _, end := range []string{"\x07", "\x1b\\"} {
		s := New(80, 4)
		if pass, _ := s.Write([]byte("\x1b]52;c;" + strings.Repeat("x", 3*maxSeq) + end + "done")); string(pass) != "done" || s.Lines()[0] != "done" {
			t.Errorf("passed on %.60q, shown %.60q", pass, s.Lines())
		}
	}
}

// Questions within other sequences, and of forms that nobody models, stay here too.
func TestMoreQuestions(t *testing.T) {
	for _, in := range []string{"\x1b[1;1;1;1;1;1*y", "\x1b[1$w", "\x1b[#R", "\x1b['|"} {
		if pass, _ := New(10, 4).Write([]byte(in)); len(pass) > 0 {
			t.Errorf("%q: passed on %q", in, pass)
		}
	}
	if pass, _ := New(10, 4).Write([]byte("\x1b[3\x051m")); string(pass) != "\x1b[31m" {
		t.Errorf("passed on %q", pass)
	}
	for _, in := range []string{"\x1b[2 q", "\x1b[!p", "\x1bP0;1;0q#0;2;0;0;0~\x1b\\"} {
		if pass, _ := New(10, 4).Write([]byte(in)); string(pass) != in {
			t.Errorf("%q: passed on %q", in, pass)
		}
	}
}
