package plain

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// each calls do for all code points, surrogates too.
func each(do func(r rune)) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		do(r)
	}
}

// ignorable is Default_Ignorable_Code_Point, as the Unicode Character Database derives it.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
		!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
		(r < 0xfff9 || r > 0xfffb) && (r < 0x13430 || r > 0x13440)
}

// invisible is what acts on a terminal or on the order of a text, or is never seen, by the tables of the standard library.
func invisible(r rune) bool {
	return ignorable(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Noncharacter_Code_Point)
}

func TestSpansAreInOrder(t *testing.T) {
	last := rune(-1)
	for _, s := range spans {
		if s.lo <= last || s.hi < s.lo || s.fate == shown {
			t.Errorf("%U-%U behind %U", s.lo, s.hi, last)
		}
		last = s.hi
	}
}

// TestFates holds the ranges against the tables of the standard library, for every code point.
func TestFates(t *testing.T) {
	each(func(r rune) {
		want := shown
		switch {
		case r == 0x200c || r == 0x200d:
			want = joiner
		case unicode.Is(unicode.Variation_Selector, r):
			want = dropped
		case invisible(r):
			want = hidden
		case unicode.Is(unicode.Co, r), r == 0x2800, r == 0x1d159:
			want = opaque
		}
		if got := fateOf(r); got != want {
			t.Errorf("%U: fate %d, want %d", r, got, want)
		}
	})
	for _, r := range []rune{-1, unicode.MaxRune + 1} {
		if Person(r) != Replacement || Model(r) != Replacement {
			t.Errorf("%d is shown", r)
		}
	}
}

// TestShown: what is for a model is for a person too; nothing invisible reaches either; what people write with stays as it is.
func TestShown(t *testing.T) {
	each(func(r rune) {
		person, model := Person(r), Model(r)
		switch {
		case model == r && person != r:
			t.Errorf("%U: a model is shown it and no person", r)
		case person < 0 && model >= 0:
			t.Errorf("%U: taken out for a person and not for a model", r)
		case model == r && invisible(r):
			t.Errorf("%U: invisible, and reaches a model", r)
		case person == r && invisible(r) && r != 0x200c && r != 0x200d:
			t.Errorf("%U: invisible, and reaches a person", r)
		case Control(r) != unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
			t.Errorf("%U: control is %v", r, Control(r))
		}
		ordinary := unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs) && !ignorable(r) && r != 0x2800 && r != 0x1d159
		if ordinary && (person != r || model != r) {
			t.Errorf("%U %c: shown to a person as %U, to a model as %U", r, r, person, model)
		}
	})
}

// texts are the functions that make text fit to be shown, with what they may leave of controls.
var texts = []struct {
	name   string
	of     func(string) string
	model  bool
	blanks string
}{
	{"Line", Line, false, ""}, {"Text", Text, false, "\n\t"}, {"ModelLine", ModelLine, true, ""}, {"ModelText", ModelText, true, "\n\t"},
	{"OneLine", func(s string) string { return OneLine(s, 1<<20) }, true, ""}, {"Code", func(s string) string { return CodeMax(s, 1<<20) }, true, ""},
	{"CodePath", CodePath, true, ""}, {"Quote", func(s string) string { return Quote(s, 1<<20) }, true, ""},
}

// check holds what a function made of s against its promises.
func check(t *testing.T, i int, s string) {
	t.Helper()
	f := texts[i]
	out := f.of(s)
	if !utf8.ValidString(out) {
		t.Fatalf("%s(%q) = %q is no UTF-8", f.name, s, out)
	}
	for _, r := range out {
		fate := fateOf(r)
		if fate != shown && (f.model || fate != joiner && fate != opaque) && !strings.ContainsRune(f.blanks, r) {
			t.Fatalf("%s(%q) = %q holds %U", f.name, s, out, r)
		}
	}
	if f.name == "Quote" || strings.HasPrefix(f.name, "Code") { // those add quotes
		return
	}
	if again := f.of(out); again != out {
		t.Fatalf("%s(%q) = %q, and of that %q", f.name, s, out, again)
	}
	if len(out) > 3*len(s) {
		t.Fatalf("%s(%q) = %q is more than three times as long", f.name, s, out)
	}
}

func TestTexts(t *testing.T) {
	var some strings.Builder
	each(func(r rune) {
		some.WriteRune(r) // of a surrogate U+FFFD
		if r%1024 == 1023 {
			for i := range texts {
				check(t, i, some.String())
			}
			some.Reset()
		}
	})
	for i := range texts {
		for _, s := range []string{"", "\xff", "\xff\xfe", "a\xed\xa0\x80b", "\xf4\x90\x80\x80", "\xe2\x80", "x\xf3\xa0\x84", strings.Repeat("\xff", 99),
			strings.Repeat("\x00", 99)} {
			check(t, i, s)
		}
	}
}

func FuzzTexts(f *testing.F) {
	f.Add("✔\ufe0f a\u200db\xff\U000e0041\n\t")
	f.Fuzz(func(t *testing.T, s string) {
		for i := range texts {
			check(t, i, s)
		}
	})
}

func TestWhatBecomesOfText(t *testing.T) {
	for in, want := range map[string][2]string{
		"✔\ufe0f":                    {"✔", "✔"},
		"1\ufe0f\u20e3":              {"1\u20e3", "1\u20e3"},
		"葛\U000e0100":                {"葛", "葛"},
		"👩\u200d💻":                   {"👩\u200d💻", "👩💻"},
		"می\u200cخواهم":              {"می\u200cخواهم", "میخواهم"},
		"\ue0b0 main":                {"\ue0b0 main", "\ufffd main"},
		"⣿\u2800⣿":                   {"⣿\u2800⣿", "⣿\ufffd⣿"},
		"a\U000e0041\U000e007fb":     {"a\ufffd\ufffdb", "a\ufffd\ufffdb"},
		"\u115f\u1160\u3164\uffa0":   {"\ufffd\ufffd\ufffd\ufffd", "\ufffd\ufffd\ufffd\ufffd"},
		"exe\u202egnp.":              {"exe\ufffdgnp.", "exe\ufffdgnp."},
		"a\u00adb\u034fc\u200bd":     {"a\ufffdb\ufffdc\ufffdd", "a\ufffdb\ufffdc\ufffdd"},
		"a\u2028b\u2029c\nd\te\r\nf": {"a b c d e  f", "a b c d e  f"},
		"\ufffe\ufdd0\U0001ffff":     {"\ufffd\ufffd\ufffd", "\ufffd\ufffd\ufffd"},
		"🏳\ufe0f\u200d🌈 🇫🇷 👍🏽":       {"🏳\u200d🌈 🇫🇷 👍🏽", "🏳🌈 🇫🇷 👍🏽"},
	} {
		if got := Line(in); got != want[0] {
			t.Errorf("a person is shown %q as %q, want %q", in, got, want[0])
		}
		if got := ModelLine(in); got != want[1] {
			t.Errorf("a model is shown %q as %q, want %q", in, got, want[1])
		}
	}
	if Text("a\n\tb\u2028") != "a\n\tb\ufffd" || ModelText("a\n\tb\u2028") != "a\n\tb\ufffd" {
		t.Error("a line separator is a line end in a text")
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \n\t": "", "  a  b ": "a b", "a \u200d b": "a b", "\u200d a": "a",
		"a\u0085b\u00a0c": "a b c", "x\u202ey": "x\ufffdy",
		"1234567890123456": "123456789012…", "ääääääääää": "ääääää…",
	} {
		if got := OneLine(in, 15); got != want {
			t.Errorf("OneLine(%q) is %q, want %q", in, got, want)
		}
	}
	if got := Quote("say \"hi\"\n", 99); got != `"say \"hi\""` {
		t.Error(got)
	}
}

func BenchmarkModelLine(b *testing.B) {
	for name, s := range map[string]string{"ascii": "internal/plain/plain_test.go", "other": "übersicht/план/日本語.md"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ModelLine(s)
			}
		})
	}
}
