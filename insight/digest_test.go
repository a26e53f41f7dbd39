package insight_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// show is a value on one line, pointers followed.
func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is\n %s\nnot\n %s", what, show(got), show(want))
	}
}

func number(n int) *int { return &n }

// Equal errors are one group, in the order of their first appearance; what did what the last of them had not is told.
func TestErrors(t *testing.T) {
	d := insight.Make(drawn(t, "p:hi "+ // event 1
		"c1:Bash=go_test bad:1:---_FAIL:_TestA_(0.01s) "+ // 2
		"c2:Bash=go_vet bad:2:vet:_x.go:1:2:_undefined:_y "+ // 4
		"c3:Bash=go_test_-v bad:1:---_FAIL:_TestA_(2.5s) "+ // 6: another input, and the same error
		"c4:Bash=go_test bad:2:---_FAIL:_TestA_(0.01s) "+ // 8: another exit code
		"err:ECONNRESET "+ // 10
		"c5:Bash=go_test_./... ok "+ // 11: another input, and the same command
		"c6:Edit=a.go bad::String_to_replace_not_found_in_file._String:_x "+ // 13
		"c7:Edit=b.go ok c8:Edit=a.go ok "+ // 15, 17
		"c9:Read=z denied:user cA:Read=z stopped say"), false) // 19, 21
	var got []string
	for _, e := range d.Errors {
		got = append(got, fmt.Sprintf("%s %s %s %d×%d–%d solved %d", e.Class, e.Tool, show(e.Exit), e.Count, e.First, e.Last, e.Solved))
	}
	expect(t, "errors", got, []string{
		"test Bash 1 2×2–6 solved 11",
		"type Bash 2 1×4–4 solved 0",
		"test Bash 2 1×8–8 solved 11",
		"network  null 1×10–10 solved 11",
		"edit_mismatch Edit null 1×13–13 solved 17",
		"permission Read null 1×19–19 solved 0",
		"cancelled Read null 1×21–21 solved 0",
	})
	first := d.Errors[0]
	expect(t, "head and text", []string{first.Head, first.Text, d.Errors[4].Head},
		[]string{"--- FAIL: TestA (#)", "--- FAIL: TestA (0.01s)", "String to replace not found in file."})
	expect(t, "classes", d.Classes, []insight.ClassCount{{failure.Cancelled, 1}, {failure.EditMismatch, 1}, {failure.Network, 1}, {failure.Permission, 1},
		{failure.Test, 3}, {failure.Type, 1}})
	if d.Decisive != 1 {
		t.Errorf("the decisive one is %d, and type was never got over", d.Decisive)
	}
	sum := 0
	for _, c := range d.Classes {
		sum += c.Count
	}
	if sum != d.Counts.Failed+d.Counts.Errors {
		t.Errorf("%d errors by class, and %+v", sum, d.Counts)
	}
}

// The main error ended the session or was never got over. Of classes with equally many errors, the one whose first came first
// decides; a call that was stopped never does.
func TestDecisive(t *testing.T) {
	for line, want := range map[string]int{
		"c1:Bash=x":         -1,
		"c1:Read=z stopped": -1,
		"c1:Read=z stopped c2:Read=y stopped err:ECONNRESET":                                       1,
		"c1:Bash=ls bad:2:Permission_denied err:ECONNRESET":                                        0,
		"c1:Bash=ls bad:1:odd err:ECONNRESET c2:Bash=cat bad:1:x:_Permission_denied":               0,
		"err:ECONNRESET c1:Bash=ls bad:2:Permission_denied c2:Bash=cat bad:1:x:_Permission_denied": 1,
		// What ended it, however often something else failed before.
		"p:a c1:Bash=go_test bad:1:a c2:Bash=go_test bad:1:b c3:Bash=ls bad:2:Permission_denied fatal!:rate_limit": 3,
		"p:a c1:Bash=ls bad:2:Permission_denied c2:Bash=ls bad:2:Permission_denied c3:Bash=cat bad:2:Permission_denied " +
			"c4:Bash=make ok c5:Bash=npm_test bad:1:odd c6:Bash=npm_test bad:1:odd c7:Bash=npm_test bad:1:odd c8:Bash=npm_test bad:1:odd": 1,
		// What was got over is not what it was about: the same call, or one about the same, succeeded later.
		"p:a c1:Bash=go_test_./a bad:1:a c2:Bash=go_test_./b bad:1:a c3:Bash=ls bad:2:Permission_denied c4:Bash=go_test_./a ok say": 1,
		"p:a fatal!:rate_limit p:b fatal!:rate_limit p:c say c1:Edit=a bad:x:odd say":                                               1,
		"p:a c1:Edit=a bad:x:odd c2:Bash=ls bad:2:Permission_denied c3:Edit=a ok":                                                   1,
		// If all was got over, what failed most.
		"p:a c1:Edit=a bad:x:odd c2:Bash=ls bad:2:Permission_denied c3:Edit=a ok c4:Bash=ls ok": 0,
	} {
		if d := insight.Make(drawn(t, line), false); d.Decisive != want {
			t.Errorf("%q: %d, not %d, of %s", line, d.Decisive, want, show(d.Errors))
		}
	}
}

// More errors than are kept are counted, and the decisive one is kept.
func TestMoreErrors(t *testing.T) {
	line := "p:hi "
	for i := range 50 {
		line += fmt.Sprintf("c%d:Bash=x bad:1:odd_%s ", i, strings.Repeat("y", i+1))
	}
	line += "c90:Bash=x bad:1:Permission_denied " // one of 101
	for i := range 50 {
		line += fmt.Sprintf("c1%d:Bash=x bad:1:odd_%s ", i, strings.Repeat("y", i+1))
	}
	d := insight.Make(drawn(t, line+"p:else say"), false)
	expect(t, "more", d.More, insight.More{Errors: 51 - insight.MaxErrors})
	expect(t, "classes", d.Classes, []insight.ClassCount{{failure.Other, 100}, {failure.Permission, 1}})
	if len(d.Errors) != insight.MaxErrors || d.Decisive != 0 || d.Errors[0].Count != 2 {
		t.Errorf("%d errors, decisive %d, %s", len(d.Errors), d.Decisive, show(d.Errors[0]))
	}
	line = "p:hi "
	for i := range 50 {
		line += fmt.Sprintf("c%d:Bash=x bad:1:odd_%s ", i, strings.Repeat("y", i+1))
	}
	for i := range 51 {
		line += fmt.Sprintf("c1%d:Bash=x bad:1:Permission_denied_%s ", i, strings.Repeat("y", i+1))
	}
	d = insight.Make(drawn(t, line+"p:else say"), false)
	if e := d.Errors[len(d.Errors)-1]; len(d.Errors) != insight.MaxErrors || d.Decisive != insight.MaxErrors-1 || e.Class != failure.Permission ||
		!strings.HasSuffix(e.Head, "denied y") {
		t.Errorf("%d errors, decisive %d, the last %s", len(d.Errors), d.Decisive, show(e))
	}
}

// The calls by type, with what repeats a failure, what they took, and what was spent on them.
func TestTools(t *testing.T) {
	d := insight.Make(drawn(t, "p:hi resp:r1:100 resp:r2:11 resp:r3:7 resp:rX:1000 "+
		"c1:Bash=make@r1 bad:2 "+ // 2, 3: a second, and nobody measured
		"c2:Bash=make@r2 c3:Read=a@r2 bad:c2:2 ok:c3:4000 "+ // c2 repeats c1; c3 took 4 s
		"c4:Bash=make@r3 ok:9000 "+ // repeats c2, which failed
		"c5:Bash=make ok:1 "+ // c4 had succeeded
		"c6:Edit=a.go bad c7:Edit=a.go ok c8:Edit=b.go denied:rule c9:Grep=x run say "+
		"copy:ON resp:r9:50 cA:Bash=x@r9 bad:1 copy:OFF"), false)
	expect(t, "tools", d.Tools, []insight.ToolUse{
		{Type: trace.EditTool, Calls: 3, Ended: 3, Failed: 2, Denied: 1, Retries: 1, Timed: 3, TimedMS: 3000, Gaps: 3},
		{Type: trace.ReadTool, Calls: 1, Ended: 1, Timed: 1, TimedMS: 4000},
		{Type: trace.SearchTool, Calls: 1},
		{Type: trace.ShellTool, Calls: 4, Ended: 4, Failed: 2, Retries: 2, Timed: 4, Gaps: 2, TimedMS: 1000 + 2000 + 9000 + 1, SpentAll: 100 + 6},
	})
	// r2's 11 tokens are 6 and 5; r3 went into a repetition that succeeded; rX made no call.
	expect(t, "spent", d.Spent, insight.Spent{Calls: 118, Failed: 106, Retries: 7})
	var slow []string
	for _, s := range d.Slow {
		slow = append(slow, fmt.Sprint(s.Event, " ", s.What, " ", s.MS, " ", s.Gap, " ", s.Failed))
	}
	expect(t, "slow calls", slow, []string{"8 make 9000 false false", "5 a 4000 false false", "4 make 2000 true true", "2 make 1000 true true",
		"12 a.go 1000 true true"})
}

// What calls within code cost is its response's, and the code itself is no call.
func TestContainer(t *testing.T) {
	tr := drawn(t, "p:hi resp:r1:90 c1:exec=code@r1 c2:Bash=a bad:1 c3:Bash=b ok ok:c1")
	for _, e := range tr.Events {
		if c, ok := e.Body.(*trace.ToolCall); ok && c.Tool != "exec" {
			c.Parent = "c1"
		} else if ok {
			c.Container = true
		}
	}
	d := insight.Make(tr, false)
	expect(t, "spent", d.Spent, insight.Spent{Calls: 90, Failed: 45})
	if d.Counts.Calls != 2 || len(d.Tools) != 1 {
		t.Errorf("%+v %s", d.Counts, show(d.Tools))
	}
}

// Files: how often, how many lines where that is known each time, and going back to what was there before.
func TestChanges(t *testing.T) {
	tr := drawn(t, "p:hi c1:Edit=a ok file:a:one file:b c2:Edit=a ok file:a:two c3:Edit=a ok file:a:one c4:Edit=c ok c5:Edit=c ok c6:Edit=c ok c7:Edit=c bad "+
		"copy:ON file:c file:c file:a:one copy:OFF c8:Edit=d ok c9:Edit=d ok cA:Edit=d ok cB:Edit=d ok cC:Bash=x ok file:e file:e file:e")
	lines := [][2]*int{{number(1), number(0)}, {nil, nil}, {number(2), number(3)}, {number(4), nil}}
	for i := range tr.Events {
		if c, ok := tr.Events[i].Body.(*trace.FileChange); ok && len(lines) > 0 {
			c.Added, c.Removed, lines = lines[0][0], lines[0][1], lines[1:]
		}
	}
	d := insight.Make(tr, false)
	hash := func(s string) string { return map[string]string{"one": "7692c3ad3540bb80"}[s] } // printf one | sha256sum
	expect(t, "changes", d.Changes, []insight.Change{
		{Path: "a", Action: "modified", Times: 3, Added: number(7), Hash: hash("one"), Event: 11},
		{Path: "b", Action: "modified", Times: 1, Event: 5},
		{Path: "e", Action: "modified", Times: 3, Event: 35},
	})
	expect(t, "loops", d.Loops, []insight.EditLoop{{Path: "a", Edits: 3, Identical: 1, First: 4, Last: 11}, {Path: "d", Edits: 4, First: 23, Last: 29}})
}

// Of more loops than are kept, those with most edits are.
func TestMoreLoops(t *testing.T) {
	line := "p:hi c1:Bash=x ok "
	for i := range insight.MaxLoops + 2 {
		line += strings.Repeat(fmt.Sprintf("file:f%d ", i), 4+i%2)
	}
	d := insight.Make(drawn(t, line), false)
	edits := 0
	for i, l := range d.Loops {
		edits += l.Edits
		if i > 0 && l.First < d.Loops[i-1].First {
			t.Errorf("%+v stands behind %+v", l, d.Loops[i-1])
		}
	}
	// 21 files with five changes, and 19 of the 21 with four.
	if len(d.Loops) != insight.MaxLoops || d.More.Loops != 2 || edits != 21*5+19*4 {
		t.Errorf("%d loops with %d edits, %+v", len(d.Loops), edits, d.More)
	}
}

// Phases: of a command with phases each of them, of one without itself; what is within counts.
func TestPhases(t *testing.T) {
	d := insight.Make(drawn(t, "p:hi start:build "+ // 1, 2
		"phase:build:RED c1:Bash=go_test bad:1 resp:r1:10 done:build:RED "+ // 3–6
		"say resp:r2:1000 phase:build:GREEN copy:ON resp:rC:99 copy:OFF c2:Edit=a ok +30 c3:Bash=go_test bad:1 c4:Bash=go_test bad:1 resp:r3:5 "+ // 7, 8–14
		"phase:build:REFACTOR say broke:build:REFACTOR complete:build "+ // 15–17, 18
		"start:ship +900 c5:Bash=git_push ok fail:ship "+ // 19–22
		"start:plan say start:docs phase:docs:A"), true) // 23–24, 25, 26
	expect(t, "phases", d.Phases, []insight.PhaseUse{
		{Command: "build", Phase: "RED", Result: "completed", ActiveMS: 3000, Tokens: 10, Calls: 1, Failed: 1, Tools: []insight.ToolFailed{{"Bash", 1}}, First: 3,
			Last: 6},
		{Command: "build", Phase: "GREEN", Result: "open", ActiveMS: 36000, Tokens: 5, Calls: 3, Failed: 2, Tools: []insight.ToolFailed{{"Bash", 2}}, First: 8,
			Last: 14},
		{Command: "build", Phase: "REFACTOR", Result: "failed", ActiveMS: 2000, First: 15, Last: 17},
		{Command: "ship", Result: "failed", ActiveMS: 2000, Calls: 1, First: 19, Last: 22}, // 15 minutes of pause are not active
		{Command: "plan", Result: "open", ActiveMS: 1000, First: 23, Last: 24},
		{Command: "docs", Phase: "A", Result: "open", First: 26, Last: 26},
	})
}

// The pure part stays pure.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{if .Module}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, i := range strings.Fields(imports) {
			switch i {
			case "os", "net", "os/exec", "io/fs", "path/filepath", "syscall", "regexp", "math/rand", "math/rand/v2":
				t.Errorf("%s imports %s", pkg, i)
			}
		}
	}
}

// Exit 137 says that a command was killed. Where its agent's program stopped with it, that killed it, and memory did not
// run out.
func TestKilledWithItsProgram(t *testing.T) {
	const call = "p:go c1:Bash=make bad:137 "
	for _, c := range []struct {
		name, rest string
		want       failure.Class
	}{
		{"the agent went on", "say", failure.OOM},
		{"nothing says that it was killed", "", failure.OOM},
		{"the source says killed", "outcome:killed", failure.Cancelled},
		{"the session ended", "end", failure.Cancelled},
		{"interrupted", "intr", failure.Cancelled},
		{"the agent went on, then the session ended", "say end outcome:killed", failure.OOM},
	} {
		d := insight.Make(drawn(t, call+c.rest), false)
		expect(t, c.name, d.Classes, []insight.ClassCount{{c.want, 1}})
	}
}
