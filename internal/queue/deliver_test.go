package queue_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/sjson"

	"aburn/internal/queue"
)

// Whom a task reaches: the session that it names and nobody else; everybody only if it says so.
func TestAddressed(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("one", "s1"), noon())
	b.put(forSession("two", "s2"), noon())
	b.put(forProject("all"), noon())
	for session, want := range map[string]string{"s1": "one all", "s2": "two all", "s3": "all", "S1": "all", "s1 ": "all", "": ""} {
		var got []string
		for _, task := range b.tasks() {
			if ok, _ := b.Deliverable(task, claimant(session), noon()); ok {
				got = append(got, task.ID)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("session %q gets %v, want %q", session, got, want)
		}
		if ok, err := b.Waiting(claimant(session), noon()); ok != (want != "") || err != nil {
			t.Errorf("waiting for %q: %v, %v", session, ok, err)
		}
	}
}

// A session's id that some writers write with escapes is found all the same; without one there is nothing to find.
func TestOddSessions(t *testing.T) {
	for _, session := range []string{"a/b", `a"b`, "<a>", "ü", "a b", "a'b", "\u2028", "a\\"} {
		b := onBench(t, "")
		b.put(forSession("a", session), noon())
		escaped := strings.NewReplacer("/", `\/`, "<", `\u003c`, "ü", `\u00fc`, " b", `\u0020b`, "'", `\u0027`).Replace(b.text(queue.Name))
		for _, text := range []string{b.text(queue.Name), escaped} {
			b.write(queue.Name, text)
			if ok, err := b.Waiting(claimant(session), noon()); !ok || err != nil {
				t.Errorf("%q: %v, %v", session, ok, err)
			}
		}
		if got := b.claim(session, noon()); got != "a" {
			t.Errorf("%q claimed %q", session, got)
		}
	}
}

// Every way in which a task of ours, whole and waiting, becomes one that is not delivered.
func TestObstacles(t *testing.T) {
	for _, c := range []struct{ change, want string }{
		{`session="s2"`, "another session"},
		{`session=""`, "neither a session nor the project"},
		{`session=null`, "neither a session nor the project"},
		{`session=null; scope="project"`, "not sign"},
		{`session=""; scope="project"`, "not sign"},
		{`session=["s1"]`, "neither a session nor the project"},
		{`session=["s1"]; scope="project"`, "session has the wrong type"},
		{`prompt="other"`, "not sign"},
		{`prompt=""`, "prompt is empty"},
		{`prompt=" \n\t "`, "prompt is empty"},
		{`prompt=null`, "prompt is empty"},
		{`prompt={}`, "prompt has the wrong type"},
		{`id="other"`, "not sign"},
		{`id=""`, "no id"},
		{`expires_at="2026-11-21T13:00:00.001Z"`, "not sign"},
		{`expires_at="2027-11-21T13:00:00Z"`, "not sign"},
		{`expires_at=null`, "not sign"},
		{`expires_at="soon"`, "expires_at has the wrong type"},
		{`expires_at=1795266000`, "expires_at has the wrong type"},
		{`expires_at="2026-11-21T12:00:00.000Z"`, "expired"},
		{`hmac=""`, "not sign"},
		{`hmac=null`, "not sign"},
		{`hmac="00"`, "not sign"},
		{`status="completed"`, "status is completed"},
		{`status="failed"`, "status is failed"},
		{`status="queued"`, "status is queued"},
		{`status=""`, "status is"},
		{`status=3`, "status is"},
		{`status="executing"`, "being delivered"},
		{`priority="low"`, ""},
		{`priority="urgent"`, "priority has the wrong type"},
		{`anomaly_type="x"; context=[1]; suggested_agent="y"; more=true`, ""},
	} {
		t.Run(c.change, func(t *testing.T) {
			b := onBench(t, "")
			b.put(forSession("a", "s1"), noon())
			for change := range strings.SplitSeq(c.change, "; ") {
				b.tamper("tasks.0", change)
			}
			task := b.tasks()[0]
			ok, reason := b.Deliverable(task, claimant("s1"), noon())
			if ok != (c.want == "") || !strings.Contains(reason, c.want) {
				t.Errorf("deliverable %v: %q, want %q", ok, reason, c.want)
			}
			if waiting, _ := b.Waiting(claimant("s1"), noon()); waiting != ok {
				t.Errorf("waiting %v", waiting)
			}
			if got := b.claim("s1", noon()); (got != "") != ok {
				t.Errorf("claimed %q", got)
			}
		})
	}
}

// A task that says a thing twice says nothing for certain.
func TestRepeatedMember(t *testing.T) {
	for _, again := range []string{`"session":"s1"`, `"session":null`, `"session":"s2"`, `"sess\u0069on":"s2"`, `"prompt":"other"`, `"status":"pending"`,
		`"id":null`} {
		b := onBench(t, "")
		b.put(forSession("a", "s1"), noon())
		b.write(queue.Name, strings.Replace(b.text(queue.Name), `"hmac":`, again+`,"hmac":`, 1))
		for _, session := range []string{"s1", "s2"} {
			if ok, reason := b.Deliverable(b.tasks()[0], claimant(session), noon()); ok || session == "s1" && !strings.Contains(reason, "appears twice") {
				t.Errorf("%s: %v, %q", again, ok, reason)
			}
			if got := b.claim(session, noon()); got != "" {
				t.Errorf("%s: %s claimed %q", again, session, got)
			}
		}
	}
}

// tamper changes one member of the file by hand.
func (b *bench) tamper(at, change string) {
	b.Helper()
	name, value, _ := strings.Cut(change, "=")
	text, err := sjson.SetRaw(b.text(queue.Name), at+"."+name, value)
	if err != nil {
		b.Fatal(err)
	}
	b.write(queue.Name, text)
}

// A signature is HMAC-SHA-256 over length-prefixed fields, as docs/formats/queue.md says, computed here by the standard
// library; every one that is shorter, longer or differs in a bit is none.
func TestSignature(t *testing.T) {
	b := onBench(t, "")
	for _, size := range []int{1, 32, 64, 65, 200} {
		k := []byte(strings.Repeat("\x5c", size))
		q := b.with(k)
		d, err := q.Lock(0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Put(queue.Task{Session: "s", Prompt: "p\x00\xffü\u202e"}, 0, noon())
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		task := b.task(r.Task.ID)
		mac := hmac.New(sha256.New, k)
		for _, field := range []string{"aburn queue task 1", task.ID, "s", task.Prompt,
			string(binary.BigEndian.AppendUint64(nil, uint64(task.ExpiresAt.UnixMilli())))} {
			mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
			mac.Write([]byte(field))
		}
		if want := hex.EncodeToString(mac.Sum(nil)); task.HMAC != want {
			t.Errorf("key of %d bytes: %s, want %s", size, task.HMAC, want)
		}
		if !q.Ours(task) {
			t.Errorf("key of %d bytes: a task just put is not ours", size)
		}
		good := task.HMAC
		for i := range good {
			for _, bad := range []string{good[:i], good[:i] + flip(good[i]) + good[i+1:], good[:i] + "x" + good[i+1:], good + good[:i+1]} {
				if task.HMAC = bad; q.Ours(task) {
					t.Errorf("%q counts as %q", bad, good)
				}
			}
		}
	}
}

func flip(c byte) string {
	if c == '0' {
		return "1"
	}
	return "0"
}

// What lies on the border of two fields belongs to one of them.
func TestSignatureSeparatesFields(t *testing.T) {
	b := onBench(t, "")
	task := b.put(queue.Task{ID: "id", Session: "ses", Prompt: "sion"}, noon())
	for _, c := range [][3]string{{"ids", "es", "sion"}, {"id", "sess", "ion"}, {"i", "dses", "sion"}, {"id", "se", "ssion"}} {
		forged := task
		forged.ID, forged.Prompt = c[0], c[2]
		forged.Session = "" + task.Session[:0]
		forged.Session += claimant(c[1]).Session
		if b.Ours(forged) {
			t.Errorf("%v counts as signed", c)
		}
	}
}

func TestForeign(t *testing.T) {
	b := onBench(t, `{"tasks":[{"id":"a","prompt":"p","status":"pending","session":"s1"},{"id":"b","prompt":"p","status":"pending"},`+
		`{"id":"c","prompt":"p","status":"pending","scope":"project","expires_at":"2026-11-21T11:59:59Z"},{"prompt":"p","status":"pending","session":"s1"}]}`)
	if got := b.claim("s1", noon()); got != "" {
		t.Errorf("claimed %q without anybody's word", got)
	}
	if got := onlyKey(b, otherKey()).claim("s1", noon()); got != "" {
		t.Errorf("claimed %q under another key", got)
	}
	b.Foreign = true
	if got := b.claim("s2", noon()); got != "" {
		t.Errorf("another session claimed %q", got)
	}
	if got := b.claim("s1", noon()); got != "a" {
		t.Errorf("claimed %q, want a: what has neither session nor scope is for nobody", got)
	}
}

// Without a mark nothing is delivered, whatever the user's settings are elsewhere.
func TestNoKey(t *testing.T) {
	b := onBench(t, others(t)["minimal.json"])
	for _, key := range [][]byte{nil, {}} {
		q := onlyKey(b, key)
		q.Foreign = true
		if got := q.claim("s1", noon()); got != "" {
			t.Errorf("claimed %q without a key", got)
		}
		q.locked(func(d *queue.Desk) {
			if _, err := d.Put(forSession("x", "s1"), 0, noon()); err != queue.ErrNoKey {
				t.Errorf("put without a key: %v", err)
			}
			if err := d.Allow("a", "s1", time.Time{}, noon()); err != queue.ErrNoKey {
				t.Errorf("allow without a key: %v", err)
			}
		})
	}
}

func onlyKey(b *bench, key []byte) *bench { return &bench{b.TB, b.dir, b.with(key)} }

// Several tasks with one id: ours counts, wherever it stands; of copies the first, once.
func TestSameID(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	ours := strings.Split(b.text(queue.Name), "\n")[1]
	const theirs = `{"id":"a","prompt":"evil","status":"pending","session":"s1"}`
	file := func(tasks ...string) string {
		return `{"version":"1.0","tasks":[` + strings.Join(tasks, ",") + `]}`
	}
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"theirs first":        {file(theirs, ours), "advice a"},
		"theirs behind":       {file(ours, theirs), "advice a"},
		"a copy":              {file(ours, ours), "advice a"},
		"two copies, theirs":  {file(theirs, ours, ours, theirs), "advice a"},
		"a copy of a done":    {file(strings.Replace(ours, `"pending"`, `"completed"`, 1), ours), ""},
		"two of theirs":       {file(theirs, strings.Replace(theirs, "evil", "worse", 1)), "evil"},
		"their done, then it": {file(strings.Replace(theirs, `"pending"`, `"completed"`, 1), theirs), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := onBench(t, c.text)
			b.Foreign = true
			var claimed []queue.Task
			b.locked(func(d *queue.Desk) { claimed = d.Claim(claimant("s1"), noon()) })
			got := ""
			for _, task := range claimed {
				got += task.Prompt
			}
			if got != c.want {
				t.Errorf("claimed %q, want %q", got, c.want)
			}
			if len(claimed) == 0 {
				return
			}
			b.locked(func(d *queue.Desk) { d.Receipt([]string{"a"}, noon()) })
			if again := b.claim("s1", noon().Add(10*time.Minute)); again != "" {
				t.Errorf("claimed %q after the receipt", again)
			}
		})
	}
}

// Dropping a task of ours leaves nothing behind that could come back, and what others have under its id alone.
func TestDropSameID(t *testing.T) {
	b := onBench(t, "")
	b.put(forSession("a", "s1"), noon())
	ours := strings.Split(b.text(queue.Name), "\n")[1]
	const theirs = `{"id":"a","prompt":"theirs"}`
	b.write(queue.Name, `{"tasks":[`+ours+`,`+theirs+`,`+ours+`]}`)
	b.locked(func(d *queue.Desk) {
		if !d.Drop("a", "resolved", noon()) {
			t.Error("nothing dropped")
		}
	})
	if got := b.text(queue.Name); !strings.HasPrefix(got, `{"tasks":[`+theirs+`]`) {
		t.Errorf("left: %s", got)
	}
	if n := strings.Count(b.text(queue.ArchiveName), "advice a"); n != 2 {
		t.Errorf("%d in the archive", n)
	}
	b.locked(func(d *queue.Desk) { d.Drop("a", "by hand", noon()) })
	if got := b.text(queue.Name); !strings.HasPrefix(got, `{"tasks":[]`) {
		t.Errorf("left: %s", got)
	}
}

func TestCriticalOnly(t *testing.T) {
	b := onBench(t, "")
	for p := queue.Low; p <= queue.Critical; p++ {
		task := forSession(p.String(), "s1")
		task.Priority = p
		b.put(task, noon().Add(time.Duration(p)*time.Second))
	}
	machine := claimant("s1")
	machine.CriticalOnly = true
	b.locked(func(d *queue.Desk) {
		if got := ids(d.Claim(machine, noon().Add(time.Minute))); got != "critical" {
			t.Errorf("a machine's prompt claims %q", got)
		}
	})
	if got := b.claim("s1", noon().Add(time.Minute)); got != "high medium low" {
		t.Errorf("claimed %q", got)
	}
}

func TestPriorities(t *testing.T) {
	for p := queue.Low; p <= queue.Critical; p++ {
		if got, ok := queue.ParsePriority(p.String()); got != p || !ok {
			t.Errorf("%v: %v, %v", p, got, ok)
		}
	}
	for _, s := range []string{"", "urgent", "HIGH", " low"} {
		if p, ok := queue.ParsePriority(s); p != 0 || ok {
			t.Errorf("%q is %v", s, p)
		}
	}
	if fmt.Sprint(queue.Priority(0), queue.Priority(9)) != " " {
		t.Error("an unknown priority has a word")
	}
}
