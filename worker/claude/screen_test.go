package claude

import (
	"strings"
	"testing"

	"aburn/worker/slot"
)

// Screens of 2.1.329 as tmux captured them, with the cursor at @.
func TestInputLine(t *testing.T) {
	rule := strings.Repeat("─", 60)
	for name, c := range map[string]struct {
		screen, want string
		ok, busy     bool
	}{
		"empty":   {"● first answer\n" + rule + "\n❯\u00a0@\n" + rule + "\n  ? for shortcuts", "", true, false},
		"a draft": {rule + "\n❯\u00a0half a thought@\n" + rule, "half a thought", true, false},
		"a tag":   {rule + "\n❯\u00a0[aburn m-7f3a12] @\n" + rule, "[aburn m-7f3a12]", true, false},
		"a paste": {rule + "\n❯\u00a0[aburn m-7f3a12] [Pasted text #1 +11 lines]@\n" + rule, "[aburn m-7f3a12] [Pasted text #1 +11 lines]", true,
			false},
		"two lines":                {rule + "\n❯\u00a0one\n  two@\n" + rule, "one\ntwo", true, false},
		"at work":                  {"✻ Baking… (3s · esc to interrupt)\n" + rule + "\n❯\u00a0@\n" + rule, "", true, true},
		"a question":               {"❯ go\n" + rule + "\n Bash command\n\n Do you want to proceed?\n @❯ 1. Yes\n   2. No\n\n Esc to cancel", "", false, false},
		"a question between rules": {rule + "\n Do you want to proceed?\n @❯ 1. Yes\n   2. No\n" + rule, "", false, false},
		"a menu between rules":     {rule + "\n❯ 1. Yes@\n   2. No\n" + rule, "", false, false},
		"trust":                    {" Quick safety check\n\n @❯ 2. No, exit", "", false, false},
		"a shell's":                {rule + "\n!\u00a0ls@\n" + rule, "", false, false},
		"nothing":                  {"@", "", false, false},
	} {
		var s slot.Screen
		for y, line := range strings.Split(c.screen, "\n") {
			if x := strings.Index(line, "@"); x >= 0 {
				s.X, s.Y = x, y
				line = strings.Replace(line, "@", "", 1)
			}
			s.Lines = append(s.Lines, strings.TrimRight(line, " "))
		}
		client := Agent().(slot.Prompter)
		if text, ok := client.Input(s); text != c.want || ok != c.ok || client.Busy(s) != c.busy {
			t.Errorf("%s: %q, %v, busy %v", name, text, ok, client.Busy(s))
		}
	}
	const tag = "[aburn m-7f3a12]"
	for input, text := range map[string]string{
		tag + " use\nport 8081":              tag + " use port 8081",
		tag + " [Pasted text #3 +2 lines]":   tag + " one\ntwo\nthree",
		tag + " a very long li\nne of words": tag + " a very long line of words",
	} {
		if !Agent().(slot.Prompter).Shows(input, text) {
			t.Errorf("%q is not %q", input, text)
		}
	}
	for _, input := range []string{"", tag, tag + " one", tag + " [Pasted text #3 +3 lines]", tag + " [Pasted text #3 +2 lines] and",
		"so " + tag + " [Pasted text #3 +2 lines]", tag + " one two three four"} {
		if Agent().(slot.Prompter).Shows(input, tag+" one\ntwo\nthree") {
			t.Errorf("%q is the message", input)
		}
	}
	if _, ok := Agent().(slot.Prompter).Input(slot.Screen{Y: 7}); ok {
		t.Error("a cursor outside of the screen")
	}
}
