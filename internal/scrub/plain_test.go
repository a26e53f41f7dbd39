package scrub

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"aburn/internal/plain"
)

// TestTakesOutWhatPlainTakesOut: Head takes out, before it searches, every character that plain takes out when a text is shown, to
// a person or a model. Were one left, the secret that it cuts in two would pass, and be whole again where it is shown.
//
// What plain replaces need not be taken out, as U+FFFD stays between its neighbours. Of that, every control and every format
// character (Cc, Cf) is, but the two that are white space here. The rest is fixed: it belongs to the rules, which were measured with it.
func TestTakesOutWhatPlainTakesOut(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if (plain.Person(r) < 0 || plain.Model(r) < 0) && !invisible(r) {
			t.Errorf("%U is taken out where it is shown, and not before the search for secrets", r)
		}
		if plain.Person(r) == plain.Replacement && !invisible(r) && unicode.In(r, unicode.Cc, unicode.Cf) && r != '\n' && r != '\t' {
			t.Errorf("%U: a control or format character, and not taken out", r)
		}
		if invisible(r) && plain.Model(r) == r {
			t.Errorf("%U is taken out and would be shown", r)
		}
	}
	secret := "gh" + "p_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2gH5"
	want := plain.ModelLine(Head("token "+secret, 200))
	for _, between := range []string{"", "\ufe0f", "\u200d", "\u200c", "\U000e0100", "\u180b", "\u180f"} {
		if got := plain.ModelLine(Head("token "+secret[:9]+between+secret[9:], 200)); got != want || strings.Contains(got, secret) {
			t.Errorf("with %+q in it: %q, want %q", between, got, want)
		}
	}
}
