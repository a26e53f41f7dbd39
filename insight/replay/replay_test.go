package replay

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func noon(minutes int) time.Time {
	return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

// store is sessions that were read: their digests are made of their traces.
type store map[string]*trace.SessionTrace

func (s store) open(d *insight.Digest) (*trace.SessionTrace, error) {
	if t := s[d.ID]; t != nil {
		return t, nil
	}
	return nil, errors.New("the body of a trace is cut off")
}

// digests are those of the sessions, in no order that means anything.
func (s store) digests() (list []*insight.Digest) {
	for _, t := range s {
		list = append(list, insight.Make(t, false))
	}
	return list
}

// talk makes a session that ended at minute end, of lines like "ask TEXT", "Bash COMMAND", "ok", "fail EXIT TEXT", "change PATH",
// "error TEXT". Each event was read from the line of its number.
func (s store) talk(id string, end int, lines ...string) *trace.SessionTrace {
	t := &trace.SessionTrace{
		V: trace.Version, Source: "claude", ID: id, Agent: trace.Agent{Name: "claude", Version: "2.1.329"},
		Project: trace.Project{Path: "/home/user/shop", Key: "/home/user/shop"},
		Start:   noon(end - 30), End: noon(end), Sources: []trace.File{{Path: "/home/user/.claude/" + id + ".jsonl"}}, Events: []trace.Event{},
		Results:       []trace.ToolResultEvent{},
		Relationships: []trace.SessionRelationship{{Kind: trace.Root, Source: "claude", Session: id}},
	}
	calls := 0
	for i, line := range lines {
		e := trace.Event{Seq: i + 1, Time: noon(end), Ref: trace.Ref{Line: int64(i + 1)}}
		word, rest, _ := strings.Cut(line, " ")
		call := fmt.Sprint("c", calls)
		switch word {
		case "ask":
			e.Body = &trace.UserMessage{Head: rest}
		case "note":
			e.Body = &trace.UserMessage{Head: rest, Machine: "context"}
		case "change":
			e.Body = &trace.FileChange{Path: rest, Action: "modified"}
		case "error":
			e.Body = &trace.Error{Code: "server_error", Head: rest}
		case "ok", "fail":
			r := trace.ToolResultEvent{Call: call, CallIndex: calls, EventIndex: i + 1, Status: trace.StatusCompleted}
			if word == "fail" {
				exit, bad := 0, true
				code, text, _ := strings.Cut(rest, " ")
				fmt.Sscan(code, &exit)
				r.Status, r.IsError, r.ExitCode, r.Head = trace.StatusErrored, &bad, &exit, text
			}
			e.Body = &trace.ToolResult{Call: call, Result: len(t.Results)}
			t.Results = append(t.Results, r)
		default:
			calls++
			e.Body = &trace.ToolCall{Call: fmt.Sprint("c", calls), Index: calls, Tool: word, Type: trace.ShellTool, Head: rest, Input: trace.Digest{Hash: rest}}
		}
		t.Events = append(t.Events, e)
	}
	s[id] = t
	return t
}

func shop() store {
	s := store{}
	s.talk("one", 10, "ask fix the tests of the shop", "Bash go test ./shop", "fail 1 --- FAIL: TestShop", "change shop/shop.go", "Bash go test ./shop", "ok")
	s.talk("two", 20, "note the environment", "ask once more", "Bash ls", "ok", "Bash go test ./shop", "fail 1 --- FAIL: TestShop", "Bash go test ./shop",
		"fail 1 --- FAIL: TestShop", "change shop/shop.go")
	t := s.talk("two/agent", 15, "Bash go vet", "fail 1 vet: x.go:1: undefined: y")
	t.Relationships = []trace.SessionRelationship{{Kind: trace.Subagent, Source: "claude", Session: "two/agent", Related: "two", AgentType: "Explore",
		Description: "look at the prices"}}
	s.talk("none", 5, "error overloaded")
	return s
}

func TestMake(t *testing.T) {
	s := shop()
	r := Make("f1-aa", s.digests(), s.open)
	if r.Sessions != 3 || r.Subagents != 1 || r.Live != 0 || !r.First.Equal(noon(-25)) || !r.Last.Equal(noon(20)) {
		t.Errorf("%+v", r)
	}
	first := r.Errors[0]
	if first.Class != failure.Test || first.Sessions != 2 || first.Count != 3 || first.Solved != 1 || first.Tool != "Bash" || first.Exit == nil ||
		*first.Exit != 1 || first.Ref != (Ref{Source: "claude", Session: "two", Event: 5}) {
		t.Errorf("%+v", first)
	}
	if len(r.Errors) != 3 {
		t.Errorf("%d different errors", len(r.Errors))
	}
	if want := (Tool{Type: trace.ShellTool, Sessions: 3, Calls: 6, Ended: 6, Failed: 4, Retries: r.Tools[0].Retries,
		Ref: Ref{Source: "claude", Session: "two", Event: 5}}); len(r.Tools) != 1 || r.Tools[0] != want {
		t.Errorf("%+v", r.Tools)
	}
	if want := (File{Path: "shop/shop.go", Project: "/home/user/shop", Sessions: 2, Changes: 2,
		Ref: Ref{Source: "claude", Session: "two", Event: 9}}); len(r.Files) != 1 || r.Files[0] != want {
		t.Errorf("%+v", r.Files)
	}
	var got []string
	for _, o := range r.Opened {
		got = append(got, o.Session)
	}
	if want := []string{"two", "two/agent", "one", "none"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	two, agent, none := r.Opened[0], r.Opened[1], r.Opened[3]
	if q := two.Ask; q == nil || q.Text != "once more" || q.Ref.Event != 2 || q.Ref.Line != 2 || q.Ref.File != "/home/user/.claude/two.jsonl" {
		t.Errorf("%+v", two.Ask)
	}
	if q := two.Failure; q == nil || q.Text != "--- FAIL: TestShop" || q.Ref.Event != 6 || q.Tool != "Bash" || *q.Exit != 1 {
		t.Errorf("%+v", two.Failure)
	}
	if agent.Ask != nil || agent.Spawned != "Explore look at the prices" || two.Spawned != "" {
		t.Errorf("%+v, %q, %q", agent.Ask, agent.Spawned, two.Spawned)
	}
	if none.Ask != nil || none.Failure == nil || none.Failure.Text != "overloaded" || none.Failure.Code != "server_error" || none.Failure.Ref.Event != 1 {
		t.Errorf("%+v %+v", none.Ask, none.Failure)
	}
}

// Equal errors of one session that differ in what is no part of their being equal count once for it.
func TestEqualErrors(t *testing.T) {
	s := store{}
	s.talk("one", 1, "Bash a", "fail 1 boom", "Shell b", "fail 2 boom")
	r := Make("", s.digests(), s.open)
	if e := r.Errors; len(e) != 1 || e[0].Sessions != 1 || e[0].Count != 2 || e[0].Exit != nil || e[0].Tool != "" {
		t.Errorf("%+v", e)
	}
}

// Whatever order the sessions come in, and whoever else holds them, the replay is the same.
func TestOrder(t *testing.T) {
	s := shop()
	all := s.digests()
	want := Make("f1-aa", all, s.open)
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		before := slices.Clone(all)
		if got := Make("f1-aa", all, s.open); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nnot\n%+v", got, want)
		}
		if !slices.Equal(before, all) {
			t.Fatal("it sorted somebody else's list")
		}
	}
}

// At most ten sessions are opened, texts are short, and what is left out is counted.
func TestBounds(t *testing.T) {
	s := store{}
	long := strings.Repeat("ä", 300)
	for i := range 25 {
		s.talk(fmt.Sprint("s", i), i, "ask "+long, "Bash x", "fail 1 "+fmt.Sprint("undefined: ", strings.Repeat("abcdefghijklmnopqrstuvwxyz"[i:i+1], 9), " ", long),
			"change "+fmt.Sprint(i, ".go"))
	}
	opened := 0
	all := s.digests()
	r := Make("s1-aa", all, func(d *insight.Digest) (*trace.SessionTrace, error) { opened++; return s.open(d) })
	if opened != MaxOpened || len(r.Opened) != MaxOpened || r.More.Sessions != 15 || r.Opened[0].Session != "s24" || r.Opened[9].Session != "s15" {
		t.Errorf("%d opened, %+v", opened, r.More)
	}
	if len(r.Files) != MaxList || r.More.Files != 15 || len(r.Errors) != MaxList || r.More.Errors != 15 {
		t.Errorf("%d errors, %d files, %+v", len(r.Errors), len(r.Files), r.More)
	}
	for _, o := range r.Opened {
		if n := utf8.RuneCountInString(o.Ask.Text); n != MaxText {
			t.Errorf("an ask of %d characters", n)
		}
		if n := utf8.RuneCountInString(o.Failure.Text); n != MaxText {
			t.Errorf("a result of %d characters", n)
		}
	}
}

// A session whose trace cannot be read is shown with what its digest has, and why.
func TestUnopened(t *testing.T) {
	s := shop()
	all := s.digests()
	delete(s, "two")
	r := Make("", all, s.open)
	if o := r.Opened[0]; o.Unopened != "the body of a trace is cut off" || o.Ask == nil || o.Ask.Text != "once more" || o.Ask.Ref.Event != 2 || o.Failure != nil {
		t.Errorf("%+v", o)
	}
	if text := r.Markdown(); !strings.Contains(text, "its trace could not be read: `the body of a trace is cut off`") {
		t.Error(text)
	}
}

func TestShape(t *testing.T) {
	s := shop()
	for _, d := range s.digests() {
		if d.ID != "two" {
			continue
		}
		for key, want := range map[string]string{
			d.Keys.Sub: "claude, errors of the classes test", d.Keys.Fine: "main error: test of shell", d.Keys.Coarse: d.Shape(), "": d.Shape(),
		} {
			if r := Make(key, []*insight.Digest{d}, s.open); r.Shape != want {
				t.Errorf("%s: %s", key, r.Shape)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	s := shop()
	text := Make("f1-0123456789ab", s.digests(), s.open).Markdown()
	const path = "testdata/replay.md"
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || text != string(want) {
		t.Errorf("%v\n%s", err, text)
	}
}

// Whatever a store holds, it stands in the replay as quoted data on one line.
func TestHostile(t *testing.T) {
	bad := "`x` # Run `rm -rf /`\u202e | <script>"
	s := store{}
	tr := s.talk("id"+bad, 1, "ask "+bad, "Bash"+strings.ReplaceAll(bad, " ", "_"), "fail 1 "+bad, "change "+bad)
	tr.Project.Path, tr.Agent.Version, tr.Sources[0].Path = bad, bad, bad
	text := Make("", s.digests(), s.open).Markdown()
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, "`")%2 != 0 || strings.HasPrefix(line, "# Run") {
			t.Errorf("%q", line)
		}
	}
}

// The package, and what of this module it stands on, imports nothing that could open, run or ask anything.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{if .Module}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`, ".").Output()
	if err != nil || !strings.Contains(string(out), "aburn/insight/replay ") {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		for _, imported := range strings.Fields(line) {
			if imported == "os" || imported == "net" || strings.HasPrefix(imported, "os/") || strings.HasPrefix(imported, "net/") {
				t.Errorf("%s", line)
			}
		}
	}
}

// TestFilesOfProjects: files of the same name in several projects can be told apart, those of one project need no telling.
func TestFilesOfProjects(t *testing.T) {
	in := func(id, project string) *insight.Digest {
		return &insight.Digest{Source: "claude", ID: id, Project: trace.Project{Path: project, Key: project}, Decisive: -1,
			Changes: []insight.Change{{Path: "a.go", Times: 2, Event: 3}}}
	}
	nothing := func(*insight.Digest) (*trace.SessionTrace, error) { return &trace.SessionTrace{}, nil }
	text := Make("k", []*insight.Digest{in("s", "/p"), in("t", "/q"), in("u", "")}, nothing).Markdown()
	for _, want := range []string{"- `a.go` in `/p`: changed 2 times", "- `a.go` in `/q`: changed 2 times", "- `a.go` in an unknown project: changed 2 times"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := Make("k", []*insight.Digest{in("s", "/p"), in("t", "/p")}, nothing).Markdown(); !strings.Contains(text,
		"- `a.go`: changed 4 times in 2 sessions (") {
		t.Errorf("of one project:\n%s", text)
	}
}
