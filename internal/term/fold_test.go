package term

import (
	"bytes"
	"slices"
	"testing"
)

// No line is wider than the terminal but a word that is, and a pipe gets the text unbroken.
func TestFold(t *testing.T) {
	out := New(&bytes.Buffer{}, func(string) string { return "" }, true)
	for width, want := range map[int][]string{
		0:  {"  the third session goes wrong"},
		16: {"  the third", "session goes", "wrong"},
		5:  {" ", "the", "third", "session", "goes", "wrong"},
	} {
		if got := out.Wide(width).Fold("  the third session goes wrong", 2); !slices.Equal(got, want) {
			t.Errorf("%d cells: %q", width, got)
		}
	}
}
