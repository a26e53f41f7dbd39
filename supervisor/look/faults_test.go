package look

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	lab "aburn/internal/lab/world"
	"aburn/internal/queue"
	"aburn/logfmt"
)

// fresh is what a look says that has nothing stored to go on from.
func (w *world) fresh() Result {
	w.t.Helper()
	stored, err := os.ReadFile(w.path(StateName))
	if err == nil {
		os.Remove(w.path(StateName))
		defer os.WriteFile(w.path(StateName), stored, 0o600)
	}
	r, err := New(w.options(journal.Command)).Peek(context.Background(), w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// story is a log of several sessions, in pieces.
func story() []string {
	return []string{
		`@A SESSION_START'startup' proc=12 PROMPT/build'go' build> build:RED>`,
		`@B SESSION_START'startup' codex PROMPT'look' Bash'ls' Bash'cat x'!1`,
		`@A Edit'a_test.go'=v1 Bash'go test ./...'!1 build:RED. build:GREEN> (tester& tester~Read'x'`,
		`@B STOP +2m PROMPT&'done' @A Edit'a.go'=v2 tester)'failed' Bash'sleep 9'&s PROMPT&s`,
		`@A Bash'go test ./...' build:GREEN. PERMISSION'Bash:git push' +10m PROMPT build!'no' STOP`,
		`@C SESSION_START'resume' PROMPT'x' Bash'go build'<q @A SESSION_END'logout' -1h @C ^q STOP`,
	}
}

// Looks after every piece, each by a new process, come to what one look at the whole
// comes to; also where the log is rotated in between.
func TestPiecesAreTheWhole(t *testing.T) {
	for _, rotated := range []bool{false, true} {
		w := newWorld(t)
		for _, piece := range story() {
			w.draw(piece)
			r, err := New(w.options(journal.Hook)).Once(context.Background(), w.now, time.Time{})
			if err != nil || !r.Complete {
				t.Fatalf("%+v, %v", r, err)
			}
			if rotated {
				if err := w.journal.Rotate(); err != nil {
					t.Fatal(err)
				}
			}
		}
		all := w.once()
		if rotated {
			continue // what is left in the newest segment is less than what was folded
		}
		fresh := w.fresh()
		if all.signatures() != fresh.signatures() || !bytes.Equal(all.State.AppendJSON(nil), fresh.State.AppendJSON(nil)) {
			t.Errorf("in pieces:\n%s\n%s\nat once:\n%s\n%s", all.signatures(), all.State.AppendJSON(nil), fresh.signatures(), fresh.State.AppendJSON(nil))
		}
	}
}

// A stored state is believed only if it is one, of this model, and of this log.
func TestStoredStateIsNotBelieved(t *testing.T) {
	lab.Slow(t)
	replace := func(old, new string) func(w *world, path string, stored []byte) error {
		return func(w *world, path string, stored []byte) error {
			changed := bytes.Replace(stored, []byte(old), []byte(new), 1)
			if bytes.Equal(changed, stored) {
				w.t.Fatalf("no %s in %s", old, stored)
			}
			return os.WriteFile(path, changed, 0o600)
		}
	}
	for name, spoil := range map[string]func(w *world, path string, stored []byte) error{
		"missing":   func(w *world, path string, _ []byte) error { return os.Remove(path) },
		"empty":     func(w *world, path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
		"truncated": func(w *world, path string, s []byte) error { return os.WriteFile(path, s[:len(s)/2], 0o600) },
		"NULs":      func(w *world, path string, s []byte) error { return os.WriteFile(path, make([]byte, len(s)), 0o600) },
		"a list":    func(w *world, path string, _ []byte) error { return os.WriteFile(path, []byte("[[[[[["), 0o600) },
		"large": func(w *world, path string, _ []byte) error {
			return os.WriteFile(path, make([]byte, maxState+1), 0o600)
		},
		"another log":       func(w *world, path string, s []byte) error { return replace(`"before":"`, `"before":"00`)(w, path, s) },
		"an offset":         func(w *world, path string, s []byte) error { return replace(`"offset":`, `"offset":1`)(w, path, s) },
		"a negative offset": func(w *world, path string, s []byte) error { return replace(`"offset":`, `"offset":-`)(w, path, s) },
		"another file":      func(w *world, path string, s []byte) error { return replace(`"ino":"`, `"ino":"1`)(w, path, s) },
		"no position":       func(w *world, path string, s []byte) error { return replace(`"position"`, `"nowhere"`)(w, path, s) },
		"no state":          func(w *world, path string, s []byte) error { return replace(`"state":`, `"none":`)(w, path, s) },
		"a link": func(w *world, path string, s []byte) error {
			os.Remove(path)
			if err := os.WriteFile(path+".real", s, 0o600); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(path)+".real", path)
		},
		"a folder": func(w *world, path string, _ []byte) error { os.Remove(path); return os.Mkdir(path, 0o700) },
		"the log was written anew": func(w *world, path string, _ []byte) error {
			log := w.path(journal.Name)
			text, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			// Same file, same length, another story with other sums.
			text = bytes.ReplaceAll(text, []byte(`"A"`), []byte(`"Z"`))
			for i := range text {
				if bytes.HasSuffix(text[:i], []byte(`"crc":"`)) {
					text[i] = '0' + (text[i]+1)%10
				}
			}
			return os.WriteFile(log, text, 0o600)
		},
		"the log was truncated": func(w *world, path string, _ []byte) error {
			log := w.path(journal.Name)
			text, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			return os.Truncate(log, int64(bytes.LastIndex(text[:len(text)/2], []byte("\n"))+1))
		},
		"the log is gone": func(w *world, path string, _ []byte) error { return os.Remove(w.path(journal.Name)) },
	} {
		w := newWorld(t, "gap", "duplicate", "edited")
		for _, piece := range story() {
			w.draw(piece)
		}
		w.once()
		w.fill(1) // whatever is cut away from the end, the state was stored before it
		stored, err := os.ReadFile(w.path(StateName))
		if err != nil {
			t.Fatal(err)
		}
		if err := spoil(w, w.path(StateName), stored); err != nil {
			t.Fatal(err)
		}
		r, err := New(w.options(journal.Command)).Peek(context.Background(), w.now)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		os.RemoveAll(w.path(StateName))
		fresh := w.fresh()
		if r.signatures() != fresh.signatures() || !bytes.Equal(r.State.AppendJSON(nil), fresh.State.AppendJSON(nil)) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, r.State.AppendJSON(nil), fresh.State.AppendJSON(nil))
		}
	}
}

// fill appends about n KiB of entries that mean little.
func (w *world) fill(n int) {
	w.t.Helper()
	for range n {
		w.append(&logfmt.Entry{Time: w.now, Cmd: "session", Event: logfmt.Notify, Session: "B", Source: "claude",
			Data: []byte(`{"head":"` + strings.Repeat("x", 800) + `"}`)})
	}
}

// A state of another model is folded again: its facts depend on it.
func TestAnotherModel(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	w.once()
	model := w.set.Model()
	model.Commands = model.Commands[:1] // build is no command any more
	r := w.once()
	if fresh := w.fresh(); !bytes.Equal(r.State.AppendJSON(nil), fresh.State.AppendJSON(nil)) {
		t.Errorf("got\n%s\nwant\n%s", r.State.AppendJSON(nil), fresh.State.AppendJSON(nil))
	}
}

// What is no entry is read no further than entries are, and once.
func TestHookReadsLittleOfNothing(t *testing.T) {
	lab.Slow(t)
	for name, nothing := range map[string]string{"blank": "\n", "comments": "# nothing\n"} {
		w := newWorld(t)
		w.draw(failure)
		log, err := os.OpenFile(w.path(journal.Name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.WriteString(strings.Repeat(nothing, 3<<20/len(nothing))); err != nil {
			t.Fatal(err)
		}
		log.Close()
		o := w.options(journal.Hook)
		for looks := 1; ; looks++ {
			r, err := New(o).Once(context.Background(), w.now, time.Time{})
			if err != nil || r.Read > hookReads+slowReads+64 || looks > 4 {
				t.Fatalf("%s, look %d: %+v, %v", name, looks, r, err)
			}
			if r.Complete {
				if looks < 3 || len(r.Queued) != 1 {
					t.Errorf("%s, look %d: %+v", name, looks, r)
				}
				break
			}
		}
	}
}

// A hook reads at most 1 MiB, and while it has not read to the end it decides nothing.
func TestHookReadsLittle(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	w.fill(2500)
	slow, looks := 0, 0
	o := w.options(journal.Hook)
	o.Slow = func() { slow++ }
	for complete := false; !complete; looks++ {
		r, err := New(o).Once(context.Background(), w.now, time.Time{})
		if err != nil || r.Read > hookReads+4096 || looks > 4 {
			t.Fatalf("look %d: %+v, %v", looks, r, err)
		}
		if complete = r.Complete; !complete && (len(r.Issues) > 0 || w.logged() != "" || len(w.tasks()) > 0) {
			t.Fatalf("look %d decided: %s", looks, w.logged())
		}
	}
	if looks != 3 || slow != looks || len(w.tasks()) != 1 {
		t.Errorf("%d looks, %d of them slow, tasks %+v", looks, slow, w.tasks())
	}
	slow = 0
	if _, err := New(o).Once(context.Background(), w.now, time.Time{}); err != nil || slow != 0 {
		t.Errorf("a look at nothing new is slow: %v", err)
	}
	w.fill(100)
	until := time.Now().Add(-time.Second)
	if r, err := New(o).Once(context.Background(), w.now, until); err != nil || r.Complete || len(r.Issues) > 0 {
		t.Errorf("after its time: %+v, %v", r, err)
	}
	w.fill(1500)
	if r, err := New(o).Once(context.Background(), w.now, time.Time{}); err != nil || r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	if len(w.tasks()) != 1 || strings.Contains(w.logged(), "RESOLVED") {
		t.Errorf("what was not looked for was called gone: %s", w.logged())
	}
}

// A look that died between two of its steps, or a delivery that did, is finished by
// the next look, with the same entries.
func TestFinishesWhatDied(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	w.once()
	said := w.logged()
	id := w.tasks()[0].ID

	// Killed before the log heard of it.
	w.cut("INTERVENTION")
	if w.once(); w.logged() != said {
		t.Errorf("after a look that did not log: %s", w.logged())
	}
	// A delivery that was killed before the log heard of it.
	w.desk(func(d *queue.Desk) {
		d.Claim(queue.Claimant{Session: "A", PID: 1}, w.now)
		d.Receipt([]string{id}, w.now)
	})
	w.once()
	if got := strings.TrimPrefix(w.logged(), said); !strings.HasPrefix(got, "DELIVERED A {") || !strings.Contains(got, id) || strings.Count(got, "\n") != 1 {
		t.Errorf("after a delivery that did not log: %s", got)
	}
	said = w.logged()
	if w.once(); w.logged() != said {
		t.Errorf("and then: %s", w.logged())
	}
	// And one that was killed, or found the queue busy, before the queue heard of it.
	w.desk(func(d *queue.Desk) { d.Drop(id, "test", w.now) })
	w.draw("+1h @A NOTIFY'auth_success'")
	if r := w.once(); len(r.Queued) != 1 {
		t.Fatalf("an hour later: %s, log %s", r.signatures(), w.logged())
	}
	id = w.tasks()[0].ID
	w.desk(func(d *queue.Desk) { d.Claim(queue.Claimant{Session: "A", PID: 1}, w.now) })
	delivered := logfmt.TaskEntry(logfmt.Delivered, "A", logfmt.TaskFacts{Task: id})
	delivered.Time = w.now
	w.append(delivered)
	if w.once(); w.tasks()[0].Status != queue.Completed {
		t.Errorf("the task is %+v", w.tasks()[0])
	}
}

// A delivery may be logged before the look that put its task has logged that: nothing
// is lost, and nothing is repeated for ever.
func TestDeliveredBeforeLogged(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	w.once()
	id := w.tasks()[0].ID
	w.cut("INTERVENTION")
	w.desk(func(d *queue.Desk) {
		d.Claim(queue.Claimant{Session: "A", PID: 1}, w.now)
		d.Receipt([]string{id}, w.now)
	})
	delivered := logfmt.TaskEntry(logfmt.Delivered, "A", logfmt.TaskFacts{Task: id})
	delivered.Time = w.now
	w.append(delivered)
	for range 3 {
		w.once()
	}
	said := w.logged()
	r := w.once()
	if w.logged() != said || strings.Count(said, "INTERVENTION") != 1 || !r.State.Advice[0].Delivered.Is() {
		t.Errorf("the log says %s", w.logged())
	}
}

// cut takes the log's end away, from the entry of ev on.
func (w *world) cut(ev string) {
	w.t.Helper()
	text, err := os.ReadFile(w.path(journal.Name))
	if err != nil {
		w.t.Fatal(err)
	}
	at := bytes.Index(text, []byte(`"event":"`+ev+`"`))
	if err := os.Truncate(w.path(journal.Name), int64(bytes.LastIndexByte(text[:at], '\n')+1)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) desk(do func(d *queue.Desk)) {
	w.t.Helper()
	d, err := queue.New(w.root, w.key).Lock(time.Minute)
	if err != nil {
		w.t.Fatal(err)
	}
	do(d)
	if err := d.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// What nobody looks for any more is not called good.
func TestNoLongerLookedFor(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"a session that was silent for days": func(w *world) { w.now = w.now.Add(3 * 24 * time.Hour) },
		"a type that was switched off":       func(w *world) { w.set.Limits().Off = []string{"explicit_failure"} },
	} {
		w := newWorld(t)
		w.draw(failure)
		w.once()
		change(w)
		if r := w.once(); len(r.Resolved) > 0 || strings.Contains(w.logged(), "cleared") || len(w.tasks()) != 0 {
			t.Errorf("%s: %+v, tasks %+v, log %s", name, r.Resolved, w.tasks(), w.logged())
		}
	}
}

// That a session ended made nothing good: its task waits for it to be resumed.
func TestOverIsNotResolved(t *testing.T) {
	w := newWorld(t)
	w.set.Limits().LoopRepeats = 3
	w.draw(`@A SESSION_START'startup' PROMPT'go' { Bash'make it'#1!1 }*8 STOP`)
	if r := w.once(); len(r.Queued) != 1 {
		t.Fatalf("queued %+v of %s", r.Queued, r.signatures())
	}
	said := w.logged()
	w.draw(`SESSION_END'logout'`)
	if r := w.once(); len(r.Issues) != 0 || len(r.Resolved) != 0 || w.logged() != said || len(w.tasks()) != 1 {
		t.Errorf("ended: %+v, tasks %+v", r.Issues, w.tasks())
	}
	w.draw(`SESSION_START'resume' PROMPT'go on' Edit'a.go'=v1 Bash'make it'#1 STOP`)
	if r := w.once(); len(r.Resolved) != 1 || len(w.tasks()) != 0 {
		t.Errorf("mended: %s, tasks %+v", w.logged(), w.tasks())
	}
}

// A session of a print mode is over for good: its task goes soon after, with a receipt. If it is taken up all the same, it is told
// anew what is still wrong, whatever the cooldown.
func TestTasksOfPrintMode(t *testing.T) {
	w := newWorld(t)
	w.draw(`@A SESSION_START'startup' PROMPT/build'go' build> Bash'make'!2 build!'no compiler' STOP`)
	first := w.once().Queued[0].Task
	w.draw(`SESSION_END'other'`)
	if w.once(); len(w.tasks()) != 1 {
		t.Fatalf("it may be taken up at once: %+v", w.tasks())
	}
	w.now = w.now.Add(overFor)
	r := w.once()
	if want := `RESOLVED A {"task_id":"` + first + `"`; len(r.Untold) != 1 || len(r.Resolved) != 0 || len(w.tasks()) != 0 || !strings.Contains(w.logged(), want) ||
		!strings.Contains(w.logged(), `"reason":"session over"}`) {
		t.Fatalf("over: %+v, tasks %+v, log %s", r.Untold, w.tasks(), w.logged())
	}
	said := w.logged()
	if r := w.once(); len(r.Untold)+len(r.Queued) != 0 || w.logged() != said {
		t.Errorf("again: %+v, log %s", r, w.logged())
	}
	if archive, err := os.ReadFile(w.path(queue.ArchiveName)); err != nil || !strings.Contains(string(archive), `"reason":"session over"`) {
		t.Errorf("the archive holds %s, %v", archive, err)
	}
	w.draw(`+11m SESSION_START'resume' PROMPT'and now' Bash'ls' STOP`)
	if r := w.once(); len(r.Queued) != 1 || len(w.tasks()) != 1 || w.tasks()[0].Session != "A" {
		t.Errorf("taken up: %+v", w.logged())
	}
}

// A session that a person left may be taken up: its task waits until it expires.
func TestTasksOfWhoLeft(t *testing.T) {
	w := newWorld(t)
	w.draw(`@A SESSION_START'startup' PROMPT/build'go' build> Bash'make'!2 build!'no compiler' STOP`)
	task := w.once().Queued[0].Task
	w.draw(`SESSION_END'prompt_input_exit'`)
	w.now = w.now.Add(2 * overFor)
	if w.once(); len(w.tasks()) != 1 {
		t.Fatalf("dropped: %s", w.logged())
	}
	w.now = w.now.Add(w.set.Queue.Expires)
	if r := w.once(); len(r.Untold) != 1 || r.Untold[0] != task || len(w.tasks()) != 0 || strings.Count(w.logged(), `"reason":"expired"`) != 1 {
		t.Errorf("expired: %+v, log %s", r.Untold, w.logged())
	}
	if r := w.once(); len(r.Untold) != 0 || strings.Count(w.logged(), "RESOLVED") != 1 {
		t.Errorf("again: log %s", w.logged())
	}
}

// A queue that cannot be used costs the verdict nothing: it is told with a warning.
func TestUnusableQueue(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"a folder":       func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":         func(path string) error { return os.Symlink("elsewhere", path) },
		"a newer format": func(path string) error { return os.WriteFile(path, []byte(`{"version":"9.0","tasks":[]}`), 0o600) },
	} {
		w := newWorld(t)
		w.draw(failure)
		if err := spoil(w.path(queue.Name)); err != nil {
			t.Fatal(err)
		}
		r, err := New(w.options(journal.Command)).Once(context.Background(), w.now, time.Time{})
		if err != nil || len(r.Issues) == 0 || len(r.Queued) > 0 || len(r.Warnings) != 1 || w.logged() != "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// A broken queue is moved aside by the first task, and that is said.
func TestBrokenQueue(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	if err := os.WriteFile(w.path(queue.Name), []byte("{{{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := New(w.options(journal.Command)).Once(context.Background(), w.now, time.Time{})
	if err != nil || len(r.Queued) != 1 || len(r.Warnings) != 1 || len(w.tasks()) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A folder that cannot be written leaves the look its eyes.
func TestReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs permissions that count")
	}
	w := newWorld(t)
	w.draw(failure)
	if err := os.Chmod(w.root.Name(), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(w.root.Name(), 0o700)
	r, err := New(w.options(journal.Command)).Once(context.Background(), w.now, time.Time{})
	if err != nil || len(r.Issues) == 0 || len(r.Warnings) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
