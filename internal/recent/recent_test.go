package recent_test

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/recent"
	"aburn/logfmt"
)

// draw makes log lines from a drawing, one entry a line, oldest first:
//
//	session[/agent[^parent]] source cmd[:phase] EVENT [id [tool [head…]]]
func draw(t *testing.T, drawing string) []string {
	t.Helper()
	var lines []string
	for row := range strings.Lines(drawing) {
		f := strings.Fields(row)
		if len(f) == 0 {
			continue
		}
		e := logfmt.Entry{Time: time.Unix(1795248000, 0), Source: f[1], Event: logfmt.Event(f[3])}
		who, parent, _ := strings.Cut(f[0], "^")
		session, agent, isAgent := strings.Cut(who, "/")
		e.Session = logfmt.SessionID(session)
		if isAgent {
			e.Agent = &logfmt.Agent{Type: "helper", ID: agent, ParentCmd: parent}
		}
		e.Cmd, e.Phase, _ = strings.Cut(f[2], ":")
		if e.Event == logfmt.Checkpoint {
			e.Session, e.Data = "", logfmt.CheckpointData{Closing: f[4] == "close", Segment: "s", Carried: 1}.Bytes()
			f = f[:4]
		}
		if len(f) > 4 {
			var o logfmt.Object
			o.Str("tool_use_id", f[4])
			if len(f) > 5 {
				o.Str("tool", f[5]).StrIf("head", strings.Join(f[6:], " "))
			}
			e.Data = o.Bytes()
		}
		line, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

func newestFirst(lines []string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, l := range slices.Backward(lines) {
			if !yield([]byte(l)) {
				return
			}
		}
	}
}

func TestActive(t *testing.T) {
	for _, tc := range []struct{ name, log, who, want string }{
		{"nothing", "", "a", "session"},
		{"another session's command", "b prompt build START", "a", "session"},
		{"a command", "a prompt build START", "a", "build"},
		{"a phase", "a prompt build START\na prompt build:RED PHASE_START\nb claude session TOOL", "a", "build:RED"},
		{"inherited from a tool call", "a claude build:RED TOOL", "a", "build:RED"},
		{"a phase that ended", "a prompt build:RED PHASE_COMPLETE", "a", "build"},
		{"COMPLETE with a phase is a phase's end", "a prompt build:RED COMPLETE", "a", "build"},
		{"FAILED with a phase too", "a prompt build:RED FAILED", "a", "build"},
		{"START with a phase is a phase's start", "a prompt build:RED START", "a", "build:RED"},
		{"a command that ended", "a prompt build START\na prompt build COMPLETE", "a", "session"},
		{"a command that failed", "a prompt build START\na prompt build FAILED", "a", "session"},
		{"aburn's own entries do not count", "a prompt build START\na aburn supervisor INTERVENTION", "a", "build"},
		{"a sub-agent does not end its parent's", "a prompt build START\na/x^build prompt build COMPLETE", "a", "build"},
		{"the parent does not end a sub-agent's", "a/x^build prompt test START\na prompt build COMPLETE", "a/x", "test^build"},
		{"a carried line", "- aburn session CHECKPOINT open\na prompt build START\n- aburn session CHECKPOINT close", "a", "build"},
		{"a carried line behind newer entries",
			"a claude plan TOOL\n- aburn session CHECKPOINT open\na prompt build START\n- aburn session CHECKPOINT close\nb claude x TOOL", "a", "plan"},
		{"an entry before a carried block", "- aburn session CHECKPOINT open\na prompt build START\n- aburn session CHECKPOINT close\na claude plan TOOL", "a",
			"plan"},
		{"another sub-agent", "a/x^build prompt test START", "a/y", "session"},
	} {
		session, agent, _ := strings.Cut(tc.who, "/")
		s := recent.Active(newestFirst(draw(t, tc.log)), recent.Who{Session: logfmt.SessionID(session), AgentID: agent})
		got := s.Cmd
		if s.Phase != "" {
			got += ":" + s.Phase
		}
		if s.ParentCmd != "" {
			got += "^" + s.ParentCmd
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestCallsOf(t *testing.T) {
	lines := draw(t, `
		a codex session TOOL_START one Bash ls
		a codex session TOOL_START two Bash sleep 9
		a/x codex session TOOL_START three Bash ls
		b codex session TOOL_START four Bash ls
		a codex session TOOL one Bash ls
		a codex session TOOL_START five Bash rm -r x
		a codex session PERMISSION - Bash rm -r x
		a/x codex session TOOL_FAILED two Bash`)
	c := recent.CallsOf(newestFirst(lines), recent.Who{Session: "a"})
	if len(c.Open) != 2 || c.Open[0].ToolUseID != "two" || c.Open[1].ToolUseID != "five" {
		t.Errorf("open calls: %+v", c.Open)
	}
	if c.Find("two").Asked || !c.Find("five").Asked {
		t.Error("the permission was for five, not for two")
	}
	if !c.Ended("one") || c.Ended("two") || c.Ended("five") || c.Find("one") != nil {
		t.Errorf("ended: %+v", c)
	}
}

func TestOldestOpen(t *testing.T) {
	lines := draw(t, `
		a gemini session TOOL_START zero Bash ls
		a gemini session PROMPT
		b gemini session TOOL_START one Bash ls
		a gemini session TOOL_START two Read ls
		a gemini session TOOL_START three Bash ls
		a gemini session TOOL_START four Bash ls
		a gemini session TOOL_START five Bash rm
		b gemini session PROMPT`)
	hashed := func(lines []string) iter.Seq[[]byte] { // the head stands in for the input's hash
		for i := range lines {
			lines[i] = strings.Replace(lines[i], `"head":`, `"input":`, 1)
		}
		return newestFirst(lines)
	}
	for _, want := range []string{"three", "four", ""} {
		if got := recent.OldestOpen(hashed(lines), recent.Who{Session: "a"}, "Bash", "ls"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		lines = append(lines, draw(t, "a gemini session TOOL "+want+" Bash ls")...)
	}
}

func TestNewest(t *testing.T) {
	lines := newestFirst(draw(t, "a gemini session SESSION_END\nb gemini session STOP\na aburn session DELIVERED"))
	for session, want := range map[logfmt.SessionID]logfmt.Event{"a": logfmt.SessionEnd, "b": logfmt.Stop, "c": ""} {
		if got := recent.Newest(lines, session); got != want {
			t.Errorf("%s: %s, want %s", session, got, want)
		}
	}
}

func TestCallsNamed(t *testing.T) {
	lines := draw(t, `
		a claude session TOOL_START one Bash ls
		a claude session TOOL_START two Bash ls
		a/x claude session TOOL two Bash
		b claude session TOOL two Bash
		a claude session TOOL one Bash
		a claude session PERMISSION - Bash ls
		a claude session PROMPT two`)
	seen := 0
	counted := func(yield func([]byte) bool) {
		for l := range newestFirst(lines) {
			if seen++; !yield(l) {
				return
			}
		}
	}
	c := recent.CallsNamed(counted, recent.Who{Session: "a"}, []string{"one", "two", "three"})
	if !c.Ended("one") || c.Ended("two") || c.Find("two") == nil || c.Ended("three") || c.Find("three") != nil || !c.Find("two").Asked {
		t.Errorf("calls: %+v", c)
	}
	if c := recent.CallsNamed(counted, recent.Who{Session: "a"}, []string{"on", "one"}); !c.Ended("one") || c.Ended("on") {
		t.Errorf("an id that begins like another: %+v", c)
	}
	seen = 0
	recent.CallsNamed(counted, recent.Who{Session: "a"}, []string{"one"})
	if seen != 3 {
		t.Errorf("read %d lines to find the third from the end", seen)
	}
}

// A message of any number of calls is looked up in one go.
func TestManyCalls(t *testing.T) {
	const n = 40_000
	var lines, ids []string
	for i := range n {
		id := "toolu_" + strconv.Itoa(i)
		ids = append(ids, id)
		lines = append(lines, `{"ts":"2026-11-21T12:00:00.000Z","cmd":"session","event":"TOOL_START","session":"a","seq":`+strconv.Itoa(i+1)+`,"id":"i`+
			strconv.Itoa(i)+
			`","source":"claude","wt":"","data":{"tool":"Bash","tool_use_id":"`+id+`"}}`)
	}
	done := make(chan int)
	go func() {
		c := recent.CallsNamed(newestFirst(lines), recent.Who{Session: "a"}, ids)
		c.Add(recent.CallsNamed(newestFirst(lines[:n/2]), recent.Who{Session: "a"}, ids))
		found := 0
		for _, id := range ids {
			if call := c.Find(id); call != nil && call.ToolUseID == id {
				found++
			}
		}
		done <- found
	}()
	select {
	case found := <-done:
		if found != n {
			t.Errorf("found %d of %d calls", found, n)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("%d calls take longer than 2 min", n)
	}
}

func TestCallsAdd(t *testing.T) {
	calls := func(log string) *recent.Calls {
		return recent.CallsOf(newestFirst(draw(t, log)), recent.Who{Session: "a"})
	}
	c := calls("a claude session TOOL one Bash\na claude session TOOL_START three Bash\na claude session TOOL_START two Bash")
	c.Add(calls("a claude session TOOL_START one Bash\na claude session TOOL_START two Bash\na claude session TOOL_START four Bash\na claude session " +
		"TOOL four Bash"))
	if len(c.Open) != 2 || c.Find("two") == nil || c.Find("three") == nil || !c.Ended("one") || !c.Ended("four") {
		t.Errorf("calls: %+v", c)
	}
}

func TestOpenLogCalls(t *testing.T) {
	lines := draw(t, `
		a claude session TOOL_START one Bash aburn log build START
		b/x^plan claude session TOOL_START two Bash cd /w && /usr/bin/aburn -C .. log test COMPLETE --summary "x"
		c claude session TOOL_START three Bash aburn log build COMPLETE
		c claude session TOOL three Bash aburn log build COMPLETE`)
	for _, tc := range []struct{ cmd, event, want string }{
		{"build", "START", "a/"}, {"test", "complete", "b/x"}, {"build", "COMPLETE", ""}, {"test", "START", ""},
	} {
		got := ""
		for _, c := range recent.OpenLogCalls(newestFirst(lines), tc.cmd, tc.event) {
			got += string(c.Session) + "/"
			if c.Agent != nil {
				got += c.Agent.ID
			}
		}
		if got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.cmd, tc.event, got, tc.want)
		}
	}
}

func TestHooked(t *testing.T) {
	lines := draw(t, "a prompt build START\nb claude session TOOL\nc aburn supervisor DELIVERED")
	for session, want := range map[string]bool{"a": false, "b": true, "c": false, "d": false} {
		if got := recent.Hooked(newestFirst(lines), logfmt.SessionID(session)); got != want {
			t.Errorf("session %s: %v", session, got)
		}
	}
}

func TestKnows(t *testing.T) {
	lines := draw(t, "a/x claude build TOOL\nb prompt build START")
	for session, want := range map[string]bool{"a": true, "b": true, "c": false} {
		if got := recent.Knows(newestFirst(lines), logfmt.SessionID(session)); got != want {
			t.Errorf("session %s: %v", session, got)
		}
	}
}
