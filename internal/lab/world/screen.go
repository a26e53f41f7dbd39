package world

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// RecordedScreen reads a screen that TestDialogs of internal/lab/realagents recorded: the cursor's column and line, then the lines.
func RecordedScreen(t testing.TB, path string) (x, y int, lines []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, text, _ := strings.Cut(string(data), "\n")
	if _, err := fmt.Sscan(head, &x, &y); err != nil {
		t.Fatalf("%s: no cursor in %q", path, head)
	}
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return x, y, lines
}
