package main

import (
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// Before the first session each page says what is not there yet and where to look, and no table stands without a row.
func TestWebBeforeTheFirstSession(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	w := newWebWorld(t, 0)
	w.serve()
	w.come(w.link())
	w.until("/", "0 sessions, as of")
	for path, want := range map[string]string{"/": "Nothing waits for you.", "/sessions": "None yet.", "/cost": "No answers in this time",
		"/failures": "None."} {
		page := w.until(path, "No agent has saved sessions here yet: aburn looked in ~/.claude/projects, ") // not so while the archive is being made
		if !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", path, want)
		}
		if strings.Contains(page, "<table>") || strings.Contains(page, `class="num bad"`) {
			t.Errorf("%s has a table without a row, or an alarm at nothing:\n%s", path, page)
		}
	}
}
