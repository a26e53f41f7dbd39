package journal_test

import (
	"errors"
	"os"
	"testing"

	"aburn/internal/journal"
	"aburn/logfmt"
)

// From the beginning of the newest segment a reader gets its carried lines; from a
// position inside it, or behind a rotation, it does not.
func TestNewest(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	at := func() journal.Position {
		t.Helper()
		p, err := j.Newest()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if at() != (journal.Position{}) {
		t.Error("no log has a newest segment")
	}
	mustAppend(t, j, life("plan", logfmt.Start, "p1"), entry("a"))
	if got := ids(t, j.Forward(at())); got != "p1 a" {
		t.Errorf("one segment: %s", got)
	}
	end, err := j.End()
	if err != nil {
		t.Fatal(err)
	}
	rotate(t, j)
	mustAppend(t, j, entry("b"))
	if got := ids(t, j.Forward(at())); got != "C (p1) C b" {
		t.Errorf("after a rotation: %s", got)
	}
	if got := ids(t, j.Forward(end)); got != "C C b" {
		t.Errorf("across a rotation: %s", got)
	}
	first := at()
	rotate(t, j)
	if got := ids(t, j.Forward(first)); got != "C (p1) C b C C" {
		t.Errorf("from what was the newest segment: %s", got)
	}
}

// A rotator that was killed before it wrote its block leaves a segment that
// continues the one before.
func TestNewestTorn(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, life("plan", logfmt.Start, "p1"), entry("a"))
	if err := os.Rename(logPath(dir), logPath(dir)+".1"); err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, logfmt.FirstLine)
	p, err := j.Newest()
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(t, j.Forward(p)); got != "p1 a" {
		t.Errorf("read %s", got)
	}
}

// What stands before a position tells whether the log is still the one that was read.
func TestBefore(t *testing.T) {
	dir := folder(t, "gap", "duplicate", "bad line", "torn tail")
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"), entry("b"))
	var first, last journal.Position
	for l, err := range j.Forward(journal.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if first == (journal.Position{}) {
			first = l.Next()
		}
		last = l.Next()
	}
	text := readLog(t, dir)
	for _, p := range []journal.Position{first, last} {
		for _, n := range []int{0, 1, 64, 1 << 20} {
			got, err := j.Before(p, n)
			want := text[max(0, int(p.Offset)-n):p.Offset]
			if err != nil || string(got) != want {
				t.Fatalf("%d before %d: %q, %v", n, p.Offset, got, err)
			}
		}
	}
	if j.Left(last) != int64(len(text))-last.Offset || j.Left(journal.Position{}) != int64(len(text)) {
		t.Errorf("left: %d of %d", j.Left(last), len(text))
	}
	rotate(t, j)
	got, err := j.Before(last, 8)
	if err != nil || string(got) != text[last.Offset-8:last.Offset] {
		t.Errorf("after a rotation: %q, %v", got, err)
	}
	if err := os.Truncate(logPath(dir)+".1", last.Offset-1); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Before(last, 8); !errors.Is(err, journal.ErrPosition) {
		t.Errorf("truncated: %v", err)
	}
	if err := os.Remove(logPath(dir) + ".1"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Before(last, 8); !errors.Is(err, journal.ErrPosition) {
		t.Errorf("deleted: %v", err)
	}
}
