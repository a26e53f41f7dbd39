package excerpt

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/plain"
)

// texts is all that blocks show.
func texts(blocks []Block) string {
	var b strings.Builder
	for _, x := range blocks {
		fmt.Fprintf(&b, "%s|", x.Name)
		b.WriteString(string(x.Prose))
		for _, l := range x.Head {
			fmt.Fprintf(&b, "[%s]%s\n", l.Kind, l.Text)
		}
		b.WriteString(x.Fold)
		for _, l := range x.Tail {
			fmt.Fprintf(&b, "[%s]%s\n", l.Kind, l.Text)
		}
	}
	return b.String()
}

// hostile are texts that try to be more than text.
var hostile = []string{
	"</script><script>window.pwned=1</script>", `<img src=x onerror="window.pwned=1">`, "<svg/onload=alert(1)>", "[click](javascript:alert(1))",
	"![x](http://evil.example/x.png)",
	"<http://evil.example>", "<a href='http://evil.example'>x</a>", "# h\n\n<style>*{display:none}</style>\n", "&lt;script&gt; &#60;script&#62;x",
	"[a]: http://evil.example 'x'\n\n[a]",
	"| a |\n|:-:|\n| <b onclick=x()>y</b> |", "```\"><script>x\ncode\n```", "<!-- <script>x</script> -->", "<details open ontoggle=x>",
	"`<iframe src=//evil.example>`",
}

// Markdown becomes elements without attributes, but for the classes of an address and of code.
func TestProseIsHarmless(t *testing.T) {
	allowed, classes := map[string]bool{}, map[string]bool{}
	for name := range strings.FieldsSeq("dim keyword string comment number") {
		classes[`class="`+name+`"`] = true
	}
	for name := range strings.FieldsSeq("p strong em code pre ul ol li blockquote br hr table thead tbody tr th td del span") {
		allowed[name] = true
	}
	for _, text := range append(hostile, strings.Join(hostile, "\n\n"), strings.Join(hostile, " ")) {
		var s Scrubber
		shown := string(s.Prose([]byte(text), Limits{})[0].Prose)
		for _, tag := range regexp.MustCompile(`<([^>]*)>?`).FindAllStringSubmatch(shown, -1) {
			name, attributes, _ := strings.Cut(strings.Trim(tag[1], "/ "), " ")
			if !allowed[name] || attributes != "" && !classes[attributes] {
				t.Errorf("%q has <%s>: %s", text, tag[1], shown)
			}
		}
	}
}

// What a text hides is shown, also where Markdown names it.
func TestHiddenCharactersAreShown(t *testing.T) {
	var s Scrubber
	for _, text := range []string{"a\u202eb", "a&#x202e;b", "a&#8203;b", "a\u200bb", "a\x1b]0;x\ab", "a&ZeroWidthSpace;b"} {
		if got := texts(s.Prose([]byte(text), Limits{})); !strings.Contains(got, "\ufffd") {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := texts(s.Code("", []byte("a\u202eb\x1b[31mred\x1b[0m\x1b[2Jx"), Limits{})); got != "|[]a\ufffdbred\ufffd[2Jx\n" {
		t.Errorf("%q", got)
	}
}

func TestProse(t *testing.T) {
	var s Scrubber
	for text, want := range map[string]string{
		"Fix **it** in `a.go`":      "<p>Fix <strong>it</strong> in <code>a.go</code></p>",
		"# Plan\n\n- one\n- two":    "<p><strong>Plan</strong></p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
		"See [the docs](https://x)": `<p>See the docs <span class="dim">(https://x)</span></p>`,
		"a < b <b>c</b>":            "<p>a &lt; b &lt;b&gt;c&lt;/b&gt;</p>",
	} {
		if got := strings.TrimSpace(string(s.Prose([]byte(text), Limits{})[0].Prose)); got != want {
			t.Errorf("%q\n%s\n%s", text, got, want)
		}
	}
	if b := s.Prose([]byte(strings.Repeat("word ", 4000)), Folded)[0]; len(b.Prose) > 4100 || b.Fold != "… 15.6 KiB more" {
		t.Errorf("%d, %q", len(b.Prose), b.Fold)
	}
}

func TestLongOutputIsFolded(t *testing.T) {
	var s Scrubber
	var lines []string
	for i := range 224 {
		lines = append(lines, fmt.Sprint("line ", i+1))
	}
	b := s.Code("", []byte(strings.Join(lines, "\n")+"\n"), Folded)[0]
	if b.Head[0].Text != strings.Join(lines[:6], "\n") || b.Tail[0].Text != strings.Join(lines[220:], "\n") || b.Fold != "… 214 lines, 1.8 KiB" {
		t.Errorf("%+v", b)
	}
	if b := s.Code("", []byte(strings.Join(lines[:12], "\n")), Folded)[0]; b.Fold != "" || len(b.Tail) > 0 {
		t.Errorf("twelve lines: %+v", b)
	}
}

func TestInput(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{`{"command":"ls","timeout":5}`, "|[]command: ls\ntimeout: 5\n"},
		{`{"file_path":"/a.go","old_string":"a\nb\nc\nd\ne","new_string":"a\nb\nX\nd\ne"}`, "|[] a\n b\n[del]-c\n[add]+X\n[] d\n e\n"},
		{`"{\"command\":\"make\"}"`, "|[]command: make\n"},
		{`"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"`, "|[at]*** Begin Patch\n*** Update File: a\n@@\n[del]-x\n[add]+y\n[at]*** End Patch\n"},
		{`{"content":"one\ntwo"}`, "content|[]one\ntwo\n"},
		{`{"/src/a.go":{"type":"update","unified_diff":"@@ -1 +1 @@\n-x\n+y\n"}}`,
			"|[]/src/a.go type: update\n/src/a.go unified_diff|[at]@@ -1 +1 @@\n[del]-x\n[add]+y\n"},
		{`{"todos":[{"text":"one\ntwo"},{"done":true}]}`, "|[]todos 2 done: true\ntodos 1 text|[]one\ntwo\n"},
		{`not json`, "|[]not json\n"},
	} {
		var s Scrubber
		if got := texts(s.Input([]byte(c.input), Limits{}, "/a.go")); got != c.want {
			t.Errorf("%s\n%q\n%q", c.input, got, c.want)
		}
	}
}

// A secret is taken out of an input whose member's name gives it away, and of every other text of the session.
func TestSecretOfOneTextIsTakenOutOfAll(t *testing.T) {
	var s Scrubber
	secret := "hunter" + "Z4mbler"
	s.Learn([]byte(`{"env":{"PASSWORD":"` + secret + `"}}`))
	s.Learn([]byte("export TOKEN=" + secret))
	for _, blocks := range [][]Block{
		s.Prose([]byte("use "+secret), Limits{}), s.Code("", []byte("it said "+secret), Folded), s.Input([]byte(`{"command":"echo `+secret+`"}`), Folded),
		s.Input([]byte(`{"password":"`+secret+`"}`), Folded),
		s.Record([]byte(`{"a":["`+secret+`"],"signature":"`+strings.Repeat("x", 50)+`"}`), Limits{}),
	} {
		if got := texts(blocks); strings.Contains(got, secret) || !strings.Contains(got, "[redacted:") {
			t.Error(got)
		}
	}
}

func TestBinaryIsNotShown(t *testing.T) {
	var s Scrubber
	if got := texts(s.Code("", []byte(strings.Repeat("iVBORw0KGgo", 100)), Folded)); got != "|(binary data, 1.1 KiB, not shown)" {
		t.Error(got)
	}
	if got := texts(s.Record([]byte(`{"data":"`+strings.Repeat("A", 500)+`","n":1}`), Limits{})); !strings.Contains(got, "500 B, not shown") ||
		!strings.Contains(got, `"n": 1`) {
		t.Error(got)
	}
}

func FuzzExcerpt(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Scrubber
		s.Learn([]byte(text))
		for _, blocks := range [][]Block{s.Prose([]byte(text), Folded), s.Code("x", []byte(text), Folded), s.Input([]byte(text), Folded),
			s.Record([]byte(text), Folded)} {
			if shown := texts(blocks); shown != plain.Text(shown) {
				t.Errorf("%q", shown)
			}
		}
	})
}
