package codex

import (
	"testing"

	"aburn/internal/lab/world"
	"aburn/worker/slot"
)

// TestAsks judges screens of 0.169.0, as TestDialogs of internal/lab/realagents records them.
func TestAsks(t *testing.T) {
	for name, want := range map[string]string{
		"trust": "Folder access · /home/user/project · Trust this folder? Codex can read, edit, and run files here, subject to your permission settings. " +
			"Folder settings can run code automatically, even without a · model request. Continue only if you trust these files. Your trust decision will be saved.",
		"hooks":    "Hooks need review · 13 hooks are new or changed. · Hooks can run outside the sandbox after you trust them.",
		"approval": "Would you like to run the following command? · Environment: local · Reason: because · $ echo granted",
		"idle":     "", "imitation": "",
	} {
		x, y, lines := world.RecordedScreen(t, "testdata/screens/"+name+".txt")
		words, ok := Agent().(slot.Asker).Asks(slot.Screen{Lines: lines, X: x, Y: y})
		if words != want || ok != (want != "") {
			t.Errorf("%s: %q, %t\nwant %q", name, words, ok, want)
		}
	}
	for _, lines := range [][]string{nil, {""}, {"  enter confirm · esc skip"}, {"  1. one", "  enter confirm · esc skip"},
		{"› Ask", "  enter confirm · esc skip"}} {
		if words, ok := Agent().(slot.Asker).Asks(slot.Screen{Lines: lines}); ok {
			t.Errorf("a dialog without a menu, %q: %q", lines, words)
		}
	}
}
