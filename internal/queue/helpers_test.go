package queue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/queue"
	"aburn/logfmt"
)

// noon is when these tests take place.
func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// key is a mark's key, and another user's.
func key() []byte      { return []byte(strings.Repeat("k", 32)) }
func otherKey() []byte { return []byte(strings.Repeat("o", 32)) }

// bench is a folder with a queue in it.
type bench struct {
	testing.TB
	dir string
	*queue.Queue
}

// onBench makes a folder whose queue.json is text; "" is none.
func onBench(t testing.TB, text string) *bench {
	t.Helper()
	b := &bench{TB: t, dir: t.TempDir()}
	if text != "" {
		b.write(queue.Name, text)
		b.age()
	}
	b.Queue = b.with(key())
	return b
}

// with is a queue in the same folder with another key.
func (b *bench) with(key []byte) *queue.Queue {
	b.Helper()
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { root.Close() })
	return queue.New(root, key)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

// age makes the file one that nobody is writing just now.
func (b *bench) age() {
	b.Helper()
	if err := os.Chtimes(b.path(queue.Name), noon().Add(-time.Hour), noon().Add(-time.Hour)); err != nil {
		b.Fatal(err)
	}
}

// text is a file's content, "" if there is none.
func (b *bench) text(name string) string {
	data, _ := os.ReadFile(b.path(name))
	return string(data)
}

// names are the files in the folder.
func (b *bench) names() string {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// locked runs do with the lock held.
func (b *bench) locked(do func(d *queue.Desk)) {
	b.Helper()
	d, err := b.Lock(time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	do(d)
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
}

// put puts a task and wants it added.
func (b *bench) put(t queue.Task, now time.Time) queue.Task {
	b.Helper()
	var r queue.PutResult
	b.locked(func(d *queue.Desk) {
		var err error
		if r, err = d.Put(t, 0, now); err != nil || !r.Added {
			b.Fatalf("put: %+v, %v", r, err)
		}
	})
	return r.Task
}

// claim claims for a session, and says what.
func (b *bench) claim(session string, now time.Time) string {
	b.Helper()
	var tasks []queue.Task
	b.locked(func(d *queue.Desk) { tasks = d.Claim(claimant(session), now) })
	return ids(tasks)
}

func claimant(session string) queue.Claimant {
	return queue.Claimant{Session: logfmt.SessionID(session), PID: 42, PromptID: "p1"}
}

func (b *bench) tasks() []queue.Task {
	b.Helper()
	f, err := b.Read()
	if err != nil {
		b.Fatal(err)
	}
	return f.Tasks
}

// task is the one with that id.
func (b *bench) task(id string) queue.Task {
	b.Helper()
	for _, t := range b.tasks() {
		if t.ID == id {
			return t
		}
	}
	b.Fatalf("there is no task %s", id)
	return queue.Task{}
}

func ids(tasks []queue.Task) string {
	var list []string
	for _, t := range tasks {
		list = append(list, t.ID)
	}
	return strings.Join(list, " ")
}

// forSession is a task that lacks nothing.
func forSession(id, session string) queue.Task {
	return queue.Task{ID: id, Session: logfmt.SessionID(session), Prompt: "advice " + id, Type: "loop", Signature: "sig " + id}
}

func forProject(id string) queue.Task {
	return queue.Task{ID: id, Scope: queue.ScopeProject, Prompt: "advice " + id}
}

// sound wants a queue that is whole, and a lock that is free.
func (b *bench) sound() {
	b.Helper()
	if _, err := b.Read(); err != nil {
		b.Errorf("read: %v", err)
	}
	d, err := b.Lock(time.Minute)
	if err != nil {
		b.Fatalf("lock: %v", err)
	}
	d.Close()
}
