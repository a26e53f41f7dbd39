package shell

import (
	"strings"
	"testing"
)

// show is the commands of a script in one line: words with a dot between, what stands behind each, [inner] ones.
func show(script string) string {
	var b strings.Builder
	for _, c := range Commands(script) {
		text := strings.Join(c.Words, "·")
		if c.Inner {
			text = "[" + text + "]"
		}
		b.WriteString(text + " " + strings.ReplaceAll(c.After, "\n", "\\n") + " ")
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestCommands(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`go test ./...`, `go·test·./...`},
		{`cd x && go test`, `cd·x && go·test`},
		{`a||b;c|d&e`, `a || b ; c | d & e`},
		{"a\nb", `a \n b`},
		{"a \\\n  && b", `a && b`},
		{`a |& b`, `a | b`},
		{`case x in a) b;; esac`, `case·x·in·a b ;; esac`},
		// quotes
		{`a "b c" 'd "e' "f\"g" ""`, `a·b c·d "e·f"g·`},
		{`a "b && c" '; d'`, `a·b && c·; d`},
		{`a\ b c\;d`, `a b·c;d`},
		{`a 'unclosed && b`, `a·unclosed && b`},
		{`"$(a)"`, `$(a)`},
		// comments
		{"a # b && c\nd", `a \n d`},
		{`a#b "#" ''#c`, `a#b·#·#c`},
		// redirections
		{`a 2>&1 | b`, `a | b`},
		{`a >out 2>err b`, `a·b`},
		{`a > out b < in c`, `a·b·c`},
		{`a &> out; b &>>out & c`, `a ; b & c`},
		{`a 2 > out`, `a·2`},
		{`a x2>out`, `a·x2`},
		{`a >| out <<< word b`, `a·b`},
		{`a > >(b) c`, `[b] a·c`},
		{`diff <(a) <(b)`, `[a] [b] diff··`},
		{"a <<EOF > f\nb && c\nEOF\nd", `a \n d`},
		{"a <<-'EOF'\n\tb\n\tEOF\nc", `a \n c`},
		// groups and substitutions
		{`(a && b) | c`, `a && b | c`},
		{`(a;b);c`, `a ; b ; c`},
		{`x=$(a | b) c`, `[a] | [b] x=·c`},
		{`a $(b; c) d && e`, `[b] ; [c] a··d && e`},
		{"a `b` c || d", `[b] a··c || d`},
		{`a $(b $(c)) d`, `[c] [b·] a··d`},
		{`a $(b (c) | d`, `[b] [c] | [d] a·`},
		{`$((1+2))`, `[1+2] `},
		{`)))a((`, `a`},
		{``, ``},
		{` ; ; `, ``},
	} {
		if got := show(c.script); got != strings.Join(strings.Fields(c.want), " ") {
			t.Errorf("%q\n got %s\nwant %s", c.script, got, c.want)
		}
	}
}

func TestDashC(t *testing.T) {
	for words, want := range map[string]string{
		"-c x":        "x",
		"-lc x y":     "x",
		"-e -c x":     "x",
		"--norc -c x": "x",
		"-c":          "",
		"script -x":   "",
		"--exec x":    "",
	} {
		if got := DashC(strings.Fields(words)); got != want {
			t.Errorf("%s: %q", words, got)
		}
	}
}

func TestIsAssignment(t *testing.T) {
	for word, want := range map[string]bool{"A=b": true, "a_1=": true, "1a=b": false, "=b": false, "a-b=c": false, "ab": false} {
		if IsAssignment(word) != want {
			t.Error(word)
		}
	}
}

// Whatever the text, no word is invented: every command has words, and their letters stand in the script.
func FuzzCommands(f *testing.F) {
	f.Add("cat <<EOF\nx\nEOF\na $(b `c` (d)) 2>&1 | tee x")
	f.Add(strings.Repeat("$(", 100) + "a" + strings.Repeat(")", 100))
	f.Fuzz(func(t *testing.T, script string) {
		letters := 0
		for _, c := range Commands(script) {
			if len(c.Words) == 0 {
				t.Fatalf("%q: a command without words", script)
			}
			for _, w := range c.Words {
				letters += len(w)
			}
		}
		if letters > len(script) {
			t.Fatalf("%q: %d bytes of words", script, letters)
		}
	})
}
