package queue_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/world"
	"aburn/internal/queue"
)

// brokenFiles are files that are no queue.
func brokenFiles() map[string]string {
	return map[string]string{
		"torn":           `{"version":"1.0","tasks":[{"id":"a"`,
		"a blank":        " ",
		"NULs":           strings.Repeat("\x00", 4096),
		"NULs behind":    `{"tasks":[]}` + "\x00\x00",
		"a list":         `[{"id":"a"}]`,
		"a text":         `"tasks"`,
		"two objects":    `{"tasks":[]}{"tasks":[]}`,
		"tasks no list":  `{"tasks":{"id":"a"}}`,
		"tasks twice":    `{"tasks":[],"tasks":[]}`,
		"tasks in twice": `{"tasks":[],"task\u0073":[{"id":"a"}]}`,
		"BOM":            "\ufeff" + `{"tasks":[]}`,
		"deep":           `{"tasks":[` + strings.Repeat("[", 1e6),
		"conflict":       "<<<<<<< HEAD\n{}\n",
	}
}

// A broken file is an error to everybody, changed by nobody, and moved aside whole by a Put, which says so.
func TestBroken(t *testing.T) {
	for name, text := range brokenFiles() {
		t.Run(name, func(t *testing.T) {
			b := onBench(t, text)
			if _, err := b.Read(); !errors.Is(err, queue.ErrBroken) {
				t.Errorf("read: %v", err)
			}
			if ok, err := b.Waiting(claimant("s1"), noon()); ok {
				t.Errorf("waiting: %v, %v", ok, err)
			}
			b.locked(func(d *queue.Desk) {
				if !errors.Is(d.Broken(), queue.ErrBroken) {
					t.Errorf("broken: %v", d.Broken())
				}
				d.Claim(claimant("s1"), noon())
				d.Receipt([]string{"a"}, noon())
				d.Drop("a", "x", noon())
				d.Expire(noon())
				if err := d.Allow("a", "s1", time.Time{}, noon()); !errors.Is(err, queue.ErrNoTask) {
					t.Errorf("allow: %v", err)
				}
			})
			if b.text(queue.Name) != text {
				t.Error("it was changed")
			}
			for _, aside := range []string{"queue.json.broken-1", "queue.json.broken-2"} {
				var r queue.PutResult
				b.locked(func(d *queue.Desk) {
					var err error
					if r, err = d.Put(forSession("a", "s1"), 0, noon()); err != nil || r.Aside != aside {
						t.Fatalf("put: %+v, %v", r, err)
					}
					if r, err = d.Put(forSession("b", "s1"), 0, noon()); err != nil || r.Aside != aside {
						t.Fatalf("put another: %+v, %v", r, err)
					}
				})
				if b.text(aside) != text || ids(b.tasks()) != "a b" {
					t.Errorf("aside: %q, tasks: %s", b.text(aside), ids(b.tasks()))
				}
				b.write(queue.Name, text) // again
				b.age()
			}
		})
	}
}

// A file that somebody is perhaps just writing is not taken away, and not more than nine are kept.
func TestBrokenStays(t *testing.T) {
	b := onBench(t, "")
	b.write(queue.Name, "{")
	put := func() (err error) {
		d, lerr := b.Lock(0)
		if lerr != nil {
			t.Fatal(lerr)
		}
		defer d.Close()
		_, err = d.Put(forSession("a", "s1"), 0, time.Now())
		return err
	}
	if err := put(); !errors.Is(err, queue.ErrBroken) || b.text(queue.Name) != "{" {
		t.Errorf("a young one: %v, %q", err, b.text(queue.Name))
	}
	b.age()
	for n := '1'; n <= '9'; n++ {
		b.write("queue.json.broken-"+string(n), "old")
	}
	if err := put(); !errors.Is(err, queue.ErrBroken) || b.text(queue.Name) != "{" || b.text("queue.json.broken-9") != "old" {
		t.Errorf("a tenth: %v", err)
	}
}

// What is no file of ours to judge is left alone by everybody, Put included, and costs no time.
func TestLeftAlone(t *testing.T) {
	world.Slow(t)
	large := `{"tasks":[` + strings.Repeat(`{"id":"a","prompt":"p","status":"pending","scope":"project"},`, 900_000) + `{}]}` // 50 MB
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"version 2":      {`{"version":"2.0","tasks":[]}`, queue.ErrVersion},
		"version 10":     {`{"version":"10.0","tasks":[]}`, queue.ErrVersion},
		"version null":   {`{"version":null,"tasks":[]}`, nil},
		"version number": {`{"version":1.0,"tasks":[]}`, nil},
		"version object": {`{"version":{},"tasks":[]}`, queue.ErrVersion},
		"50 MB":          {large, queue.ErrTooLarge},
		"50 MB of NULs":  {strings.Repeat("\x00", 50<<20), queue.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			b := onBench(t, c.text)
			b.Foreign = true
			for range 20 {
				if _, err := b.Read(); !errors.Is(err, c.want) {
					t.Fatalf("read: %v", err)
				}
			}
			if c.want == nil {
				b.put(forSession("a", "s1"), noon())
				return
			}
			if ok, _ := b.Waiting(claimant("s1"), noon()); ok {
				t.Error("something is waiting")
			}
			for range 2 { // the first left no lock behind
				if _, err := b.Lock(0); !errors.Is(err, c.want) {
					t.Errorf("lock: %v", err)
				}
			}
			if b.text(queue.Name) != c.text {
				t.Error("it was changed")
			}
		})
	}
}

// A link, a pipe or a folder in the place of one of the files: nothing goes through it, nothing hangs.
func TestNotRegular(t *testing.T) {
	const victim = `{"tasks":[{"id":"a","prompt":"p","status":"pending","session":"s1"}]}`
	for _, name := range []string{queue.Name, queue.LockName, queue.ArchiveName} {
		for kind, make := range map[string]func(path string) error{
			"link outside":  func(p string) error { return world.Symlink("../victim", p) },
			"link inside":   func(p string) error { return world.Symlink("victim", p) },
			"dangling link": func(p string) error { return world.Symlink("nothing", p) },
			"folder":        func(p string) error { return os.Mkdir(p, 0o700) },
			"pipe":          world.Mkfifo,
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				b := onBench(t, "")
				b.dir = filepath.Join(b.dir, "oss")
				if err := os.Mkdir(b.dir, 0o700); err != nil {
					t.Fatal(err)
				}
				b.Queue = b.with(key())
				b.Foreign = true
				b.write("victim", victim)
				b.write("../victim", victim)
				if name == queue.ArchiveName {
					b.write(queue.Name, victim)
				}
				if err := make(b.path(name)); err != nil {
					t.Skipf("no %s here: %v", kind, err)
				}
				b.expectRefusal(name)
				if b.text("victim") != victim || b.text("../victim") != victim || b.text("nothing") != "" {
					t.Error("something went through the link")
				}
				if info, err := os.Lstat(b.path(name)); err != nil || info.Mode().IsRegular() {
					t.Errorf("it was replaced: %v, %v", info, err)
				}
			})
		}
	}
}

// A file that turns into a link or a pipe and back while it is opened: what the link leads to is never read, and the pipe
// holds nobody up.
func TestSwappedWhileOpened(t *testing.T) {
	b := onBench(t, `{"tasks":[{"id":"good"}]}`)
	b.write("victim", `{"tasks":[{"id":"victim"}]}`)
	if err := errors.Join(world.Symlink("victim", b.path("link")), world.Mkfifo(b.path("pipe"))); err != nil {
		t.Skipf("no links or pipes here: %v", err)
	}
	swap := func(from string) { // keeps a copy of what it puts there
		os.Remove(b.path("next"))
		if os.Link(b.path(from), b.path("next")) == nil {
			os.Rename(b.path("next"), b.path(queue.Name))
		}
	}
	b.write("good", b.text(queue.Name))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			for _, from := range []string{"link", "good", "pipe", "good"} {
				select {
				case <-stop:
					return
				default:
					swap(from)
				}
			}
		}
	}()
	read := 0
	for range world.Storm(20_000) {
		f, err := b.Read()
		switch {
		case err == nil && ids(f.Tasks) == "good":
			read++
		case err == nil:
			t.Fatalf("read %q", ids(f.Tasks))
		}
	}
	close(stop)
	<-stopped
	t.Logf("read %d times", read)
}

// expectRefusal wants nothing to come out of the queue and nothing to go in. An archive that is none keeps its task in
// the queue.
func (b *bench) expectRefusal(name string) {
	b.Helper()
	d, err := b.Lock(0)
	if name != queue.ArchiveName {
		if err == nil {
			b.Error("it was locked")
			d.Close()
		}
		if _, err := b.Read(); name == queue.Name && !errors.Is(err, queue.ErrNotRegular) {
			b.Errorf("read: %v", err)
		}
		return
	}
	if err != nil {
		b.Fatal(err)
	}
	d.Drop("a", "test", noon())
	if err := d.Close(); !errors.Is(err, queue.ErrNotRegular) {
		b.Errorf("close: %v", err)
	}
	if got := b.claim("s1", noon()); got != "a" {
		b.Errorf("claimed %q", got)
	}
}

// Who replaces the file without the lock is not overwritten.
func TestChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(b *bench){
		"written":  func(b *bench) { b.write(queue.Name, `{"tasks":["theirs"]}`) },
		"replaced": func(b *bench) { b.write("new", `{"tasks":["theirs"]}`); os.Rename(b.path("new"), b.path(queue.Name)) },
		"removed":  func(b *bench) { os.Remove(b.path(queue.Name)) },
		"replaced by one of the same size and time": func(b *bench) {
			b.write("new", strings.Replace(b.text(queue.Name), "advice", "ADVICE", 1))
			os.Rename(b.path("new"), b.path(queue.Name))
			b.age()
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := onBench(t, "")
			b.put(forSession("a", "s1"), noon())
			b.age()
			d, err := b.Lock(0)
			if err != nil {
				t.Fatal(err)
			}
			d.Claim(claimant("s1"), noon())
			d.Drop("a", "test", noon())
			change(b)
			after := b.text(queue.Name)
			if err := d.Close(); !errors.Is(err, queue.ErrChanged) {
				t.Errorf("close: %v", err)
			}
			if b.text(queue.Name) != after || b.text(queue.ArchiveName) != "" {
				t.Errorf("written all the same: %q, %q", b.text(queue.Name), b.text(queue.ArchiveName))
			}
			b.locked(func(*queue.Desk) {}) // the lock is free
		})
	}
	b := onBench(t, "")
	d, _ := b.Lock(0)
	d.Put(forSession("a", "s1"), 0, noon())
	b.write(queue.Name, `{"tasks":["theirs"]}`)
	if err := d.Close(); !errors.Is(err, queue.ErrChanged) {
		t.Errorf("made meanwhile: %v", err)
	}
}

// The file does not grow beyond what is read, and shrinking a full one works.
func TestFull(t *testing.T) {
	b := onBench(t, `{"tasks":["`+strings.Repeat("x", 4<<20-200)+`",{"id":"a","prompt":"p","scope":"project"}]}`)
	d, err := b.Lock(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put(forSession("b", "s1"), 0, noon()); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); !errors.Is(err, queue.ErrTooLarge) {
		t.Errorf("close: %v", err)
	}
	b.locked(func(d *queue.Desk) { d.Drop("a", "test", noon()) })
	if got := len(b.tasks()); got != 0 {
		t.Errorf("%d tasks", got)
	}
}

// The archive: whole lines whatever was there, at most two files of about 1 MiB.
func TestArchive(t *testing.T) {
	b := onBench(t, "")
	b.write(queue.ArchiveName, `{"torn`)
	const big = 30 << 10
	for i := range 90 {
		task := forSession("a", "s1")
		task.Context = []byte(`["` + strings.Repeat("x", big-i) + "\",\n\r\n 2]")
		b.put(task, noon())
		b.drop("a")
		for _, name := range []string{queue.ArchiveName, "queue.archive.1.jsonl"} {
			if info, err := os.Stat(b.path(name)); err == nil && info.Size() > 1<<20 {
				t.Fatalf("%s has %d bytes", name, info.Size())
			}
		}
	}
	lines := 0
	for _, text := range []string{b.text(queue.ArchiveName), b.text("queue.archive.1.jsonl")} {
		for line := range strings.Lines(text) {
			if !gjson.Valid(line) || gjson.Get(line, "task.id").Str != "a" || gjson.Get(line, "reason").Str != "resolved" {
				t.Errorf("line %.80q", line)
			}
			lines++
		}
	}
	if lines < 34 || lines > 70 {
		t.Errorf("%d lines are left", lines)
	}
	c := onBench(t, "")
	c.write(queue.ArchiveName, `{"torn`)
	c.put(forSession("a", "s1"), noon())
	c.drop("a")
	if first, rest, _ := strings.Cut(c.text(queue.ArchiveName), "\n"); first != `{"torn` || !gjson.Valid(rest) {
		t.Errorf("archive %q", c.text(queue.ArchiveName))
	}
}

// FuzzFile: whatever the file holds, nothing panics, nothing without a signature comes out of it, and what a Put and a
// Drop leave behind is readable and, but for updated_at, the same.
func FuzzFile(f *testing.F) {
	for _, text := range others(f) {
		f.Add(text)
	}
	for _, text := range brokenFiles() {
		if len(text) < 1e5 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := onBench(t, text)
		before, err := b.Read()
		if got, _ := b.Waiting(claimant("s1"), noon()); got {
			t.Error("something unsigned is waiting")
		}
		if err != nil {
			return
		}
		if got := b.claim("s1", noon()); got != "" {
			t.Errorf("claimed %q", got)
		}
		d, err := b.Lock(0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Put(forSession("", "s1"), 0, noon())
		if err = errors.Join(err, d.Close()); err != nil {
			t.Fatal(err)
		}
		if got := b.task(r.Task.ID); got.Prompt != r.Task.Prompt {
			t.Errorf("put %+v, read %+v", r.Task, got)
		}
		b.drop(r.Task.ID)
		after, err := b.Read()
		if err != nil || len(after.Tasks) != len(before.Tasks) || after.Others != before.Others {
			t.Fatalf("before %+v, after %+v, %v", before, after, err)
		}
		b.Foreign = true
		b.claim("s1", noon())
		if _, err := b.Read(); err != nil {
			t.Errorf("after claiming everything: %v", err)
		}
	})
}
