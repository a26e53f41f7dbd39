package journal_test

import (
	"errors"
	"os"
	"strings"
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

// A position that says what stands before it is not taken for one in another log.
func TestPositionBefore(t *testing.T) {
	dir := folder(t, "gap", "duplicate", "bad line", "torn tail", "changed")
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"), entry("b"), entry("c"))
	var at journal.Position
	for l, err := range j.Forward(journal.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if at = l.Next(); strings.Contains(string(l.JSON), `"b"`) {
			break
		}
	}
	text := readLog(t, dir)
	if left := j.Left(at); left != int64(len(text))-at.Offset || j.Left(journal.Position{}) != int64(len(text)) {
		t.Errorf("left: %d of %d", left, len(text))
	}
	read := func(p journal.Position) (string, error) {
		var got string
		for l, err := range j.Forward(p) {
			if err != nil {
				return got, err
			}
			e, err := logfmt.Parse(l.JSON)
			if err != nil {
				t.Fatal(err)
			}
			got += e.ID
		}
		return got, nil
	}
	for _, n := range []int64{1, 64, at.Offset} {
		p := at
		p.Before = text[at.Offset-n : at.Offset]
		if got, err := read(p); got != "c" || err != nil {
			t.Fatalf("%d bytes before: %q, %v", n, got, err)
		}
		for _, wrong := range []string{"x" + p.Before[1:], p.Before[:n-1] + "x", "x" + text[:at.Offset]} {
			p.Before = wrong
			if got, err := read(p); got != "" || !errors.Is(err, journal.ErrPosition) {
				t.Errorf("after %q: %q, %v", wrong, got, err)
			}
		}
	}
	rotate(t, j)
	at.Before = text[at.Offset-8 : at.Offset]
	if got, err := read(at); !strings.HasPrefix(got, "c") || err != nil {
		t.Errorf("after a rotation: %q, %v", got, err)
	}
	if err := os.Truncate(logPath(dir)+".1", at.Offset-1); err != nil {
		t.Fatal(err)
	}
	if _, err := read(at); !errors.Is(err, journal.ErrPosition) {
		t.Errorf("truncated: %v", err)
	}
}

// Where much goes by that is no entry, who asked for it can stop there and go on later.
func TestPaced(t *testing.T) {
	for _, nothing := range []string{"\n", "# nothing at all\n"} {
		dir := folder(t, journal.Changed)
		j := open(t, dir, journal.Options{By: journal.Command})
		mustAppend(t, j, entry("a"))
		writeLog(t, dir, readLog(t, dir)+strings.Repeat(nothing, 10000/len(nothing)))
		mustAppend(t, j, entry("b"))
		var all []string
		at, pauses := journal.Position{}, 0
		for more := true; more; {
			more = false
			for line, err := range j.Paced(at, 1000) {
				if err != nil {
					t.Fatal(err)
				}
				if more = true; line.Pause {
					pauses++
				} else if e, err := logfmt.Parse(line.JSON); err == nil {
					all = append(all, e.ID)
				}
				at = line.Next()
				at.Before = string(line.JSON) + "\n"
				break
			}
		}
		if got := strings.Join(all, " "); got != "a b" || pauses < 8 || pauses > 10 {
			t.Errorf("%q: %s with %d pauses", nothing, got, pauses)
		}
		if got := ids(t, j.Forward(journal.Position{})); got != "a b" {
			t.Errorf("%q: not paced %s", nothing, got)
		}
	}
}
