package journal_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// A crash at every byte of an entry, then an append: the earlier entry and the
// new one are whole, and at most one line is damaged. The cut one counts where
// its JSON line is complete but for the newline.
func TestCutAtEveryByte(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	j := open(t, dir, journal.Options{})
	first := logfmt.FirstLine + numbered(t, 1)
	cut := numbered(t, 2)
	json := strings.IndexByte(cut, '\n')
	for k := range len(cut) {
		writeLog(t, dir, first+cut[:k])
		r := mustAppend(t, j, entry("new"))
		want := logfmt.Seq(2)
		if k >= json {
			want = 3
		}
		if r.Entries[0].Seq != want {
			t.Fatalf("cut at %d: seq %d, want %d", k, r.Entries[0].Seq, want)
		}
		all := strings.Fields(ids(t, j.Forward(journal.Position{})))
		if len(all) != int(want) || all[want-1] != "new" {
			t.Fatalf("cut at %d: log holds %s", k, all)
		}
		report := journaltest.Now(t, dir, journal.BadLine)
		torn := 0
		if 0 < k && k < json {
			torn = 1
		}
		if len(report.Damage) != torn {
			t.Fatalf("cut at %d: damage %v, want %d", k, report.Damage, torn)
		}
		if text := readLog(t, dir); !strings.HasPrefix(text, first+cut[:k]) {
			t.Fatalf("cut at %d: what was there has changed", k)
		}
	}
}

// Cuts inside the block of a rotation: numbers go on without a hole or a
// double, nothing is lost, and the next rotator puts it right.
func TestCutInBlock(t *testing.T) {
	world.Slow(t)
	whole := func(dir string) *journal.Journal {
		j := open(t, dir, journal.Options{By: journal.Command, Sync: journal.SyncNone})
		mustAppend(t, j, life("plan", logfmt.Start, "p1"), life("plan", logfmt.Complete, "p2"), life("build", logfmt.Start, "b1"), entry("a"))
		rotate(t, j)
		return j
	}
	block := func() string { dir := t.TempDir(); whole(dir); return readLog(t, dir) }()
	for k := 0; k < len(block); k += 11 {
		dir := t.TempDir()
		j := whole(dir)
		writeLog(t, dir, readLog(t, dir)[:k])
		hook := open(t, dir, journal.Options{Sync: journal.SyncNone})
		mustAppend(t, hook, entry("h"))
		if _, err := j.RotateIfDue(journal.Hook); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, j, entry("b"))
		if got := own(ids(t, j.Forward(journal.Position{}))); got != "p1 p2 b1 a h b" {
			t.Fatalf("cut at %d: forward %s", k, got)
		}
		if got := own(ids(t, j.Backward(journal.BackwardOptions{}))); got != "b h a b1 p2 p1" {
			t.Fatalf("cut at %d: backward %s", k, got)
		}
		newest := strings.Fields(own(ids(t, j.Backward(journal.BackwardOptions{Newest: true}))))
		for _, id := range []string{"p1", "p2", "b1"} {
			if !slices.Contains(newest, id) && !slices.Contains(newest, "("+id+")") {
				t.Fatalf("cut at %d: newest %s is without %s", k, newest, id)
			}
		}
		if journaltest.Now(t, dir, journal.BadLine, journal.TornTail); t.Failed() {
			t.Fatalf("cut at %d", k)
		}
	}
}

// Any byte of a log may change: readers go on and nobody panics.
func TestBitFlips(t *testing.T) {
	world.Unshared(t)
	dir := t.TempDir()
	j := open(t, dir, journal.Options{By: journal.Command})
	for _, id := range names("a", 20) {
		mustAppend(t, j, entry(id))
	}
	rotate(t, j)
	text := readLog(t, dir)
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		b := []byte(text)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		writeLog(t, dir, string(b))
		mustAppend(t, j, entry("new"))
		got := strings.Fields(ids(t, j.Forward(journal.Position{})))
		if !slices.Contains(got, "new") || !slices.Contains(got, "a19") {
			t.Fatalf("seed %d: forward %s", seed, got)
		}
		back := strings.Fields(ids(t, j.Backward(journal.BackwardOptions{})))
		if slices.Reverse(back); !slices.Equal(back, got) {
			t.Fatalf("seed %d: forward %s\nbackward %s", seed, got, back)
		}
		if _, err := j.Verify(t.Context()); err != nil {
			t.Fatalf("seed %d: verify: %v", seed, err)
		}
	}
}

// A lock-free writer may die in the middle of its entry just between our look
// at the last byte and our write. Ours must not become part of its line.
func TestTornUnderTheLock(t *testing.T) {
	dir := folder(t, journal.BadLine)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"))
	_, err := j.Append(func(journal.Tail) []*logfmt.Entry {
		writeLog(t, dir, readLog(t, dir)+"\n"+numbered(t, 7)[:100])
		return []*logfmt.Entry{entry("b")}
	})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, entry("c"))
	if got := ids(t, j.Forward(journal.Position{})); got != "a b c" {
		t.Errorf("log holds %s:\n%s", got, readLog(t, dir))
	}
}

// While the lock-free writer waits for its turn the log is rotated away: the
// entry comes into the new one.
func TestRotatedUnderLockFree(t *testing.T) {
	dir := folder(t)
	command := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, command, entry("a"))
	hook := open(t, dir, journal.Options{Wait: 1})
	holder := start(t, job{what: "hold", dir: dir})
	holder.begun(t)
	r, err := hook.Append(func(tail journal.Tail) []*logfmt.Entry {
		if tail.Locked() {
			t.Error("two hold the lock")
		}
		holder.kill()
		rotate(t, command)
		return []*logfmt.Entry{entry("b")}
	})
	if err != nil || r.Locked || r.Entries[0].Seq != 0 {
		t.Errorf("append: %+v, %v", r, err)
	}
	if got := ids(t, journal.Unique(command.Forward(journal.Position{}))); got != "a b C C" {
		t.Errorf("log holds %s", got)
	}
	if got := ids(t, command.Backward(journal.BackwardOptions{Newest: true})); !strings.HasPrefix(got, "b ") {
		t.Errorf("newest segment holds %s", got)
	}
}
