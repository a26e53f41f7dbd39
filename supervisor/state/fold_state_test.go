package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

func TestAgents(t *testing.T) {
	agents := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, g := range a.Agents {
			what := fmt.Sprintf("%s(%s) %d-%d-%d", g.ID, g.Type, g.Spawned.Ord, g.Begun.Ord, g.Last.Ord)
			if g.Background {
				what += "&"
			}
			switch {
			case g.Ended.Is() && g.Failed:
				what += fmt.Sprint(" failed ", g.Ended.Ord)
			case g.Ended.Is():
				what += fmt.Sprint(" ended ", g.Ended.Ord)
			case g.Cut.Is():
				what += fmt.Sprint(" cut ", g.Cut.Ord)
			}
			if g.Status != "" {
				what += " " + g.Status
			}
			list = append(list, what)
		}
		return strings.Join(list, ", ")
	}
	tell(t, agents, []story{
		{"(tester", "tester-1(tester) 1-0-0"},
		{"(tester tester~Bash'ls' tester)", "tester-1(tester) 1-2-3 ended 4"},
		{"tester~Bash'ls'", "tester-1(tester) 0-1-2"},
		{"(tester tester)'failed'", "tester-1(tester) 1-0-0 failed 2 failed"},
		{"(tester tester)'completed'", "tester-1(tester) 1-0-0 ended 2 completed"},
		{"(tester tester~test> tester~test!'no server' tester)", "tester-1(tester) 1-2-3 failed 4"},
		{"(tester tester~test> tester~test! tester~test. tester)", "tester-1(tester) 1-2-4 ended 5"},
		{"(tester tester~test> tester) tester~test!", "tester-1(tester) 1-2-4 failed 3"},
		{"(tester tester) tester~Bash'ls'", "tester-1(tester) 1-3-4"}, // asked again
		{"(tester tester~test> tester~test! tester) (tester tester~Bash'ls' tester)", "tester-1(tester) 5-6-7 ended 8"},
		{"(tester (tester", "tester-1(tester) 1-0-0"}, // by the hook and by the prompt
		{"(tester tester~Bash'ls'<a tester) ^a", "tester-1(tester) 1-2-4 ended 3"},
		{"(tester (tester2 tester)", "tester-1(tester) 1-0-0 ended 3, tester-2(tester) 2-0-0"},
		{"(tester& tester)", "tester-1(tester) 1-0-0& ended 2"},
		{"codex (tester tester)", "tester-1(tester) 1-0-0& ended 2"},
		{"PROMPT (tester PROMPT", "tester-1(tester) 2-0-0 cut 3"}, // the turn was interrupted, and it with it
		{"PROMPT (tester PROMPT tester~Bash'ls'", "tester-1(tester) 2-4-5"},
		{"PROMPT (tester& PROMPT", "tester-1(tester) 2-0-0&"},
		{"PROMPT (tester STOP", "tester-1(tester) 2-0-0"},
		{"PROMPT Agent'look'<a (tester ^a!", "tester-1(tester) 3-0-0 failed 4"},
		{"PROMPT Agent'look'<a Agent'too'<b (tester ^a!", "tester-1(tester) 4-0-0"}, // it may be the other's
		{"PROMPT Agent'look'<a (tester& ^a!", "tester-1(tester) 3-0-0&"},
		{"PROMPT (tester& SESSION_END'other'", "tester-1(tester) 2-0-0& cut 3"},
	})
}

func drawLinks(s *State) string {
	var list []string
	for _, l := range s.Links {
		what := l.Cmd
		if l.Wt != "" {
			what = l.Wt + "/" + what
		}
		what += fmt.Sprintf(" %d %d %d", l.Start.Ord, l.Complete.Ord, l.Failed.Ord)
		if l.Open {
			what += " open"
		}
		if l.Open && l.Left.Is() {
			what += fmt.Sprintf(" left %d by %s", l.Left.Ord, l.By)
		}
		if len(l.Jumped) > 0 {
			what += fmt.Sprint(" over ", l.Jumped)
		}
		list = append(list, what)
	}
	return strings.Join(list, ", ")
}

func TestChain(t *testing.T) {
	tell(t, func(s *State, _ *Session, _ time.Time) string { return drawLinks(s) }, []story{
		{"ideate> ideate. plan>", "ideate 1 2 0, plan 3 0 0 open"},
		{"ideate> ideate. build>", "ideate 1 2 0, build 3 0 0 open over [plan]"},
		{"ideate> ideate. ship>", "ideate 1 2 0, ship 3 0 0 open over [build plan]"},
		{"ship>", "ship 1 0 0 open"}, // what was before the log is unknown
		{"ideate> ideate! plan> plan.", "ideate 1 0 2, plan 3 4 0"},
		{"@B ideate. @A /feature build>", "ideate 0 1 0, feature/build 2 0 0 open over [plan]"},
		{"@B plan. @A /feature build>", "plan 0 1 0, feature/build 2 0 0 open"},
		{"ideate. plan. build. ship. ideate. build>", "ideate 0 5 0, plan 0 2 0, build 6 3 0 open over [plan], ship 0 4 0"}, // a new round
		{"ideate. plan. build. ship. build>", "ideate 0 1 0, plan 0 2 0, build 5 3 0 open, ship 0 4 0"},
		{"ideate. plan. /f build. ship. /g build>", "ideate 0 1 0, plan 0 2 0, f/build 0 3 0, f/ship 0 4 0, g/build 5 0 0 open"}, // beside that round
		{"tester~build> build:RED> build:RED. deploy>", ""},
		{"build> build:RED!", "build 1 0 0 open"},
		{"build> build*", "build 1 0 0 open"},
		{"build> SESSION_END'other'", "build 1 0 0 open left 2 by A"},
		{"build> build. SESSION_END'other'", "build 1 2 0"},
		{"build> SESSION_END'other' SESSION_START'resume'", "build 1 0 0 open"},
		{"build> SESSION_END'other' PROMPT", "build 1 0 0 open"},
		{"build> @B build:RED> @A SESSION_END'other'", "build 1 0 0 open"}, // another session goes on with it
		{"build> @B build:RED> @A SESSION_END'other' @B SESSION_END'other'", "build 1 0 0 open left 4 by B"},
		{"@A build> @B SESSION_END'other'", "build 1 0 0 open"},
	})
}

func TestInvoked(t *testing.T) {
	invoked := func(s *State, a *Session, _ time.Time) string {
		if a.Invoked == nil {
			return "none"
		}
		c := *a.Invoked
		return fmt.Sprintf("%s at %d declared=%v turns=%d calls=%d", c.Cmd, c.Ord, c.Declared, c.Turns, c.Calls)
	}
	tell(t, invoked, []story{
		{"PROMPT/build", "build at 2 declared=false turns=0 calls=0"},
		{"PROMPT/deploy", "none"},
		{"PROMPT/build STOP PROMPT/cost", "build at 2 declared=false turns=0 calls=0"},
		{"PROMPT/build Bash'ls' PROMPT'no, explain first'", "none"}, // taken back
		{"PROMPT/build Bash'ls' PROMPT&'done'", "build at 2 declared=false turns=0 calls=1"},
		{"PROMPT/build Bash'ls' STOP PROMPT Bash'ls' PROMPT", "build at 2 declared=false turns=1 calls=2"},
		{"PROMPT/build Bash'ls' STOP", "build at 2 declared=false turns=1 calls=1"},
		{"PROMPT/build STOP", "build at 2 declared=false turns=0 calls=0"},
		{"PROMPT/build build> Bash'ls' STOP", "build at 2 declared=true turns=0 calls=0"},
		{"PROMPT/build @ build> @A Bash'ls' STOP", "build at 2 declared=true turns=0 calls=0"}, // by somebody who does not know whom
		{"PROMPT/build @B build> @A Bash'ls' STOP", "build at 2 declared=false turns=1 calls=1"},
		{"PROMPT/build @ /x build> @A / Bash'ls' STOP", "build at 2 declared=false turns=1 calls=1"},
		{"PROMPT/build tester~build> Bash'ls' STOP", "build at 2 declared=true turns=0 calls=0"},
		{"PROMPT/build plan> Bash'ls' STOP PROMPT Bash'ls' STOP", "build at 2 declared=false turns=2 calls=2"},
	})
}

func TestAdvice(t *testing.T) {
	advice := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, d := range s.Advice {
			list = append(list, fmt.Sprintf("%s %s of %s: %d %d %d %d, %d turns", d.Task, d.Type, d.Session, d.Queued.Ord, d.Delivered.Ord, d.Seen.Ord, d.Resolved.Ord,
				d.Turns))
		}
		for _, told := range s.Told {
			list = append(list, fmt.Sprintf("told %s %d", told.Signature, told.Ord))
		}
		return strings.Join(list, ", ")
	}
	tell(t, advice, []story{
		{"PROMPT INTERVENTION'T1 loop x'", "T1 loop of A: 2 0 0 0, 0 turns"},
		{"PROMPT INTERVENTION'T1 loop x' twice DELIVERED'T1' SEEN'T1'", "T1 loop of A: 2 3 4 0, 0 turns"},
		{"PROMPT INTERVENTION'T1 loop x' INTERVENTION'T1 loop x'", "T1 loop of A: 2 0 0 0, 0 turns"},
		{"PROMPT INTERVENTION'T1 loop x' DELIVERED'T1' RESOLVED'T1'", "T1 loop of A: 2 3 0 4, 0 turns"},
		{"INTERVENTION'T1 loop x' PROMPT DELIVERED'T1' Bash'ls' STOP PROMPT STOP PROMPT Bash'ls' STOP", "T1 loop of A: 1 3 0 0, 2 turns"},
		{"INTERVENTION'T1 loop x' PROMPT Bash'ls' STOP", "T1 loop of A: 1 0 0 0, 0 turns"},
		{"INTERVENTION'T1 loop x' DELIVERED'T1' @B PROMPT Bash'ls' STOP @A PROMPT", "T1 loop of A: 1 2 0 0, 0 turns"},
		{"PROMPT notify'silence x' notify'silence y'", "told x 2, told y 3"},
		{"PROMPT notify'silence x' notify'silence y' notify'silence x'", "told y 3, told x 4"},
	})
	s, _ := fold(t, "@A PROMPT INTERVENTION'T1 loop x' +5m STOP")
	if a := session(t, s, "A"); a.Heard != 2 || a.Last.Ord != 3 || a.Source != "claude" {
		t.Errorf("aburn's own entry counts as the session's: %+v", a)
	}
}

// Advice inside of a turn, and whether its issue was gone before the next turn began.
func TestAdviceInTurn(t *testing.T) {
	advice := func(s *State, _ *Session, _ time.Time) string {
		a := s.Advice[0]
		return fmt.Sprintf("in turn %v, resolved %v, in the same turn %v", a.InTurn, a.Resolved.Is(), a.SameTurn)
	}
	const told = "PROMPT Bash'ls' INTERVENTION'T1 loop x' DELIVERED'T1 in_turn' "
	tell(t, advice, []story{
		{told, "in turn true, resolved false, in the same turn false"},
		{told + "Bash'ls' RESOLVED'T1'", "in turn true, resolved true, in the same turn true"},
		{told + "Bash'ls' SEEN'T1' STOP RESOLVED'T1'", "in turn true, resolved true, in the same turn true"},
		{told + "STOP PROMPT RESOLVED'T1'", "in turn true, resolved true, in the same turn false"},
		{told + "@B PROMPT @A RESOLVED'T1'", "in turn true, resolved true, in the same turn true"},
		{told + "STOP RESOLVED'T1' PROMPT RESOLVED'T1'", "in turn true, resolved true, in the same turn true"},
		{"INTERVENTION'T1 loop x' PROMPT DELIVERED'T1' Bash'ls' STOP RESOLVED'T1'", "in turn false, resolved true, in the same turn true"},
		{"PROMPT INTERVENTION'T1 loop x' RESOLVED'T1'", "in turn false, resolved true, in the same turn false"},
	})
}

func TestClock(t *testing.T) {
	clock := func(s *State, a *Session, end time.Time) string {
		return fmt.Sprint(time.Duration(a.Clock)*time.Millisecond, " ", time.Duration(a.ClockAt(end))*time.Millisecond)
	}
	tell(t, clock, []story{
		{"PROMPT +5m Bash'ls'<", "5m1s 5m2s"},
		{"PROMPT STOP +1h PROMPT Bash'ls'", "3s 4s"},
		{"PROMPT Bash'go test'<a +20m ^a", "1m1s 1m2s"},
		{"PROMPT Bash'go test'< +20m", "1s 1m1s"},
		{"PROMPT Bash'go test'< +30s Bash'ls'<b +20m ^b", "1m1s 1m1s"},
		{"PROMPT Bash'rm'<a PERMISSION +1h ^a!no", "2s 3s"},
		{"PROMPT Bash'serve'& +20m Bash'ls'", "1m3s 1m4s"},
		{"PROMPT (x& x~Bash'rm'< PERMISSION +5m Bash'ls'", "5m5s 5m6s"}, // that one waits, the session does not
		{"PROMPT Bash'serve'& { +50s Bash'ls' }*10", "8m42s 8m43s"},
		{"PROMPT -1h Bash'ls'", "1s 2s"},
		{"PROMPT Bash'ls' +1h SESSION_START'resume' PROMPT Bash'ls'", "4s 5s"}, // it had crashed
		{"PROMPT Bash'ls' +1h SESSION_START'compact' Bash'ls'", "1h0m5s 1h0m6s"},
		{"PROMPT Bash'ls' +1h PROMPT Bash'ls'", "4s 5s"}, // an interrupt, perhaps
		{"PROMPT Bash'ls' +1h PROMPT&'<x>' Bash'ls'", "1h0m5s 1h0m6s"},
		{"codex PROMPT Bash'ls' +1h PROMPT'steer' Bash'ls'", "1h0m5s 1h0m6s"},
		{"PROMPT +25h Bash'ls'", "1s 2s"},
		{"PROMPT +1h SESSION_END'other' +1h", "1h0m1s 1h0m1s"},
	})
}

func TestMiddle(t *testing.T) {
	middle := func(s *State, a *Session, _ time.Time) string { return fmt.Sprint(a.Middle, " ", drawRun(a.Own.Run)) }
	tell(t, middle, []story{
		{"SESSION_START'startup'", "false none"},
		{"PROMPT", "false none"},
		{"build>", "false build>"},
		{"SESSION_START'resume'", "true none"},
		{"SESSION_START'compact'", "true none"},
		{"Bash'ls'", "true none"},
		{"build:RED>", "true build RED>"},
	})
}

// The hooks of a session that is under way say what is active in it.
func TestUnderWay(t *testing.T) {
	for drawing, want := range map[string]string{
		"@A build> build:RED> Bash'ls'":                     "build RED",
		"@A build> Bash'ls' Bash'ls'":                       "build",
		"@A build> build:RED> (tester tester~Bash'ls'":      "none", // a sub-agent's is its parent's
		"@A build> build:RED> Bash'ls' build:RED.":          "build RED.",
		"@A build> build:RED> Bash'ls' build:GREEN>":        "build RED GREEN>",
		"@A build> build:RED> Bash'ls' build:REFACTOR>":     "build RED (GREEN)REFACTOR>",
		"@A build> build:RED> PROMPT Bash'ls' STOP build.":  "build RED .",
		"@A build> build:RED> @B plan> @A PROMPT Bash'pwd'": "build RED",
	} {
		model := workflow.Default()
		s := New(&model, limits.Default())
		entries, _ := drawn.Entries(drawing)
		for _, e := range entries[2:] {
			s.Apply(e, false)
		}
		if got := drawRun(session(t, s, "A").Own.Run); got != want {
			t.Errorf("%s is %s, not %s", drawing, got, want)
		}
	}
}

// What a rotation carried tells what was; it does nothing now and outranks nothing.
func TestCarried(t *testing.T) {
	for _, tc := range []struct{ carried, own, want string }{
		{"@A build> build:RED>", "", "build> RED> heard=0 middle=true turn=false: build 1 0 0 open"},
		{"@A build> build:RED>", "@A Bash'ls' build:RED.", "build> RED>. heard=3 middle=true turn=true: build 1 0 0 open"},
		{"@A build>", "@A PROMPT", "build> heard=1 middle=true turn=true: build 1 0 0 open"},
		{"@A build> build.", "@A PROMPT", "build> . heard=1 middle=true turn=true: build 1 2 0"},
		{"@A build> build. @B plan>", "@A Bash'ls'", "build> . heard=2 middle=true turn=true: build 1 2 0, plan 3 0 0 open"},
	} {
		model := workflow.Default()
		s := New(&model, limits.Default())
		carried, _ := drawn.Entries(tc.carried)
		for _, e := range carried {
			s.Apply(e, true)
		}
		d, err := drawn.Draw(carried, tc.own)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Lines {
			s.Apply(l.Entry, false)
		}
		a := session(t, s, "A")
		got := fmt.Sprintf("%s heard=%d middle=%v turn=%v: %s", drawRun(a.Own.Run), a.Heard, a.Middle, a.Turn.Open, drawLinks(s))
		if got != tc.want {
			t.Errorf("%s | %s\n is %s\nnot %s", tc.carried, tc.own, got, tc.want)
		}
	}
}

// A killed rotator leaves the carried lines to a later writer: they come behind
// newer entries.
func TestCarriedLate(t *testing.T) {
	model := workflow.Default()
	s := New(&model, limits.Default())
	old, _ := drawn.Entries("@A plan> plan. build! build. build>")
	d, err := drawn.Draw(old, "@A build!")
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(d.Lines[0].Entry, false)
	for _, e := range old {
		s.Apply(e, true)
	}
	if got, want := drawLinks(s), "build 6 5 1, plan 2 3 0"; got != want {
		t.Errorf("is %s\nnot %s", got, want)
	}
	if a := session(t, s, "A"); drawRun(a.Own.Run) != "build !" || len(a.Own.Before) != 0 || a.Last.Ord != 1 || s.Last.Ord != 1 {
		t.Errorf("%s, %+v", drawRun(a.Own.Run), a.Last)
	}
}

// raw is an entry of session A's hooks.
func raw(ev logfmt.Event, agent, data string) *logfmt.Entry {
	e := &logfmt.Entry{Time: drawn.Epoch, Cmd: "session", Event: ev, Session: "A", Source: "claude", Data: []byte(data)}
	if agent != "" {
		e.Agent = &logfmt.Agent{ID: agent, Type: "x"}
	}
	return e
}

// A sub-agent in the background, as Claude Code tells of it: the call ends at once
// and names it, and a prompt reports its end.
func TestAgentInTheBackground(t *testing.T) {
	start := raw(logfmt.ToolStart, "", `{"tool":"Agent","tool_use_id":"c1","task":"look"}`)
	spawn := raw(logfmt.AgentSpawn, "a1", `{"agent_id":"a1","agent_type":"x"}`)
	launched := raw(logfmt.Tool, "", `{"tool":"Agent","tool_use_id":"c1","agent_id":"a1","status":"async_launched","background":true}`)
	nested := raw(logfmt.Tool, "a0", `{"tool":"Agent","tool_use_id":"c1","agent_id":"a1","status":"completed"}`)
	end := raw(logfmt.AgentComplete, "a1", `{"agent_id":"a1","agent_type":"x","background":true}`)
	report := raw(logfmt.Prompt, "", `{"machine":true,"tool_use_id":"c1","status":"failed"}`)
	for _, tc := range []struct {
		name    string
		entries []*logfmt.Entry
		want    string
	}{
		{"launched", []*logfmt.Entry{start, spawn, launched}, "1 open; background=true running=true failed=false call=c1 in="},
		{"ended", []*logfmt.Entry{start, spawn, launched, end}, "0 open; background=true running=false failed=false call=c1 in="},
		{"ended before the call", []*logfmt.Entry{start, spawn, end, launched}, "0 open; background=true running=false failed=false call=c1 in="},
		{"reported", []*logfmt.Entry{start, spawn, launched, end, report}, "0 open; background=true running=false failed=true call=c1 in="},
		{"only reported", []*logfmt.Entry{start, spawn, launched, report}, "0 open; background=true running=false failed=true call=c1 in="},
		{"nested, and its end was lost", []*logfmt.Entry{spawn, nested}, "0 open; background=false running=false failed=false call= in=a0"},
	} {
		model := workflow.Default()
		s := New(&model, limits.Default())
		for _, e := range tc.entries {
			s.Apply(e, false)
		}
		a := s.Sessions[0]
		g := a.Agent("a1")
		got := fmt.Sprintf("%d open; background=%v running=%v failed=%v call=%s in=%s", len(a.Calls), g.Background, g.Running(), g.Failed, g.Call, g.In)
		if got != tc.want {
			t.Errorf("%s: %s\nnot %s", tc.name, got, tc.want)
		}
	}
	model := workflow.Default()
	s := New(&model, limits.Default())
	s.Apply(start, false)
	s.Apply(report, false)
	if len(s.Sessions[0].Calls) != 1 {
		t.Error("a report closes a call that is not in the background")
	}
}

// A sub-agent waits for itself: what the session does answers nothing.
func TestWaitOfAgent(t *testing.T) {
	model := workflow.Default()
	s := New(&model, limits.Default())
	s.Apply(raw(logfmt.Permission, "a1", `{"tool":"Bash","head":"rm x"}`), false)
	s.Apply(raw(logfmt.ToolStart, "", `{"tool":"Bash","tool_use_id":"c1"}`), false)
	if w := s.Sessions[0].Waits; len(w) != 1 || w[0].Agent != "a1" {
		t.Errorf("%+v", w)
	}
	s.Apply(raw(logfmt.ToolStart, "a1", `{"tool":"Bash","tool_use_id":"c2"}`), false)
	if w := s.Sessions[0].Waits; len(w) != 0 {
		t.Errorf("%+v", w)
	}
}

// Of sessions that have ended few are kept, and never more than that.
func TestEndedAreForgotten(t *testing.T) {
	drawing := "@living PROMPT "
	for i := range 40 {
		drawing += fmt.Sprintf("@s%d PROMPT SESSION_END'other' ", i)
	}
	s, _ := fold(t, drawing)
	if n := len(s.Sessions); n > maxEnded+2 || s.Forgot != 41-n || session(t, s, "living") == nil || session(t, s, "s39") == nil {
		t.Errorf("%d sessions, %d forgotten", n, s.Forgot)
	}
}

func TestSessionsApart(t *testing.T) {
	s, _ := fold(t, "@A build> @B plan> @ build> /feature build>")
	var list []string
	for _, v := range s.Sessions {
		list = append(list, fmt.Sprintf("%s/%s", v.ID, v.Wt))
	}
	if got := strings.Join(list, " "); got != "A/ B/ / /feature" {
		t.Errorf("sessions %s", got)
	}
}
