package shell

import (
	"os/exec"
	"testing"
)

// A word that is shown in a command is one word to a shell, whatever is in it, and one that needs no quotes has none.
func TestQuoteIsOneWord(t *testing.T) {
	for word, want := range map[string]string{
		"claude/5b0c2f91-0000/a1": "claude/5b0c2f91-0000/a1", "a;rm -r x": `'a;rm -r x'`, "it's": `'it'\''s'`, "$(id)": `'$(id)'`, "": "''", "`id`": "'`id`'",
		"a\nb": "'a\nb'", "~": "'~'",
	} {
		got := Quote(word)
		if out, err := exec.Command("sh", "-c", "printf %s "+got).Output(); got != want || err != nil || string(out) != word {
			t.Errorf("%q is %s, to a shell %q (%v), want %s", word, got, out, err, want)
		}
	}
}
