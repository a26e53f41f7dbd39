package journal_test

import (
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

func TestUnique(t *testing.T) {
	dir := folder(t)
	writeLog(t, dir, logfmt.FirstLine+withID(t, "a")+withID(t, "b")+withID(t, "a")+withID(t, "c"))
	j := open(t, dir, journal.Options{})
	if got := ids(t, journal.Unique(j.Forward(journal.Position{}))); got != "a b c" {
		t.Errorf("forward %s", got)
	}
	if got := ids(t, journal.Unique(j.Backward(journal.BackwardOptions{}))); got != "c a b" {
		t.Errorf("backward %s", got)
	}
}

// withID is one whole entry without a number.
func withID(t testing.TB, id string) string {
	t.Helper()
	b, err := entry(id).AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Damage is passed over and counted, in both directions.
func TestReadDamage(t *testing.T) {
	world.Unshared(t)
	good := withID(t, "a")
	torn := good[:100]
	for _, c := range []struct {
		name, text string
		want       string
		damage     int64
		torn       bool
	}{
		{"nothing", "", "", 0, false},
		{"first line", logfmt.FirstLine, "", 0, false},
		{"whole", logfmt.FirstLine + good, "a", 0, false},
		{"torn line", torn + "\n" + good, "a", 1, false},
		{"torn tail", good + torn, "a", 0, true},
		{"only a torn tail", torn, "", 0, true},
		{"no newline at the end of a whole line", good + strings.TrimSuffix(good, "\n"), "a a", 0, true},
		{"one NUL", good + "\x00\n" + good, "a a", 1, false},
		{"a sector of NULs", good + strings.Repeat("\x00", 511) + good + good, "a a", 1, false},
		{"a page of NULs at the end", good + strings.Repeat("\x00", 4096), "a", 0, true},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), "a", 0, false},
		{"byte order mark", "\xEF\xBB\xBF" + good, "a", 0, false},
		{"blank lines", "\n\n  \n" + good + "\n\n", "a", 0, false},
		{"invalid UTF-8", "\xff\xfe\xfd\n" + good + "# \xff\n", "a", 1, false},
		{"invalid UTF-8 in an entry", strings.Replace(good, "Bash", "B\xffsh", 1), "a", 0, false},
		{"a giant line", good + strings.Repeat("x", 5<<20) + "\n" + good, "a a", 1, false},
		{"a giant tail", good + strings.Repeat("x", 5<<20), "a", 1, true},
		{"text", "hello\nworld\n" + good, "a", 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, journal.BadLine, journal.TornTail, journal.Edited)
			writeLog(t, dir, c.text)
			j := open(t, dir, journal.Options{})
			if got := ids(t, j.Forward(journal.Position{})); got != c.want || j.Stats() != (journal.Stats{Damage: c.damage, Torn: c.torn}) {
				t.Errorf("forward: %q and %+v; want %q, %d damaged, torn %v", got, j.Stats(), c.want, c.damage, c.torn)
			}
			if got := ids(t, j.Backward(journal.BackwardOptions{})); got != c.want || j.Stats() != (journal.Stats{Damage: c.damage, Torn: c.torn}) {
				t.Errorf("backward: %q and %+v; want %q, %d damaged, torn %v", got, j.Stats(), c.want, c.damage, c.torn)
			}
			mustAppend(t, j, entry("new"))
			if got := ids(t, j.Backward(journal.BackwardOptions{})); got != strings.TrimSpace("new "+c.want) {
				t.Errorf("after an append: %q", got)
			}
		})
	}
}

// Limit bounds the work of a backward reading, not only its result.
func TestBackwardLimit(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	for _, id := range names("a", 10) {
		mustAppend(t, j, big(id, 1000))
	}
	rotate(t, j)
	mustAppend(t, j, big("b", 1000))
	size := int64(len(readLog(t, dir)))
	if got := own(ids(t, j.Backward(journal.BackwardOptions{Limit: size}))); got != "b" {
		t.Errorf("as large as the newest segment: %s", got)
	}
	if got := own(ids(t, j.Backward(journal.BackwardOptions{Limit: size + 2500}))); got != "b a9 a8" {
		t.Errorf("and 2,500 more: %s", got)
	}
	if got := own(ids(t, j.Backward(journal.BackwardOptions{Limit: 1500}))); got != "b" {
		t.Errorf("1,500: %s", got)
	}
}

func TestStopEarly(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"), entry("b"), entry("c"))
	for range j.Forward(journal.Position{}) {
		break
	}
	n := 0
	for range j.Backward(journal.BackwardOptions{}) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d lines", n)
	}
}
