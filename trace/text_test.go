package trace

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// OneLine says of every text what looking at each of its runes says.
func FuzzOneLine(f *testing.F) {
	for _, s := range append(nasty, "01234567", "0123456\x7f", "0123456\x1f9", "0123456\u0085", " ~ ~ ~ ~", strings.Repeat("x", 15)+"\x00") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029'
		})
		if got := OneLine(s); got != want {
			t.Errorf("%q is one line: %v", s, got)
		}
	})
}

// Every byte, at every place of eight.
func TestOneLine(t *testing.T) {
	for b := range 256 {
		for place := range 16 {
			s := strings.Repeat("x", place) + string([]byte{byte(b)}) + strings.Repeat("y", 15-place)
			if got, want := OneLine(s), b >= ' ' && b < 0x7f; got != want {
				t.Errorf("%q: %v", s, got)
			}
		}
	}
}

// Every byte, at every place of eight, is written as encoding/json writes it.
func TestAppendString(t *testing.T) {
	for b := range 256 {
		for place := range 16 {
			s := strings.Repeat("x", place) + string([]byte{byte(b)}) + strings.Repeat("y", 15-place)
			want, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := appendString(nil, s); string(got) != string(want) {
				t.Errorf("%q is %s, not %s", s, got, want)
			}
		}
	}
}
