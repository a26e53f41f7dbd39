package queue_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/queue"
)

// The life of a task: claimed by one, printed, acknowledged, seen; each step once.
func TestLife(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	if got := b.claim("s2", noon()); got != "" {
		t.Errorf("another session claimed %q", got)
	}
	if got := b.claim("s1", noon()); got != "a" {
		t.Fatalf("claimed %q", got)
	}
	task := b.task("a")
	if l := task.Lease; task.Status != queue.Executing || task.Attempts != 1 || l == nil ||
		*l != (queue.Lease{PID: 42, Session: "s1", PromptID: "p1", Until: noon().Add(queue.LeaseTime)}) {
		t.Errorf("claimed: %+v, lease %+v", task, task.Lease)
	}
	if got := b.claim("s1", noon().Add(queue.LeaseTime-time.Millisecond)); got != "" {
		t.Errorf("claimed %q while it is leased", got)
	}
	b.locked(func(d *queue.Desk) { d.Receipt([]string{"a", "none", ""}, noon().Add(time.Second)) })
	if task = b.task("a"); task.Status != queue.Completed || !task.DeliveredAt.Equal(noon().Add(time.Second)) {
		t.Errorf("acknowledged: %+v", task)
	}
	b.locked(func(d *queue.Desk) {
		d.Receipt([]string{"a"}, noon().Add(time.Hour))
		if !d.Seen("a", noon().Add(time.Minute)) || d.Seen("a", noon().Add(time.Hour)) || d.Seen("none", noon()) {
			t.Error("seen is not said once")
		}
	})
	if task = b.task("a"); !task.SeenAt.Equal(noon().Add(time.Minute)) || !task.DeliveredAt.Equal(noon().Add(time.Second)) {
		t.Errorf("seen: %+v", task)
	}
	if got := b.claim("s1", noon().Add(30*time.Minute)); got != "" {
		t.Errorf("claimed %q again", got)
	}
}

// A claim that nobody acknowledged is free after its lease, once; then the task is given up.
func TestLease(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	at := noon()
	for i := range queue.MaxAttempts {
		if got := b.claim("s1", at); got != "a" {
			t.Errorf("claim %d: %q", i+1, got)
		}
		at = at.Add(queue.LeaseTime)
	}
	if got := b.claim("s1", at); got != "" {
		t.Errorf("claimed %q a third time", got)
	}
	if b.task("a").Status != queue.Executing {
		t.Error("a claim gave it up")
	}
	b.locked(func(d *queue.Desk) { d.Expire(at) })
	if got := b.task("a"); got.Status != queue.Failed || got.Attempts != queue.MaxAttempts {
		t.Errorf("given up: %+v", got)
	}
	b.locked(func(d *queue.Desk) { d.Receipt([]string{"a"}, at) }) // it was printed after all
	if got := b.task("a"); got.Status != queue.Completed {
		t.Errorf("acknowledged late: %+v", got)
	}
}

// After the clock went back a lease does not last longer than any lease.
func TestLeaseAndClock(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	b.claim("s1", noon())
	if got := b.claim("s1", noon().Add(-time.Minute-time.Second)); got != "a" {
		t.Errorf("claimed %q", got)
	}
	if got := b.claim("s1", noon().Add(-time.Hour)); got != "" {
		t.Errorf("claimed %q a third time", got)
	}
}

// Of two for one prompt, who looked at the clock first may get the lock second: it takes nothing from the other.
func TestLeaseAndWaiting(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	b.claim("s1", noon())
	for _, earlier := range []time.Duration{time.Millisecond, 20 * time.Millisecond, time.Second} {
		if got := b.claim("s1", noon().Add(-earlier)); got != "" {
			t.Errorf("claimed %q by a clock %v earlier", got, earlier)
		}
	}
}

// What another tool is at work on, nobody else touches.
func TestTheirExecuting(t *testing.T) {
	b := onBench(t, `{"tasks":[{"id":"a","prompt":"p","status":"executing","session":"s1","attempts":1}]}`)
	b.Foreign = true
	if got := b.claim("s1", noon()); got != "" {
		t.Errorf("claimed %q", got)
	}
}

func TestUnclaim(t *testing.T) {
	b := onBench(t, "")
	for _, id := range []string{"a", "b"} {
		b.put(forSession(id, "s1"), noon())
	}
	b.locked(func(d *queue.Desk) { d.Unclaim(d.Claim(claimant("s1"), noon())[1:], noon()) })
	if task := b.task("b"); task.Status != queue.Pending || task.Attempts != 0 || task.Lease != nil {
		t.Errorf("unclaimed: %+v", task)
	}
	if got := b.claim("s1", noon()); got != "b" {
		t.Errorf("claimed %q", got)
	}
	if task := b.task("a"); task.Attempts != 1 || task.Lease == nil {
		t.Errorf("claimed: %+v", task)
	}
}

// Most urgent first; of the same the oldest, then as they stand.
func TestOrder(t *testing.T) {
	b := onBench(t, "")
	for i, c := range []struct {
		p queue.Priority
		s int
	}{{queue.Low, 1}, {queue.High, 5}, {queue.Critical, 9}, {queue.High, 2}, {queue.High, 2}, {queue.Medium, 0}} {
		task := forSession(string(rune('a'+i)), "s1")
		task.Priority, task.CreatedAt = c.p, noon().Add(time.Duration(c.s)*time.Second)
		b.put(task, noon())
	}
	if got := b.claim("s1", noon().Add(time.Minute)); got != "c d e b f a" {
		t.Errorf("claimed %q", got)
	}
}

// However many tasks others wrote: the most urgent are claimed, as many as could be ours.
func TestClaimsAreBounded(t *testing.T) {
	item := func(id, priority string) string {
		return `{"id":"` + id + `","priority":"` + priority + `","session":"s1","prompt":"p","status":"pending"}`
	}
	var items []string
	for i := range 200 {
		items = append(items, item("t"+strconv.Itoa(i), "low"))
	}
	b := onBench(t, `{"tasks":[`+strings.Join(append(items, item("urgent", "high")), ",")+`]}`)
	b.Foreign = true
	if got := strings.Fields(b.claim("s1", noon())); len(got) != queue.MaxOpen || got[0] != "urgent" || got[1] != "t0" {
		t.Errorf("claimed %v", got)
	}
	if task := b.task("t100"); task.Attempts != 0 || task.Status != queue.Pending {
		t.Errorf("not claimed: %+v", task)
	}
}

// After Close the lock is free, a second Close is nothing, and nobody had it in between.
func TestLockIsOne(t *testing.T) {
	b := onBench(t, "")
	d, err := b.Lock(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.with(key()).Lock(0); err != queue.ErrBusy {
		t.Errorf("a second desk: %v", err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	b.locked(func(*queue.Desk) {})
}

// Inside of a turn only the named tasks are claimed, each once in its life, and one of a type for one prompt.
func TestClaimInTurn(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	b.put(forSession("b", "s1"), noon())
	churn := forSession("c", "s1")
	churn.Type = "edit_churn"
	b.put(churn, noon())
	b.put(forSession("d", "s2"), noon())
	claim := func(prompt string, at time.Time, only ...string) string {
		who := claimant("s1")
		who.PromptID, who.Only = prompt, only
		var tasks []queue.Task
		b.locked(func(d *queue.Desk) { tasks = d.Claim(who, at) })
		return ids(tasks)
	}
	over := noon().Add(queue.LeaseTime)
	for _, c := range []struct {
		prompt string
		at     time.Time
		only   []string
		want   string
	}{
		{"p1", noon(), []string{}, ""},
		{"", noon(), []string{"a"}, ""},
		{"p1", noon(), []string{"d", "none"}, ""},
		{"p1", noon(), []string{"a"}, "a"},
		{"p1", over, []string{"a"}, ""}, // its hook may have printed it
		{"p1", over, []string{"b"}, ""}, // of the same type
		{"p1", over, []string{"c"}, "c"},
		{"p2", over, []string{"b"}, "b"},
	} {
		if got := claim(c.prompt, c.at, c.only...); got != c.want {
			t.Errorf("%v for %q: claimed %q, not %q", c.only, c.prompt, got, c.want)
		}
	}
	if got := b.claim("s1", over); got != "a" {
		t.Errorf("the next prompt claimed %q", got)
	}
}
