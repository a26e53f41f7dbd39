package drawn

import (
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestLines shows what each word stands for.
func TestLines(t *testing.T) {
	lines, end := Lines("@A %main plan> +5m plan.[docs/a.md,b.md]->build /wt/f @ build:RED> build:RED. build:RED! build* tester~build! t*2 # build!")
	var got []string
	for _, l := range lines {
		if l.Entry == nil {
			got = append(got, "junk")
			continue
		}
		e := l.Entry
		who := string(e.Session)
		if e.Agent != nil {
			who += "(" + e.Agent.Type + ")"
		}
		got = append(got, strings.Join([]string{e.Time.Format("04:05"), who, e.Wt, e.Branch, string(e.Human()), string(e.Data)}, "|"))
	}
	want := []string{
		`00:00|A||main|# PLAN:START|`,
		`05:01|A||main|# PLAN:COMPLETE - docs/a.md, b.md; next: build|{"outputs":["docs/a.md","b.md"],"next_suggested":"build"}`,
		`05:02||wt/f|main|# BUILD:RED:START|`,
		`05:03||wt/f|main|# BUILD:RED:COMPLETE|`,
		`05:04||wt/f|main|# BUILD:RED:FAILED|`,
		`05:05||wt/f|main|# BUILD:MILESTONE|`,
		`05:06|(tester)|wt/f|main|# BUILD:FAILED|`,
		`05:07||wt/f||# SESSION:TOOL - Bash go test ./...|{"tool":"Bash","head":"go test ./..."}`,
		`05:08||wt/f||# SESSION:TOOL - Bash go test ./...|{"tool":"Bash","head":"go test ./..."}`,
		`junk`,
		`05:09||wt/f|main|# BUILD:FAILED|`,
	}
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		// The line for people is logfmt's own business; its beginning is enough.
		gp, wp := strings.Split(g, "|"), strings.Split(w, "|")
		if len(gp) == 6 && len(wp) == 6 {
			gp[4], _, _ = strings.Cut(gp[4], " - ")
			wp[4], _, _ = strings.Cut(wp[4], " - ")
		}
		if strings.Join(gp, "|") != strings.Join(wp, "|") {
			t.Errorf("line %d: %s\nwant %s", i, g, w)
		}
	}
	if want := Epoch.Add(5*time.Minute + 10*time.Second); !end.Equal(want) {
		t.Errorf("it ends at %s, want %s", end, want)
	}
}

func TestWrongDrawing(t *testing.T) {
	for _, drawing := range []string{
		"plan", ">", "plan.x", "plan.[a", "+5", "t*x", "Bash'x'y", "Bash'x'!1?", "Bash'x'(5)", "^a", "Bash'x'!one", "Bash'open", "{ plan>", "}*2", "{ }*x",
		"twice", "[a]", "plan> [a] [a]", "DELIVERED'T1'", "INTERVENTION'T1'", "START", "PROMPT'x'y", "proc=x", "tester)failed", "PROMPT&a",
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was drawn", drawing)
				}
			}()
			Lines(drawing)
		}()
	}
}

// TestSession shows what hooks and the supervisor write.
func TestSession(t *testing.T) {
	d, err := Draw(nil, `
		@A proc=12 SESSION_START'startup' PROMPT/build'it' build> build:RED>   // comes from a person
		Edit'a_test.go'=v1 Bash'go test ./...'!1(2m) [red]
		Bash'sleep 9'<s PERMISSION +1h ^s!no
		(tester& tester~Read'a.go' tester)'failed'
		codex Bash'ls'? twice -1h $plan.[p.md]
		INTERVENTION'T1 loop' DELIVERED'T1' SEEN'T1' RESOLVED'T1' notify'silence x'
		PROMPT&'done' { STOP }*2 Agent'look'&a PROMPT&a'failed'`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range d.Lines {
		b, err := l.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, human, _ := strings.Cut(string(b), "\n")
		got = append(got, l.Entry.Time.Format("15:04:05 ")+l.Entry.Source+strings.TrimSuffix(human[1:], "\n"))
	}
	want := strings.Split(strings.TrimSpace(`
10:00:00 claude SESSION:SESSION_START - claude (startup)
10:00:01 claude SESSION:PROMPT - /build it
10:00:02 claude SESSION:COMMAND - /build (2 characters of arguments)
10:00:03 prompt BUILD:START
10:00:04 prompt BUILD:RED:START
10:00:05 claude BUILD:RED:TOOL_START - Edit: a_test.go
10:00:06 claude BUILD:RED:TOOL - Edit: a_test.go (1.0s, 2 B)
10:00:07 claude BUILD:RED:TOOL_START - Bash: go test ./...
10:02:07 claude BUILD:RED:TOOL_FAILED - Bash: go test ./... (exit 1, 2m00s)
10:02:08 claude BUILD:RED:TOOL_START - Bash: sleep 9
10:02:09 claude BUILD:RED:PERMISSION - Bash: sleep 9
11:02:10 claude BUILD:RED:TOOL_DENIED - Bash: sleep 9: not allowed
11:02:11 claude BUILD:RED:AGENT_SPAWN - tester in the background
11:02:12 claude BUILD:RED:TOOL_START - [tester] Read: a.go
11:02:13 claude BUILD:RED:TOOL - [tester] Read: a.go (1.0s)
11:02:14 claude BUILD:RED:AGENT_COMPLETE - tester (failed)
11:02:15 codex BUILD:RED:TOOL_START - Bash: ls
11:02:16 codex BUILD:RED:TOOL - Bash: ls (unknown, 1.0s)
11:02:17 codex BUILD:RED:TOOL - Bash: ls (unknown, 1.0s)
10:02:18  PLAN:COMPLETE - -> p.md
10:02:19 aburn SUPERVISOR:INTERVENTION - loop: loop:A (T1)
10:02:20 aburn SUPERVISOR:DELIVERED - loop: loop:A (T1)
10:02:21 aburn SUPERVISOR:DELIVERED - loop: loop:A (T1)
10:02:22 aburn SUPERVISOR:RESOLVED - loop: loop:A (T1)
10:02:23 aburn SUPERVISOR:INTERVENTION - silence: x
10:02:24 codex BUILD:RED:PROMPT - [machine] done
10:02:25 codex BUILD:RED:STOP
10:02:26 codex BUILD:RED:STOP
10:02:27 codex BUILD:RED:TOOL_START - Agent
10:02:28 codex BUILD:RED:TOOL - Agent (1.0s, in the background)
10:02:29 codex BUILD:RED:PROMPT - [machine] <task-notification> (200 characters)`), "\n")
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("line %d:\n%s, want\n%s", i, g, w)
		}
	}
	if d.Marks["red"] != 9 {
		t.Errorf("[red] is entry %d", d.Marks["red"])
	}
	first, last, copied := d.Lines[0].Entry, d.Lines[17].Entry, d.Lines[18].Entry
	if string(first.Data) != `{"source":"startup","client":"claude","proc":{"pid":12,"start":1012,"host":"here"}}` {
		t.Errorf("the first entry has %s", first.Data)
	}
	if copied.ID != last.ID || copied.Seq != last.Seq+1 {
		t.Errorf("twice: %s %d after %s %d", copied.ID, copied.Seq, last.ID, last.Seq)
	}
}

// TestMarks compares what calls hold besides what people see of them.
func TestMarks(t *testing.T) {
	entries, _ := Entries("Bash'go test' Bash'go test' Bash'go test'#2 Edit'a.go'=v1 Edit'a.go'=v2 Edit'b.go'=v1")
	get := func(i int, name string) string { return gjson.GetBytes(entries[i].Data, name).Str }
	for _, same := range []struct {
		a, b int
		name string
		want bool
	}{
		{0, 2, "input", true}, {0, 4, "input", false}, {0, 1, "input", true}, {0, 1, "tool_use_id", true}, {0, 2, "tool_use_id", false},
		{7, 9, "sha256", false}, {7, 11, "sha256", true}, {7, 9, "input", false},
	} {
		a, b := get(same.a, same.name), get(same.b, same.name)
		if a == "" || (a == b) != same.want {
			t.Errorf("%s of entries %d and %d: %s, %s", same.name, same.a, same.b, a, b)
		}
	}
}

// TestDrawOn goes on where entries end.
func TestDrawOn(t *testing.T) {
	entries, end := Entries("@A build> build:RED> Bash'go test'<")
	d, err := Draw(entries, "+1m PERMISSION PROMPT [p]")
	if err != nil {
		t.Fatal(err)
	}
	ask := d.Lines[0].Entry
	if !ask.Time.Equal(end.Add(time.Minute)) || ask.Seq != 4 || ask.Phase != "RED" || ask.Session != "A" || gjson.GetBytes(ask.Data, "head").Str != "go test" {
		t.Errorf("it goes on with %+v %s", ask, ask.Data)
	}
	if d.Marks["p"] != 5 {
		t.Errorf("[p] is entry %d", d.Marks["p"])
	}
}
