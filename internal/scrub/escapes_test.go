package scrub

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// encodings are ways in which a secret stands in another text.
var encodings = map[string]func(s string) string{
	"json": func(s string) string {
		b, _ := json.Marshal(map[string]string{"command": s})
		return string(b)
	},
	"json in json": func(s string) string {
		b, _ := json.Marshal(map[string]string{"command": s})
		b, _ = json.Marshal(string(b))
		return string(b)
	},
	"json in json in json": func(s string) string {
		b, _ := json.Marshal(s)
		b, _ = json.Marshal(string(b))
		b, _ = json.Marshal(string(b))
		return string(b)
	},
	"unicode escapes": func(s string) string { return each(s, `\u%04x`) },
	"unicode escapes in json": func(s string) string {
		b, _ := json.Marshal(each(s, `\u%04X`))
		return string(b)
	},
	"some unicode escapes": func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			if i%5 == 0 {
				fmt.Fprintf(&b, `\u%04x`, s[i])
			} else {
				b.WriteByte(s[i])
			}
		}
		return b.String()
	},
	"hex escapes": func(s string) string { return "$'" + each(s, `\x%02x`) + "'" },
	"query": func(s string) string {
		return "https://x.example/?q=" + url.QueryEscape(strings.ReplaceAll(s, " ", ""))
	},
	"path":          func(s string) string { return "https://x.example/" + url.PathEscape(s) },
	"percent":       func(s string) string { return each(s, `%%%02X`) },
	"percent twice": func(s string) string { return each(s, `%%25%02x`) },
}

func each(s, verb string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, verb, s[i])
	}
	return b.String()
}

// No secret stays in any layer of escapes, whatever the text is packed into.
func TestEscapes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, s := range wellKnown() {
		d := draw(rnd, s.expr)
		for name, encode := range encodings {
			if name == "query" && strings.Contains(d.text, " ") {
				continue // blanks belong to what it stands in
			}
			text := encode(d.text)
			out, _ := Text(text)
			for v := plainViewOf(out); ; {
				if left := leak(v.text, d.secret); left != "" {
					t.Errorf("%s, %s: %q stays in %q of %q", s.name, name, left, out, text)
					break
				}
				next, ok := v.decoded()
				if !ok {
					break
				}
				v = &next
			}
		}
	}
}

func TestDecoded(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`plain`, ``},
		{`\d+ 100% %zz \q C:\dir`, ``},
		{`\u0067hp`, `ghp`},
		{`\\\u0067hp`, `ghp`},
		{`\x67\x68`, `gh`},
		{`%67%68`, `gh`},
		{`%2567`, `%67`},
		{`{\"a\":\"b\"}`, `{"a":"b"}`},
		{`a\nb\tc\r`, "a\nb c\n"},
		{"a\\\nb", "a b"},
		{`\u00e9\u4e2d%C3`, ``}, // no ASCII
		{`\`, ``},
		{`%`, ``},
		{`%4`, ``},
		{`\u006`, ``},
	} {
		v, ok := plainViewOf(c.text).decoded()
		if ok != (c.want != "") || v.text != c.want {
			t.Errorf("%s: %q, %v, want %q", c.text, v.text, ok, c.want)
		}
		if ok && (v.source(0) != 0 || v.source(len(v.text)) != len(c.text)) {
			t.Errorf("%s: from %d to %d", c.text, v.source(0), v.source(len(v.text)))
		}
	}
}

// Where each byte of what is decoded comes from, through one layer and through two.
func TestSource(t *testing.T) {
	first := plainView(`x%2541y\nz`)
	second, _ := first.decoded()
	third, _ := second.decoded()
	for _, c := range []struct {
		v    *view
		text string
		want []int
	}{
		{&first, `x%2541y\nz`, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{&second, "x%41y\nz", []int{0, 1, 4, 5, 6, 7, 9, 10}},
		{&third, "xAy\nz", []int{0, 1, 6, 7, 9, 10}},
	} {
		var got []int
		for i := range len(c.v.text) + 1 {
			got = append(got, c.v.source(i))
		}
		if c.v.text != c.text || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %q: %v", c.v.text, got, c.text, c.want)
		}
	}
}

func plainViewOf(s string) *view {
	v := plainView(s)
	return &v
}
