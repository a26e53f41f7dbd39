package ingest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	lab "aburn/internal/lab/world"
	"aburn/trace"
)

func TestWhatIsNewIsRead(t *testing.T) {
	lab.Unshared(t)
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"call":"1"}`)
	w.write("b.notes", `{"say":"hi","at":"2026-11-02T10:00:00Z"}`)
	w.expect("new 2 updated 0 unchanged 0 gone 0, read 2", "a 2, b 1")
	w.expect("new 0 updated 0 unchanged 2 gone 0, read 0", "a 2, b 1")
	w.add("a.notes", `{"result":"1"}`)
	w.expect("new 0 updated 1 unchanged 1 gone 0, read 1", "a 3, b 1")
	w.write("c.notes", `{"say":"ho","at":"2026-11-03T10:00:00Z"}`)
	w.expect("new 1 updated 0 unchanged 2 gone 0, read 1", "a 3, b 1, c 1")
}

// Of a store that grew only the new lines are read.
func TestGrown(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", strings.Repeat(`{"say":"hello","at":"2026-11-01T10:00:00Z"}`+"\n", 999)+`{"say":"last"}`)
	w.ingest()
	w.add("a.notes", `{"say":"more"}`)
	if s := w.ingest(); s.Bytes != int64(len(`{"say":"more"}`)+1) || s.Updated != 1 {
		t.Errorf("%d bytes are read: %s", s.Bytes, did(s))
	}
	if got := w.sessions(); got != "a 1001" {
		t.Error(got)
	}
}

// What was looked at for nothing is told as unchanged: its time proves nothing, or it grew by a line that tells nothing.
func TestLookedAtForNothing(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	now := time.Now().Add(time.Minute)
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	w.expect("new 1 updated 0 unchanged 0 gone 0, read 1", "a 1")
	now = now.Add(time.Minute)
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 1", "a 1")
	w.add("a.notes", "")
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 1", "a 1")
}

// Who names a place is told of the damage there, and of no other.
func TestDamageOfNamedPlaces(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, "nonsense")
	b := w.write("b.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, "nonsense", "nonsense")
	c := w.write("c.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	if s := w.ingest(); s.DamagedAll != 3 || len(s.Damaged) != 3 {
		t.Errorf("all: %+v", s.Damaged)
	}
	w.options.Places.Paths = []string{b}
	if s := w.ingest(); s.DamagedAll != 2 || len(s.Damaged) != 2 || s.Damaged[0].Path != b {
		t.Errorf("of %s: %+v", b, s.Damaged)
	}
	w.options.Places.Paths = []string{c}
	if s := w.ingest(); s.DamagedAll != 0 || len(s.Damaged) != 0 {
		t.Errorf("of %s: %+v", c, s.Damaged)
	}
}

func TestTruncated(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"say":"two"}`, `{"say":"three"}`)
	w.expect("new 1 updated 0 unchanged 0 gone 0, read 1", "a 3")
	w.put(path, `{"say":"hello","at":"2026-11-01T10:00:00Z"}`+"\n", os.O_TRUNC)
	w.expect("new 0 updated 1 unchanged 0 gone 0, read 1, truncated a.notes", "a 1")
	// What is cut off whole is gone, and its trace stays.
	w.put(path, "", os.O_TRUNC)
	w.expect("new 0 updated 0 unchanged 0 gone 1, read 1, truncated a.notes", "a 1 gone")
}

func TestRewritten(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.expect("new 1 updated 0 unchanged 0 gone 0, read 1", "a 1")
	// The same file, as long as it was, but other bytes in it, and one more line.
	w.put(path, `{"say":"adieu","at":"2026-11-01T10:00:00Z"}`+"\n"+`{"call":"1"}`+"\n", os.O_TRUNC)
	w.expect("new 0 updated 1 unchanged 0 gone 0, read 1, rewritten a.notes", "a 2")
}

func TestReplaced(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.expect("new 1 updated 0 unchanged 0 gone 0, read 1", "a 1")
	other := filepath.Join(w.home, "other")
	w.put(other, `{"id":"z"}`+"\n"+`{"say":"hello","at":"2026-11-02T10:00:00Z"}`+"\n", os.O_TRUNC)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	w.expect("new 1 updated 0 unchanged 0 gone 1, read 1, replaced a.notes", "a 1 gone, z 1")
}

// A session whose file is moved between folders, alone or with the folder, is one session.
func TestMoved(t *testing.T) {
	w := newWorld(t)
	w.write("p/a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.write("p/b.notes", `{"say":"hello","at":"2026-11-02T10:00:00Z"}`)
	w.expect("new 2 updated 0 unchanged 0 gone 0, read 2", "a 1, b 1")
	rename := func(from, to string) {
		if err := os.Rename(filepath.Join(w.home, "notes", from), filepath.Join(w.home, "notes", to)); err != nil {
			t.Fatal(err)
		}
	}
	rename("p", "q")
	w.expect("new 0 updated 2 unchanged 0 gone 0, read 2, moved a.notes, moved b.notes", "a 1, b 1")
	rename("q/a.notes", "c.notes") // and the name that it takes its id from
	w.expect("new 1 updated 0 unchanged 1 gone 1, read 1, moved c.notes", "c 1, a 1 gone, b 1")
}

// A copy of a session in another folder is no second one; when one of them goes, the other is what is left, however old it is.
func TestTwoStoresOfOneSession(t *testing.T) {
	lab.Unshared(t)
	w := newWorld(t)
	lines := []string{`{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"say":"on","at":"2026-11-01T10:01:00Z"}`}
	long := w.write("long/a.notes", lines...)
	w.age(w.write("short/a.notes", lines[0]))
	s := w.ingest()
	if s.New != 1 || s.Updated > 1 || len(w.sessions()) != len("a 2") || w.sessions() != "a 2" {
		t.Errorf("%s: %s", did(s), w.sessions())
	}
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 0", "a 2")
	if err := os.Remove(long); err != nil {
		t.Fatal(err)
	}
	w.expect("new 0 updated 1 unchanged 0 gone 1, read 1", "a 1")
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 0", "a 1")
	w.add("short/a.notes", lines[1], `{"call":"1"}`)
	w.expect("new 0 updated 1 unchanged 0 gone 0, read 1", "a 3")
}

func TestGone(t *testing.T) {
	lab.Unshared(t)
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.ingest()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.expect("new 0 updated 0 unchanged 0 gone 1, read 0", "a 1 gone")
	w.expect("new 0 updated 0 unchanged 0 gone 0, read 0", "a 1 gone")
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 1", "a 1")
}

// A line that is not finished is not read, and said; when it is finished, it is.
func TestTorn(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.put(path, `{"say":"on`, os.O_APPEND)
	w.expect("new 1 updated 0 unchanged 0 gone 0, read 1, growing a.notes", "a 1")
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 0", "a 1")
	w.put(path, ` and on"}`+"\n", os.O_APPEND)
	w.expect("new 0 updated 1 unchanged 0 gone 0, read 1", "a 2")
}

// A file that changed a moment ago is looked into again, though its size and time are the same.
func TestHot(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	w.ingest()
	if err := os.WriteFile(path, []byte(`{"say":"adieu","at":"2026-11-01T10:00:00Z"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	w.expect("new 0 updated 1 unchanged 0 gone 0, read 1, rewritten a.notes", "a 1")
}

// What goes wrong with one store is said, and the rest goes on.
func TestSkipped(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `nonsense`, `{"say":"on"}`)
	w.write("bad.notes", `{"say":"hello","at":"2026-11-02T10:00:00Z"}`, `{"bad":"trace"}`)
	w.write("panic.notes", `{"bad":"panic"}`)
	w.write("v2.notes", `v2 of something`)
	if err := os.Symlink("/nowhere", filepath.Join(w.home, "notes", "link.notes")); err != nil {
		t.Fatal(err)
	}
	s := w.ingest()
	kinds := map[string]string{}
	for _, k := range s.Skipped {
		kinds[filepath.Base(k.Path)] = string(k.Kind) + ": " + k.Reason
	}
	for name, want := range map[string]string{
		"bad.notes": "invalid: invalid trace notes/bad: event 2", "panic.notes": "unreadable: the reader failed: a bad line",
		"v2.notes": "unknown_layout: unknown layout of notes, version 2: ",
	} {
		if !strings.HasPrefix(kinds[name], want) {
			t.Errorf("%s: %s; want %s", name, kinds[name], want)
		}
		delete(kinds, name)
	}
	if len(kinds) > 0 || w.sessions() != "a 2" {
		t.Errorf("%v, %s", kinds, w.sessions())
	}
	if s.DamagedAll != 1 || len(s.Damaged) != 1 || s.Damaged[0].Ref.Line != 2 || s.Damaged[0].Ref.Offset == 0 {
		t.Errorf("damaged: %+v", s.Damaged)
	}
	// Nothing of it is forgotten when nothing has changed: what could not be read is said again.
	s = w.ingest()
	if s.DamagedAll != 1 || len(s.Skipped) != 3 || s.Unchanged != 1 {
		t.Errorf("again: %+v", s)
	}
}

// What was read stays when its store can no longer be read.
func TestReaderFailsLater(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.ingest()
	w.put(path, `{"bad":"panic"}`+"\n", os.O_APPEND)
	w.expect("new 0 updated 0 unchanged 0 gone 0, read 1, unreadable a.notes", "a 1")
	w.put(path, "v2", os.O_TRUNC)
	w.expect("new 0 updated 0 unchanged 0 gone 0, read 1, truncated a.notes, unknown_layout a.notes", "a 1")
	w.put(path, `{"say":"hello","at":"2026-11-01T10:00:00Z"}`+"\n", os.O_TRUNC)
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 1", "a 1")
}

func TestSince(t *testing.T) {
	w := newWorld(t)
	old := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.write("b.notes", `{"say":"hello","at":"2026-11-02T10:00:00Z"}`)
	long := time.Now().Add(-240 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	w.options.Since = time.Now().Add(-24 * time.Hour)
	w.expect("new 1 updated 0 unchanged 0 gone 0, read 1, not_since a.notes", "b 1")
	w.options.Since = time.Time{}
	w.expect("new 1 updated 0 unchanged 1 gone 0, read 1", "a 1, b 1")
}

// A dry run says what a run would read, and makes no archive.
func TestDryRun(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	report, err := ingest.Run(context.Background(), ingest.Options{
		Readers: []trace.Reader{w.reader}, Places: trace.Places{Home: w.home, Getenv: os.Getenv}, DryRun: true,
	})
	if err != nil || report.Sources[0].Read != 1 || report.Sources[0].Bytes == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := os.Stat(w.dir); err == nil {
		t.Error("there is an archive")
	}
}

// Sessions that are older than retention keeps them are deleted, and not read back as long as they are.
func TestRetention(t *testing.T) {
	lab.Unshared(t)
	w := newWorld(t)
	path := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.write("b.notes", `{"say":"hello","at":"2026-11-10T10:00:00Z"}`, `{"call":"1"}`)
	w.expect("new 2 updated 0 unchanged 0 gone 0, read 2", "a 1, b 2")
	w.options.Keep = time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)
	if r := w.run(w.options); r.Expired != 1 {
		t.Errorf("%d deleted", r.Expired)
	}
	if got := w.sessions(); got != "b 2" {
		t.Error(got)
	}
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 0", "b 2")
	w.put(path, `{"say":"and","at":"2026-11-02T10:00:00Z"}`+"\n", os.O_APPEND)
	if s := w.ingest(); s.Old != 1 || w.sessions() != "b 2" {
		t.Errorf("%s, %s", did(s), w.sessions())
	}
	w.put(path, `{"say":"and","at":"2026-11-12T10:00:00Z"}`+"\n", os.O_APPEND)
	w.expect("new 1 updated 0 unchanged 1 gone 0, read 1", "b 2, a 3")
}

// Forks and sub-agents are found across files, in whatever order the files come.
func TestLinked(t *testing.T) {
	parent := []string{`{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"call":"c1"}`, `{"spawn":"x","call":"c1"}`}
	child := []string{`{"id":"p/x"}`, `{"agent":"p"}`, `{"say":"do it","at":"2026-11-01T10:01:00Z"}`}
	for _, parentFirst := range []bool{true, false} {
		w := newWorld(t)
		steps := []func(){func() { w.write("p.notes", parent...) }, func() { w.write("x.notes", child...) }}
		if !parentFirst {
			steps[0], steps[1] = steps[1], steps[0]
		}
		for _, step := range steps {
			step()
			w.ingest()
		}
		w.view(func(a *archive.Archive) {
			for name, want := range map[string]string{"p": `"subagent_spawn":{"session":"p/x","call":"c1","agent_id":"x"}`, "p/x": `"parent_call":"c1"`} {
				list, err := a.Lookup(context.Background(), name)
				if err != nil || len(list) != 1 {
					t.Fatalf("%s: %v, %v", name, list, err)
				}
				tr, err := a.Trace(context.Background(), list[0].Key)
				if err != nil {
					t.Fatal(err)
				}
				text, err := tr.MarshalJSON()
				if err != nil || !strings.Contains(string(text), want) {
					t.Errorf("parent first %v: %s has no %s", parentFirst, text, want)
				}
			}
		})
		w.expect("new 0 updated 0 unchanged 2 gone 0, read 0", "p 3, p/x 1")
	}
}

// Under a newer version of the rules everything that exists is read again, and the rest scrubbed where it is (archive.TestRescrub).
func TestNewerRules(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.ingest()
	w.sql("UPDATE cursors SET scrub = scrub - 1")
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 1", "a 1")
	w.expect("new 0 updated 0 unchanged 1 gone 0, read 0", "a 1")
}

func TestRebuild(t *testing.T) {
	w := newWorld(t)
	gone := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"call":"1"}`)
	w.write("b.notes", `{"say":"hello","at":"2026-11-02T10:00:00Z"}`)
	w.ingest()
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	w.rebuild()
	w.expect("new 0 updated 1 unchanged 0 gone 1, read 1", "a 2 gone, b 1")
}

// Only what is gone counts as gone after a rebuild: not what it had no reader for, did not look at, or could not read.
func TestRebuildOfSome(t *testing.T) {
	lab.Unshared(t)
	w := newWorld(t)
	gone := w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.write("b.notes", `{"say":"hello","at":"2026-11-02T10:00:00Z"}`, `nonsense`)
	w.write("c.notes", `{"say":"hello","at":"2026-11-03T10:00:00Z"}`)
	w.ingest()
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	w.ingest()
	for what, o := range map[string]ingest.Options{
		"one of a path":     {Places: trace.Places{Paths: []string{filepath.Join(w.home, "notes", "c.notes")}}},
		"one since":         {Since: time.Now().Add(-time.Minute)},
		"one of no readers": {},
	} {
		w.rebuild()
		if what != "one of no readers" {
			w.run(o)
		}
		if got, want := w.sessions(), "a 1 gone, b 1, c 1"; got != want {
			t.Errorf("%s: sessions: %s, want %s", what, got, want)
		}
		if s := w.ingest(); s.Gone != 0 || s.New != 0 || s.Stores != 2 || s.DamagedAll != 1 {
			t.Errorf("%s, then: %s", what, did(s))
		}
		w.expect("new 0 updated 0 unchanged 2 gone 0, read 0", "a 1 gone, b 1, c 1")
	}
}

// A store can have lost sessions, have another name or be no more since the reading before a rebuild.
func TestRebuildAfterChanges(t *testing.T) {
	w := newWorld(t)
	path := w.write("b.notes", `{"id":"b"}`, `{"say":"hello","at":"2026-11-02T10:00:00Z"}`)
	w.ingest()
	w.reader.many = 1
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.ingest()
	w.reader.many = 0
	if err := os.Rename(path, filepath.Join(w.home, "notes", "c.notes")); err != nil {
		t.Fatal(err)
	}
	w.rebuild()
	w.expect("new 0 updated 2 unchanged 0 gone 1, read 2, moved c.notes", "a-0 1 gone, a 1, b 1")
}

// A store with many sessions is written in parts.
func TestParts(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	w.reader.many = 400
	lines := []string{`{"say":"hello","at":"2026-11-01T10:00:00Z"}`}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		id := make([]byte, 190)
		for i := range id {
			id[i] = 'a' + byte(r.IntN(26))
		}
		lines = append(lines, `{"call":"`+string(id)+`"}`)
	}
	path := w.write("a.notes", lines...)
	if s := w.ingest(); s.New != 401 || s.Read != 1 || s.Stores != 1 {
		t.Errorf("%s", did(s))
	}
	if info, err := os.Stat(filepath.Join(w.dir, archive.Name)); err != nil || info.Size() < 9<<20 {
		t.Errorf("all that is archived is one part: %v, %v", info, err)
	}
	if s := w.ingest(); s.Unchanged != 401 || s.Read != 0 {
		t.Errorf("%s", did(s))
	}
	w.reader.many = 399
	at := time.Now().Add(-30 * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	w.sql("UPDATE cursors SET whole = 1")
	if s := w.ingest(); s.Unchanged != 400 || s.Gone != 1 {
		t.Errorf("%s", did(s))
	}
}

// A reader that reads all again where it could go on tells what is damaged again: it is damaged once.
func TestDamagedOnce(t *testing.T) {
	w := newWorld(t)
	w.reader.again = true
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `nonsense`)
	w.ingest()
	w.add("a.notes", `{"say":"on"}`, `nonsense`)
	if s := w.ingest(); s.DamagedAll != 2 || len(s.Damaged) != 2 || s.Damaged[1].Ref.Line != 4 {
		t.Errorf("%+v", s.Damaged)
	}
}
