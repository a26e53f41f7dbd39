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
	for path, want := range map[string]string{"/": "Nothing waits for you.", "/sessions": "None yet.", "/cost": "No agent answered in this time",
		"/failures": "None."} {
		page := w.until(path, "No session has been read yet.") // not so while the archive is being made
		for _, text := range []string{want, "<code>aburn doctor</code>"} {
			if !strings.Contains(page, text) {
				t.Errorf("%s does not say %q", path, text)
			}
		}
		if strings.Contains(page, "<table>") || strings.Contains(page, `class="num bad"`) {
			t.Errorf("%s has a table without a row, or an alarm at nothing:\n%s", path, page)
		}
	}
}
