package plain

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestNoControlCharacterSurvives(t *testing.T) {
	for r := rune(0); r < 0x20000; r++ {
		s := Line("a" + string(r) + "b")
		for _, bad := range s {
			if bad < ' ' || bad >= 0x7f && bad < 0xa0 || bad >= 0x202a && bad <= 0x202e || bad >= 0x2066 && bad <= 0x2069 {
				t.Fatalf("Line(a %U b) = %q", r, s)
			}
		}
	}
	for _, c := range []struct{ in, want string }{
		{"go test ./...", "go test ./..."},
		{"a\nb\r\nc\td", "a b  c d"},
		{"\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"},
		{"\u009b31m", "\ufffd31m"},
		{"\xff\xfe", "\ufffd\ufffd"},
		{"exe\u202egnp.", "exe\ufffdgnp."},
		{"नमस्ते 👩\u200d💻 日本", "नमस्ते 👩\u200d💻 日本"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := Text("a\n\tb\x1b"); got != "a\n\tb\ufffd" {
		t.Errorf("Text = %q", got)
	}
}

func TestCutAndPadCountCells(t *testing.T) {
	for _, s := range []string{"", "a", "plain text", "日本語のテキスト", "e\u0301e\u0301e\u0301", "mixed 日本 text"} {
		for n := range 14 {
			cut := Cut(s, n)
			if Width(cut) > n || !utf8.ValidString(cut) {
				t.Errorf("Cut(%q, %d) = %q, %d cells", s, n, cut, Width(cut))
			}
			if Width(s) <= n && cut != s {
				t.Errorf("Cut(%q, %d) = %q although it fits", s, n, cut)
			}
			start := CutStart(s, n)
			if Width(start) > n || !utf8.ValidString(start) || !strings.HasSuffix(s, strings.TrimPrefix(start, "…")) {
				t.Errorf("CutStart(%q, %d) = %q", s, n, start)
			}
			if w := Width(Pad(cut, n)); n > 0 && w != n {
				t.Errorf("Pad(%q, %d) is %d cells", cut, n, w)
			}
			if w := Width(PadLeft(cut, n)); n > 0 && w != n {
				t.Errorf("PadLeft(%q, %d) is %d cells", cut, n, w)
			}
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{Duration(0), "0µs"},
		{Duration(340 * time.Microsecond), "340µs"},
		{Duration(1240 * time.Microsecond), "1.2ms"},
		{Duration(2 * time.Millisecond), "2ms"},
		{Duration(9990 * time.Microsecond), "9ms"},
		{Duration(12*time.Millisecond + 900*time.Microsecond), "12ms"},
		{Duration(1240 * time.Millisecond), "1.2s"},
		{Duration(9960 * time.Millisecond), "10s"},
		{Duration(59400 * time.Millisecond), "59s"},
		{Duration(59600 * time.Millisecond), "1m00s"},
		{Duration(187 * time.Second), "3m07s"},
		{Duration(3599600 * time.Millisecond), "1h00m"},
		{Duration(2*time.Hour + 5*time.Minute), "2h05m"},
		{Duration(76 * time.Hour), "3d04h"},
		{Duration(-time.Second), "-1.0s"},
		{Age(0), "just now"},
		{Age(-time.Hour), "in the future"},
		{Age(40 * time.Second), "40 s ago"},
		{Age(119 * time.Second), "1 min ago"},
		{Age(47 * time.Hour), "47 h ago"},
		{Age(49 * time.Hour), "2 days ago"},
		{Size(0), "0 B"},
		{Size(1023), "1023 B"},
		{Size(1024), "1 KiB"},
		{Size(4198), "4.1 KiB"},
		{Size(16 << 20), "16 MiB"},
		{Size(1<<20 - 1), "1 MiB"},
		{Size(3 << 29), "1.5 GiB"},
		{Size(123456789), "118 MiB"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(1000), "1,000"},
		{Count(-1234567), "-1,234,567"},
		{Plural(1, "entry", "entries"), "1 entry"},
		{Plural(2000, "entry", "entries"), "2,000 entries"},
		{Plural(0, "session"), "0 sessions"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
