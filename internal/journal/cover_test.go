package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// What somebody did to the newest entry is told after any number of appends and rotations, with the time at which a writer noticed it,
// until a person accepts it.
func TestBrokenAnchorStays(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{By: journal.Command, Now: func() time.Time { return day }})
	mustAppend(t, j, entry("a"), entry("b"))
	forged := entry("b")
	forged.Seq, forged.Data = 2, []byte(`{"tool":"Bash","head":"true"}`)
	text := readLog(t, dir)
	writeLog(t, dir, text[:strings.LastIndex(text, `{"ts"`)]+string(lineOf(forged))+"\n"+strings.Repeat("# \n", 40))
	later := entry("c")
	later.Time = day.Add(time.Hour)
	mustAppend(t, j, later)
	for range 3 {
		f := wants(t, j, "1 changed").Damage[0]
		if !f.Since.Equal(day) || !f.Until.Equal(later.Time) || !strings.HasPrefix(f.Text,
			"entry 2 of 2026-11-21T10:00:00.000Z, or what stood before it, was not there any more") {
			t.Errorf("%+v", f)
		}
		mustAppend(t, j, entry(journal.NewID()))
		rotate(t, j)
	}
	if err := j.Accept(wants(t, j, "1 changed"), day); err != nil {
		t.Fatal(err)
	}
	wants(t, j, "whole")
}

// An entry of a segment that was rotated long ago is edited, with a crc of its own. Accepting that does not accept the next edit.
func TestSealStays(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{By: journal.Command, Now: func() time.Time { return day }})
	mustAppend(t, j, entry("a"), entry("b"))
	rotate(t, j)
	mustAppend(t, j, entry("c"))
	rotate(t, j)
	old := filepath.Join(dir, "workflow.log.1")
	edit := func(id, to string) {
		b, err := os.ReadFile(old)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(b), "\n")
		for i, l := range lines {
			if strings.Contains(l, `"id":"`+id+`"`) {
				lines[i] = string(edited([]byte(l), func(e *logfmt.Entry) { e.Source = to }))
			}
		}
		if err := os.WriteFile(old, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit("a", "somebody")
	r := wants(t, j, "1 changed")
	if r.Damage[0].Segment != "workflow.log.1" {
		t.Errorf("%+v", r.Damage)
	}
	if err := j.Accept(r, day); err != nil {
		t.Fatal(err)
	}
	if r = wants(t, j, "whole"); kinds(r.Notes) != "1 changed" {
		t.Errorf("notes %+v", r.Notes)
	}
	edit("b", "somebody")
	wants(t, j, "1 changed")
	edit("b", "claude")
	wants(t, j, "whole")
	edit("a", "claude") // undone
	wants(t, j, "whole")
	edit("b", "somebody")
	wants(t, j, "1 changed")
}

// Entries without number are covered as soon as a writer with the lock follows them. Until then verify counts them.
func TestUncovered(t *testing.T) {
	dir, j, o := anchored(t, journal.Options{})
	mustAppend(t, j, entry("a"))
	o.Wait = time.Nanosecond
	free := open(t, dir, o)
	lock, err := lockfile.Acquire(mustRoot(t, dir), journal.LockName, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range names("f", 3) {
		mustAppend(t, free, entry(id))
	}
	lock.Release()
	if r := wants(t, j, "whole"); r.Uncovered != 3 || r.Unnumbered != 3 || r.Entries != 4 {
		t.Errorf("%+v", r)
	}
	if n, unnumbered, err := j.Uncovered(); n != 3 || unnumbered != 3 || err != nil {
		t.Errorf("%d entries, %d without number, %v", n, unnumbered, err)
	}
	mustAppend(t, j, entry("b"))
	if r := wants(t, j, "whole"); r.Uncovered != 0 || r.Unnumbered != 3 {
		t.Errorf("followed: %+v", r)
	}
	if n, _, err := j.Uncovered(); n != 0 || err != nil {
		t.Errorf("followed: %d entries, %v", n, err)
	}
	text := readLog(t, dir)
	from := strings.Index(text, "\n{\"ts\":\"2026-11-21T10:00:00.000Z\",\"cmd\":\"session\",\"event\":\"TOOL\",\"session\":\"s1\",\"id\":\"f1\"")
	to := strings.Index(text[from+1:], "\n{") + from + 1
	writeLog(t, dir, text[:from]+text[to:])
	wants(t, j, "1 changed")
	mustAppend(t, j, entry("c"))
	wants(t, j, "1 changed")
}

// Where the lock cannot be had at all, no entry is covered, and verify says so.
func TestUncoveredWithoutLocks(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{})
	os.Remove(filepath.Join(dir, journal.LockName))
	if err := os.Mkdir(filepath.Join(dir, journal.LockName), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range names("f", 5) {
		mustAppend(t, j, entry(id))
	}
	if r := wants(t, j, "whole"); r.Uncovered != 5 || r.Unnumbered != 5 {
		t.Errorf("%+v", r)
	}
}

func mustRoot(t *testing.T, dir string) *os.Root {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// A carried line that was changed in any way is told, with and without an anchor, and no reader uses a line of that block: readers go on
// to the segment it came from, or do without.
func TestCarriedLinesAreChecked(t *testing.T) {
	for _, x := range mutations {
		if !strings.HasSuffix(x.name, "a carried line") {
			continue
		}
		for _, gone := range []bool{false, true} {
			m := newModel(t, 7, t.TempDir(), t.TempDir())
			m.o.Anchor, m.o.Keep = "", 1<<20
			j := m.journal(m.o)
			for _, cmd := range []string{"ideate", "plan", "build"} {
				mustAppend(t, j, life(cmd, logfmt.Complete, cmd))
			}
			rotate(t, j)
			mustAppend(t, j, entry("own"))
			files := m.files()
			m.fitting = false
			if !x.do(m, files) {
				t.Fatalf("%s: nothing to change", x.name)
			}
			m.write(journal.Name, files[journal.Name])
			r, err := j.Verify(t.Context())
			if err != nil || !strings.Contains(kinds(r.Damage), "changed") {
				t.Errorf("%s: verify finds %q, %v", x.name, kinds(r.Damage), err)
			}
			want := "own C C build plan ideate"
			if gone {
				os.Remove(filepath.Join(m.dir, "workflow.log.1"))
				want = "own C C"
			}
			// One line more than announced is an entry of the segment's own, as if somebody had appended it.
			if got := strings.Replace(ids(t, j.Backward(journal.BackwardOptions{Newest: true})), "forged1COMPLETE ", "", 1); got != want {
				t.Errorf("%s: backward %s, want %s", x.name, got, want)
			}
			if got := strings.Replace(ids(t, j.Forward(journal.Position{})), "forged1COMPLETE ", "", 1); gone && got != "C C own" {
				t.Errorf("%s: forward %s", x.name, got)
			}
			m.close()
		}
	}
}
