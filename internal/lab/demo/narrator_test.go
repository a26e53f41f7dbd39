package main

import (
	"bytes"
	"slices"
	"testing"

	"aburn/internal/term"
)

// No line of the story is wider than the terminal, and a pipe gets it unbroken.
func TestFold(t *testing.T) {
	out := term.New(&bytes.Buffer{}, func(string) string { return "" }, true)
	for width, want := range map[int][]string{
		0:  {"  the third session goes wrong"},
		16: {"  the third", "session goes", "wrong"},
	} {
		if got := (narrator{out.Wide(width)}).fold("  the third session goes wrong", 2); !slices.Equal(got, want) {
			t.Errorf("%d cells: %q", width, got)
		}
	}
}
