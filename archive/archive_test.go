package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/scrub"
	"aburn/trace"
	"aburn/trace/draft"
)

// at is a time in the tests, in minutes.
func at(minute int) time.Time {
	return time.Date(2026, 11, 1, 10, minute, 0, 0, time.UTC)
}

// story is a trace of a session: each word is an event: "ask", "call", "done", "fail", "spawn:ID".
func story(t testing.TB, source, id string, minute int, words string) *trace.SessionTrace {
	t.Helper()
	b := draft.New(source, id, source, "/stores/"+id)
	b.Trace().Project = trace.Project{Path: "/work/p", Key: "/work/p"}
	for i, word := range strings.Fields(words) {
		e := trace.Event{Time: at(minute).Add(time.Duration(i) * time.Second), Ref: trace.Ref{Line: int64(i + 1)}, Record: fmt.Sprintf("%s-%d", id, i)}
		call := fmt.Sprintf("call-%d", i)
		switch kind, of, _ := strings.Cut(word, ":"); kind {
		case "ask":
			e.Body = &trace.UserMessage{Digest: draft.Digest([]byte(word)), Head: "please"}
			b.Add(e)
		case "call":
			b.Call(e, &trace.ToolCall{Call: call, Tool: "Bash", Type: trace.ShellTool, Head: "make"})
		case "done", "fail":
			wrong := kind == "fail"
			status := map[bool]trace.Status{false: trace.StatusCompleted, true: trace.StatusErrored}[wrong]
			b.Result(e, trace.ToolResultEvent{Call: fmt.Sprintf("call-%d", i-1), Status: status, IsError: &wrong, From: trace.FromToolResult})
		case "begin", "end", "stop":
			e.Body = &trace.Session{Marker: map[string]trace.Marker{"begin": trace.Resumed, "end": trace.Ended, "stop": trace.Stopped}[kind]}
			b.Add(e)
		case "spawn":
			e.Body = &trace.SubagentSpawn{Session: of}
			b.Add(e)
		}
	}
	tr, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// subagent makes t one of parent's.
func subagent(t *trace.SessionTrace, parent, agent string) *trace.SessionTrace {
	t.Relationships = []trace.SessionRelationship{{
		V: trace.Version, Kind: trace.Subagent, Source: t.Source, Session: t.ID, Related: parent, AgentID: agent, ParentCall: "call-1",
		Provenance: trace.Explicit,
	}}
	return t
}

func create(t *testing.T) *Archive {
	t.Helper()
	a, err := Open(context.Background(), filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		faults, err := a.Check(context.Background())
		if err != nil || len(faults) > 0 {
			t.Errorf("the archive: %q, %v", faults, err)
		}
		a.Close()
	})
	return a
}

// write stores traces as if each were the only one of a store.
func (a *Archive) store(t *testing.T, traces ...*trace.SessionTrace) {
	t.Helper()
	for _, tr := range traces {
		p, err := Pack(tr)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReading(Cursor{Known: Known{Reader: tr.Source, Path: tr.Sources[0].Path, Scrub: scrub.Version, Modified: tr.End}}, true)
		r.Traces = []*Packed{p}
		if err := a.Write([]*Reading{r}); err != nil {
			t.Fatal(err)
		}
	}
}

func ids(list []Session) string {
	var all []string
	for _, s := range list {
		all = append(all, s.Source+"/"+s.ID)
	}
	return strings.Join(all, " ")
}

func TestFilters(t *testing.T) {
	a := create(t)
	elsewhere := story(t, "codex", "c1", 40, "ask")
	elsewhere.Project = trace.Project{Path: "/work/p2/sub", Key: "/work/p2"}
	killed := story(t, "claude", "a2", 20, "ask call")
	killed.Outcome, killed.OutcomeFrom = trace.Killed, "it stops in a call"
	undated := story(t, "gemini", "g1", 0, "ask")
	undated.Start, undated.End = time.Time{}, time.Time{}
	for i := range undated.Events {
		undated.Events[i].Time = time.Time{}
	}
	a.store(t, story(t, "claude", "a1", 10, "ask call done"), killed, subagent(story(t, "claude", "a1/x", 30, "ask"), "a1", "x"), elsewhere,
		story(t, "own", "a1", 50, "call"), story(t, "own", "o1", 0, "call"), undated)
	a.now = func() time.Time { return at(59) }
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "codex/c1 claude/a1/x claude/a2 claude/a1 own/o1 gemini/g1"},
		{Filter{Own: true}, "own/a1 codex/c1 claude/a1/x claude/a2 claude/a1 own/o1 gemini/g1"},
		{Filter{Limit: 2}, "codex/c1 claude/a1/x"},
		{Filter{Since: at(30), Until: at(40)}, "claude/a1/x"},
		{Filter{Until: at(30)}, "claude/a2 claude/a1 own/o1"},
		{Filter{Source: "codex"}, "codex/c1"},
		{Filter{Project: "/work/p2"}, "codex/c1"},
		{Filter{Project: "/work/p2/"}, "codex/c1"},
		{Filter{Project: "/work/p2/su"}, ""},
		{Filter{Project: "/work"}, "codex/c1 claude/a1/x claude/a2 claude/a1 own/o1 gemini/g1"},
		{Filter{Relation: trace.Subagent}, "claude/a1/x"},
	} {
		list, err := a.Sessions(context.Background(), c.f)
		if err != nil || ids(list) != c.want {
			t.Errorf("%+v: %s, %v; want %s", c.f, ids(list), err, c.want)
		}
	}
	// Until it has been quiet for a while a session may be going on, as hooks say too (own/a1).
	for minute, want := range map[int][2]bool{24: {true, true}, 54: {false, true}, 58: {false, false}} {
		a.now = func() time.Time { return at(minute) }
		list, err := a.Sessions(context.Background(), Filter{Source: "claude", Until: at(29)})
		if err != nil || ids(list) != "claude/a2 claude/a1" || [2]bool{list[0].Live, list[1].Live} != want {
			t.Errorf("live at %d: %+v, %v", minute, list, err)
		}
	}
	// One that ended in the future, by a clock that was wrong, does not go on until then.
	a.now = func() time.Time { return at(24).Add(-48 * time.Hour) }
	for _, limit := range []int{0, 10} {
		list, err := a.Sessions(context.Background(), Filter{Limit: limit})
		if err != nil || len(list) != 6 || slices.ContainsFunc(list, func(s Session) bool { return s.Live }) {
			t.Errorf("in the future: %+v, %v", list, err)
		}
	}
}

func TestLookup(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "5b0c2f91-aaaa-1111", 1, "ask"),
		subagent(story(t, "claude", "5b0c2f91-aaaa-1111/a77f01", 2, "ask"), "5b0c2f91-aaaa-1111", "a77f01"),
		story(t, "codex", "0199aaaa-1111-2222", 3, "ask"), story(t, "codex", "0199aaaa-1111-3333", 4, "ask"), story(t, "own", "0199aaaa-1111-3333", 5, "ask"),
		story(t, "own", "77777777", 6, "ask"))
	for name, want := range map[string]string{
		"5b0c2f91-aaaa-1111": "claude/5b0c2f91-aaaa-1111", "claude/5b0c2f91-aaaa-1111": "claude/5b0c2f91-aaaa-1111",
		"5b0c": "claude/5b0c2f91-aaaa-1111", "a77f01": "claude/5b0c2f91-aaaa-1111/a77f01", "a77f": "claude/5b0c2f91-aaaa-1111/a77f01",
		"5b0c/7f01": "claude/5b0c2f91-aaaa-1111/a77f01", "2222": "codex/0199aaaa-1111-2222", "0199": "codex/0199aaaa-1111-3333 codex/0199aaaa-1111-2222",
		"own/0199aaaa-1111-3333": "own/0199aaaa-1111-3333", "019": "", "7777": "own/77777777", "nothing": "", "": "", "%": "",
	} {
		list, err := a.Lookup(context.Background(), name)
		if err != nil || ids(list) != want {
			t.Errorf("%q: %s, %v; want %s", name, ids(list), err, want)
		}
	}
}

// A call's row tells what became of it; copies and containers have none.
func TestCalls(t *testing.T) {
	a := create(t)
	copied := story(t, "claude", "b", 5, "call done call fail")
	for i := range copied.Events[:2] {
		copied.Events[i].Copied = "a"
	}
	copied.Settle()
	code := story(t, "claude", "c", 6, "call call done")
	code.Events[0].Body.(*trace.ToolCall).Container = true
	a.store(t, story(t, "claude", "a", 1, "call fail call done call"), copied, code)
	var got []string
	for row, err := range a.Calls(context.Background(), CallFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d %s %v %dms", row.Session, row.Index, row.Status, row.Failed, row.DurationMS))
	}
	want := []string{"a 1 errored true 1000ms", "a 2 completed false 1000ms", "a 3  false 0ms", "b 2 errored true 1000ms", "c 2 completed false 1000ms"}
	if !slices.Equal(got, want) {
		t.Errorf("calls %q\n want %q", got, want)
	}
	failed := 0
	for row, err := range a.Calls(context.Background(), CallFilter{Failed: true, Filter: Filter{Limit: 2}}) {
		if failed++; err != nil || row.Session != "b" {
			t.Errorf("failed in the newest two: %+v, %v", row, err)
		}
	}
	if failed != 1 {
		t.Errorf("%d failed calls in the newest two sessions", failed)
	}
	for range a.Calls(context.Background(), CallFilter{}) {
		break // and the statement is free again
	}
	if _, err := a.Sessions(context.Background(), Filter{}); err != nil {
		t.Error(err)
	}
}

func TestRelations(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask call spawn:a/x"), subagent(story(t, "claude", "a/x", 2, "ask"), "a", "x"),
		subagent(story(t, "claude", "b/y", 3, "ask"), "b", "y"))
	list, err := a.Relations(context.Background())
	if err != nil || len(list) != 3 || list[1].RelatedKey != list[0].Key || list[1].Kind != trace.Subagent || list[2].RelatedKey != 0 || list[2].Related != "b" {
		t.Errorf("%+v, %v", list, err)
	}
}

// Two archives of the same sessions answer in the same order, whichever was read first: also where sessions ended at once.
func TestOrder(t *testing.T) {
	world.Unshared(t)
	ctx := context.Background()
	traces := []*trace.SessionTrace{
		story(t, "claude", "a1", 1, "ask call done"), subagent(story(t, "claude", "a1/x", 1, "ask call done"), "a1", "x"),
		subagent(story(t, "claude", "a1/y", 1, "ask call done"), "a1", "y"), story(t, "claude", "b1", 1, "ask call done"),
		story(t, "codex", "a1", 1, "ask call done"),
	}
	want := map[string]string{}
	for range 2 {
		slices.Reverse(traces)
		a := create(t)
		a.store(t, traces...)
		got := map[string]string{}
		for what, ask := range map[string]func() ([]Session, error){
			"sessions":            func() ([]Session, error) { return a.Sessions(ctx, Filter{}) },
			"the newest sessions": func() ([]Session, error) { return a.Sessions(ctx, Filter{Limit: 3}) },
			"those of a name":     func() ([]Session, error) { return a.Lookup(ctx, "a1") },
		} {
			list, err := ask()
			if err != nil {
				t.Fatal(err)
			}
			got[what] = ids(list)
		}
		for what, f := range map[string]CallFilter{"calls": {}, "calls of the newest": {Filter: Filter{Limit: 3}}} {
			for row, err := range a.Calls(ctx, f) {
				if err != nil {
					t.Fatal(err)
				}
				got[what] += row.Source + "/" + row.Session + " "
			}
		}
		relations, err := a.Relations(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range relations {
			got["relations"] += r.Source + "/" + r.Session + " "
		}
		for what, text := range got {
			if want[what] != "" && want[what] != text {
				t.Errorf("%s: %s, and in the other archive %s", what, text, want[what])
			}
		}
		want = got
	}
	if all := "claude/a1 claude/a1/x claude/a1/y claude/b1 codex/a1"; want["sessions"] != all {
		t.Errorf("sessions: %s, not %s", want["sessions"], all)
	}
}

// Outlines and SessionsOf give what Sessions gives, and Ties what Relations gives, without roots.
func TestOutlines(t *testing.T) {
	a, ctx := create(t), context.Background()
	a.store(t, story(t, "claude", "a", 1, "ask call spawn:a/x"), subagent(story(t, "claude", "a/x", 2, "ask"), "a", "x"), story(t, "own", "a", 3, "ask"),
		story(t, "own", "b", 4, "ask"))
	all, err := a.Sessions(ctx, Filter{})
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	var keys []int64
	var want []Outline
	for _, s := range all {
		keys = append(keys, s.Key)
		want = append(want, Outline{s.Key, s.Source, s.ID, s.Project.Key, s.Start, s.End})
	}
	if some, err := a.SessionsOf(ctx, append(keys, 4711)); err != nil || !reflect.DeepEqual(some, all) {
		t.Errorf("by their keys they are\n%+v, %v\nnot\n%+v", some, err, all)
	}
	got, err := a.Outlines(ctx, Filter{})
	slices.SortFunc(got, func(a, b Outline) int { return b.End.Compare(a.End) })
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the outlines are\n%+v, %v\nnot\n%+v", got, err, want)
	}
	every, err := a.Relations(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ties := slices.DeleteFunc(slices.Clone(every), func(r Relation) bool { return r.Kind == trace.Root })
	if got, err := a.Ties(ctx); err != nil || len(got) != 1 || len(every) == len(ties) || !reflect.DeepEqual(got, ties) {
		t.Errorf("the ties are\n%+v, %v\nof\n%+v", got, err, every)
	}
}

// Pack refuses what was not scrubbed by these rules.
func TestUnscrubbed(t *testing.T) {
	tr := story(t, "claude", "a", 1, "ask")
	tr.Scrub.Version--
	if _, err := Pack(tr); err == nil || !strings.Contains(err.Error(), "scrubbed by version") {
		t.Errorf("%v", err)
	}
}

// What older rules let pass is scrubbed where it is, and the counts of the sessions stay.
func TestRescrub(t *testing.T) {
	a := create(t)
	secret := "ghp_" + "x7Rk2Lm9Qw4Tz8Vb3Np6" + "Yc5Hd1Jf0Sg2Ua7E"
	tr := story(t, "claude", "a", 1, "ask call fail")
	tr.Events[0].Body.(*trace.UserMessage).Head = "use " + secret
	tr.Events[1].Body.(*trace.ToolCall).Head = "curl -H 'Authorization: token " + secret + "'"
	tr.Results[0].Head = secret
	a.rules = scrub.Version + 1
	p, err := pack(tr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.put(p, 0); err != nil {
		t.Fatal(err)
	}
	if n, err := a.Rescrub(context.Background()); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	got, err := a.Trace(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := got.MarshalJSON()
	if err != nil || strings.Contains(string(text), secret) || got.Scrub.Version != a.rules || got.Scrub.Redacted != 3 {
		t.Errorf("%s, %v", text, err)
	}
	list, err := a.Sessions(context.Background(), Filter{})
	if err != nil || len(list) != 1 || !list[0].Gone || strings.Contains(list[0].Ask, secret) || !strings.Contains(list[0].Ask, "[redacted:") {
		t.Errorf("%+v, %v", list, err)
	}
	if n, err := a.Rescrub(context.Background()); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}

// files are the modes and bytes of what is in dir, without SQLite's index of a log.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(e.Name(), "-shm") && len(data) > 0 {
			all[e.Name()] = info.Mode().String() + string(data)
		}
	}
	return all
}

// An archive of another schema is refused by whoever opens it, and no byte of it changes: neither of its file nor of the log
// that a killed process left.
func TestOtherSchemas(t *testing.T) {
	world.Unshared(t)
	ctx := context.Background()
	for _, test := range []struct {
		schema int
		log    bool // is left, with something in it
		inLog  bool // so is the schema's number
		says   string
	}{
		{schema: -1, says: "an older aburn wrote it: its schema is -1, and this aburn knows only"},
		{schema: schema - 1, says: "an older aburn"},
		{schema: schema - 1, log: true, says: "an older aburn"},
		{schema: schema - 1, log: true, inLog: true, says: "an older aburn"},
		{schema: schema + 1, says: "a newer aburn"},
		{schema: schema + 1, log: true, says: "a newer aburn"},
	} {
		made, dir := t.TempDir(), t.TempDir()
		a, err := Open(ctx, made)
		if err != nil {
			t.Fatal(err)
		}
		a.store(t, story(t, "claude", "a", 1, "ask call done"))
		number := fmt.Sprintf("PRAGMA user_version = %d", test.schema)
		if !test.inLog {
			if err := a.script(number); err != nil {
				t.Fatal(err)
			}
			if err := a.run("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
				t.Fatal(err)
			}
		}
		if test.log {
			a.store(t, story(t, "claude", "b", 2, "ask call done"))
		}
		if test.inLog {
			if err := a.script(number); err != nil {
				t.Fatal(err)
			}
		}
		for name, data := range files(t, made) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data[len("-rw-------"):]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		a.Close()
		before := files(t, dir)
		if len(before) != 1 && !test.log || len(before) != 2 && test.log {
			t.Fatalf("%d files", len(before))
		}
		for what, open := range map[string]func() error{
			"Open": func() error { _, err := Open(ctx, dir); return err },
			"View": func() error { _, err := View(ctx, dir); return err },
		} {
			var wrong *WrongSchema
			if err := open(); !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), filepath.Join(dir, Name)) {
				t.Errorf("%+v: %s: %v", test, what, err)
			} else if older := strings.Contains(wrong.Hint(), "aburn ingest  # renews it"); older != (test.schema < schema) ||
				older == strings.Contains(wrong.Hint(), "ABURN_HOME") {
				t.Errorf("%+v: %s", test, wrong.Hint())
			}
			if !maps.Equal(files(t, dir), before) {
				t.Errorf("%+v: %s changed something", test, what)
			}
		}
	}
}

// A body that cannot be read when everything is made anew is kept, for an aburn that can read it.
func TestRemakeLosesNothing(t *testing.T) {
	ctx := context.Background()
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask"), story(t, "claude", "b", 2, "ask"))
	if err := a.run("UPDATE traces SET body = x'00' WHERE key = 2"); err != nil {
		t.Fatal(err)
	}
	if faults, err := a.Check(ctx); err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0], "session 2:") {
		t.Errorf("%q, %v", faults, err)
	}
	for range 2 {
		if err := a.Remake(ctx); err != nil {
			t.Fatal(err)
		}
		faults, err := a.Check(ctx)
		if n, err := a.number("SELECT count(*) FROM unread WHERE body = x'00'"); n != 1 || err != nil {
			t.Errorf("%d bodies are kept, %v", n, err)
		}
		if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0], "1 traces that could not be read") {
			t.Errorf("%q, %v", faults, err)
		}
	}
	if err := a.run("DELETE FROM unread"); err != nil {
		t.Fatal(err)
	}
}

func TestModes(t *testing.T) {
	world.Modes(t)
	dir := filepath.Join(t.TempDir(), "deep", "down")
	if _, err := View(context.Background(), dir); !errors.As(err, new(*NotFound)) {
		t.Errorf("no archive: %v", err)
	}
	a, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.store(t, story(t, "claude", "a", 1, "ask"))
	for name, want := range map[string]os.FileMode{".": os.ModeDir | 0o700, Name: 0o600, Name + "-wal": 0o600, Name + "-shm": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestExpire(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask call done"), story(t, "claude", "b", 9, "ask call done"))
	if n, err := a.Expire(context.Background(), at(5)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	list, err := a.Sessions(context.Background(), Filter{})
	if err != nil || ids(list) != "claude/b" {
		t.Errorf("%s, %v", ids(list), err)
	}
}
