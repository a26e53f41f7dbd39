package supervisor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"aburn/logfmt"
	"aburn/logfmt/drawn"
	"aburn/workflow"
)

// item is one entry of a log as the fold takes it.
type item struct {
	entry   *logfmt.Entry
	carried bool
}

// logs are drawn, recorded and random ones.
func logs(t *testing.T) map[string][]item {
	t.Helper()
	all := map[string][]item{}
	drawings := []string{
		everything,
		"@A SESSION_START'startup' PROMPT build> { build:RED> Edit'a_test.go' Bash'go test'!1 build:RED. build:GREEN> Edit'a.go' Bash'go test' build:GREEN. build* }*3 build. STOP",
		"@A Bash'ls' Bash'serve'&s STOP +1h PROMPT&s @B PROMPT Bash'x'<a @A PROMPT (t& @B ^a STOP @A t~Bash'ls' STOP t) SESSION_END'clear' @B SESSION_START'resume'",
		"codex @A PROMPT (x x~Bash'a'<a STOP ^a PROMPT x~Bash'b' x) INTERRUPT @ plan> plan. -2h $build> $build.",
	}
	for i, d := range drawings {
		entries, _ := drawn.Entries(d)
		for _, e := range entries {
			all[fmt.Sprint("drawing ", i)] = append(all[fmt.Sprint("drawing ", i)], item{e, false})
		}
	}
	files, _ := filepath.Glob("testdata/recordings/*.log")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var block logfmt.Block
		for line := range bytes.Lines(data) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			carried := block.Step(line)
			if e, err := logfmt.Parse(line); err == nil {
				all[f] = append(all[f], item{&e, carried})
			}
		}
	}
	for seed := range uint64(12) {
		all[fmt.Sprint("random ", seed)] = random(seed, 400)
	}
	return all
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// random is a log that means nothing, of everything that an entry may be.
func random(seed uint64, n int) []item {
	r := rand.New(rand.NewPCG(seed, 7))
	at := drawn.Epoch
	carry := r.IntN(2) == 0
	var list []item
	for i := range n {
		at = at.Add(time.Duration(r.IntN(100_000)-2000) * time.Millisecond)
		e := logfmt.Entry{
			Time: at, Cmd: pick(r, "session", "build", "plan", "deploy", "supervisor"), Phase: pick(r, "", "", "RED", "GREEN", "REFACTOR", "X"),
			Event:   pick(r, append(logfmt.Events(), "CWD_CHANGED", logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.Prompt, logfmt.Stop)...),
			Session: pick[logfmt.SessionID](r, "A", "A", "B", ""), Source: pick(r, "claude", "claude", "codex", "prompt", "aburn", ""), Wt: pick(r, "", "", "f"),
		}
		if r.IntN(4) > 0 {
			e.Seq, e.ID = logfmt.Seq(i+1), fmt.Sprintf("%016x", r.IntN(4*n))
		}
		if r.IntN(4) == 0 {
			e.Agent = &logfmt.Agent{ID: pick(r, "a1", "a2", ""), Type: pick(r, "tester", "looker", "")}
		}
		e.Data = randomData(r)
		list = append(list, item{&e, carry && i%50 < 3})
	}
	return list
}

func randomData(r *rand.Rand) []byte {
	var o logfmt.Object
	some := func(name string, values ...string) {
		if r.IntN(2) == 0 {
			o.Str(name, pick(r, values...))
		}
	}
	some("tool", "Bash", "Edit", "Agent", "AskUserQuestion", "KillShell", "Read")
	some("tool_use_id", "t1", "t2", "t3", "t4", "t5")
	some("head", "go test ./...", "ls", "go test | tail", "é\"\\")
	some("path", "a.go", "a_test.go", "README.md", "/tmp/x", "~/y")
	some("input", "00000001", "00000002")
	some("sha256", "aa", "bb")
	some("outcome", "unknown", "interrupted")
	some("agent_id", "a1", "a2", "a3")
	some("agent_type", "tester", "looker")
	some("status", "completed", "failed", "async_launched")
	some("type", "idle_prompt", "permission_prompt", "elicitation_dialog", "loop")
	some("source", "startup", "resume", "compact")
	some("command", "build", "plan", "cost")
	some("description", "one", "two", "3 failing tests")
	some("task_id", "T1", "T2")
	some("signature", "s1", "s2")
	some("reason", "clear", "other")
	for name, odds := range map[string]int{"background": 4, "machine": 4, "seen": 3} {
		if r.IntN(odds) == 0 {
			o.Bool(name, true)
		}
	}
	if r.IntN(2) == 0 {
		o.Int("exit_code", int64(r.IntN(3)))
	}
	if r.IntN(6) == 0 {
		o.Raw("proc", []byte(`{"pid":12,"start":99,"host":"h"}`))
	}
	if r.IntN(6) == 0 {
		o.Raw("outputs", []byte(`["a.md",{"path":"b.md","sha256":"00"}]`)).Raw("metrics", []byte(`{"tests_failing":2}`))
	}
	return o.Bytes()
}

func foldAll(items []item) *State {
	model := workflow.Default()
	s := New(&model)
	for _, it := range items {
		s.Apply(it.entry, it.carried)
	}
	return s
}

func TestPrefixAndRestIsTheWhole(t *testing.T) {
	for name, items := range logs(t) {
		whole := foldAll(items).AppendJSON(nil)
		step := max(1, len(items)/150)
		model := workflow.Default()
		prefix := New(&model)
		for cut := 0; cut <= len(items); cut++ {
			if cut%step == 0 {
				s, err := Load(prefix.AppendJSON(nil), &model)
				if err != nil {
					t.Fatalf("%s, cut at %d: %v", name, cut, err)
				}
				for _, it := range items[cut:] {
					s.Apply(it.entry, it.carried)
				}
				if got := s.AppendJSON(nil); !bytes.Equal(got, whole) {
					t.Fatalf("%s, cut at %d: is\n%s\nnot\n%s", name, cut, got, whole)
				}
			}
			if cut < len(items) {
				prefix.Apply(items[cut].entry, items[cut].carried)
			}
		}
	}
}

// Recorded entries come as lines too: both ways are one.
func TestLinesAreEntries(t *testing.T) {
	for name, items := range logs(t) {
		byEntry := foldAll(items)
		model := workflow.Default()
		byLine := New(&model)
		for _, it := range items {
			line, err := it.entry.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			if !byLine.ApplyLine(line, it.carried) {
				t.Fatalf("%s: no entry: %s", name, line)
			}
		}
		if a, b := byEntry.AppendJSON(nil), byLine.AppendJSON(nil); !bytes.Equal(a, b) {
			t.Errorf("%s: by entry\n%s\nby line\n%s", name, a, b)
		}
	}
	for _, line := range []string{"", "# SESSION:PROMPT", "{", `{"ts":"2026-11-21T10:00:00.000Z","cmd":"plan","eve`, "\x00\x00"} {
		model := workflow.Default()
		if s := New(&model); s.ApplyLine([]byte(line), false) || s.Entries > 0 {
			t.Errorf("%q is an entry", line)
		}
	}
}

func TestTwiceIsOnce(t *testing.T) {
	for name, items := range logs(t) {
		once := foldAll(items)
		var twice []item
		for _, it := range items {
			twice = append(twice, it)
			if it.entry.ID != "" {
				twice = append(twice, it)
			}
		}
		s := foldAll(twice)
		if s.Repeats == 0 {
			t.Errorf("%s: no repeat was seen", name)
		}
		s.Repeats = once.Repeats
		if a, b := once.AppendJSON(nil), s.AppendJSON(nil); !bytes.Equal(a, b) {
			t.Errorf("%s: once\n%s\ntwice\n%s", name, a, b)
		}
	}
}

// marks calls f with every mark of a State, and with one for every Epoch that is a
// time.
func marks(v reflect.Value, f func(*Mark)) {
	switch v.Kind() {
	case reflect.Uint64:
		if e, ok := v.Addr().Interface().(*Epoch); ok && *e > 1e11 {
			m := Mark{At: int64(*e)}
			f(&m)
			*e = Epoch(m.At)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			marks(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			marks(v.Index(i), f)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Mark]() {
			if m := v.Addr().Interface().(*Mark); m.Is() {
				f(m)
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				marks(v.Field(i), f)
			}
		}
	}
}

func TestShiftedTimesChangeOnlyTimes(t *testing.T) {
	for name, items := range logs(t) {
		for _, by := range []time.Duration{time.Millisecond, -3 * time.Hour, 10 * 365 * 24 * time.Hour} {
			var shifted []item
			for _, it := range items {
				e := *it.entry
				e.Time = e.Time.Add(by)
				shifted = append(shifted, item{&e, it.carried})
			}
			s := foldAll(shifted)
			marks(reflect.ValueOf(s), func(m *Mark) { m.At -= by.Milliseconds() })
			if a, b := foldAll(items).AppendJSON(nil), s.AppendJSON(nil); !bytes.Equal(a, b) {
				t.Errorf("%s, shifted by %v: is\n%s\nnot\n%s", name, by, b, a)
			}
		}
	}
}

// What one session does changes nothing in another.
func TestInterleavedIsApart(t *testing.T) {
	all := logs(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	r := rand.New(rand.NewPCG(1, 2))
	for i, name := range names {
		a, b := renamed(all[name], "a-"), renamed(all[names[(i+1)%len(names)]], "b-")
		alone := foldAll(a)
		var both []item
		at := []int{0} // by Ord in the interleaved log, the one in a alone
		for ord := 0; len(a) > 0 || len(b) > 0; {
			if len(b) == 0 || len(a) > 0 && r.IntN(2) == 0 {
				ord++
				both, a, at = append(both, a[0]), a[1:], append(at, ord)
			} else {
				both, b, at = append(both, b[0]), b[1:], append(at, 0)
			}
		}
		s := foldAll(both)
		for _, want := range alone.Sessions {
			j := slices.IndexFunc(s.Sessions, func(v *Session) bool { return v.ID == want.ID })
			if j < 0 {
				t.Fatalf("%s: session %s is lost", name, want.ID)
			}
			got := s.Sessions[j]
			marks(reflect.ValueOf(got), func(m *Mark) { m.Ord = uint64(at[m.Ord]) })
			if x, y := sessionJSON(want), sessionJSON(got); !bytes.Equal(x, y) {
				t.Errorf("%s, session %s: alone\n%s\ninterleaved\n%s", name, want.ID, x, y)
			}
		}
	}
}

// renamed gives the sessions of a log names of their own and takes out entries
// without one, and those with the same id, so that Ord counts all.
func renamed(items []item, prefix logfmt.SessionID) []item {
	var list []item
	for i, it := range items {
		e := *it.entry
		if e.Session == "" {
			continue
		}
		e.Session, e.ID = prefix+e.Session, fmt.Sprintf("%s%d", prefix, i)
		list = append(list, item{&e, it.carried})
	}
	return list
}

func sessionJSON(s *Session) []byte {
	c := writer(nil)
	object((*Session).code)(s, c)
	return c.out
}

// The State is bounded whatever comes.
func TestBounded(t *testing.T) {
	var items []item
	for seed := range uint64(60) {
		for i, it := range random(1000+seed, 300) {
			e := *it.entry
			n := seed*300 + uint64(i)
			e.ID = ""
			if e.Session != "" {
				e.Session = logfmt.SessionID(fmt.Sprint(e.Session, n%97))
			}
			if e.Agent != nil {
				e.Agent = &logfmt.Agent{ID: fmt.Sprint("agent", n%1000), Type: string(bytes.Repeat([]byte("é"), 500))}
			}
			e.Wt = fmt.Sprint("wt", n%200)
			e.Phase += fmt.Sprint(n % 50)
			data := bytes.ReplaceAll(e.Data, []byte(`"t1"`), fmt.Appendf(nil, `"%d"`, n))
			data = bytes.ReplaceAll(data, []byte(`"a.go"`), fmt.Appendf(nil, `"%d/%s.go"`, n, bytes.Repeat([]byte("x"), 400)))
			data = bytes.ReplaceAll(data, []byte(`"T1"`), fmt.Appendf(nil, `"%d"`, n))
			data = bytes.ReplaceAll(data, []byte(`"s1"`), fmt.Appendf(nil, `"%d"`, n))
			e.Data = bytes.ReplaceAll(data, []byte(`"one"`), fmt.Appendf(nil, `"%d"`, n))
			items = append(items, item{&e, false})
		}
	}
	s := foldAll(items)
	stored := s.AppendJSON(nil)
	if _, err := Load(stored, s.model); err != nil {
		t.Fatal("a list is longer than its maximum: ", err)
	}
	if len(s.Sessions) != maxSessions || s.Forgot == 0 {
		t.Errorf("%d sessions, %d forgotten", len(s.Sessions), s.Forgot)
	}
	if len(stored) > 2<<20 {
		t.Errorf("%d bytes", len(stored))
	}
}
