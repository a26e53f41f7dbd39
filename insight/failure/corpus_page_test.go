package failure_test

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

var update = flag.Bool("update", false, "write the numbers in docs/evidence/errors.md")

// page is where the numbers stand, between two comments.
const (
	page  = "../../docs/evidence/errors.md"
	begin = "<!-- go test ./insight/failure -run TestClassify -update -->\n"
	end   = "<!-- end -->\n"
)

// record compares what was measured with the page, and writes it there if that was asked for. A number that fell is an error
// in any case: who means it takes the old one out of the page by hand. One that rose is none, or every better rule would have
// to touch the page.
func record(t *testing.T, scores []*score) {
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
	now := table(scores)
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

// table is the scores as Markdown, one row a class and one row a sum.
func table(scores []*score) string {
	var b strings.Builder
	head := func(first, columns string) {
		b.WriteString("| " + first)
		for _, part := range parts {
			b.WriteString(strings.ReplaceAll(columns, "PART", part.name))
		}
		n := 1 + len(parts)*strings.Count(columns, "|")
		b.WriteString(" |\n" + strings.Repeat("|---", n) + "|\n")
	}
	head("class", " | PART: precision | PART: recall")
	for _, class := range classesOf(scores) {
		fmt.Fprintf(&b, "| `%s`", class)
		for _, s := range scores {
			fmt.Fprintf(&b, " | %v | %v", s.precision[class], s.recall[class])
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\n")
	head("of all", " | PART")
	for _, sum := range sums {
		b.WriteString("| " + sum.what)
		for _, s := range scores {
			fmt.Fprintf(&b, " | %v", sum.of(s))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// sums are what is told of all classes together.
var sums = []struct {
	what string
	of   func(*score) ratio
}{
	{"cases with the right class", func(s *score) ratio { return s.right }},
	{"near misses with the right class", func(s *score) ratio { return s.near }},
	{"cases in other languages with the right class", func(s *score) ratio { return s.elsewhere }},
	{"pairs of one error with one normalised head", func(s *score) ratio { return s.same }},
	{"pairs of different errors with different normalised heads", func(s *score) ratio { return s.apart }},
	{"pairs of different errors with different keys", func(s *score) ratio { return s.keys }},
}

// classesOf are the classes that were given or right anywhere.
func classesOf(scores []*score) []string {
	seen := map[string]bool{}
	for _, s := range scores {
		for class := range s.precision {
			seen[class] = true
		}
		for class := range s.recall {
			seen[class] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// numbers are those of a table, by row and column.
func numbers(table string) map[string]ratio {
	cell := regexp.MustCompile(`^(\d+)/(\d+)(?: [\d.]+ %)?$`)
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
