package work

import (
	"bytes"
	"strings"
	"testing"

	"aburn/internal/plain"
	"aburn/internal/term"
)

// Each worker has a line of its own on a terminal of 80 cells, with its whole state.
func TestWorkersOnANarrowTerminal(t *testing.T) {
	for width, titles := range map[int]string{
		0:   "NAME STATE SINCE AGENT BRANCH PR CHANGED TASK",
		130: "NAME STATE SINCE AGENT BRANCH PR CHANGED TASK",
		110: "NAME STATE SINCE AGENT PR CHANGED TASK",
		80:  "NAME STATE SINCE PR CHANGED",
		72:  "NAME STATE SINCE PR",
	} {
		var b bytes.Buffer
		out := term.New(&b, func(string) string { return "" }, true).Wide(width)
		table := term.Table{Columns: psColumns()}
		const state = "ready · conflict with fix-the-total"
		table.Add("round-the-total", state, "5 s ago", "claude", "aburn/round-the-total", "-", "1 file", "", "round the total")
		if err := table.Print(out, 0); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != 2 || strings.Join(strings.Fields(lines[0]), " ") != titles || !strings.Contains(lines[1], state) {
			t.Errorf("%d cells:\n%s", width, b.String())
		}
		for _, line := range lines {
			if width > 0 && plain.Width(line) > width {
				t.Errorf("%d of %d cells: %s", plain.Width(line), width, line)
			}
		}
	}
}
