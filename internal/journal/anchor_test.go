package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// writeAnchor writes an anchor and returns its path.
func writeAnchor(t testing.TB, first, seq uint64, sum [32]byte, size int64, hash [32]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "anchor")
	if err := os.WriteFile(path, journal.AnchorBytes(first, seq, sum, size, hash), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// anchored is a new log with an anchor.
func anchored(t testing.TB, o journal.Options) (dir string, j *journal.Journal, more journal.Options) {
	t.Helper()
	dir = t.TempDir()
	o.Anchor = filepath.Join(t.TempDir(), "anchor")
	j = open(t, dir, o)
	if _, err := j.BeginAnchor(day); err != nil {
		t.Fatal(err)
	}
	return dir, j, o
}

// found verifies the log with its anchor: "whole", or the kinds of damage.
func found(t testing.TB, j *journal.Journal) (string, journal.Report) {
	t.Helper()
	r, err := j.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Anchored {
		t.Fatalf("not anchored: %s", r.Why)
	}
	if r.Whole() {
		return "whole", r
	}
	return kinds(r.Damage), r
}

func wants(t testing.TB, j *journal.Journal, want string) journal.Report {
	t.Helper()
	got, r := found(t, j)
	if got != want {
		t.Errorf("found %s, want %s: %+v", got, want, r.Damage)
	}
	return r
}

// An anchor is one line of 562 bytes, in which each field follows its name.
func TestAnchorForm(t *testing.T) {
	line := string(journal.AnchorBytes(1, 42, [32]byte{}, 0, [32]byte{}))
	if len(line) != 562 ||
		!strings.HasPrefix(line, "aburn anchor v1 begun 2026-11-21T10:00:00.000Z first 0000000000000001 ours 0000000000000000 seq 0000000000000042 at 2026") ||
		strings.Index(line, "\n") != 561 {
		t.Errorf("%d bytes: %q", len(line), line)
	}
	for name, f := range journal.AnchorFields() {
		if got := strings.Index(line, " "+name+" ") + len(name) + 2; got != f[0] {
			t.Errorf("%s stands at %d, want %d", name, f[0], got)
		}
		if end := line[f[1]]; end != ' ' && end != '\n' {
			t.Errorf("%s ends before %q", name, end)
		}
	}
}

// What somebody does to a log is found at once, and still after hooks have gone on writing.
func TestAnchorShows(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(log string) string // new content; "" = delete it
		now    string
		after  string
		places string // texts of the findings at once
	}{
		{"nothing", func(s string) string { return s }, "whole", "whole", ""},
		{"the log is deleted", func(string) string { return "" }, "1 missing", "1 missing",
			"no numbered entry is left; the log had reached 6 at 2026-11-21T10:00:00.000Z"},
		{"the log is emptied", func(string) string { return logfmt.FirstLine }, "1 missing", "1 missing",
			"no numbered entry is left; the log had reached 6 at 2026-11-21T10:00:00.000Z"},
		{"the head is cut off", func(s string) string {
			return logfmt.FirstLine + s[strings.Index(s, `{"ts":"2026-11-21T10:00:00.000Z","cmd":"session","event":"TOOL","session":"s1","seq":4`):]
		}, "1 changed, 1 missing", "1 changed, 1 missing", ""},
		{"the tail is cut off", func(s string) string { return s[:strings.LastIndex(s, `{"ts"`)] }, "1 missing", "1 gap",
			"the log ends with 5, and had reached 6 at 2026-11-21T10:00:00.000Z: somebody cut it off, or a power cut took what was not yet on the disk"},
		{"the tail is torn off", func(s string) string { return s[:strings.LastIndex(s, `{"ts"`)+40] }, "1 missing, 1 torn tail", "1 bad line, 1 gap", ""},
		{"an entry is edited", func(s string) string { return strings.Replace(s, "go test", "go vet ", 1) }, "1 changed, 1 edited", "1 changed, 1 edited", ""},
		{"the last entry is written anew", func(s string) string {
			e := entry("other")
			e.Seq = 6
			b, _ := e.AppendTo(nil)
			return s[:strings.LastIndex(s, `{"ts"`)] + string(b)
		}, "1 changed", "1 changed", "entry 6 is not the one that was written at 2026-11-21T10:00:00.000Z"},
		{"another log is put in its place", func(string) string {
			return `{"ts":"2026-11-21T10:00:00Z","cmd":"plan","event":"START"}` + "\n"
		}, "1 missing", "1 missing", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, j, o := anchored(t, journal.Options{By: journal.Command})
			for _, id := range names("a", 6) {
				mustAppend(t, j, entry(id))
			}
			wants(t, j, "whole")
			if text := c.do(readLog(t, dir)); text == "" {
				os.Remove(logPath(dir))
			} else {
				writeLog(t, dir, text)
			}
			r := wants(t, j, c.now)
			if len(r.Damage) == 1 && c.places != "" && r.Damage[0].Text != c.places {
				t.Errorf("finding says %q", r.Damage[0].Text)
			}
			o.By = journal.Hook
			hook := open(t, dir, o)
			for _, id := range names("b", 3) {
				mustAppend(t, hook, entry(id))
			}
			wants(t, j, c.after)
		})
	}
}

// A finding says since when: between the entries around it.
func TestAnchorSince(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{})
	at := func(id string, minute int) *logfmt.Entry {
		e := entry(id)
		e.Time = day.Add(time.Duration(minute) * time.Minute)
		return e
	}
	mustAppend(t, j, at("a", 1))
	text := readLog(t, dir)
	mustAppend(t, j, at("b", 2))
	writeLog(t, dir, text)
	mustAppend(t, j, at("c", 9))
	f := wants(t, j, "1 gap").Damage[0]
	if !f.Since.Equal(day.Add(time.Minute)) || !f.Until.Equal(day.Add(9*time.Minute)) || f.Text != "missing between 1 and 3" {
		t.Errorf("%+v", f)
	}
	os.Remove(logPath(dir))
	mustAppend(t, j, at("d", 11))
	f = wants(t, j, "1 missing").Damage[0]
	if !f.Since.IsZero() || !f.Until.Equal(day.Add(11*time.Minute)) || f.Text != "the log begins with 4, and once began with 1" {
		t.Errorf("%+v", f)
	}
}

// Rotations and the segments that they drop by setting leave the log whole; deleting a segment by
// hand does not.
func TestAnchorRotation(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{By: journal.Command, Keep: 6000})
	for _, id := range names("a", 7) {
		mustAppend(t, j, big(id, 2000))
		rotate(t, j)
		wants(t, j, "whole")
	}
	all := strings.Fields(segments(t, j))
	if len(all) != 3 {
		t.Fatalf("segments %v", all)
	}
	if err := os.Remove(filepath.Join(dir, all[0])); err != nil {
		t.Fatal(err)
	}
	wants(t, j, "1 missing")
	rotate(t, j)
	wants(t, j, "1 missing")
}

// The log is deleted; a rotation of what hooks wrote since does not hide it.
func TestAnchorRotationAfterDeletion(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"), entry("b"))
	os.Remove(logPath(dir))
	mustAppend(t, j, entry("c"))
	rotate(t, j)
	wants(t, j, "1 missing")
	if got := segments(t, j); got != "workflow.log.3 workflow.log" {
		t.Errorf("segments %s", got)
	}
}

// Writers that are killed between log and anchor leave an anchor behind the log. That is whole.
func TestAnchorKilledWriters(t *testing.T) {
	world.Unshared(t)
	dir, j, o := anchored(t, journal.Options{})
	acked := killing(t, world.Storm(25), job{what: "append", dir: dir, size: 800, wait: time.Minute, anchor: o.Anchor})
	there := judge(t, dir, acked)
	_, r := found(t, j)
	for _, f := range r.Damage {
		if f.Kind != journal.BadLine && f.Kind != journal.TornTail {
			t.Errorf("damage: %+v", f)
		}
	}
	before, err := os.ReadFile(o.Anchor)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, entry("after"))
	if after, err := os.ReadFile(o.Anchor); err != nil || string(after) == string(before) {
		t.Errorf("the anchor stays at %q, %v", after, err)
	}
	t.Logf("%d acknowledged, %d there; %s", len(acked), len(there), kinds(r.Damage))
}

// Many processes with one anchor, and rotations: whole.
func TestAnchorManyWriters(t *testing.T) {
	dir, j, o := anchored(t, journal.Options{})
	var all []*worker
	for _, name := range names("w", 8) {
		all = append(all, start(t, job{what: "append", dir: dir, name: name, count: world.Storm(40), size: 800, rotate: 20_000, wait: time.Minute, anchor: o.Anchor}))
	}
	for _, p := range all {
		p.wait()
	}
	wants(t, j, "whole")
}

// An anchor that is behind by any number of entries is whole.
func TestAnchorBehind(t *testing.T) {
	dir, j, o := anchored(t, journal.Options{})
	mustAppend(t, j, entry("a"))
	without := open(t, dir, journal.Options{})
	mustAppend(t, without, entry("b"), entry("c"))
	wants(t, j, "whole")
	if r := mustAppend(t, open(t, dir, o), entry("d")); r.Entries[0].Seq != 4 {
		t.Errorf("seq %d, want 4", r.Entries[0].Seq)
	}
	wants(t, j, "whole")
}

// Where there is no anchor verify says so, and writers write all the same. They never make one.
func TestNotAnchored(t *testing.T) {
	for _, c := range []struct {
		name, why string
		make      func(path string) error
	}{
		{"no mark", "this user has not trusted the project on this machine", nil},
		{"no file", "the project has no anchor yet", func(string) error { return nil }},
		{"junk", "the anchor is damaged", func(p string) error { return os.WriteFile(p, []byte("junk"), 0o600) }},
		{"torn", "the anchor is damaged", func(p string) error {
			return os.WriteFile(p, journal.AnchorBytes(1, 0, [32]byte{}, 0, [32]byte{})[:200], 0o600)
		}},
		{"changed", "the anchor is damaged", func(p string) error {
			return os.WriteFile(p, []byte(strings.Replace(string(journal.AnchorBytes(1, 7, [32]byte{}, 0, [32]byte{})), "7 at", "5 at", 1)), 0o600)
		}},
		{"folder", "its anchor cannot be written: ", func(p string) error { return os.Mkdir(p, 0o700) }},
		{"pipe", "its anchor cannot be written: ", world.Mkfifo},
		{"link", "its anchor cannot be written: ", func(p string) error {
			return errors.Join(os.WriteFile(p+"2", journal.AnchorBytes(1, 0, [32]byte{}, 0, [32]byte{}), 0o600), world.Symlink(p+"2", p))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "link" && runtime.GOOS == "windows" {
				t.Skip("Windows follows links here")
			}
			var o journal.Options
			if c.make != nil {
				o.Anchor = filepath.Join(t.TempDir(), "anchor")
				if err := c.make(o.Anchor); err != nil {
					t.Skipf("cannot make it here: %v", err)
				}
			}
			dir := folder(t)
			j := open(t, dir, o)
			before, _ := contentOf(o.Anchor)
			mustAppend(t, j, entry("a"), entry("b"))
			r, err := j.Verify(t.Context())
			if err != nil || r.Anchored || r.Whole() || len(r.Damage) > 0 || !strings.HasPrefix(r.Why, c.why) {
				t.Errorf("%+v, %v", r, err)
			}
			if after, _ := contentOf(o.Anchor); after != before {
				t.Errorf("the anchor became %q", after)
			}
			if c.name == "no file" {
				if _, err := os.Lstat(o.Anchor); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a writer made an anchor: %v", err)
				}
			}
		})
	}
}

// contentOf is what a regular file holds.
func contentOf(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// A log in whose place stands something else is damage, and hooks count what they could not write.
func TestNoFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a symbolic link": func(p string) error { return world.Symlink("/dev/null", p) },
		"a pipe":          world.Mkfifo,
		"a folder":        func(p string) error { return os.Mkdir(p, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, j, _ := anchored(t, journal.Options{})
			if err := make(logPath(dir)); err != nil {
				t.Skipf("cannot make it here: %v", err)
			}
			r := wants(t, j, "1 no file")
			if text := r.Damage[0].Text; text != "it is "+name+": hooks cannot write" {
				t.Errorf("finding says %q", text)
			}
			if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{entry("a")} }); !errors.Is(err, journal.ErrNotRegular) {
				t.Errorf("append: %v", err)
			}
			wants(t, j, "1 no file, 1 unwritten")
			if err := os.Remove(logPath(dir)); err != nil {
				t.Fatal(err)
			}
			mustAppend(t, j, entry("b"))
			wants(t, j, "1 unwritten")
			if text := readLog(t, dir); !strings.Contains(text,
				`"data":{"entries":1,"from":"2026-11-21T10:00:00.000Z","to":"2026-11-21T10:00:00.000Z","reason":"no regular file"}`) {
				t.Errorf("the log says\n%s", text)
			}
		})
	}
}

// What a person has accepted is a note. What comes later is damage again, also before the entry
// that accepts.
func TestAccept(t *testing.T) {
	dir, j, _ := anchored(t, journal.Options{By: journal.Command})
	for _, id := range names("a", 6) {
		mustAppend(t, j, entry(id))
	}
	text := readLog(t, dir)
	mustAppend(t, j, entry("lost"))
	writeLog(t, dir, strings.Replace(text, "go test", "go vet ", 1))
	mustAppend(t, j, entry("b"))
	r := wants(t, j, "1 edited, 1 gap")
	if err := j.Accept(r, day); err != nil {
		t.Fatal(err)
	}
	r = wants(t, j, "whole")
	if got := kinds(r.Notes); got != "1 edited, 1 gap" || !strings.HasSuffix(r.Notes[0].Text, "; accepted") {
		t.Errorf("notes %+v", r.Notes)
	}
	if text := readLog(t, dir); !strings.Contains(text, `"event":"ACCEPTED","seq":9,`) || !strings.Contains(text, `"data":{"missing":[[7,7]],"damage":1}`) {
		t.Errorf("the log says\n%s", text)
	}
	mustAppend(t, j, entry("c"))
	wants(t, j, "whole")
	kept := readLog(t, dir)
	cut := func(seq string) string {
		i := strings.Index(kept, `{"ts":"2026-11-21T10:00:00.000Z","cmd":"session","event":"TOOL","session":"s1","seq":`+seq)
		n := strings.Index(kept[i:], "\n{")
		return kept[:i] + kept[i+n+1:]
	}
	writeLog(t, dir, cut("4"))
	r = wants(t, j, "1 changed, 1 gap")
	if r.Damage[0].Text != "missing between 3 and 5" {
		t.Errorf("%+v", r.Damage)
	}
	writeLog(t, dir, cut("1"))
	wants(t, j, "1 changed, 1 missing")
	writeLog(t, dir, strings.Replace(kept, `"id":"a3"`, `"id":"z3"`, 1))
	wants(t, j, "1 changed, 2 edited")
	writeLog(t, dir, kept)
	wants(t, j, "whole")
}

// Deleting the log on purpose and accepting that: whole from then on.
func TestAcceptReset(t *testing.T) {
	dir, j, o := anchored(t, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"), entry("b"))
	os.Remove(logPath(dir))
	if err := j.Accept(wants(t, j, "1 missing"), day); err != nil {
		t.Fatal(err)
	}
	r := wants(t, j, "whole")
	if r.First != 3 || r.Entries != 1 {
		t.Errorf("%+v", r)
	}
	mustAppend(t, j, entry("c"))
	rotate(t, j)
	wants(t, j, "whole")
	os.WriteFile(o.Anchor, []byte("junk"), 0o600)
	if r, err := j.Verify(t.Context()); err != nil || r.Anchored {
		t.Errorf("%+v, %v", r, err)
	} else if err := j.Accept(r, day); err != nil {
		t.Error(err)
	}
	wants(t, j, "whole")
}

// An anchor that is made for an old log begins where that log begins.
func TestBeginAnchorLate(t *testing.T) {
	dir := folder(t)
	old := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, old, entry("a"), entry("b"), entry("c"))
	text := readLog(t, dir)
	writeLog(t, dir, logfmt.FirstLine+text[strings.Index(text, `{"ts":"2026-11-21T10:00:00.000Z","cmd":"session","event":"TOOL","session":"s1","seq":2`):])
	j := open(t, dir, journal.Options{By: journal.Command, Anchor: filepath.Join(t.TempDir(), "anchor")})
	for range 2 {
		if _, err := j.BeginAnchor(day); err != nil {
			t.Fatal(err)
		}
		if r := wants(t, j, "whole"); r.First != 2 || r.Last != 3 || !r.Begun.Equal(day) {
			t.Errorf("%+v", r)
		}
	}
	writeLog(t, dir, readLog(t, dir)[:len(logfmt.FirstLine)])
	wants(t, j, "1 missing")
	journaltest.Now(t, dir)
}
