package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/queue"
)

// A signature that waits, is being delivered or cools is not put again; afterwards it is.
func TestPutOnce(t *testing.T) {
	const cooldown = 30 * time.Minute
	for _, c := range []struct {
		name  string
		since func(b *bench) // what happened after the first Put
		after time.Duration
		want  string
	}{
		{"waiting", func(*bench) {}, 59 * time.Minute, "pending"},
		{"expired", func(*bench) {}, time.Hour, ""},
		{"claimed", func(b *bench) { b.claim("s1", noon()) }, time.Second, "executing"},
		{"delivered", deliver, time.Second, "cooling"},
		{"delivered a while ago", deliver, cooldown + 4*time.Minute, "cooling"}, // the delivery was 5 minutes later
		{"delivered long ago", deliver, cooldown + 5*time.Minute, ""},
		{"resolved", func(b *bench) { b.drop("a") }, time.Minute, "cooling"},
		{"delivered, then resolved", func(b *bench) { deliver(b); b.drop("a") }, cooldown + 4*time.Minute, "cooling"},
		{"resolved long ago", func(b *bench) { b.drop("a") }, cooldown, ""},
		{"the clock went back", deliver, -time.Hour, ""},
		{"signed by nobody", func(b *bench) { b.tamper("tasks.0", `hmac=""`) }, time.Minute, ""},
		{"another one's in the archive", func(b *bench) {
			b.drop("a")
			b.write(queue.ArchiveName, strings.Replace(b.text(queue.ArchiveName), `"hmac":"`, `"hmac":"0`, 1))
		}, time.Minute, ""},
		{"in the older archive", func(b *bench) {
			b.drop("a")
			b.write("queue.archive.1.jsonl", "torn\n\n"+b.text(queue.ArchiveName))
			b.write(queue.ArchiveName, "")
		}, time.Minute, "cooling"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := onBench(t, "")
			b.put(forSession("a", "s1"), noon())
			c.since(b)
			again := forSession("b", "s1")
			again.Signature = "sig a"
			b.locked(func(d *queue.Desk) {
				r, err := d.Put(again, cooldown, noon().Add(c.after))
				if err != nil || r.Added != (c.want == "") || r.Reason != c.want {
					t.Errorf("put: added %v, %q, %v; want %q", r.Added, r.Reason, err, c.want)
				}
				if !r.Added && r.Task.ID != "a" {
					t.Errorf("it names %q as the one that is there", r.Task.ID)
				}
			})
		})
	}
}

// deliver claims the task a at noon and prints it five minutes later.
func deliver(b *bench) {
	b.claim("s1", noon())
	b.locked(func(d *queue.Desk) { d.Receipt([]string{"a"}, noon().Add(5*time.Minute)) })
}

func (b *bench) drop(id string) {
	b.Helper()
	b.locked(func(d *queue.Desk) {
		if !d.Drop(id, "resolved", noon()) {
			b.Errorf("there was no %s", id)
		}
	})
}

// A signature with anything in it is found again.
func TestOddSignatures(t *testing.T) {
	for _, s := range []string{`a"b\c`, "line\nend", "ü\u202e", "\x00", `","id":"`, "\xff"} {
		b := onBench(t, "")
		task := forSession("", "s1")
		task.Signature = s
		first := b.put(task, noon())
		b.drop(first.ID)
		b.locked(func(d *queue.Desk) {
			if r, err := d.Put(task, time.Hour, noon()); r.Added || r.Reason != "cooling" || err != nil {
				t.Errorf("%q: %+v, %v", s, r, err)
			}
		})
	}
}

// Tasks without a signature, and different ones, do not keep each other away; ids do.
func TestPutMany(t *testing.T) {
	b := onBench(t, "")
	for range 3 {
		task := b.put(queue.Task{Session: "s1", Prompt: "same"}, noon())
		if len(task.ID) != 16 {
			t.Errorf("id %q", task.ID)
		}
	}
	task := b.tasks()[1]
	b.locked(func(d *queue.Desk) {
		if r, err := d.Put(queue.Task{ID: task.ID, Session: "s2", Prompt: "other"}, 0, noon()); r.Added || err != nil {
			t.Errorf("put a second task with id %s: %+v, %v", task.ID, r, err)
		}
	})
}

func TestPutRefuses(t *testing.T) {
	long := strings.Repeat("x", queue.MaxPrompt+1)
	for want, task := range map[string]queue.Task{
		"neither a session nor the project": {Prompt: "p"},
		"neither a session":                 {Prompt: "p", Scope: "all"},
		"a session and a scope":             {Prompt: "p", Session: "s", Scope: queue.ScopeProject},
		"prompt is empty":                   {Session: "s"},
		"is empty":                          {Session: "s", Prompt: " \n"},
		"prompt has more than 5000":         {Session: "s", Prompt: long},
		"than 5000 bytes":                   {Session: "s", Prompt: strings.Repeat("x\n", 2000)}, // indented, each line costs more
		"it has expired":                    {Session: "s", Prompt: "p", ExpiresAt: noon()},
		"context is no JSON":                {Session: "s", Prompt: "p", Context: []byte(`{"a":`)},
		"more than 32768 bytes":             {Session: "s", Prompt: "p", Context: []byte(`"` + strings.Repeat("x", 33000) + `"`)},
	} {
		b := onBench(t, "")
		b.locked(func(d *queue.Desk) {
			_, err := d.Put(task, 0, noon())
			if !errors.Is(err, queue.ErrTask) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
		if b.text(queue.Name) != "" {
			t.Errorf("%q was written", want)
		}
	}
	b := onBench(t, "")
	b.put(queue.Task{Session: "s", Prompt: long[1:]}, noon()) // the longest that is taken
	if got := b.claim("s", noon()); got == "" {
		t.Error("a prompt that was taken is not delivered")
	}
}

func TestPutBoundsExpiry(t *testing.T) {
	b := onBench(t, "")
	for _, c := range []struct{ expires, want time.Time }{
		{time.Time{}, noon().Add(queue.Expiry)},
		{noon().Add(time.Minute + 1500*time.Microsecond), noon().Add(time.Minute + time.Millisecond)},
		{noon().Add(365 * 24 * time.Hour), noon().Add(queue.MaxAge)},
	} {
		task := b.put(queue.Task{Session: "s", Prompt: "p", ExpiresAt: c.expires}, noon())
		if !task.ExpiresAt.Equal(c.want) || !b.task(task.ID).ExpiresAt.Equal(c.want) {
			t.Errorf("expires at %v, want %v", task.ExpiresAt, c.want)
		}
	}
}

// At the bound the least urgent goes, of those the oldest; never one that is being delivered, one of another tool, or one
// that is more urgent than the new one.
func TestDepth(t *testing.T) {
	b := onBench(t, `{"tasks":[{"id":"theirs","status":"pending","prompt":"p","priority":"low","created_at":"2020-01-01T00:00:00Z"}]}`)
	put := func(id string, p queue.Priority, after time.Duration) (r queue.PutResult) {
		task := forSession(id, "s1")
		task.Priority = p
		b.locked(func(d *queue.Desk) {
			var err error
			if r, err = d.Put(task, 0, noon().Add(after)); err != nil {
				t.Fatal(err)
			}
		})
		return r
	}
	put("claimed", queue.Low, 0)
	b.claim("s1", noon())
	for i := range queue.MaxOpen - 3 {
		put(fmt.Sprint("high", i), queue.High, time.Second)
	}
	put("low2", queue.Low, 3*time.Second)
	put("low1", queue.Low, 2*time.Second)
	for _, c := range []struct {
		id      string
		p       queue.Priority
		dropped string
	}{
		{"n1", queue.Medium, "low1"},
		{"n2", queue.Low, "low2"},
		{"n3", queue.Medium, "n2"},
		{"n4", queue.Low, "full"},
		{"n5", queue.Medium, "n1"},
		{"n6", queue.Critical, "n3"},
		{"n7", queue.High, "n5"},
		{"n8", queue.High, "high0"},
		{"n9", queue.Medium, "full"},
	} {
		r := put(c.id, c.p, 10*time.Second)
		got := ids(r.Dropped)
		if !r.Added {
			got = r.Reason
		}
		if got != c.dropped {
			t.Errorf("%s: %q, want %q", c.id, got, c.dropped)
		}
	}
	if got := len(b.tasks()); got != queue.MaxOpen+1 {
		t.Errorf("%d tasks", got)
	}
	b.task("theirs")
	b.task("claimed")
	for line := range strings.Lines(b.text(queue.ArchiveName)) {
		if r := gjson.Parse(line); r.Get("reason").Str != "full" || !strings.Contains(r.Get("task.prompt").Str, "advice") ||
			r.Get("at").Str != "2026-11-21T12:00:10.000Z" {
			t.Errorf("archive: %s", line)
		}
	}
	if n := strings.Count(b.text(queue.ArchiveName), "\n"); n != 7 {
		t.Errorf("%d lines in the archive", n)
	}
}

// Finished tasks of ours are bounded in number and age, others' are not.
func TestFinishedAreBounded(t *testing.T) {
	b := onBench(t, `{"tasks":[{"id":"theirs","status":"completed","created_at":"2020-01-01T00:00:00Z","expires_at":"2020-01-01T00:00:00Z"}]}`)
	for i := range queue.MaxOpen + 5 {
		at := noon().Add(time.Duration(i) * time.Second)
		b.put(forSession(fmt.Sprint("t", i), "s1"), at)
		b.claim("s1", at)
		b.locked(func(d *queue.Desk) { d.Receipt([]string{fmt.Sprint("t", i)}, at) })
	}
	if got := len(b.tasks()); got > queue.MaxOpen+2 {
		t.Errorf("%d tasks", got)
	}
	if a := b.text(queue.ArchiveName); !strings.Contains(a, `"id":"t0"`) || strings.Contains(a, `"id":"t9"`) || !strings.Contains(a, `"reason":"finished"`) {
		t.Errorf("archive: %s", a)
	}
	var dropped []queue.Task
	b.locked(func(d *queue.Desk) { dropped = d.Expire(noon().Add(queue.MaxAge + 5*time.Minute)) })
	if len(dropped) < queue.MaxOpen || ids(b.tasks()) != "theirs" {
		t.Errorf("%d dropped, left: %s", len(dropped), ids(b.tasks()))
	}
}

func TestExpire(t *testing.T) {
	b := onBench(t, `{"tasks":[{"id":"theirs","status":"pending","session":"s1","prompt":"p","expires_at":"2020-01-01T00:00:00Z"}]}`)
	for i, id := range []string{"soon", "later", "claimed"} {
		task := forSession(id, "s"+fmt.Sprint(i))
		task.ExpiresAt = noon().Add([]time.Duration{time.Minute, time.Hour, time.Minute}[i])
		b.put(task, noon())
	}
	b.claim("s2", noon().Add(50*time.Second))
	expire := func(after time.Duration) (got string) {
		b.locked(func(d *queue.Desk) { got = ids(d.Expire(noon().Add(after))) })
		return got
	}
	if got := expire(59 * time.Second); got != "" {
		t.Errorf("expired early: %q", got)
	}
	if got := expire(time.Minute); got != "soon" { // "claimed" is perhaps being printed
		t.Errorf("expired: %q", got)
	}
	if got := expire(2 * time.Minute); got != "claimed" {
		t.Errorf("expired: %q", got)
	}
	if got := ids(b.tasks()); got != "theirs later" {
		t.Errorf("left: %q", got)
	}
}

func TestAllow(t *testing.T) {
	const theirs = `{"id":"a","prompt":"p","status":"pending","tags": [1,  2]}`
	for _, c := range []struct {
		name, task, session string
		until               time.Time
		want                string
		expires             time.Time
	}{
		{"to a session", theirs, "s1", time.Time{}, "", noon().Add(queue.Expiry)},
		{"to the project", theirs, "", time.Time{}, "", noon().Add(queue.Expiry)},
		{"until", theirs, "s1", noon().Add(2 * time.Hour), "", noon().Add(2 * time.Hour)},
		{"for ever", theirs, "s1", noon().Add(1e6 * time.Hour), "", noon().Add(queue.MaxAge)},
		{"too late", theirs, "s1", noon(), "expired", time.Time{}},
		{"elsewhere before", `{"id":"a","prompt":"p","status":"pending","session":"s2","scope":"x"}`, "s1", time.Time{}, "", noon().Add(queue.Expiry)},
		{"of the project before", `{"id":"a","prompt":"p","status":"pending","scope":"project"}`, "s1", time.Time{}, "", noon().Add(queue.Expiry)},
		{"with its own end", `{"id":"a","prompt":"p","status":"pending","expires_at":"2026-11-21T12:10:00Z"}`, "s1", time.Time{}, "", noon().Add(10 * time.Minute)},
		{"expired", `{"id":"a","prompt":"p","status":"pending","expires_at":"2026-11-21T11:10:00Z"}`, "s1", time.Time{}, "", noon().Add(queue.Expiry)},
		{"done", `{"id":"a","prompt":"p","status":"completed"}`, "s1", time.Time{}, "status is completed", time.Time{}},
		{"empty", `{"id":"a","prompt":"","status":"pending"}`, "s1", time.Time{}, "prompt is empty", time.Time{}},
		{"long", `{"id":"a","prompt":"` + strings.Repeat("x", 6000) + `","status":"pending"}`, "s1", time.Time{}, "more than 5000 bytes", time.Time{}},
		{"odd", `{"id":"a","prompt":"p","status":"pending","expires_at":0}`, "s1", time.Time{}, "expires_at has the wrong type", time.Time{}},
		{"another", `{"id":"b","prompt":"p","status":"pending"}`, "s1", time.Time{}, queue.ErrNoTask.Error(), time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := onBench(t, `{"tasks":[`+c.task+`]}`)
			b.locked(func(d *queue.Desk) {
				err := d.Allow("a", claimant(c.session).Session, c.until, noon())
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("allow: %v, want %q", err, c.want)
				}
			})
			if c.want != "" {
				if !strings.Contains(b.text(queue.Name), c.task) {
					t.Error("it was changed")
				}
				return
			}
			task := b.task("a")
			if !task.ExpiresAt.Equal(c.expires) || !b.Ours(task) {
				t.Errorf("allowed: %+v", task)
			}
			other := b.claim("s7", noon())
			if got := other + b.claim("s1", noon()); got != "a" || (other == "a") != (c.session == "") {
				t.Errorf("claimed %q, by another session %q", got, other)
			}
			if c.task == theirs && !strings.Contains(b.text(queue.Name), `"tags": [1,  2]`) {
				t.Errorf("their member changed: %s", b.text(queue.Name))
			}
		})
	}
}
