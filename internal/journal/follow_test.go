package journal_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// watcher runs a follower and tells what it yields.
type watcher struct {
	t    *testing.T
	ids  chan string
	done chan struct{}
	stop context.CancelFunc
}

func watch(t *testing.T, dir string, from journal.Position) *watcher {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w := &watcher{t, make(chan string, 10000), make(chan struct{}), stop}
	j := open(t, dir, journal.Options{})
	go func() {
		defer close(w.done)
		for l, err := range j.Follow(ctx, from) {
			if err != nil {
				t.Errorf("follow: %v", err)
				return
			}
			e, err := logfmt.Parse(l.JSON)
			if err != nil {
				t.Errorf("follow: %v in %q", err, l.JSON)
				continue
			}
			if e.Event != logfmt.Checkpoint {
				w.ids <- e.ID
			}
		}
	}()
	t.Cleanup(func() { stop(); <-w.done })
	return w
}

// wants reads exactly these ids, in this order.
func (w *watcher) wants(ids ...string) {
	w.t.Helper()
	for i, want := range ids {
		select {
		case got := <-w.ids:
			if got != want {
				w.t.Fatalf("id %d is %s, want %s of %s", i, got, want, ids)
			}
		case <-time.After(2 * time.Minute):
			w.t.Fatalf("id %d of %s did not come", i, ids)
		}
	}
}

// wantsNoMore ends the follower and fails if there is something left.
func (w *watcher) wantsNoMore() {
	w.t.Helper()
	w.stop()
	<-w.done
	select {
	case id := <-w.ids:
		w.t.Errorf("%s came too", id)
	default:
	}
}

func TestFollow(t *testing.T) {
	dir := folder(t)
	w := watch(t, dir, journal.Position{}) // there is no log yet
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"))
	w.wants("a")
	mustAppend(t, j, entry("b"), life("plan", logfmt.Complete, "p"))
	w.wants("b", "p")
	rotate(t, j)
	mustAppend(t, j, entry("c"))
	w.wants("c")
	for _, id := range names("d", 5) { // several rotations between two looks
		mustAppend(t, j, entry(id))
		rotate(t, j)
	}
	w.wants(names("d", 5)...)
	mustAppend(t, j, entry("e"))
	w.wants("e")
	w.wantsNoMore()
}

func TestFollowFromEnd(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, life("plan", logfmt.Start, "p1"), entry("a"))
	rotate(t, j)
	mustAppend(t, j, entry("b"))
	end, err := j.End()
	if err != nil {
		t.Fatal(err)
	}
	rotate(t, j) // the position is in an old segment now
	w := watch(t, dir, end)
	mustAppend(t, j, entry("c"))
	w.wants("c")
	w.wantsNoMore()
}

// Whatever somebody does to the log, a follower shows what is new and nothing twice.
func TestFollowTampering(t *testing.T) {
	world.Slow(t)
	for name, tamper := range map[string]func(path, text string) error{
		"truncated": func(path, text string) error { return os.Truncate(path, 0) },
		"cut short": func(path, text string) error { return os.Truncate(path, int64(strings.LastIndex(text, "\n{")+1)) },
		"deleted":   func(path, text string) error { return os.Remove(path) },
		"replaced by a copy": func(path, text string) error {
			return errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path))
		},
		"replaced by less": func(path, text string) error {
			return errors.Join(os.WriteFile(path+".new", []byte(text[:strings.LastIndex(text, "\n{")+1]), 0o600), os.Rename(path+".new", path))
		},
		"rewritten in place": func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) },
		"emptied by a shell and longer at once": func(path, text string) error {
			return os.WriteFile(path, []byte("# edited\n"+text+"# more\n"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			j := open(t, dir, journal.Options{By: journal.Command})
			mustAppend(t, j, entry("a"), entry("b"))
			w := watch(t, dir, journal.Position{})
			w.wants("a", "b")
			time.Sleep(70 * time.Millisecond) // mostly past its next look; right in any case
			if err := tamper(logPath(dir), readLog(t, dir)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(70 * time.Millisecond)
			mustAppend(t, j, entry("c"))
			w.wants("c")
			mustAppend(t, j, entry("d"))
			w.wants("d")
			w.wantsNoMore()
		})
	}
}

// A log that is truncated between two reads and as large again before the follower
// looks at its size is another log all the same.
func TestFollowReplacedBySameSize(t *testing.T) {
	dir := folder(t, journal.Edited)
	mustAppend(t, open(t, dir, journal.Options{}), entry("a"))
	old := readLog(t, dir)
	replaced := strings.Replace(old, `"id":"a"`, `"id":"b"`, 1)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	for l, err := range open(t, dir, journal.Options{}).Follow(ctx, journal.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(l.JSON), `"id":"b"`) {
			return
		}
		writeLog(t, dir, "")
		time.AfterFunc(10*time.Millisecond, func() { writeLog(t, dir, replaced) })
	}
	t.Fatal("what came in its place was not read")
}

// Half a line is not shown until its newline has come, and then whole.
func TestFollowHalfLine(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"))
	w := watch(t, dir, journal.Position{})
	w.wants("a")
	f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := entry("b")
	e.Seq = 2
	text, err := e.AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	for len(text) > 0 {
		n := min(len(text), 60)
		if _, err := f.Write(text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
		time.Sleep(10 * time.Millisecond)
	}
	w.wants("b")
	w.wantsNoMore()
}

func TestPosition(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	var at []journal.Position
	mustAppend(t, j, life("plan", logfmt.Start, "p1"), entry("a"), entry("b"))
	rotate(t, j)
	mustAppend(t, j, entry("c"))
	for l, err := range j.Forward(journal.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, l.Next())
	}
	all := strings.Fields(ids(t, j.Forward(journal.Position{}))) // p1 a b C C c
	for i, p := range at {
		if got := ids(t, j.Forward(p)); got != strings.Join(all[i+1:], " ") {
			t.Errorf("after %s comes %s", all[i], got)
		}
	}
	end, err := j.End()
	if got := ids(t, j.Forward(end)); got != "" || err != nil {
		t.Errorf("after the end, %v, comes %s, %v", end, got, err)
	}
	for name, p := range map[string]journal.Position{
		"another file": {Segment: journal.Name, Dev: 1, Ino: 1, Offset: at[5].Offset},
		"beyond":       {Segment: journal.Name, Dev: at[5].Dev, Ino: at[5].Ino, Offset: at[5].Offset + 1},
		"inside":       {Segment: journal.Name, Dev: at[5].Dev, Ino: at[5].Ino, Offset: at[5].Offset - 1},
	} {
		for _, err := range j.Forward(p) {
			if !errors.Is(err, journal.ErrPosition) {
				t.Errorf("%s: %v, want ErrPosition", name, err)
			}
		}
	}
}

func TestEndOfNothing(t *testing.T) {
	dir := folder(t, journal.TornTail)
	j := open(t, dir, journal.Options{})
	if end, err := j.End(); end != (journal.Position{}) || err != nil {
		t.Errorf("no log: %v, %v", end, err)
	}
	writeLog(t, dir, "torn")
	if end, err := j.End(); end.Offset != 0 || end.Segment != journal.Name || err != nil {
		t.Errorf("torn line only: %v, %v", end, err)
	}
}
