package excerpt

import (
	"fmt"
	"strings"
	"testing"
)

// drawn is coloured text as [class:text], with a * before what is marked.
func drawn(list []Coloured) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "<%s>", c.Kind)
		for _, s := range c.Spans {
			switch {
			case s.Mark:
				fmt.Fprintf(&b, "*%s*", s.Text)
			case s.Class != "":
				fmt.Fprintf(&b, "[%s:%s]", s.Class[:1], s.Text)
			default:
				b.WriteString(s.Text)
			}
		}
	}
	return b.String()
}

func TestColoured(t *testing.T) {
	for _, c := range [][3]string{
		{"a.go", "func f() int { return 42 } // why", "<>[k:func] f() int { [k:return] [n:42] } [c:// why]"},
		{"a.go", "s := `two\nlines` + \"x\\\"y\"", "<>s := [s:`two\nlines`] + [s:\"x\\\"y\"]"},
		{"b.py", "# it's\ndef x(): return None", "<>[c:# it's]\n[k:def] x(): [k:return] [k:None]"},
		{"c.sql", "SELECT 'it''s' -- all", "<>[k:SELECT] [s:'it'][s:'s'] [c:-- all]"},
		{"d.ts", "/* open\nto the end", "<>[c:/* open\nto the end]"},
		{"e.txt", "func return 42", "<>func return 42"},
		{"README", "if it is", "<>if it is"},
		{"f.sh", "echo don't", "<>echo don[s:']t"},
		{"g.go", "größe := interface_", "<>größe := interface_"},
	} {
		var s Scrubber
		b := In(c[0], s.Code("", []byte(c[1]), Limits{}))[0]
		if got := drawn(b.Coloured(b.Head)); got != c[2] {
			t.Errorf("%s: %s\nnot %s", c[0], got, c[2])
		}
	}
}

// A patch is coloured by the files that it names. What changed within a line is marked, by whole words; a line that is wholly new is not.
func TestColouredPatch(t *testing.T) {
	patch := "--- a/shop.sql\n+++ b/shop.sql\n@@ -1,3 +1,3 @@\n select 1\n" +
		"-update cart set total = round(price)\n+update cart set total = round(amount)\n-drop it\n+-- new line of another kind"
	var s Scrubber
	b := s.Code("", []byte(patch), Limits{})[0]
	want := "<at>--- a/shop.sql\n+++ b/shop.sql\n@@ -1,3 +1,3 @@<> [k:select] [n:1]<del>-[k:update] cart [k:set] total = round(*price*)" +
		"<add>+[k:update] cart [k:set] total = round(*amount*)<del>-[k:drop] it<add>+[c:-- new line of another kind]"
	if got := drawn(b.Coloured(b.Head)); got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	edit := s.Input([]byte(`{"file_path":"/x/a.go","old_string":"x := 1\nreturn nil","new_string":"x := 2\nreturn nil"}`), Limits{}, "/x/a.go")[0]
	if got := drawn(edit.Coloured(edit.Head)); !strings.HasPrefix(got, "<del>-x := *1*<add>+x := *2*") {
		t.Error(got)
	}
}

// Colours change no character of a text.
func FuzzColoured(f *testing.F) {
	f.Add("a.go", "-a `b\n+a \"c\\", "+x\n-é/*")
	f.Add("a.py", "@@ -1 +1 @@\n-'''é\n+''", "+''\u00e9")
	f.Fuzz(func(t *testing.T, file, before, after string) {
		b := &Block{Patch: strings.HasPrefix(before, "-"), Language: LanguageOf(file)}
		lines := []Line{{"del", before}, {"add", after}, {"", after}}
		for i, c := range b.Coloured(lines) {
			text := ""
			for _, s := range c.Spans {
				text += s.Text
			}
			if text != lines[i].Text {
				t.Errorf("%q became %q", lines[i].Text, text)
			}
		}
	})
}
