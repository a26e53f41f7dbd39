package claude

import (
	"testing"

	"aburn/internal/lab/world"
	"aburn/worker/slot"
)

// TestAsks judges screens of 2.1.329, as TestDialogs of internal/lab/realagents records them.
func TestAsks(t *testing.T) {
	for name, want := range map[string]string{
		"trust": "Accessing workspace: · /home/user/project · Quick safety check: Is this a project you created or one you trust? (Like your own code, a " +
			"well-known open source project, or work from your team). If not, · take a moment to review what's in this folder first. · Claude Code'll be able to " +
			"read, edit, and execute files here. · Security guide",
		"bash":  "Bash command · a command · touch made · Do you want to proceed?",
		"write": "Create file · new.txt · 1 one · 2 two · Do you want to create new.txt?",
		"idle":  "", "works": "", "draft": "", "imitation": "",
	} {
		x, y, lines := world.RecordedScreen(t, "testdata/screens/"+name+".txt")
		words, ok := Agent().(slot.Asker).Asks(slot.Screen{Lines: lines, X: x, Y: y})
		if words != want || ok != (want != "") {
			t.Errorf("%s: %q, %t\nwant %q", name, words, ok, want)
		}
	}
	for y := -1; y < 3; y++ {
		if _, ok := Agent().(slot.Asker).Asks(slot.Screen{Y: y, Lines: []string{"", " Esc to cancel"}}); ok {
			t.Error("a dialog without a menu")
		}
	}
}
