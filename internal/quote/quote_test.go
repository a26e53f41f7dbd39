package quote

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"aburn/internal/plain"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"docs/plan.md":            `docs/plan.md`,
		"übersicht/план.md":       `übersicht/план.md`,
		"my plan.md":              `"my plan.md"`,
		"":                        `""`,
		`a"b\c`:                   `"a\"b\\c"`,
		"two\nlines\ttab\r":       `"two lines tab "`,
		"\x1b[31mred\x07":         `"\x1b[31mred\a"`,
		"a\u202egnp.md":           `"a\u202egnp.md"`,
		"a\u2028b":                `"a b"`,
		"zero\u200bwidth":         `"zero\u200bwidth"`,
		"tag\U000e0041":           `"tag\U000e0041"`,
		"selector\U000e0101":      `"selector"`,
		"joiner👩\u200d💻":          `"joiner👩💻"`,
		"filler\u3164":            `"filler\u3164"`,
		"emoji ❤\ufe0f":           `"emoji ❤"`,
		"bad\xffbyte":             `"bad\ufffdbyte"`,
		"$(rm -rf ~)":             `"$(rm -rf ~)"`,
		"`x`":                     "\"`x`\"",
		"c1\u0085":                `"c1\u0085"`,
		strings.Repeat("é", 40):   strings.Repeat("é", 14) + "…",
		strings.Repeat("x y", 20): `"x yx yx yx yx yx yx yx yx yx…"`,
	} {
		if got := Text(in, 31); got != want {
			t.Errorf("Text(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestNothingHidden draws strings from the dangerous parts of Unicode: no output of this package shows one raw.
func TestNothingHidden(t *testing.T) {
	var all strings.Builder
	for _, table := range []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co, unicode.Zl, unicode.Zp, unicode.Bidi_Control,
		unicode.Other_Default_Ignorable_Code_Point} {
		for _, r16 := range table.R16 {
			all.WriteRune(rune(r16.Lo))
			all.WriteRune(rune(r16.Hi))
		}
		for _, r32 := range table.R32 {
			all.WriteRune(rune(r32.Lo))
			all.WriteRune(rune(r32.Hi))
		}
	}
	raw := all.String() + "\xff\xfe"
	for name, out := range map[string]string{
		"Always": Always(raw, 1<<20), "Text": Text(raw, 1<<20),
	} {
		for i, r := range out {
			if plain.ModelText(string(r)) != string(r) {
				t.Errorf("%s lets %U through at %d", name, r, i)
			}
		}
		if !utf8.ValidString(out) {
			t.Errorf("%s lets bytes through that are no UTF-8", name)
		}
	}
}
