package main

import (
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// A conversation has a prompt whole, whatever else is beside it, and names what it leaves out.
func TestConversationIsWhole(t *testing.T) {
	world.Slow(t)
	x := newExported(t)
	s := x.newSession()
	image := map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": strings.Repeat("iVBORw0KGgo", 400)}}
	s.add("user", []any{map[string]any{"type": "text", "text": "look at this\nand at its second line"}, image})
	s.says("I see it.")
	s.prompt(strings.Repeat("too long to be held ", 25<<20/20))
	if out, errs, code := x.run("ingest", "--quiet"); code != 0 {
		t.Fatal(out, errs)
	}
	out, notes, code := x.run("show", "99990000")
	if code != 0 || !strings.Contains(out, "  look at this\n  and at its second line\n") || !strings.Contains(out, "  I see it.\n") {
		t.Errorf("exit %d: %.2000s", code, out)
	}
	if !strings.Contains(notes, "not shown: 1 image (png, 3.2 KiB)") || !strings.Contains(notes, "a text of 25 MiB is left out: aburn show --raw ") {
		t.Errorf("the notes are %s", notes)
	}
	if len(out) > 4000 {
		t.Errorf("%d bytes", len(out))
	}
}
