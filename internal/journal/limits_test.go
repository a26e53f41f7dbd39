//go:build unix

package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// The lock is held by a process that sleeps or was stopped: entries are written
// all the same, without a number. When it dies the lock is free at once.
func TestLockHeld(t *testing.T) {
	world.Slow(t)
	for _, sig := range []syscall.Signal{0, syscall.SIGSTOP} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := folder(t)
			holder := start(t, job{what: "hold", dir: dir})
			holder.begun(t)
			if sig != 0 {
				holder.cmd.Process.Signal(sig)
			}
			j := open(t, dir, journal.Options{})
			for _, id := range names("a", 5) {
				r := mustAppend(t, j, entry(id))
				if r.Locked || r.Entries[0].Seq != 0 || r.LockWait < 50*time.Millisecond {
					t.Errorf("locked %v, seq %d, waited %v", r.Locked, r.Entries[0].Seq, r.LockWait)
				}
			}
			holder.kill()
			long := open(t, dir, journal.Options{Wait: time.Minute, By: journal.Command})
			if r := mustAppend(t, long, entry("b")); !r.Locked || r.Entries[0].Seq != 1 {
				t.Errorf("after the holder's death: locked %v, seq %d", r.Locked, r.Entries[0].Seq)
			}
			if got := ids(t, j.Forward(journal.Position{})); got != "a0 a1 a2 a3 a4 b" {
				t.Errorf("log holds %s", got)
			}
		})
	}
}

// Somebody deletes the lock's file while it is held: two may write at once
// then, and a number may be given twice; nothing is lost.
func TestLockDeleted(t *testing.T) {
	dir := folder(t, journal.Duplicate)
	var all []*worker
	for _, name := range names("w", 4) {
		all = append(all, start(t, job{what: "append", dir: dir, name: name, count: world.Storm(100), size: 800, wait: time.Minute}))
	}
	for _, p := range all {
		p.begun(t)
	}
	for range 20 {
		os.Remove(filepath.Join(dir, journal.LockName))
		time.Sleep(time.Millisecond)
	}
	var acked []string
	for _, p := range all {
		p.wait()
		acked = append(acked, p.acked()...)
	}
	if there := judge(t, dir, acked); len(there) != 4*world.Storm(100) || len(acked) != len(there) {
		t.Errorf("%d acknowledged, %d there", len(acked), len(there))
	}
}

// Where the log may not be written the error says so, and nothing is made.
func TestReadOnly(t *testing.T) {
	dir := folder(t)
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("a"))
	before := readLog(t, dir)
	p := start(t, job{what: "append", dir: dir, name: "w", count: 3, size: 500}, asNobody(t, dir))
	p.wait()
	for _, w := range p.words {
		if w != "! openat workflow.log: permission denied" {
			t.Errorf("worker said %q", w)
		}
	}
	if len(p.words) != 3 || readLog(t, dir) != before {
		t.Errorf("worker said %d words, log is\n%s", len(p.words), readLog(t, dir))
	}
}

// A log that grows to the file-size limit, then has room again: no acknowledged
// entry is lost, the next one is whole.
func TestFileSizeLimit(t *testing.T) {
	dir := folder(t, journal.BadLine)
	p := start(t, job{what: "append", dir: dir, name: "w", count: 60, size: 800}, fileSizeLimit(t, 20_000))
	p.wait()
	refused := len(p.words) - len(p.acked())
	if refused == 0 || len(p.acked()) == 0 {
		t.Errorf("%d acknowledged, %d refused", len(p.acked()), refused)
	}
	j := open(t, dir, journal.Options{})
	mustAppend(t, j, entry("free.0"))
	there := judge(t, dir, append(p.acked(), "free.0"))
	t.Logf("%d acknowledged, %d refused, %d there", len(p.acked()), refused, len(there))
}

// A full disk: no acknowledged entry is lost, and when there is room again the log says how many
// could not be written, and when. The anchor that counts them lies on the same disk.
func TestFullDisk(t *testing.T) {
	world.Unshared(t)
	dir := smallDisk(t, "64k")
	o := journal.Options{Anchor: filepath.Join(dir, "anchor")}
	j := open(t, dir, o)
	if _, err := j.BeginAnchor(day); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	p := start(t, job{what: "append", dir: dir, name: "w", count: 100, size: 1000, anchor: o.Anchor})
	p.wait()
	refused := len(p.words) - len(p.acked())
	if refused == 0 || len(p.acked()) == 0 {
		t.Errorf("%d acknowledged, %d refused", len(p.acked()), refused)
	}
	_, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{big("no", 8000)} })
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("append: %v, want ENOSPC", err)
	}
	if err := j.Rotate(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("rotate: %v, want ENOSPC", err)
	}
	if r := journaltest.Now(t, dir, journal.BadLine, journal.TornTail); strings.Contains(kinds(r.Damage), journal.Lost) {
		t.Errorf("without its anchor the log tells: %+v", r.Damage)
	}
	if _, r := found(t, j); !strings.Contains(kinds(r.Damage), "1 unwritten") {
		t.Errorf("damage %+v", r.Damage)
	}
	resize(t, dir, "1m")
	if r := mustAppend(t, j, entry("free.0")); len(r.Entries) != 1 || r.Entries[0].ID != "free.0" {
		t.Errorf("receipt %+v", r)
	}
	mustAppend(t, j, entry("free.1"))
	told := 0
	for l, err := range j.Forward(journal.Position{}) {
		e, perr := logfmt.Parse(l.JSON)
		if err != nil || perr != nil || e.Event != logfmt.Unwritten {
			continue
		}
		told++
		from, err := time.Parse(time.RFC3339, gjson.GetBytes(e.Data, "from").Str)
		if n := int(gjson.GetBytes(e.Data, "entries").Int()); n != refused+1 || err != nil || from.Before(begun.Truncate(time.Millisecond)) ||
			gjson.GetBytes(e.Data, "reason").Str != "disk full" {
			t.Errorf("%d entries were refused; the log says %s", refused+1, e.Data)
		}
	}
	if told != 1 {
		t.Errorf("the log tells it %d times", told)
	}
	if _, err := j.RotateIfDue(journal.Command); err != nil {
		t.Errorf("heal: %v", err)
	}
	there := judge(t, dir, append(p.acked(), "free.0"))
	t.Logf("%d acknowledged, %d refused, %d there", len(p.acked()), refused, len(there))
}
