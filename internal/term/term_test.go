package term

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/plain"
)

func none(string) string { return "" }

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
			if plain.Width(line) > width {
				t.Errorf("at %d: %d cells: %q", width, plain.Width(line), line)
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
		{30, "aaaaaa  bbbbbb  cccccc  dddddd"}, {28, "aaaaaa  bbbbbb  ccc…  dddddd"}, {27, "aaaaaa  cccccc  dddddd"}, {20, "aaaaaa  ccc…  dddddd"},
		{19, "aaaaaa  cccccc"}, {11, "cccccc"}, {3, "ccc…"},
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
	fmt.Println(plain.Duration(90*time.Second), plain.Size(5<<20), plain.Age(3*time.Hour))
	// Output: 1m30s 5 MiB 3 h ago
}
