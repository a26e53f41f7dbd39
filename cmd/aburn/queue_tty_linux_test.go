package main

import (
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// On a terminal the queue has colours, fits 80 columns, and shows as much of an id as finds the task again.
func TestQueueOnATerminal(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	dir := newProject(t)
	for _, words := range []string{"first", strings.Repeat("long words ", 30)} {
		args := []string{"queue", "add", "--project", "--priority", "critical", "--type", strings.Repeat("type", 8), words}
		if out, err := aburnIn(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if shown := onTerminal(t, dir, nil, "queue", "list"); !strings.Contains(shown, "\x1b[31;1mcritical") {
		t.Errorf("no colours: %q", shown)
	}
	list := onTerminal(t, dir, []string{"NO_COLOR=1"}, "queue", "list")
	lines := strings.Split(list, "\n")
	for _, line := range lines {
		if w := plain.Width(line); w > 80 {
			t.Errorf("%d cells: %q", w, line)
		}
	}
	id, _, _ := strings.Cut(lines[1], " ")
	if shown := onTerminal(t, dir, []string{"NO_COLOR=1"}, "queue", "show", id); len(id) != 8 || !strings.Contains(shown, "\nfirst\n") {
		t.Errorf("%q is %q", id, shown)
	}
	id, _, _ = strings.Cut(lines[2], " ")
	shown := onTerminal(t, dir, []string{"NO_COLOR=1"}, "queue", "show", id)
	for _, line := range strings.Split(shown, "\n") {
		if w := plain.Width(strings.TrimRight(line, "\r")); w > 80 || strings.HasSuffix(line, "wor") {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}
