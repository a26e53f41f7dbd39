package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// life is a lifecycle entry.
func life(cmd string, ev logfmt.Event, id string) *logfmt.Entry {
	return &logfmt.Entry{Time: day, Cmd: cmd, Event: ev, Session: "s1", ID: id, Source: "prompt", Data: []byte(`{"summary":"x"}`)}
}

// segments lists the log's files as "workflow.log.1 workflow.log".
func segments(t testing.TB, j *journal.Journal) string {
	t.Helper()
	all, err := j.Segments()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

func rotate(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Rotate(); err != nil {
		t.Fatalf("rotate: %v", err)
	}
}

func TestRotate(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, life("plan", logfmt.Start, "p1"), life("plan", logfmt.Complete, "p2"), entry("a"))
	rotate(t, j)
	mustAppend(t, j, entry("b"), life("build", logfmt.Start, "b1"))
	rotate(t, j)
	mustAppend(t, j, entry("c"))

	if got := segments(t, j); got != "workflow.log.1 workflow.log.4 workflow.log" {
		t.Errorf("segments %s", got)
	}
	if got := ids(t, j.Forward(journal.Position{})); got != "p1 p2 a C C b b1 C C c" {
		t.Errorf("forward %s", got)
	}
	if got := ids(t, j.Backward(journal.BackwardOptions{})); got != "c C C b1 b C C a p2 p1" {
		t.Errorf("backward %s", got)
	}
	if got := ids(t, j.Backward(journal.BackwardOptions{Newest: true})); got != "c C C (b1) (p2) (p1)" {
		t.Errorf("backward, newest %s", got)
	}
	if text := readLog(t, dir); !strings.HasPrefix(text, logfmt.FirstLine+`{"ts":"`) {
		t.Errorf("new segment begins %.200q", text)
	}
}

// Whoever reads only the newest segment after the older ones are gone gets what
// it carries, marked.
func TestReadWithoutOlder(t *testing.T) {
	dir := folder(t, journal.Missing)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, life("plan", logfmt.Complete, "p2"), entry("a"))
	rotate(t, j)
	mustAppend(t, j, entry("b"))
	if err := os.Remove(logPath(dir) + ".1"); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, j.Forward(journal.Position{})); got != "C (p2) C b" {
		t.Errorf("forward %s", got)
	}
	if got := ids(t, j.Backward(journal.BackwardOptions{})); got != "b C C (p2)" {
		t.Errorf("backward %s", got)
	}
}

func TestRotateNothing(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	rotate(t, j)
	if got := segments(t, j); got != "" {
		t.Errorf("made %s out of nothing", got)
	}
	writeLog(t, dir, logfmt.FirstLine)
	rotate(t, j)
	if got := segments(t, j); got != "workflow.log" {
		t.Errorf("made %s out of an empty log", got)
	}
}

func TestRotateIfDue(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{Rotate: 3000})
	for _, id := range names("a", 20) {
		mustAppend(t, j, entry(id))
		if _, err := j.RotateIfDue(journal.Hook); err != nil {
			t.Fatal(err)
		}
	}
	all, err := j.Segments()
	if err != nil || len(all) < 2 {
		t.Fatalf("%d segments, %v", len(all), err)
	}
	for _, s := range all[:len(all)-1] {
		if s.Size < 3000 || s.Size > 4000 {
			t.Errorf("%s has %d bytes", s.Name, s.Size)
		}
	}
	got := strings.Fields(ids(t, j.Forward(journal.Position{})))
	got = slices.DeleteFunc(got, func(id string) bool { return id == "C" })
	if !slices.Equal(got, names("a", 20)) {
		t.Errorf("forward %s", got)
	}
}

// A hook leaves a segment above 64 MiB to a command.
func TestHookLeavesTheLargeOne(t *testing.T) {
	world.Slow(t)
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"))
	f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	remark := []byte("#" + strings.Repeat(" ", 1<<20-2) + "\n")
	for range 65 {
		if _, err := f.Write(remark); err != nil {
			t.Fatal(err)
		}
	}
	f.Close() // it does not let others rename it on Windows
	if did, err := j.RotateIfDue(journal.Hook); did || err != nil {
		t.Errorf("hook: rotated %v, %v", did, err)
	}
	if did, err := j.RotateIfDue(journal.Command); !did || err != nil {
		t.Errorf("command: rotated %v, %v", did, err)
	}
}

// A log that only other tools wrote rotates, and is numbered from then on.
func TestRotateForeign(t *testing.T) {
	dir := folder(t)
	writeLog(t, dir, `{"ts":"2026-11-21T10:00:00Z","cmd":"plan","phase":"","event":"COMPLETE","data":{}}`+"\n")
	j := open(t, dir, journal.Options{})
	if r := mustAppend(t, j, entry("a")); r.Entries[0].Seq != 0 {
		t.Errorf("a hook began to count: %d", r.Entries[0].Seq)
	}
	rotate(t, j)
	if r := mustAppend(t, j, entry("b")); r.Entries[0].Seq != 3 {
		t.Errorf("seq %d after the first rotation's 1 and 2", r.Entries[0].Seq)
	}
	rotate(t, j)
	if got := segments(t, j); got != "workflow.log.0 workflow.log.1 workflow.log" {
		t.Errorf("segments %s", got)
	}
}

// The oldest segments go, and the newest CHECKPOINT says which numbers have gone so far: those that named
// some of them go too.
func TestKeep(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command, Keep: 6000})
	for _, id := range names("a", 5) {
		mustAppend(t, j, big(id, 2000))
		rotate(t, j)
	}
	if got := segments(t, j); got != "workflow.log.8 workflow.log.11 workflow.log" {
		t.Errorf("segments %s", got)
	}
	if text := readLog(t, dir); !strings.Contains(text, `"dropped":[[1,7]]`) {
		t.Errorf("dropped range is not named in\n%s", text)
	}
}

// What a killed rotator leaves: each is continued into the segment before it,
// numbers go on, and the next rotator puts it right.
func TestHeal(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(dir string, t *testing.T)
	}{
		{"no log", func(dir string, t *testing.T) {
			if err := os.Rename(logPath(dir), logPath(dir)+".1"); err != nil {
				t.Fatal(err)
			}
		}},
		{"empty log", func(dir string, t *testing.T) {
			if err := os.Rename(logPath(dir), logPath(dir)+".1"); err != nil {
				t.Fatal(err)
			}
			writeLog(t, dir, "")
		}},
		{"log with a lock-free entry", func(dir string, t *testing.T) {
			if err := os.Rename(logPath(dir), logPath(dir)+".1"); err != nil {
				t.Fatal(err)
			}
			e := entry("free")
			b, err := e.AppendTo([]byte(logfmt.FirstLine))
			if err != nil {
				t.Fatal(err)
			}
			writeLog(t, dir, string(b))
		}},
		{"half a block", func(dir string, t *testing.T) {
			rotate(t, open(t, dir, journal.Options{}))
			text := readLog(t, dir)
			cut := strings.LastIndex(text, `{"ts":"`) + 30 // in the closing CHECKPOINT
			writeLog(t, dir, text[:cut])
		}},
		{"half a block, cut at a line", func(dir string, t *testing.T) {
			rotate(t, open(t, dir, journal.Options{}))
			text := readLog(t, dir)
			writeLog(t, dir, text[:strings.LastIndex(text, `{"ts":"`)])
		}},
		{"half an opening", func(dir string, t *testing.T) {
			rotate(t, open(t, dir, journal.Options{}))
			text := readLog(t, dir)
			writeLog(t, dir, text[:len(logfmt.FirstLine)+50])
		}},
	} {
		for _, between := range []bool{true, false} {
			name := c.name
			if between {
				name += ", a hook writes"
			}
			t.Run(name, func(t *testing.T) {
				dir := folder(t, journal.BadLine, journal.TornTail)
				j := open(t, dir, journal.Options{By: journal.Command})
				mustAppend(t, j, life("plan", logfmt.Start, "p1"), life("plan", logfmt.Complete, "p2"), entry("a"))
				c.damage(dir, t)
				want := "p1 p2 a b"
				newest := "b (p2) (p1)"
				if between {
					hook := open(t, dir, journal.Options{})
					mustAppend(t, hook, entry("h"))
					want, newest = "p1 p2 a h b", "b h p2 p1"
					if got := own(ids(t, j.Backward(journal.BackwardOptions{}))); got != "h a p2 p1" {
						t.Errorf("before healing, backward %s", got)
					}
					if got := own(ids(t, j.Backward(journal.BackwardOptions{Newest: true}))); got != "h a p2 p1" {
						t.Errorf("before healing, backward newest %s", got)
					}
				}
				if did, err := j.RotateIfDue(journal.Command); !did || err != nil {
					t.Fatalf("rotate: %v, %v", did, err)
				}
				if did, err := j.RotateIfDue(journal.Command); did || err != nil {
					t.Errorf("rotated again: %s, %v", segments(t, j), err)
				}
				mustAppend(t, j, entry("b"))
				if got := own(ids(t, j.Forward(journal.Position{}))); got != want {
					t.Errorf("forward %s, want %s", got, want)
				}
				got := own(ids(t, j.Backward(journal.BackwardOptions{Newest: true})))
				if got = strings.ReplaceAll(got, " (h)", ""); !between && got != newest {
					t.Errorf("newest %s, want %s", got, newest)
				}
			})
		}
	}
}

// own leaves the checkpoints and the lock-free entry out of a list of ids.
func own(ids string) string {
	all := strings.Fields(ids)
	all = slices.DeleteFunc(all, func(id string) bool { return id == "C" || id == "free" })
	return strings.Join(all, " ")
}

// A rotation must not run over a segment that is there already.
func TestOldLogPutBack(t *testing.T) {
	dir := folder(t, journal.Duplicate, journal.Edited)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"))
	old := readLog(t, dir)
	rotate(t, j)
	mustAppend(t, j, entry("b"))
	rotate(t, j)
	before, err := os.ReadFile(logPath(dir) + ".1")
	if err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, strings.ReplaceAll(old, `"a"`, `"z"`))
	rotate(t, j)
	after, err := os.ReadFile(logPath(dir) + ".1")
	if err != nil || string(after) != string(before) {
		t.Errorf("workflow.log.1 is now %q, %v", after, err)
	}
	if got := own(ids(t, j.Forward(journal.Position{}))); got != "a b z" {
		t.Errorf("forward %s", got)
	}
}

func TestSegmentNames(t *testing.T) {
	dir := folder(t, journal.NoFile)
	for _, name := range []string{"workflow.log.2", "workflow.log.10", "workflow.log.lock", "workflow.log.03", "workflow.log.x", "workflow.log.", "workflow.logs",
		"workflow.log.2.gz", "workflow.log.-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := world.Symlink("workflow.log.2", filepath.Join(dir, "workflow.log.5")); err != nil {
		t.Skip("no links here")
	}
	if got := segments(t, open(t, dir, journal.Options{})); got != "workflow.log.2 workflow.log.10" {
		t.Errorf("segments %s", got)
	}
}

func TestRotateReadOnly(t *testing.T) {
	world.Modes(t)
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := folder(t)
	j := open(t, dir, journal.Options{By: journal.Command})
	mustAppend(t, j, entry("a"))
	os.Chmod(dir, 0o500)
	defer os.Chmod(dir, 0o700)
	if err := j.Rotate(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("rotate: %v, want ErrPermission", err)
	}
}
