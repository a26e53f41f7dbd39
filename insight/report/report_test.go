package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

func day(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }

func exit(n int) *int { return &n }

// pile is eight units whose sums are known by hand:
//
//	a1 errored   16 Nov  build 3×, exit 2, never solved; 10 calls, 4 failed (shell), 1000 tokens, 400 in failed
//	a2 errored   17 Nov  the same shape and the same error, 1×, solved
//	a3 completed 18 Nov  the same error, 2×, solved
//	a4 gave_up   23 Nov  not_found 1× (read)
//	b1 completed 23 Nov  nothing wrong, two calls were cancelled
//	b2 completed          a sub-agent, nobody knows when it ended
//	b3 interrupted 24 Nov refined by hooks
//	b4 running            build 5×: in what was done, in no outcome
func pile() []*insight.Digest {
	build := func(times, solved int) []insight.ErrorGroup {
		return []insight.ErrorGroup{{Class: failure.Build, Type: trace.ShellTool, Tool: "Bash", Exit: exit(2), Head: "<path>: undefined: <id>",
			Text: "x.go:3: undefined: y", Count: times, First: 7, Last: 9, Solved: solved}}
	}
	one := func(source, id string, end time.Time, o insight.Outcome, rule string) *insight.Digest {
		return &insight.Digest{Source: source, ID: id, Agent: trace.Agent{Name: source}, Project: trace.Project{Key: "/w/p"}, Relation: trace.Root, End: end,
			Verdict: insight.Verdict{Outcome: o, Rule: rule}, Keys: insight.Keys{Coarse: "f1-" + id}, Decisive: -1}
	}
	a1 := one("claude", "a1", day(16), insight.Errored, "failing_tail")
	a1.Keys = insight.Keys{Coarse: "f1-same", Sub: "s1-b", Fine: "e1-build"}
	a1.Errors, a1.Classes, a1.Decisive = build(3, 0), []insight.ClassCount{{Class: failure.Build, Count: 3}, {Class: failure.Test, Count: 1}}, 0
	a1.Counts, a1.Usage = trace.Counts{Calls: 10, Failed: 4}, trace.Usage{Input: 900, Output: 100}
	a1.Spent = insight.Spent{Calls: 800, Failed: 400, Retries: 50}
	a1.Tools = []insight.ToolUse{{Type: trace.ReadTool, Calls: 2, Ended: 2},
		{Type: trace.ShellTool, Calls: 8, Ended: 7, Failed: 4, Denied: 1, Retries: 2, Timed: 5, TimedMS: 9000, SpentAll: 400}}
	a1.Slow = []insight.SlowCall{{Event: 7, Tool: "Bash", Type: trace.ShellTool, What: "make", MS: 5000, Failed: true},
		{Event: 9, Tool: "Bash", Type: trace.ShellTool, What: "make", MS: 2000}}
	a1.Loops = []insight.EditLoop{{Path: "x.go", Edits: 4, Identical: 1, First: 3, Last: 30}}
	a1.Phases = []insight.PhaseUse{
		{Command: "build", Phase: "RED", Result: "completed", ActiveMS: 1000, Tokens: 200, Calls: 4, Failed: 1,
			Tools: []insight.ToolFailed{{Tool: "Bash", Failed: 1}}, First: 2},
		{Command: "build", Phase: "GREEN", Result: "failed", ActiveMS: 3000, Tokens: 600, Calls: 6, Failed: 3,
			Tools: []insight.ToolFailed{{Tool: "Bash", Failed: 2}, {Tool: "Edit", Failed: 1}}, First: 11},
	}
	a2 := one("claude", "a2", day(17), insight.Errored, "fatal_error")
	a2.Keys = a1.Keys
	a2.Errors, a2.Classes, a2.Decisive = build(1, 12), []insight.ClassCount{{Class: failure.Build, Count: 1}}, 0
	a2.Loops = []insight.EditLoop{{Path: "x.go", Edits: 6, First: 5}}
	a2.Phases = []insight.PhaseUse{{Command: "build", Phase: "GREEN", Result: "open", ActiveMS: 500, Tokens: 100, Calls: 2, Failed: 1,
		Tools: []insight.ToolFailed{{Tool: "Edit", Failed: 1}}, First: 4}}
	a3 := one("claude", "a3", day(18), insight.Completed, "work")
	a3.Keys.Fine, a3.Errors, a3.Classes, a3.Decisive = "e1-build", build(2, 20), []insight.ClassCount{{Class: failure.Build, Count: 2}}, 0
	a3.Slow = []insight.SlowCall{{Event: 4, Tool: "Bash", Type: trace.ShellTool, What: "go test", MS: 3000, Gap: true}}
	a4 := one("claude", "a4", day(23), insight.GaveUp, "open_calls")
	a4.Keys.Fine, a4.Classes, a4.Decisive = "e1-missing", []insight.ClassCount{{Class: failure.NotFound, Count: 1}}, 0
	a4.Errors = []insight.ErrorGroup{{Class: failure.NotFound, Type: trace.ReadTool, Tool: "Read", Head: "no such file", Text: "no such file", Count: 1, First: 2,
		Last: 2}}
	a4.Tools = []insight.ToolUse{{Type: trace.ReadTool, Calls: 1, Ended: 1, Failed: 1}}
	a4.Counts = trace.Counts{Calls: 1, Failed: 1}
	b1 := one("codex", "b1", day(23), insight.Completed, "work")
	b1.Usage, b1.Classes = trace.Usage{Output: 500}, []insight.ClassCount{{Class: failure.Cancelled, Count: 2}}
	b2 := one("codex", "b2", time.Time{}, insight.Completed, "work")
	b2.Relation = trace.Subagent
	b3 := one("codex", "b3", day(24), insight.Interrupted, "interrupt")
	b3.Verdict.Refined = "gave_up → interrupted"
	b4 := one("codex", "b4", day(24), insight.Errored, "failing_tail")
	b4.Live, b4.Keys, b4.Errors, b4.Classes, b4.Decisive = true, a1.Keys, build(5, 0), []insight.ClassCount{{Class: failure.Build, Count: 5}}, 0
	return []*insight.Digest{a1, a2, a3, a4, b1, b2, b3, b4}
}

func made() *Report { return Make(pile(), Options{Now: day(25)}) }

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is\n%+v, want\n%+v", what, got, want)
	}
}

func at(source, id string, event, d int) Place { return Place{source, id, event, day(d)} }

func TestUnits(t *testing.T) {
	r := made()
	same(t, "units", r.Units, Units{All: 8, Sessions: 7, Subagents: 1, Running: 1, Ended: 7, Failing: 3, Erring: 4, Undated: 1})
	same(t, "outcomes", r.Outcomes, []Outcome{
		{insight.Completed, 3, 7, []Rule{{"work", 3}}, 0}, {insight.Errored, 2, 7, []Rule{{"failing_tail", 1}, {"fatal_error", 1}}, 0},
		{insight.GaveUp, 1, 7, []Rule{{"open_calls", 1}}, 0}, {insight.Killed, 0, 7, []Rule{}, 0}, {insight.Crashed, 0, 7, []Rule{}, 0},
		{insight.Interrupted, 1, 7, []Rule{{"interrupt", 1}}, 1},
		{insight.Unknown, 0, 7, []Rule{}, 0},
	})
	same(t, "agents", r.Agents, []Agent{{"claude", 4, 4, 3, 11, 1000}, {"codex", 4, 3, 0, 0, 500}})
}

func TestFailures(t *testing.T) {
	r := made()
	if len(r.Failures) != 2 || len(r.Errors) != 2 {
		t.Fatalf("%d shapes and %d errors, want 2 and 2", len(r.Failures), len(r.Errors))
	}
	first := r.Failures[0]
	first.Shape, first.Rate = "", "" // package insight's
	same(t, "first shape", first, Shape{Key: "f1-same", Agent: "claude", Outcome: insight.Errored, Units: 2, OfFailing: 3, OfEnded: 7, First: day(16),
		Last: day(17),
		Seen: []Place{at("claude", "a2", 0, 17), at("claude", "a1", 0, 16)}})
	if r.Failures[1].Key != "f1-a4" || r.Failures[1].Units != 1 {
		t.Errorf("second shape is %+v", r.Failures[1])
	}
	same(t, "first error", r.Errors[0], Error{Key: "e1-build", Class: failure.Build, Type: trace.ShellTool, Tool: "Bash", Exit: r.Errors[0].Exit,
		Head: "<path>: undefined: <id>", Text: "x.go:3: undefined: y",
		Units: 3, OfErring: 4, OfEnded: 7, Failing: 2, Times: 6, Solved: 2, First: day(16), Last: day(18),
		Seen: []Place{at("claude", "a3", 7, 18), at("claude", "a2", 7, 17), at("claude", "a1", 7, 16)}})
	if e := r.Errors[0].Exit; e == nil || *e != 2 {
		t.Errorf("exit code %v, want 2", e)
	}
	same(t, "classes", r.Classes, []Class{
		{Class: failure.Build, Errors: 11, OfErrors: 13, Units: 4, OfUnits: 8, Failing: 2, OfFailing: 3},
		{Class: failure.NotFound, Errors: 1, OfErrors: 13, Units: 1, OfUnits: 8, Failing: 1, OfFailing: 3},
		{Class: failure.Test, Errors: 1, OfErrors: 13, Units: 1, OfUnits: 8, Failing: 1, OfFailing: 3},
	})
}

func TestWhatWasDone(t *testing.T) {
	r := made()
	same(t, "loops", r.Loops, []Loop{{Path: "x.go", Project: "/w/p", Units: 2, Edits: 10, Most: 6, Identical: 1, Worst: at("claude", "a2", 5, 17)}})
	same(t, "units with loops", r.LoopsIn, 2)
	same(t, "tools", r.Tools, []Tool{
		{Type: trace.ShellTool, Calls: 8, Ended: 7, Failed: 4, Denied: 1, Retries: 2, Timed: 5, TimedMS: 9000, Spent: 400},
		{Type: trace.ReadTool, Calls: 3, Ended: 3, Failed: 1},
	})
	same(t, "all tools", r.AllTools, Tool{Calls: 11, Ended: 10, Failed: 5, Denied: 1, Retries: 2, Timed: 5, TimedMS: 9000, Spent: 400})
	same(t, "tokens", r.Tokens, Tokens{All: 1500, Calls: 800, Failed: 400, Retries: 50, Units: 2, Of: 8})
	same(t, "slow", r.Slow, []Slow{
		{at("claude", "a1", 7, 16), "Bash", trace.ShellTool, "make", 5000, false, true},
		{at("claude", "a3", 4, 18), "Bash", trace.ShellTool, "go test", 3000, true, false},
		{at("claude", "a1", 9, 16), "Bash", trace.ShellTool, "make", 2000, false, false},
	})
	same(t, "phases", r.Phases, []Phase{
		{Command: "build", Phase: "RED", Runs: 1, Completed: 1, ActiveMS: 1000, Tokens: 200, Calls: 4, BadCalls: 1,
			Tools: []insight.ToolFailed{{Tool: "Bash", Failed: 1}}, Worst: at("claude", "a1", 2, 16)},
		{Command: "build", Phase: "GREEN", Runs: 2, Failed: 1, Open: 1, ActiveMS: 3500, Tokens: 700, Calls: 8, BadCalls: 4,
			Tools: []insight.ToolFailed{{Tool: "Bash", Failed: 2}, {Tool: "Edit", Failed: 2}}, Worst: at("claude", "a1", 11, 16)},
	})
}

func TestWeeks(t *testing.T) {
	same(t, "weeks", made().Weeks, []Week{
		{Week: "2026-W47", Start: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), Ended: 3, Failing: 2, Outcomes: map[string]int{"errored": 2, "completed": 1},
			Calls: 9, Failed: 4, Errors: 7,
			Classes: []insight.ClassCount{{Class: failure.Build, Count: 6}, {Class: failure.Test, Count: 1}}, Tokens: 1000, Spent: 450},
		{Week: "2026-W48", Start: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), Ended: 3, Failing: 1,
			Outcomes: map[string]int{"gave_up": 1, "completed": 1, "interrupted": 1}, Calls: 1, Failed: 1, Errors: 1,
			Classes: []insight.ClassCount{{Class: failure.NotFound, Count: 1}}, Tokens: 500},
	})
	for _, c := range []struct{ moment, week, monday string }{
		{"2027-01-03T23:59:59Z", "2026-W53", "2026-12-28"}, {"2027-01-04T00:00:00Z", "2027-W01", "2027-01-04"},
		{"2026-11-23T00:30:00+02:00", "2026-W47", "2026-11-16"}, {"2024-12-30T00:00:00Z", "2025-W01", "2024-12-30"},
		{"1969-12-31T12:00:00Z", "1970-W01", "1969-12-29"}, {"1969-12-28T12:00:00Z", "1969-W52", "1969-12-22"},
	} {
		moment, _ := time.Parse(time.RFC3339, c.moment)
		list := Make([]*insight.Digest{{End: moment, Decisive: -1}}, Options{}).Weeks
		if len(list) != 1 || list[0].Week != c.week || list[0].Start.Format(time.DateOnly) != c.monday {
			t.Errorf("%s is in %+v, want %s from %s", c.moment, list, c.week, c.monday)
		}
	}
}

// Of many calls the longest are kept, of equally long ones those of the latest units.
func TestSlowest(t *testing.T) {
	var list []*insight.Digest
	for i := range 40 { // two calls each: i seconds, and one second
		list = append(list, &insight.Digest{Source: "claude", ID: fmt.Sprintf("%02d", i), End: day(1).AddDate(0, 0, i), Decisive: -1,
			Slow: []insight.SlowCall{{Event: 1, MS: max(int64(i%30)*1000, 1000)}, {Event: 2, MS: 1000}}})
	}
	var got []string
	for _, s := range Make(list, Options{}).Slow {
		got = append(got, fmt.Sprintf("%s:%d", s.Session, s.MS/1000))
	}
	want := "29:29 28:28 27:27 26:26 25:25 24:24 23:23 22:22 21:21 20:20 19:19 18:18 17:17 16:16 15:15 14:14 13:13 12:12 11:11 10:10"
	if strings.Join(got, " ") != want {
		t.Errorf("the slowest are %v, want %s", got, want)
	}
	for _, d := range list {
		d.Slow = d.Slow[1:]
	}
	for i, s := range Make(list, Options{}).Slow {
		if want := fmt.Sprintf("%02d", 39-i); s.Session != want || s.MS != 1000 {
			t.Errorf("of equally long ones number %d is %+v, want that of %s", i, s, want)
		}
	}
}

// The order of the digests does not matter, and they stay as they are.
func TestOrderDoesNotMatter(t *testing.T) {
	want, _ := json.Marshal(made())
	rng := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		list := pile()
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		before, _ := json.Marshal(list)
		got, err := json.Marshal(Make(list, Options{Now: day(25)}))
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v: another order gives\n%s, want\n%s", err, got, want)
		}
		if after, _ := json.Marshal(list); string(after) != string(before) {
			t.Fatal("the digests were changed")
		}
	}
}

func TestNothing(t *testing.T) {
	r := Make(nil, Options{Now: day(25)})
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v: a report of nothing is %s", err, text)
	}
	same(t, "units", r.Units, Units{})
}

func TestTop(t *testing.T) {
	r := made()
	top := r.Top(1)
	same(t, "left out", top.More, More{Agents: 1, Failures: 1, Errors: 1, Classes: 2, Tools: 1, Slow: 2, Phases: 1, Weeks: 1})
	if len(top.Errors) != 1 || top.Errors[0].Key != "e1-build" || len(top.Weeks) != 1 || top.Weeks[0].Week != "2026-W48" {
		t.Errorf("the top is %+v and %+v", top.Errors, top.Weeks)
	}
	if len(r.Errors) != 2 || r.More != (More{}) {
		t.Error("the report itself was cut")
	}
}

func TestPure(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"os", "net", "os/exec", "net/http", "io/fs", "path/filepath"} {
		if slices.Contains(strings.Fields(string(out)), bad) {
			t.Errorf("the package imports %s", bad)
		}
	}
}
