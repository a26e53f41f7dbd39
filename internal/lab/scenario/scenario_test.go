package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

// write makes a folder with one recording and the given scenario, and reads that.
func write(t *testing.T, text string) (*Scenario, error) {
	t.Helper()
	dir := t.TempDir()
	log, _ := drawn.Log("@one proc=77 SESSION_START'startup' PROMPT build> Bash'go test'!1(3s) Edit'a.go'=v1 Bash'go test' build. STOP @two PROMPT STOP")
	for path, content := range map[string]string{"recordings/tdd.log": string(log), "frozen.txtar": "-- a.txt --\n" + text} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Load(filepath.Join(dir, "frozen.txtar"))
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// story is a log as one line: time, session and event of each entry.
func story(s *Scenario) string {
	var b strings.Builder
	for _, e := range s.Entries() {
		b.WriteString(" " + e.Time.Format("4:05") + string(e.Session) + ":" + string(e.Event))
	}
	return strings.TrimSpace(b.String())
}

func TestHeader(t *testing.T) {
	s, err := write(t, `why: it is tried
# a comment
origin: drawn
after: 30m
model: {"workflow":{"phases":[]}}
expect: loop A @bad high
expect: silence A @2
never: out_of_order *
allow: chain_broken - because nobody knows
open: loop A
cleared: silence A
observe: gone A @bad
observe: missing docs/a.md

@A build> build! [bad]
# prose
build.
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Expect) != 2 || s.Expect[0] != (Claim{Type: "loop", Session: "A", Entry: 2, High: true}) || s.Expect[1].Entry != 2 || s.Healthy() {
		t.Errorf("expect: %+v", s.Expect)
	}
	if len(s.Never) != 1 || !s.Never[0].About("out_of_order", "A") || s.Never[0].About("loop", "A") || !s.Allow[0].About("chain_broken", "") {
		t.Errorf("never: %+v, allow: %+v", s.Never, s.Allow)
	}
	if len(s.Open) != 1 || len(s.Cleared) != 1 || len(s.Observe) != 2 || s.Observe[0] != (Observation{"gone", "A", 2}) {
		t.Errorf("open %+v, cleared %+v, observe %+v", s.Open, s.Cleared, s.Observe)
	}
	if !s.Frozen || s.Name != "a" || s.After.Minutes() != 30 || s.Model == nil || len(s.Entries()) != 3 {
		t.Errorf("%+v", s)
	}
}

func TestWrongScenario(t *testing.T) {
	head := "why: x\norigin: drawn\n"
	recorded := "why: x\norigin: recorded tdd\n\n"
	for _, text := range []string{
		"", "why: x\n\nplan>", "origin: drawn\n\nplan>", head + "plan>", head + "\n", head + "colour: red\n\nplan>", head + "why: y\n\nplan>",
		head + "after: soon\n\nplan>", head + "after: -1h\n\nplan>", head + "model: 3\n\nplan>", head + "expect: loop\n\nplan>",
		head + "expect: loop A\n\nplan>", head + "expect: loop *\n\nplan>", head + "expect: loop - @9\n\nplan>", head + "expect: loop - @x\n\nplan>",
		head + "never: loop - high\n\nplan>", head + "allow: loop -\n\nplan>", head + "never: loop - because so\n\nplan>", head + "expect: loop - maybe\n\nplan>",
		head + "observe: dead -\n\nplan>", head + "observe: gone A\n\nplan>", head + "\nplan", head + "\n#x\nplan>",
		"why: x\norigin: elsewhere\n\nplan>", "why: x\norigin: recorded\n\nplan>", "why: x\norigin: recorded nothing\n\nplay nothing as A",
		recorded + "play other as A", recorded + "play tdd as A", recorded + "play tdd as A B from 0", recorded + "play tdd as A B from 2 to 1",
		recorded + "play tdd as A B pace 0",
		recorded + "play tdd as A B beside 1s", recorded + "play tdd as A B\nwarp A:STOP", recorded + "play tdd as A B\ndrop A:STOP#2",
		recorded + "play tdd as A B\ndrop C:STOP",
		recorded + "play tdd as A B\ncut A", recorded + "play tdd as A B\nstretch A:STOP -1m", recorded + "play tdd as A B\nrepeat A:STOP..A:START 2",
		recorded + "play tdd as A B\nrepeat A:START..A:STOP 0",
		recorded + "play tdd as A B\nset A:STOP colour", recorded + "play tdd as A B\nmark x A:STOP\nmark x A:STOP", recorded + "play tdd as A B\ndraw",
		recorded + "play tdd as A B\ndraw after A:STOP PROMPT",
		recorded + "play tdd as A B\ndraw #", recorded + "play tdd as A B\ndrop A:STOP'x", recorded + "play tdd as A B\ndrop some A:STOP",
	} {
		if s, err := write(t, text); err == nil {
			t.Errorf("%q was read as %s", text, story(s))
		}
	}
}

func TestWeave(t *testing.T) {
	const head = "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START 0:03A:TOOL_START 0:06A:TOOL_FAILED"
	check(t, "", head)
	check(t, "play tdd as C D from 1 to 2 pace 10 beside 1s",
		"0:00A:SESSION_START 0:01A:PROMPT 0:01C:SESSION_START 0:02A:START 0:03A:TOOL_START 0:06A:TOOL_FAILED 0:11C:PROMPT")
	check(t, "drop A:PROMPT", "0:00A:SESSION_START 0:02A:START 0:03A:TOOL_START 0:06A:TOOL_FAILED")
	check(t, "drop call A:TOOL_FAILED", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START")
	check(t, "drop all A:*'go test'", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START")
	check(t, "drop A:PROMPT..A:TOOL_START", "0:00A:SESSION_START 0:06A:TOOL_FAILED")
	check(t, "drop before A:START", "0:02A:START 0:03A:TOOL_START 0:06A:TOOL_FAILED")
	check(t, "cut A:START", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START")
	check(t, "stretch A:TOOL_FAILED 20m", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START 0:03A:TOOL_START 20:06A:TOOL_FAILED")
	check(t, "clock A:TOOL_FAILED -6s", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START 0:03A:TOOL_START 0:00A:TOOL_FAILED")
	check(t, "repeat A:TOOL_START..A:TOOL_FAILED 1", head+" 0:07A:TOOL_START 0:10A:TOOL_FAILED")
	check(t, "twice A:START", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START 0:02A:START 0:03A:TOOL_START 0:06A:TOOL_FAILED")
	check(t, "draw after A:START: STOP +1m PROMPT", "0:00A:SESSION_START 0:01A:PROMPT 0:02A:START 0:03A:STOP 1:04A:PROMPT 1:05A:TOOL_START 1:08A:TOOL_FAILED")
	check(t, "draw STOP", head+" 0:07A:STOP")
	if s := check(t, "set all A:* cmd=session phase= tool_use_id=", head); s != nil &&
		(s.Entries()[3].Cmd != "session" || strings.Contains(string(s.Entries()[3].Data), "tool_use_id")) {
		t.Errorf("set all: %+v", s.Entries()[3])
	}
	check(t, "set A:START event=PROMPT", strings.Replace(head, "START 0:03", "PROMPT 0:03", 1))
}

func check(t *testing.T, ops, want string) *Scenario {
	t.Helper()
	s, err := write(t, "why: x\norigin: recorded tdd\n\nplay tdd as A B to 5\n"+ops+"\nmark last A:*#-1\n")
	if err != nil {
		t.Errorf("%s: %v", ops, err)
		return nil
	}
	if got := story(s); got != want {
		t.Errorf("%s: %s\nwant %s", ops, got, want)
	}
	checkLog(t, s)
	return s
}

// checkLog holds a scenario's log to the format: each line is one, and the numbers have no gap.
func checkLog(t *testing.T, s *Scenario) {
	t.Helper()
	log, err := s.Log()
	if err != nil {
		t.Errorf("%s: %v", s.Name, err)
		return
	}
	seq := logfmt.Seq(0)
	for line := range strings.Lines(string(log)) {
		line = strings.TrimSuffix(line, "\n")
		if logfmt.Classify([]byte(line)) != logfmt.EntryLine {
			continue
		}
		e, err := logfmt.Parse([]byte(line))
		if err != nil {
			if strings.HasSuffix(line, `"eve`) { // the drawing's own line that is no entry
				continue
			}
			t.Errorf("%s: %s: %v", s.Name, line, err)
		}
		if e.Seq > 0 {
			if seq++; e.Seq != seq {
				t.Errorf("%s: seq %d, want %d", s.Name, e.Seq, seq)
			}
		}
	}
}

// TestWovenIDs: what is repeated is new, what was recorded twice is not, and processes of two plays differ.
func TestWovenIDs(t *testing.T) {
	s, err := write(t, `why: x
origin: recorded tdd
observe: gone A @end

play tdd as A B
play tdd as C D
repeat A:TOOL_START#1..A:TOOL_FAILED 2
twice A:STOP
draw after A:START: Bash'ls'
draw after C:START: Bash'ls'
stretch A:TOOL_FAILED 1m
mark end A:STOP
`)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	starts := map[string]bool{}
	procs := map[string]bool{}
	for _, e := range s.Entries() {
		ids[e.ID]++
		if e.Event == logfmt.ToolStart {
			id := string(e.Session) + string(e.Data)
			if starts[id] {
				t.Errorf("two calls are %s", id)
			}
			starts[id] = true
		}
		if _, proc, ok := strings.Cut(string(e.Data), `"proc":`); ok {
			procs[proc] = true
		}
	}
	if len(ids) != len(s.Entries())-1 || len(procs) != 2 {
		t.Errorf("%d ids of %d entries, %d processes", len(ids), len(s.Entries()), len(procs))
	}
	failed := slices.IndexFunc(s.Entries(), func(e *logfmt.Entry) bool { return e.Event == logfmt.ToolFailed })
	if data := s.Entries()[failed].Data; !strings.Contains(string(data), `"duration_ms":63000`) {
		t.Errorf("the stretched call has %s", data)
	}
}

func TestSign(t *testing.T) {
	entries, _ := drawn.Entries("@A INTERVENTION'T1 loop $loop' INTERVENTION'T2 loop other' build>")
	find := func(typ string, session logfmt.SessionID) string { return typ + "/" + string(session) + "/1" }
	for i, want := range []string{`"signature":"loop/A/1"`, `"signature":"other"`, ""} {
		if got := Sign(entries[i], find); !strings.Contains(string(got.Data), want) || want != `"signature":"loop/A/1"` && got != entries[i] {
			t.Errorf("entry %d: %s", i, got.Data)
		}
	}
	if got := Sign(entries[0], func(string, logfmt.SessionID) string { return "" }); got != entries[0] {
		t.Errorf("nothing found: %s", got.Data)
	}
}
