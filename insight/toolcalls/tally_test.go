package toolcalls

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/insight"
	"aburn/trace"
)

// drawCalls reads calls, a session a line: "Bash:make! Bash:make" is a call of Bash with the input make that failed, and one that
// went well; then ? is no result, & runs, ~ was cancelled, # was denied by a rule. A call takes as many seconds as its number.
func drawCalls(text string) (rows []archive.CallRow) {
	statuses := map[byte]trace.Status{'!': trace.StatusErrored, '?': "", '&': trace.StatusRunning, '~': trace.StatusCancelled, '#': trace.StatusErrored}
	for session, line := range strings.Split(strings.TrimSpace(text), "\n") {
		for i, word := range strings.Fields(line) {
			r := archive.CallRow{Key: int64(session + 1), Source: "claude", Session: fmt.Sprint("s", session+1), Index: i + 1, Seq: 10 * (i + 1),
				Status: trace.StatusCompleted, Type: trace.ShellTool}
			if status, ok := statuses[word[len(word)-1]]; ok {
				r.Status = status
				r.Failed = status == trace.StatusErrored
				if word[len(word)-1] == '#' {
					r.Denied = "rule"
				}
				word = word[:len(word)-1]
			}
			r.Tool, r.Input, _ = strings.Cut(word, ":")
			if r.Tool == "Agent" {
				r.Type = trace.AgentTool
			}
			r.Head, r.Start = r.Input, time.Date(2025, 11, 20, 10, session, i, 0, time.UTC)
			if r.Status != "" {
				r.DurationMS = int64(1000 * (i + 1))
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func tallied(text string, keep int) *tally {
	t := newTally(keep)
	for _, r := range drawCalls(text) {
		t.add(&r)
	}
	t.finish()
	t.judgeAgents(nil)
	return t
}

func TestToolCounts(t *testing.T) {
	tally := tallied("Bash:a! Bash:a Read:x? Bash:b~ Agent:p& Agent:q# Agent:r~ Agent:s!\nBash:a& Bash:c", 3)
	var got []string
	for _, s := range append(tally.ordered, &tally.sum) {
		got = append(got, fmt.Sprintf("%s %d calls %d ended %d failed %d denied %d open %d cancelled p50 %d max %d", s.tool, s.calls, s.ended(), s.failed, s.denied,
			s.noResult, s.cancelled, s.percentile(50).ms, s.percentile(100).ms))
	}
	want := []string{
		"Bash 5 calls 4 ended 1 failed 0 denied 1 open 1 cancelled p50 2000 max 4000", // 1, 2, 4, 1 and 2 seconds
		"Agent 4 calls 3 ended 2 failed 1 denied 1 open 1 cancelled p50 6000 max 8000",
		"Read 1 calls 0 ended 0 failed 0 denied 1 open 0 cancelled p50 0 max 0",
		" 10 calls 7 ended 3 failed 1 denied 3 open 2 cancelled p50 4000 max 8000",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(tally.agentsUnended) != 2 || tally.agentCalls != 4 || tally.agentsRefused != 1 {
		t.Errorf("%d of %d sub-agents never completed, %d refused", len(tally.agentsUnended), tally.agentCalls, tally.agentsRefused)
	}
	long := ""
	for _, r := range tally.longest {
		long += r.Input
	}
	if long != "srq" {
		t.Errorf("the longest are %q", long)
	}
}

// What became of a sub-agent its own session says. A call in the background has no other result than that it runs.
func TestAgentsByTheirSessions(t *testing.T) {
	tally := newTally(10)
	for i, status := range []trace.Status{trace.StatusRunning, trace.StatusRunning, trace.StatusRunning, trace.StatusCompleted, ""} {
		tally.add(&archive.CallRow{Source: "claude", Session: "s", Type: trace.AgentTool, Tool: "Agent", Status: status, Spawned: fmt.Sprint("s/", i)})
	}
	sessions := []lookup.Judged{}
	for i, o := range []insight.Outcome{insight.Completed, insight.Errored, insight.Crashed, insight.GaveUp} {
		sessions = append(sessions, lookup.Judged{Session: archive.Session{Source: "claude", ID: fmt.Sprint("s/", i)}, Verdict: insight.Verdict{Outcome: o}})
	}
	tally.judgeAgents(sessions)
	var got []string
	for _, a := range tally.agentsUnended {
		got = append(got, a.Spawned+" "+a.became())
	}
	if fmt.Sprint(got) != "[s/2 crashed s/3 gave_up s/4 no result]" {
		t.Error(got)
	}
}

// What was retried as often comes by source and session, not in the order of the archive's keys.
func TestRetriesTie(t *testing.T) {
	tally := newTally(10)
	for _, r := range drawCalls("Bash:a! Bash:a! Bash:a!\nBash:b! Bash:b! Bash:b! Bash:b") {
		r.Key = 9 - r.Key
		tally.add(&r)
	}
	tally.finish()
	if len(tally.retried) != 2 || tally.retried[0].Input != "a" {
		t.Errorf("%+v", tally.retried)
	}
}

func TestRetries(t *testing.T) {
	for _, c := range []struct{ name, calls, want string }{
		{"errors before a success", "Bash:a! Bash:a! Bash:a! Bash:a", "a 3 ok"},
		{"two are no retries", "Bash:a! Bash:a! Bash:a", ""},
		{"others in between", "Bash:a! Edit:f Bash:a! Bash:b! Bash:a! Bash:a", "a 3 ok"},
		{"never", "Bash:a! Bash:a! Bash:a! Bash:a!", "a 4 never"},
		{"a success begins anew", "Bash:a! Bash:a! Bash:a Bash:a! Bash:a", ""},
		{"twice", "Bash:a! Bash:a! Bash:a! Bash:a Bash:a! Bash:a! Bash:a! Bash:a!", "a 4 never, a 3 ok"},
		{"another tool is another call", "Bash:a! exec:a! Bash:a! Bash:a", ""},
		{"another session, too", "Bash:a! Bash:a!\nBash:a! Bash:a", ""},
		{"what has no end is neither", "Bash:a! Bash:a? Bash:a! Bash:a~ Bash:a! Bash:a", "a 3 ok"},
		{"nobody knows whether it is the same", "Bash! Bash! Bash! Bash", ""},
	} {
		var got []string
		tally := tallied(c.calls, 0)
		for _, r := range tally.retried {
			end := "never"
			if r.succeeded {
				end = "ok"
			}
			got = append(got, fmt.Sprintf("%s %d %s", r.Input, r.failed, end))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

func TestPercentiles(t *testing.T) {
	for _, c := range []struct {
		durations []int64
		p         int
		want      int64
	}{
		{nil, 50, 0}, {[]int64{7}, 50, 7}, {[]int64{7}, 95, 7}, {[]int64{1, 2}, 50, 1}, {[]int64{1, 2, 3}, 50, 2}, {[]int64{1, 2, 3, 4}, 95, 4},
		{[]int64{1, 2, 3, 4}, 100, 4},
	} {
		var s toolSum
		for _, ms := range c.durations {
			s.durations = append(s.durations, duration{ms: ms})
		}
		if got := s.percentile(c.p); got != (duration{ms: c.want}) {
			t.Errorf("p%d of %v: %v, want %d", c.p, c.durations, got, c.want)
		}
	}
	s := toolSum{durations: []duration{{1, true}, {2, false}, {3, true}, {4, false}}}
	for p, want := range map[int]string{25: "≤1ms", 50: "≤2ms", 75: "≤3ms", 100: "4ms"} { // a bound below says nothing against one
		if got := s.percentile(p).text(); got != want {
			t.Errorf("p%d is %s, want %s", p, got, want)
		}
	}
}
