package main

import (
	"bytes"
	"strings"
	"testing"

	"aburn/cmd/internal/kit"
)

// Each guess is a word once, and what it names is a command with such flags.
func TestGuesses(t *testing.T) {
	a := &kit.App{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}
	tree := root(a)
	seen := map[string]bool{}
	for _, g := range guesses() {
		for w := range strings.FieldsSeq(g.words) {
			if seen[w] {
				t.Errorf("%s is guessed twice", w)
			}
			seen[w] = true
			if tree.Command(w) != nil {
				t.Errorf("%s is a command, so nobody guesses what it means", w)
			}
		}
		for line := range strings.SplitSeq(g.commands, "\n") {
			command, remark, ok := strings.Cut(line, "  # ")
			words := strings.Fields(command)
			if !ok || remark == "" || words[0] != "aburn" {
				t.Errorf("%q is no command with a remark", line)
				continue
			}
			at := tree
			for _, w := range words[1:] {
				if flag, isFlag := strings.CutPrefix(w, "--"); isFlag {
					found := false
					for _, f := range at.Flags {
						found = found || f.Names()[0] == flag
					}
					if !found {
						t.Errorf("%q: there is no --%s", line, flag)
					}
				} else if sub := at.Command(w); sub != nil {
					at = sub
				} else if at == tree {
					t.Errorf("%q: there is no %s", line, w)
				}
			}
		}
	}
}
