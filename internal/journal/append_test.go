package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

func TestAppend(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	for i := range 3 {
		r := mustAppend(t, j, entry(""))
		if e := r.Entries[0]; e.Seq != logfmt.Seq(i+1) || len(e.ID) != 16 || !r.Locked {
			t.Errorf("append %d: seq %d, id %q, locked %v", i, e.Seq, e.ID, r.Locked)
		}
	}
	text := readLog(t, dir)
	if !strings.HasPrefix(text, logfmt.FirstLine) || strings.Count(text, "\n") != 7 {
		t.Errorf("log is\n%s", text)
	}
	info, err := os.Stat(logPath(dir))
	if err != nil || world.HasModes() && info.Mode().Perm() != 0o600 {
		t.Errorf("log has mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestAppendSeveral(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	r := mustAppend(t, j, entry("a"), entry("b"), entry("a"))
	if len(r.Entries) != 2 || r.Duplicates != 1 || r.Entries[1].Seq != 2 {
		t.Errorf("receipt: %d entries, %d duplicates", len(r.Entries), r.Duplicates)
	}
	r = mustAppend(t, j, entry("b"), entry("c"))
	if len(r.Entries) != 1 || r.Duplicates != 1 || r.Entries[0].Seq != 3 {
		t.Errorf("receipt: %d entries, %d duplicates", len(r.Entries), r.Duplicates)
	}
	if got := ids(t, j.Forward(journal.Position{})); got != "a b c" {
		t.Errorf("log holds %s", got)
	}
}

// Two registrations of one hook fire side by side: one entry. An equal id after
// more than repeatWindow is not looked for; readers drop it.
func TestRepeatWindow(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	at := func(id string, after time.Duration) journal.Receipt {
		e := entry(id)
		e.Time = day.Add(after)
		return mustAppend(t, j, e)
	}
	at("a", 0)
	for i, id := range names("b", 100) { // a relayed entry among them is older
		at(id, time.Duration(i)*time.Millisecond-time.Duration(i%20/19)*time.Hour)
	}
	if r := at("a", time.Second); r.Duplicates != 1 {
		t.Errorf("a second later: %+v", r)
	}
	for i, id := range names("c", 10) {
		at(id, time.Minute+time.Duration(i))
	}
	if r := at("c0", time.Minute+4*time.Second); r.Duplicates != 1 {
		t.Errorf("four seconds later: %+v", r)
	}
	if r := at("a", time.Minute); r.Duplicates != 0 {
		t.Errorf("a minute later: %+v", r)
	}
	if got := strings.Fields(ids(t, journal.Unique(j.Forward(journal.Position{})))); len(got) != 111 {
		t.Errorf("%d entries are read", len(got))
	}
}

// Many hooks run at once: neither a tool call nor what `aburn log` said is appended
// twice, however many entries of the same seconds stand between.
func TestRepeatReach(t *testing.T) {
	j := open(t, folder(t), journal.Options{})
	said := entry("said")
	said.Cmd, said.Event = "build", logfmt.Start
	mustAppend(t, j, entry("call"), said)
	for _, id := range names("b", 100) {
		mustAppend(t, j, entry(id))
	}
	if r := mustAppend(t, j, said); r.Duplicates != 1 {
		t.Errorf("a relayed entry: %+v", r)
	}
	if r := mustAppend(t, j, entry("call")); r.Duplicates != 1 {
		t.Errorf("a call: %+v", r)
	}
}

// A tail goes on into the segment before where the log should have begun with
// what that one carried, and does not.
func TestTailGoesOn(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"), entry("b"))
	if err := os.Rename(logPath(dir), logPath(dir)+".1"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, entry("c"))
	_, err := j.Append(func(tail journal.Tail) []*logfmt.Entry {
		var got []string
		for line := range tail.Backward() {
			h, _ := logfmt.ParseHeader(line)
			got = append(got, string(h.ID))
		}
		if strings.Join(got, " ") != "c b a" {
			t.Errorf("tail holds %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAppendNothing(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"))
	before := readLog(t, dir)
	mustAppend(t, j)
	mustAppend(t, j, entry("a"))
	if after := readLog(t, dir); after != before {
		t.Errorf("log grew to\n%s", after)
	}
}

// An error in the middle of encoding writes nothing at all.
func TestAppendImpossible(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"))
	before := readLog(t, dir)
	_, err := j.Append(func(journal.Tail) []*logfmt.Entry {
		return []*logfmt.Entry{entry("b"), {Cmd: "build", Time: day, Data: []byte("no object")}}
	})
	if err == nil {
		t.Error("an entry without an event was taken")
	}
	if after := readLog(t, dir); after != before {
		t.Errorf("log grew to\n%s", after)
	}
}

// seq goes on after what is there; where another tool wrote, a hook does
// without and a command takes it up again.
func TestSeq(t *testing.T) {
	world.Unshared(t)
	foreign := `{"ts":"2026-11-21T10:00:00Z","cmd":"build","phase":"RED","event":"START","data":{}}` + "\n"
	for _, c := range []struct {
		name string
		text string
		by   journal.By
		want logfmt.Seq
	}{
		{"no log", "", journal.Hook, 1},
		{"first line only", logfmt.FirstLine, journal.Hook, 1},
		{"other tool, hook", foreign, journal.Hook, 0},
		{"other tool, command", foreign, journal.Command, 1},
		{"numbered", logfmt.FirstLine + numbered(t, 41), journal.Hook, 42},
		{"numbered, then other tool", numbered(t, 41) + foreign, journal.Hook, 42},
		{"numbered, then a torn line", numbered(t, 41) + numbered(t, 42)[:90], journal.Hook, 42},
		{"numbered long ago, hook", numbered(t, 41) + strings.Repeat(foreign, 4000), journal.Hook, 0},
		{"numbered long ago, command", numbered(t, 41) + strings.Repeat(foreign, 4000), journal.Command, 42},
		{"the last number", numbered(t, logfmt.MaxSeq), journal.Hook, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, "bad line")
			if c.text != "" {
				writeLog(t, dir, c.text)
			}
			j := open(t, dir, journal.Options{By: c.by})
			if r := mustAppend(t, j, entry("new")); r.Entries[0].Seq != c.want {
				t.Errorf("seq %d, want %d", r.Entries[0].Seq, c.want)
			}
		})
	}
}

// numbered is one whole entry with the given seq.
func numbered(t testing.TB, seq logfmt.Seq) string {
	t.Helper()
	e := entry("n")
	e.ID, e.Seq = journal.NewID(), seq
	b, err := e.AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTail(t *testing.T) {
	world.Unshared(t)
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	for _, id := range names("a", 700) { // more than a tail
		mustAppend(t, j, big(id, 600))
	}
	_, err := j.Append(func(tail journal.Tail) []*logfmt.Entry {
		text := readLog(t, dir)
		b := tail.Bytes()
		if len(b) > journal.TailSize || len(b) < journal.TailSize-1000 || !strings.HasSuffix(text, string(b)) {
			t.Errorf("tail of %d bytes", len(b))
		}
		if !tail.Locked() {
			t.Error("not locked")
		}
		for range 2 { // the second time from memory
			want := 699
			for line := range tail.Backward() {
				e, err := logfmt.Parse(line)
				if err != nil || e.Seq != logfmt.Seq(want+1) {
					t.Fatalf("line %d from the end: seq %d, %v", 699-want, e.Seq, err)
				}
				want--
			}
			if lines := 699 - want; lines != strings.Count(string(b), "\n{")+strings.Count(string(b[:1]), "{") {
				t.Errorf("%d lines backward", lines)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The zero Tail is empty, for whoever tests a build function.
func TestZeroTail(t *testing.T) {
	var tail journal.Tail
	for range tail.Backward() {
		t.Error("a line")
	}
	if tail.Bytes() != nil || tail.Locked() || tail.LockWait() != 0 {
		t.Error("not empty")
	}
}

// A panic in build gives the lock back.
func TestPanicInBuild(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	func() {
		defer func() { recover() }()
		j.Append(func(journal.Tail) []*logfmt.Entry { panic("hook broke") })
	}()
	if r := mustAppend(t, j, entry("a")); !r.Locked {
		t.Error("the lock is still held")
	}
}

func TestNotRegular(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link out of the folder": func(p string) error { return world.Symlink("../victim", p) },
		"absolute link":          func(p string) error { return world.Symlink(filepath.Join(filepath.Dir(p), "../victim"), p) },
		"link inside":            func(p string) error { return world.Symlink("queue.json", p) },
		"folder":                 func(p string) error { return os.Mkdir(p, 0o700) },
		"pipe":                   world.Mkfifo,
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, ".oss")
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(parent+"/victim", nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := make(logPath(dir)); err != nil {
				t.Skipf("cannot make a %s here: %v", name, err)
			}
			j := open(t, dir, journal.Options{})
			if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{entry("a")} }); !errors.Is(err, journal.ErrNotRegular) {
				t.Errorf("append: %v, want ErrNotRegular", err)
			}
			for _, err := range j.Backward(journal.BackwardOptions{}) {
				if !errors.Is(err, journal.ErrNotRegular) {
					t.Errorf("backward: %v, want ErrNotRegular", err)
				}
			}
			for l := range j.Forward(journal.Position{}) {
				t.Errorf("forward read %q", l.JSON)
			}
			if b, err := os.ReadFile(parent + "/victim"); len(b) > 0 || err != nil {
				t.Errorf("victim holds %q, %v", b, err)
			}
			if _, err := os.Lstat(dir + "/queue.json"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("queue.json was made through the link: %v", err)
			}
		})
	}
}

// A lock that cannot be had costs the seq, not the entry.
func TestLockNotRegular(t *testing.T) {
	dir := folder(t)
	if err := world.Symlink("../victim", filepath.Join(dir, journal.LockName)); err != nil {
		t.Skip("no links here")
	}
	j := open(t, dir, journal.Options{})
	r := mustAppend(t, j, entry("a"))
	if r.Locked || r.Entries[0].Seq != 0 {
		t.Errorf("locked %v, seq %d", r.Locked, r.Entries[0].Seq)
	}
	if got := ids(t, j.Forward(journal.Position{})); got != "a" {
		t.Errorf("log holds %s", got)
	}
}

// Of many entries at once the repeats are left out too, among themselves and of what
// stands before, and no others.
func TestManyAtOnceOnce(t *testing.T) {
	j := open(t, folder(t), journal.Options{By: journal.Command})
	batch := func(ids ...string) (all []*logfmt.Entry) {
		for _, id := range ids {
			all = append(all, entry(id))
		}
		return all
	}
	mustAppend(t, j, batch("a", "b")...)
	r := mustAppend(t, j, batch("c", "a", "d", "c", "e", "f", "b", "", "g")...)
	if r.Duplicates != 3 || len(r.Entries) != 6 {
		t.Errorf("receipt: %d entries, %d duplicates", len(r.Entries), r.Duplicates)
	}
	got := strings.Fields(ids(t, j.Forward(journal.Position{})))
	if len(got) != 8 || strings.Join(slices.Delete(got, 6, 7), " ") != "a b c d e f g" {
		t.Errorf("the log holds %v", got)
	}
}
