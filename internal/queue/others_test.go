package queue_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"aburn/internal/lab/world"
	"aburn/internal/queue"
)

// others are files of other tools.
func others(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/others/*.json")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	files := map[string]string{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(p)] = string(data)
	}
	return files
}

// What another tool wrote stands there byte for byte after a task of ours came and went. What changes is updated_at,
// which is added where it was missing.
func TestOthersBytesStay(t *testing.T) {
	for name, text := range others(t) {
		t.Run(name, func(t *testing.T) {
			b := onBench(t, text)
			b.put(forSession("mine", "s9"), noon())
			with := b.text(queue.Name)
			if !json.Valid([]byte(with)) {
				t.Fatalf("no JSON any more:\n%s", with)
			}
			if f, err := b.Read(); err != nil || !f.UpdatedAt.Equal(noon()) {
				t.Errorf("updated at %v, %v", f.UpdatedAt, err)
			}
			if got := b.task("mine").Prompt; got != "advice mine" {
				t.Errorf("the task says %q", got)
			}
			if got := b.claim("s9", noon()); got != "mine" {
				t.Errorf("claimed %q", got)
			}
			b.locked(func(d *queue.Desk) { d.Drop("mine", "test", noon()) })
			if diff := cmp.Diff(unstamped(text), unstamped(b.text(queue.Name))); diff != "" {
				t.Errorf("(-before +after)\n%s", diff)
			}
		})
	}
}

// unstamped is a file without what Put and Drop have to change: the last updated_at, and an empty array.
func unstamped(text string) string {
	stamps := regexp.MustCompile(`,?"updated_at" ?: ?"[^"]*"`)
	arrays := regexp.MustCompile(`,?"tasks" ?: ?(null|\[ ?\])`)
	return arrays.ReplaceAllString(stamps.ReplaceAllString(text, ""), "")
}

func TestOthersAreRead(t *testing.T) {
	b := onBench(t, others(t)["pretty.json"])
	f, err := b.Read()
	if err != nil {
		t.Fatal(err)
	}
	if f.Others != 3 || len(f.Tasks) != 2 || f.Version != "1.0" {
		t.Errorf("read %+v", f)
	}
	first := f.Tasks[0]
	if first.ID != "task-001" || first.Source != "watcher" || first.Type != "loop_detected" || first.SuggestedAgent != "debugger" ||
		first.Status != queue.Pending {
		t.Errorf("first task: %+v", first)
	}
	if got := string(first.Context); got != `{"log_entries": [1, 2, 3], "nested": {"a":  "b"}}` {
		t.Errorf("context %s", got)
	}
	var extra []string
	for _, m := range first.Extra {
		extra = append(extra, m.Key+"="+string(m.Raw))
	}
	if got := strings.Join(extra, " "); got != `priority="urgent" max_attempts=3` {
		t.Errorf("extra %s", got)
	}
	if first.Priority != 0 || f.Tasks[1].Priority != queue.High || f.Tasks[1].Session != "s1" {
		t.Errorf("priorities %v %v, session %q", first.Priority, f.Tasks[1].Priority, f.Tasks[1].Session)
	}
}

// A new file has one task a line, so that people and diffs can read it.
func TestNewFile(t *testing.T) {
	b := onBench(t, "")
	first := forSession("a", "s1")
	first.Context, first.Evidence = []byte("{\n \"n\": 1\r\n}"), []uint64{7, 9007199254740991}
	b.put(first, noon())
	b.put(forProject("b"), noon())
	lines := strings.Split(b.text(queue.Name), "\n")
	if len(lines) != 5 || lines[0] != `{"version":"1.0","updated_at":"2026-11-21T12:00:00.000Z","tasks":[` || lines[3] != "]}" || lines[4] != "" {
		t.Fatalf("lines:\n%s", strings.Join(lines, "\n"))
	}
	const want = `{"id":"a","created_at":"2026-11-21T12:00:00.000Z","priority":"medium","anomaly_type":"loop","prompt":"advice a","context":{ "n": 1},` +
		`"status":"pending","attempts":0,"session":"s1","evidence":[7,9007199254740991],"expires_at":"2026-11-21T13:00:00.000Z","signature":"sig a","hmac":"`
	if !strings.HasPrefix(lines[1], want) {
		t.Errorf("first task\n%s\nwant\n%s", lines[1], want)
	}
	got := b.task("a")
	got.HMAC = ""
	first.Context, first.Status, first.Priority, first.CreatedAt, first.ExpiresAt = []byte(`{ "n": 1}`), queue.Pending, queue.Medium, noon(),
		noon().Add(queue.Expiry)
	if diff := cmp.Diff(first, got); diff != "" {
		t.Errorf("read back (-put +read)\n%s", diff)
	}
	if st, err := os.Stat(b.path(queue.Name)); err != nil || world.HasModes() && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// Reading changes nothing and makes nothing, and neither does a lock under which nothing happens.
func TestLookingLeavesNoTrace(t *testing.T) {
	b := onBench(t, "")
	if f, err := b.Read(); err != nil || len(f.Tasks) > 0 {
		t.Errorf("read: %+v, %v", f, err)
	}
	if ok, err := b.Waiting(claimant("s1"), noon()); ok || err != nil {
		t.Errorf("waiting: %v, %v", ok, err)
	}
	if b.names() != "" {
		t.Errorf("the folder holds %s", b.names())
	}
	b.locked(func(d *queue.Desk) {
		d.Claim(claimant("s1"), noon())
		d.Receipt([]string{"x"}, noon())
		d.Seen("x", noon())
		d.Drop("x", "why", noon())
		d.Expire(noon())
	})
	if b.names() != queue.LockName {
		t.Errorf("the folder holds %s", b.names())
	}
}

// Somebody else may write as many tasks with one id as there is room for. One of them counts, ours if there is one, and
// nobody looks at each for each.
func TestManyOfOneID(t *testing.T) {
	world.Slow(t)
	foreign := `{"id":"a","session":"s1","prompt":"theirs","hmac":"` + strings.Repeat("ab", 32) + `","status":"`
	signed := onBench(t, "")
	signed.put(forSession("a", "s1"), noon())
	ours := gjson.Get(signed.text(queue.Name), "tasks.0")
	many := foreign + `completed"},` + strings.Repeat(foreign+`pending"},`, 20000)
	for name, c := range map[string]struct{ text, want string }{
		"theirs": {`{"tasks":[` + strings.TrimSuffix(many, ",") + `]}`, ""},
		"ours":   {`{"tasks":[` + many + ours.String() + `,` + foreign + `pending"}]}`, "a"},
	} {
		b := onBench(t, c.text)
		b.Foreign = true
		hangs := time.AfterFunc(2*time.Minute, func() { panic(name + ": it does not end") })
		if waits, err := b.Waiting(claimant("s1"), noon()); err != nil || waits != (c.want != "") {
			t.Errorf("%s: waits %v, %v", name, waits, err)
		}
		if got := b.claim("s1", noon()); got != c.want {
			t.Errorf("%s: claimed %q", name, got)
		}
		b.locked(func(d *queue.Desk) { d.Unclaim(d.Tasks(), noon()) })
		hangs.Stop()
	}
}
