package look

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/lockfile"
	"aburn/internal/queue"
	"aburn/logfmt"
	"aburn/supervisor/limits"
)

// failure is a session whose command fails, beside one that is well.
const failure = `@A SESSION_START'startup' PROMPT/build'go' build> Bash'make'!2 build!'no compiler' STOP @B SESSION_START'startup' PROMPT'hello' Bash'ls' STOP`

// An issue becomes a task for its session and an entry, once, however often anybody
// looks; when it is gone, so is the task, and an entry says so, once.
func TestOnce(t *testing.T) {
	w := newWorld(t)
	w.set.Queue.Expires = 7 * time.Minute
	w.draw(failure)
	r := w.once()
	if len(r.Queued) != 1 || r.Queued[0].Issue.Type != limits.ExplicitFailure {
		t.Fatalf("queued %+v of %s", r.Queued, r.signatures())
	}
	task := w.tasks()[0]
	if task.ID != r.Queued[0].Task || task.Session != "A" || task.Scope != "" || task.Status != queue.Pending || task.Priority != queue.Critical ||
		task.Source != Source || task.Type != "explicit_failure" || task.Signature != r.Queued[0].Issue.Signature || len(task.Evidence) == 0 ||
		!task.ExpiresAt.Equal(w.now.Add(7*time.Minute)) || !strings.Contains(task.Prompt, "aburn task "+task.ID) || !queue.New(w.root, w.key).Ours(task) {
		t.Errorf("the task is %+v", task)
	}
	said := w.logged()
	data := gjson.Parse(strings.TrimPrefix(said, "INTERVENTION A "))
	if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "INTERVENTION A ") || data.Get("task_id").Str != task.ID ||
		data.Get("signature").Str != task.Signature || data.Get("confidence").Num <= 0.5 || data.Get("level").Str != "queue" ||
		len(data.Get("evidence").Array()) == 0 {
		t.Errorf("the log says %s", said)
	}
	for range 3 {
		w.now = w.now.Add(time.Second)
		if r := w.once(); len(r.Queued) > 0 || len(r.Resolved) > 0 || len(w.tasks()) != 1 || w.logged() != said {
			t.Fatalf("again: %+v, log %s", r, w.logged())
		}
	}
	w.draw(`@A PROMPT'again' build> Bash'make' build. STOP`)
	if r := w.once(); len(r.Resolved) != 1 || r.Resolved[0] != task.ID || len(w.tasks()) != 0 {
		t.Errorf("resolved %v, tasks %+v", r.Resolved, w.tasks())
	}
	if got := strings.TrimPrefix(w.logged(), said); !strings.HasPrefix(got, "RESOLVED A {") || !strings.Contains(got, task.ID) || strings.Count(got, "\n") != 1 {
		t.Errorf("the log says %s", got)
	}
	said = w.logged()
	if archive, err := os.ReadFile(w.path(queue.ArchiveName)); err != nil || !strings.Contains(string(archive), task.ID) ||
		!strings.Contains(string(archive), `"resolved"`) {
		t.Errorf("the archive holds %s, %v", archive, err)
	}
	if w.once(); w.logged() != said {
		t.Errorf("and then %s", w.logged())
	}
}

// What a person took back is not put again at once, and what was queued once is not
// repeated when the queue's file is lost.
func TestDroppedStaysDropped(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	w.once()
	if err := os.Remove(w.path(queue.Name)); err != nil {
		t.Fatal(err)
	}
	w.draw("+1m @A NOTIFY'auth_success'")
	if r := w.once(); len(r.Queued) != 0 {
		t.Errorf("queued again: %+v", r.Queued)
	}
	later := func() { w.now = w.now.Add(w.set.Limits().Cooldown + time.Second) }
	later()
	if r := w.once(); len(r.Queued) != 1 {
		t.Errorf("never again: %+v", r.Queued)
	}
	w.desk(func(d *queue.Desk) { d.Drop(w.tasks()[0].ID, "test", w.now) })
	later()
	if r := w.once(); len(r.Queued) != 0 {
		t.Errorf("to a session that is away: %+v", r.Queued)
	}
}

// Of two hooks for one prompt, the one that looked at the clock first may look second: what the other one has queued
// and delivered meanwhile is not queued again.
func TestClockBeforeTheLock(t *testing.T) {
	for _, logged := range []bool{true, false} {
		w := newWorld(t)
		w.draw(failure)
		early := w.now
		w.now = w.now.Add(10 * time.Millisecond)
		task := w.once().Queued[0].Task
		w.desk(func(d *queue.Desk) { d.Receipt([]string{task}, w.now) })
		if !logged {
			for _, name := range []string{journal.Name, StateName} {
				if err := os.Remove(w.path(name)); err != nil {
					t.Fatal(err)
				}
			}
			w.append(w.all...)
		}
		o := w.options(journal.Hook)
		o.Session = "A"
		r, err := New(o).Once(context.Background(), early, time.Time{})
		if err != nil || len(r.Queued) != 0 || len(w.tasks()) != 1 {
			t.Errorf("logged %v: queued %+v, %v", logged, r.Queued, err)
		}
	}
}

// What killed hooks left in the folder is gone with the next advice.
func TestSweeps(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{".queue.json.x.tmp", ".workflow-state.json.y.tmp"} {
		if err := os.WriteFile(w.path(name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(w.path(name), w.now, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	w.draw(failure)
	w.once()
	if files := w.files(); strings.Contains(files, ".tmp\n") {
		t.Errorf("left: %s", files)
	}
}

// Who is not there any more is not advised.
func TestUnreachable(t *testing.T) {
	w := newWorld(t)
	w.draw(failure + ` @A SESSION_END'logout'`)
	if r := w.once(); len(r.Queued) != 0 || len(w.tasks()) != 0 {
		t.Errorf("queued %+v", r.Queued)
	}
}

// A look of a hook ends before the hook's own prompt: that prompt takes the advice
// along, and what it makes good is not good yet.
func TestBeforeThePrompt(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	w.draw(`@A PROMPT'go on' @A build> build.`)
	prompt := w.all[len(w.all)-3]
	if prompt.Event != logfmt.Prompt {
		t.Fatal(prompt)
	}
	o := w.options(journal.Hook)
	o.Session, o.Prompt = "A", prompt.ID
	r, err := New(o).Once(context.Background(), w.now, time.Time{})
	if err != nil || !r.Complete || len(r.Queued) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r := w.once(); len(r.Resolved) != 1 {
		t.Errorf("the next look: %+v", r)
	}
}

// Nobody waits for a look: where another one is at work, a hook goes on.
func TestBusy(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	lock, err := lockfile.Acquire(w.root, queue.LockName, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := w.files()
	if _, err := New(w.options(journal.Hook)).Once(context.Background(), w.now, time.Time{}); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	if w.files() != before {
		t.Error("a look wrote without the lock")
	}
	lock.Release()
	w.once()
}

// Judging alone writes nothing, with or without the lock, and a look without a key
// is no more than that.
func TestPeek(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	before := w.files()
	peek, err := New(w.options(journal.Command)).Peek(context.Background(), w.now)
	if err != nil || !peek.Complete || len(peek.Issues) == 0 {
		t.Fatalf("%+v, %v", peek, err)
	}
	o := w.options(journal.Command)
	o.Key = nil
	blind, err := New(o).Once(context.Background(), w.now, time.Time{})
	if err != nil || blind.signatures() != peek.signatures() {
		t.Errorf("%+v, %v", blind, err)
	}
	if w.files() != before {
		t.Errorf("a look wrote: %s", w.files())
	}
	if r := w.once(); r.signatures() != peek.signatures() {
		t.Errorf("a look says %s", r.signatures())
	}
}

// As of a moment, only what had been logged by then counts.
func TestAt(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	failed := w.now
	w.draw(`+1h @A PROMPT'again' build> Bash'make' build. STOP`)
	before := w.files()
	for at, want := range map[time.Time]int{failed.Add(-time.Hour): 0, failed.Add(time.Second): 1, w.now: 0} {
		r, err := New(w.options(journal.Command)).At(context.Background(), at)
		n := 0
		for _, is := range r.Issues {
			if is.Type == limits.ExplicitFailure {
				n++
			}
		}
		if err != nil || n != want || !r.Now.Equal(at) {
			t.Errorf("at %v: %d, want %d: %+v, %v", at, n, want, r.Issues, err)
		}
	}
	if w.files() != before {
		t.Error("judging as of then wrote")
	}
}

// What the user was told stands in the log, so that the next watcher is silent, and
// is taken back when it is gone.
func TestTell(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	l := New(w.options(journal.Command))
	r, err := l.Peek(context.Background(), w.now)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Tell(r.Issues, w.now); err != nil {
		t.Fatal(err)
	}
	said := w.logged()
	if strings.Count(said, "INTERVENTION") != len(r.Issues) || strings.Contains(said, "task_id") {
		t.Errorf("the log says %s", said)
	}
	next := New(w.options(journal.Command))
	if r, err = next.Peek(context.Background(), w.now); err != nil {
		t.Fatal(err)
	}
	if err := next.Tell(r.Issues, w.now); err != nil || w.logged() != said {
		t.Errorf("told again: %s, %v", w.logged(), err)
	}
	w.draw(`@A PROMPT'again' build> Bash'make' build. STOP`)
	w.once()
	if got := strings.TrimPrefix(w.logged(), said); strings.Count(got, "RESOLVED") < 1 {
		t.Errorf("then the log says %s", got)
	}
	said = w.logged()
	if w.once(); w.logged() != said {
		t.Errorf("and then %s", w.logged())
	}
}

// A status of a project whose state nobody stored reads a long log once: it keeps the state, as hooks do, and only in a project
// with the user's mark.
func TestKeep(t *testing.T) {
	w := newWorld(t)
	w.draw(failure)
	long := w.drawn("@C SESSION_START'startup' PROMPT'go' Bash'ls'")
	long[0].Data = []byte(`{"source":"startup","pad":"` + strings.Repeat("x", 3000) + `"}`)
	for range 400 {
		e := *long[0]
		e.ID = "" // the journal gives it one of its own
		w.append(&e)
	}
	peek := func(o Options) (*Look, Result) {
		l := New(o)
		r, err := l.Peek(context.Background(), w.now)
		if err != nil || !r.Complete {
			t.Fatalf("%+v, %v", r, err)
		}
		return l, r
	}
	stranger := w.options(journal.Command)
	stranger.Key = nil
	l, first := peek(stranger)
	if err := l.Keep(); err != nil || first.Read < hookReads {
		t.Fatalf("%d bytes read, %v", first.Read, err)
	}
	if _, err := os.Stat(w.path(StateName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a state is stored in a project without a mark: %v", err)
	}
	l, _ = peek(w.options(journal.Command))
	if err := l.Keep(); err != nil {
		t.Fatal(err)
	}
	l, r := peek(w.options(journal.Command))
	if r.Read != 0 || r.signatures() != first.signatures() {
		t.Errorf("again %d bytes were read: %s, not %s", r.Read, r.signatures(), first.signatures())
	}
	before, err := os.Stat(w.path(StateName))
	if err != nil {
		t.Fatal(err)
	}
	w.draw("@B PROMPT'more' STOP")
	l, _ = peek(w.options(journal.Command))
	if err := l.Keep(); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(w.path(StateName)); err != nil || !os.SameFile(before, after) {
		t.Errorf("a few new bytes replaced the state: %v", err)
	}
}
