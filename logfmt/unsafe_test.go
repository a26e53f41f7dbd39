package logfmt

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestUnsafeIsFrozen: the characters that are never written raw are those that SPEC.md lists, and that list is this one.
func TestUnsafeIsFrozen(t *testing.T) {
	const frozen = "U+0000–001F U+007F–009F U+061C U+180E U+200E–200F U+2028–202E U+2060–206F U+FEFF U+FFF9–FFFB U+E0000–E0FFF"
	spec, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(spec), "**Unsafe characters** are ")
	sentence, _, _ := strings.Cut(rest, ":")
	ranges := regexp.MustCompile(`U\+([0-9A-F]+)(?:–([0-9A-F]+))?`).FindAllStringSubmatch(sentence, -1)
	listed := map[rune]bool{}
	var all []string
	for _, m := range ranges {
		all = append(all, m[0])
		lo, _ := strconv.ParseInt(m[1], 16, 32)
		hi := lo
		if m[2] != "" {
			hi, _ = strconv.ParseInt(m[2], 16, 32)
		}
		for r := rune(lo); r <= rune(hi); r++ {
			listed[r] = true
		}
	}
	if got := strings.Join(all, " "); got != frozen {
		t.Errorf("SPEC.md lists\n%s, and the format has\n%s", got, frozen)
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if unsafeRune(r) != listed[r] {
			t.Errorf("%U: unsafe %v, listed %v", r, unsafeRune(r), listed[r])
		}
	}
}
