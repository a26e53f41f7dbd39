package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

func foldAll(items []scenario.Item) *State {
	model := workflow.Default()
	s := New(&model, limits.Default())
	for _, it := range items {
		s.Apply(it.Entry, it.Carried)
	}
	return s
}

func TestPrefixAndRestIsTheWhole(t *testing.T) {
	world.Slow(t)
	for name, items := range scenario.Logs(t, "../testdata/recordings") {
		whole := foldAll(items).AppendJSON(nil)
		step := max(1, len(items)/150)
		model := workflow.Default()
		prefix := New(&model, limits.Default())
		for cut := 0; cut <= len(items); cut++ {
			if cut%step == 0 {
				s, err := Load(prefix.AppendJSON(nil), &model, limits.Default())
				if err != nil {
					t.Fatalf("%s, cut at %d: %v", name, cut, err)
				}
				for _, it := range items[cut:] {
					s.Apply(it.Entry, it.Carried)
				}
				if got := s.AppendJSON(nil); !bytes.Equal(got, whole) {
					t.Fatalf("%s, cut at %d: is\n%s\nnot\n%s", name, cut, got, whole)
				}
			}
			if cut < len(items) {
				prefix.Apply(items[cut].Entry, items[cut].Carried)
			}
		}
	}
}

// Of the limits the fold asks for one alone, so the others may change without a new fold.
func TestOneLimitChangesFacts(t *testing.T) {
	other := &limits.Limits{ToolFailureRunFailures: limits.Default().ToolFailureRunFailures}
	for name, items := range scenario.Logs(t, "../testdata/recordings") {
		model := workflow.Default()
		s := New(&model, other)
		for _, it := range items {
			s.Apply(it.Entry, it.Carried)
		}
		if !bytes.Equal(s.AppendJSON(nil), foldAll(items).AppendJSON(nil)) {
			t.Errorf("%s: another limit changed the facts", name)
		}
	}
}

// Recorded entries come as lines too: both ways are one.
func TestLinesAreEntries(t *testing.T) {
	for name, items := range scenario.Logs(t, "../testdata/recordings") {
		byEntry := foldAll(items)
		model := workflow.Default()
		byLine := New(&model, limits.Default())
		for _, it := range items {
			line, err := it.Entry.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			if !byLine.ApplyLine(line, it.Carried) {
				t.Fatalf("%s: no entry: %s", name, line)
			}
		}
		if a, b := byEntry.AppendJSON(nil), byLine.AppendJSON(nil); !bytes.Equal(a, b) {
			t.Errorf("%s: by entry\n%s\nby line\n%s", name, a, b)
		}
	}
	for _, line := range []string{"", "# SESSION:PROMPT", "{", `{"ts":"2026-11-21T10:00:00.000Z","cmd":"plan","eve`, "\x00\x00"} {
		model := workflow.Default()
		if s := New(&model, limits.Default()); s.ApplyLine([]byte(line), false) || s.Entries > 0 {
			t.Errorf("%q is an entry", line)
		}
	}
}

func TestTwiceIsOnce(t *testing.T) {
	for name, items := range scenario.Logs(t, "../testdata/recordings") {
		once := foldAll(items)
		var twice []scenario.Item
		for _, it := range items {
			twice = append(twice, it)
			if it.Entry.ID != "" {
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
	for name, items := range scenario.Logs(t, "../testdata/recordings") {
		for _, by := range []time.Duration{time.Millisecond, -3 * time.Hour, 10 * 365 * 24 * time.Hour} {
			var shifted []scenario.Item
			for _, it := range items {
				e := *it.Entry
				e.Time = e.Time.Add(by)
				shifted = append(shifted, scenario.Item{Entry: &e, Carried: it.Carried})
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
	all := scenario.Logs(t, "../testdata/recordings")
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	r := rand.New(rand.NewPCG(1, 2))
	for i, name := range names {
		a, b := renamed(all[name], "a-"), renamed(all[names[(i+1)%len(names)]], "b-")
		alone := foldAll(a)
		var both []scenario.Item
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
func renamed(items []scenario.Item, prefix logfmt.SessionID) []scenario.Item {
	var list []scenario.Item
	for i, it := range items {
		e := *it.Entry
		if e.Session == "" {
			continue
		}
		e.Session, e.ID = prefix+e.Session, fmt.Sprintf("%s%d", prefix, i)
		list = append(list, scenario.Item{Entry: &e, Carried: it.Carried})
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
	world.Slow(t)
	var items []scenario.Item
	for seed := range uint64(60) {
		for i, it := range scenario.Random(1000+seed, 300) {
			e := *it.Entry
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
			items = append(items, scenario.Item{Entry: &e, Carried: false})
		}
	}
	s := foldAll(items)
	stored := s.AppendJSON(nil)
	if _, err := Load(stored, s.model, s.limits); err != nil {
		t.Fatal("a list is longer than its maximum: ", err)
	}
	if len(s.Sessions) != maxSessions || s.Forgot == 0 {
		t.Errorf("%d sessions, %d forgotten", len(s.Sessions), s.Forgot)
	}
	if len(stored) > 2<<20 {
		t.Errorf("%d bytes", len(stored))
	}
}
