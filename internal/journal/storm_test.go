package journal_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// kill -9 of writers at random moments: no acknowledged entry is lost, and what
// is torn belongs to a writer that was killed.
func TestKilledWriters(t *testing.T) {
	world.Slow(t)
	for _, size := range []int{800, 60_000, 2_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			dir := folder(t, journal.BadLine, journal.TornTail)
			kills := world.Storm(25)
			if size > 100_000 {
				kills = world.Storm(10) // a worker needs a while to cut such an entry
			}
			acked := killing(t, kills, job{what: "append", dir: dir, size: size, wait: time.Minute})
			there := judge(t, dir, acked)
			report := journaltest.Now(t, dir, journal.BadLine, journal.TornTail)
			if len(report.Damage) > kills {
				t.Errorf("%d damaged lines by %d kills", len(report.Damage), kills)
			}
			t.Logf("%d kills, %d acknowledged, %d there; %s; %s", kills, len(acked), len(there), kinds(report.Damage), kinds(report.Notes))
		})
	}
}

// The same with writers that give up on the lock at once.
func TestKilledLockFreeWriters(t *testing.T) {
	world.Slow(t)
	world.Appends(t)
	dir := folder(t, journal.BadLine, journal.TornTail)
	acked := killing(t, world.Storm(20), job{what: "append", dir: dir, size: 60_000, wait: time.Nanosecond})
	judge(t, dir, acked)
}

// killing keeps six workers at work, kills one after the other, and returns
// what was acknowledged.
func killing(t *testing.T, kills int, w job) (acked []string) {
	const crew = 6
	var all [crew]*worker
	born := 0
	begin := func(i int) *worker {
		born++
		w.name = fmt.Sprint("w", i, ".", born)
		return start(t, w)
	}
	for i := range all {
		all[i] = begin(i)
	}
	r := rand.New(rand.NewPCG(uint64(kills), 7))
	for ; kills > 0; kills-- {
		i := kills % crew
		all[i].begun(t)
		time.Sleep(time.Duration(r.IntN(20_000)) * time.Microsecond)
		all[i].kill()
		acked = append(acked, all[i].acked()...)
		all[i] = begin(i)
	}
	for _, p := range all {
		p.kill()
		acked = append(acked, p.acked()...)
	}
	return acked
}

// 2, 8, 32, 128 processes at once: nothing is lost, doubled or torn, entries of
// writers that got the lock are numbered without a hole, and the two lines of
// an entry stand together.
func TestManyWriters(t *testing.T) {
	world.Slow(t)
	for _, n := range []int{2, 8, 32, 128} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := folder(t)
			each := world.Storm(4)
			var all []*worker
			for i := range n {
				all = append(all, start(t, job{what: "append", dir: dir, name: fmt.Sprint("w", i), count: each, size: 800}))
			}
			var acked []string
			for _, p := range all {
				p.wait()
				if len(p.words) != each {
					t.Errorf("a writer said %d words: %v", len(p.words), p.words)
				}
				acked = append(acked, p.acked()...)
			}
			there := judge(t, dir, acked)
			if len(acked) != n*each || len(there) != n*each {
				t.Errorf("%d acknowledged, %d there; want %d", len(acked), len(there), n*each)
			}
			report := journaltest.Now(t, dir)
			for _, f := range report.Notes {
				// Two lock-free writers may both find the log empty.
				if f.Kind != journal.Repeat && f.Kind != journal.Orphan {
					t.Errorf("note: %+v", f)
				}
			}
			if lines := pairs(t, dir); lines != n*each {
				t.Errorf("%d whole pairs of lines; want %d", lines, n*each)
			}
		})
	}
}

// pairs counts the entry lines that their human line follows.
func pairs(t *testing.T, dir string) (n int) {
	lines := strings.Split(readLog(t, dir), "\n")
	for i, l := range lines[:len(lines)-1] {
		if strings.HasPrefix(l, "{") && strings.HasPrefix(lines[i+1], "# ") {
			n++
		}
	}
	return n
}

// Rotation under 8 writers, with rotators killed at every moment: nothing is
// lost, no number is missing, and a follower sees each id once.
func TestRotationStorm(t *testing.T) {
	dir := folder(t, journal.BadLine, journal.TornTail)
	w := watch(t, dir, journal.Position{})
	var writers []*worker
	each := world.Storm(80)
	for i := range 8 {
		writers = append(writers, start(t, job{what: "append", dir: dir, name: fmt.Sprint("w", i), count: each, size: 800, pause: 4 * time.Millisecond}))
	}
	done := make(chan struct{})
	rotations := make(chan int)
	go func() { rotations <- rotating(t, dir, done) }()
	var acked []string
	for _, p := range writers {
		p.wait()
		acked = append(acked, p.acked()...)
	}
	close(done)
	n := <-rotations
	if len(acked) != 8*each {
		t.Errorf("%d acknowledged, want %d", len(acked), 8*each)
	}
	there := judge(t, dir, acked)
	seen := map[string]bool{}
	for range there {
		select {
		case id := <-w.ids:
			if seen[id] {
				t.Errorf("the follower saw %s twice", id)
			}
			seen[id] = true
		case <-time.After(2 * time.Minute):
			t.Fatalf("the follower saw %d of %d", len(seen), len(there))
		}
	}
	w.wantsNoMore()
	report := journaltest.Now(t, dir, journal.BadLine, journal.TornTail)
	t.Logf("%d rotations, %d segments, %d entries; %s; %s", n, len(report.Segments), report.Entries, kinds(report.Damage), kinds(report.Notes))
	if n == 0 {
		t.Error("nothing was rotated")
	}
	j := open(t, dir, journal.Options{By: journal.Command})
	if _, err := j.RotateIfDue(journal.Command); err != nil {
		t.Errorf("heal: %v", err)
	}
	judge(t, dir, acked)
}

// rotating starts rotators and kills them until done.
func rotating(t *testing.T, dir string, done chan struct{}) (rotations int) {
	r := rand.New(rand.NewPCG(1, 2))
	for {
		p := start(t, job{what: "rotate", dir: dir, wait: time.Minute})
		p.begun(t)
		time.Sleep(time.Duration(r.IntN(8_000)) * time.Microsecond)
		p.kill()
		rotations += len(p.words)
		select {
		case <-done:
			return rotations
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Every writer rotates on its own when it finds the log large, as hooks do.
func TestEverybodyRotates(t *testing.T) {
	dir := folder(t)
	var all []*worker
	for i := range 8 {
		all = append(all, start(t, job{what: "append", dir: dir, name: fmt.Sprint("w", i), count: world.Storm(40), size: 800, rotate: 20_000}))
	}
	var acked []string
	for _, p := range all {
		p.wait()
		acked = append(acked, p.acked()...)
	}
	if len(acked) != 8*world.Storm(40) {
		t.Errorf("%d acknowledged", len(acked))
	}
	judge(t, dir, acked)
	if s := segments(t, open(t, dir, journal.Options{})); !strings.Contains(s, " ") {
		t.Errorf("segments %s", s)
	}
}

// A reader beside writers never shows half an entry.
func TestReaderBesideWriters(t *testing.T) {
	dir := folder(t, journal.BadLine, journal.TornTail)
	var all []*worker
	for i := range 3 {
		all = append(all, start(t, job{what: "append", dir: dir, name: fmt.Sprint("w", i), count: world.Storm(100), size: 60_000, wait: time.Minute}))
	}
	for _, p := range all {
		p.begun(t)
	}
	j := open(t, dir, journal.Options{})
	before := 0
	for range world.Storm(15) {
		n := 0
		for l, err := range j.Forward(journal.Position{}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := logfmt.Parse(l.JSON); err != nil {
				t.Fatalf("read %v in %.100q", err, l.JSON)
			}
			n++
		}
		if n < before {
			t.Errorf("%d entries, before %d", n, before)
		}
		before = n
		if d := j.Stats().Damage; d > 0 {
			t.Errorf("%d damaged lines", d)
		}
		for l, err := range j.Backward(journal.BackwardOptions{Limit: 1 << 20}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := logfmt.Parse(l.JSON); err != nil {
				t.Fatalf("read backward %v in %.100q", err, l.JSON)
			}
		}
	}
	for _, p := range all {
		p.kill()
	}
}

// Somebody empties the log again and again while others write: no writer fails,
// a follower shows nothing twice, and afterwards all is well.
func TestEmptiedWhileWriting(t *testing.T) {
	world.Unshared(t)
	dir := t.TempDir() // not checked: numbers are gone with what was emptied
	var all []*worker
	for i := range 4 {
		all = append(all, start(t, job{what: "append", dir: dir, name: fmt.Sprint("w", i), count: world.Storm(100), size: 800, wait: time.Minute}))
	}
	all[0].begun(t)
	w := watch(t, dir, journal.Position{})
	for range 5 {
		writeLog(t, dir, "")
		time.Sleep(20 * time.Millisecond)
	}
	for _, p := range all {
		p.wait()
		if len(p.acked()) != world.Storm(100) {
			t.Errorf("a writer said %v", p.words[len(p.words)-1])
		}
	}
	writeLog(t, dir, "")
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("last"))
	if got := ids(t, j.Forward(journal.Position{})); got != "last" {
		t.Errorf("log holds %s", got)
	}
	if r, err := j.Verify(context.Background()); err != nil || len(r.Damage) > 0 {
		t.Errorf("verify: %v, %v", r.Damage, err)
	}
	seen := map[string]bool{}
	for {
		select {
		case id := <-w.ids:
			if seen[id] {
				t.Errorf("the follower saw %s twice", id)
			}
			seen[id] = true
			if id == "last" {
				return
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the follower does not see the last entry")
		}
	}
}
