package term

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func none(string) string { return "" }

func TestNoControlCharacterSurvives(t *testing.T) {
	for r := rune(0); r < 0x20000; r++ {
		s := Clean("a" + string(r) + "b")
		for _, bad := range s {
			if bad < ' ' || bad >= 0x7f && bad < 0xa0 || bad >= 0x202a && bad <= 0x202e || bad >= 0x2066 && bad <= 0x2069 {
				t.Fatalf("Clean(a %U b) = %q", r, s)
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
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := CleanText("a\n\tb\x1b"); got != "a\n\tb\ufffd" {
		t.Errorf("CleanText = %q", got)
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

func TestTableFitsTheTerminal(t *testing.T) {
	table := Table{Columns: []Column{
		{Title: "cmd"}, {Title: "empty"}, {Title: "n", Right: true}, {Title: "file", Flex: true, Path: true, Min: 6}, {Title: "text", Flex: true, Min: 8},
	}}
	table.Add("build", "", "7", "internal/term/table.go", "a long text that nobody has room for")
	table.Add("plan", "", "1,200", "x.go", "short\x1b[2J")
	for _, width := range []int{34, 40, 60, 200} {
		var b bytes.Buffer
		out := &Out{w: &b, tty: true, width: width}
		if err := table.Print(out, 2); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if Width(line) > width {
				t.Errorf("at %d: %d cells: %q", width, Width(line), line)
			}
			if strings.TrimRight(line, " ") != line || strings.Contains(line, "\x1b") || strings.Contains(line, "empty") {
				t.Errorf("at %d: %q", width, line)
			}
		}
	}
	var b bytes.Buffer
	if err := table.Print(New(&b, none, false), 0); err != nil {
		t.Fatal(err)
	}
	want := "cmd        n  file                    text\n" +
		"build      7  internal/term/table.go  a long text that nobody has room for\n" +
		"plan   1,200  x.go                    short\ufffd[2J\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// What can be spared is left out on a narrow terminal, the highest first; never on a pipe.
func TestTableLeavesOutWhatCanBeSpared(t *testing.T) {
	table := Table{Width: 10, Columns: []Column{
		{Title: "a", Spare: 1}, {Title: "b", Spare: 3, Right: true}, {Title: "c", Flex: true, Min: 4}, {Title: "d", Spare: 2},
	}}
	table.Add("aaaaaa", "bbbbbb", "cccccc", "dddddd")
	for _, c := range []struct {
		width int
		want  string
	}{
		{30, "aaaaaa  bbbbbb  cccccc  dddddd"}, {28, "aaaaaa  bbbbbb  ccc…  dddddd"}, {27, "aaaaaa  cccccc  dddddd"}, {20, "aaaaaa  ccc…  dddddd"}, {19, "aaaaaa  cccccc"}, {11, "cccccc"}, {3, "ccc…"},
		{0, "aaaaaa  bbbbbb  ccc…  dddddd"},
	} {
		var b bytes.Buffer
		if err := table.Print(&Out{w: &b, tty: c.width > 0, width: c.width}, 0); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(b.String(), "\n"); got != c.want+"\n" {
			t.Errorf("at %d: %q, want %q", c.width, got, c.want)
		}
	}
}

func TestColoursOnlyWhereWanted(t *testing.T) {
	coloured := &Out{tty: true, color: true}
	for s := Dim; s <= BoldCyan; s++ {
		got := coloured.Paint(s, "x")
		if !strings.HasPrefix(got, "\x1b[") || !strings.Contains(got, "x\x1b[") {
			t.Errorf("style %d: %q", s, got)
		}
	}
	if got := coloured.Paint(Plain, "x"); got != "x" {
		t.Errorf("plain: %q", got)
	}
	if out := New(&bytes.Buffer{}, none, false); out.Terminal() || out.Width() != 0 || out.Paint(Red, "x") != "x" {
		t.Error("a buffer was taken for a terminal")
	}
}

func ExampleDuration() {
	fmt.Println(Duration(90*time.Second), Size(5<<20), Age(3*time.Hour))
	// Output: 1m30s 5 MiB 3 h ago
}
