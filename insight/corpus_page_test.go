package insight_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the numbers in docs/errors.md")

// page is where the numbers stand, between two comments.
const (
	page  = "../docs/errors.md"
	begin = "<!-- go test ./insight -run TestClassify -update -->\n"
	end   = "<!-- end -->\n"
)

// record compares what was measured with the page, and writes it there if that was asked for. A number that fell is an error
// in any case: who means it takes the old one out of the page by hand. One that rose is none, or every better rule would have
// to touch the page.
func record(t *testing.T, open, frozen *score) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	was, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the numbers", page)
	}
	now := table(open, frozen)
	fell := false
	old, fresh := numbers(was), numbers(now)
	for _, what := range slices.Sorted(maps.Keys(old)) {
		if got := fresh[what]; got.less(old[what]) {
			t.Errorf("%s fell from %v to %v", what, old[what], got)
			fell = true
		}
	}
	switch {
	case fell || was == now:
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+now+end+after), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Logf("better than %s says (-update writes it):\n%s", page, now)
	}
}

// table is both scores as Markdown.
func table(open, frozen *score) string {
	var b strings.Builder
	b.WriteString("| class | open: precision | open: recall | frozen: precision | frozen: recall |\n|---|---|---|---|---|\n")
	seen := map[string]bool{}
	for _, m := range []map[string]ratio{open.precision, open.recall, frozen.precision, frozen.recall} {
		for class := range m {
			seen[class] = true
		}
	}
	for _, class := range slices.Sorted(maps.Keys(seen)) {
		fmt.Fprintf(&b, "| `%s` | %v | %v | %v | %v |\n", class, open.precision[class], open.recall[class], frozen.precision[class], frozen.recall[class])
	}
	b.WriteString("\n| of all | open | frozen |\n|---|---|---|\n")
	for _, row := range []struct {
		what         string
		open, frozen ratio
	}{
		{"cases with the right class", open.right, frozen.right},
		{"near misses with the right class", open.near, frozen.near},
		{"cases in other languages with the right class", open.elsewhere, frozen.elsewhere},
		{"pairs of one error with one normalised head", open.same, frozen.same},
		{"pairs of different errors with different normalised heads", open.apart, frozen.apart},
		{"pairs of different errors with different keys", open.keys, frozen.keys},
	} {
		fmt.Fprintf(&b, "| %s | %v | %v |\n", row.what, row.open, row.frozen)
	}
	return b.String()
}

// numbers are those of a table, by row and column.
func numbers(table string) map[string]ratio {
	cell := regexp.MustCompile(`^(\d+)/(\d+) [\d.]+ %$`)
	all := map[string]ratio{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		for i, text := range cells {
			if m := cell.FindStringSubmatch(strings.TrimSuffix(strings.TrimSpace(text), " |")); m != nil {
				of, _ := strconv.Atoi(m[1])
				whole, _ := strconv.Atoi(m[2])
				all[fmt.Sprintf("%s, column %d", strings.Trim(cells[0], "| `"), i)] = ratio{of, whole}
			}
		}
	}
	return all
}
