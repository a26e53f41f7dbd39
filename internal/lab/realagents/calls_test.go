//go:build agents

package realagents

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"aburn/logfmt"
)

// call is one tool call as somebody tells it: the log, or the agent's own transcript.
type call struct {
	ID, Session, Agent string // Agent: id of the sub-agent, "" = the session itself
	Tool               string
	// End is TOOL, TOOL_FAILED, TOOL_DENIED, or "" = no end is told. In a transcript it may be aborted: by a "no" or by Esc.
	End  string
	Exit string // the exit code, "" = not told
}

const aborted = "aborted"

// ends reports whether the log's end of a call is one that the transcript's allows.
func (c call) ends(logged string) bool {
	if c.End == aborted {
		return logged == "TOOL_FAILED" || logged == "TOOL_DENIED"
	}
	return c.End == logged
}

// key tells calls of different sessions apart: scripted ids repeat.
func (c call) key() string { return c.Session + " " + c.ID }

func (c call) String() string {
	return fmt.Sprintf("%s %s %s exit=%q session=%s agent=%q", c.ID, c.Tool, c.End, c.Exit, c.Session, c.Agent)
}

// loggedCalls folds the log into calls, and complains of what is there twice, in another session, or without a start.
func loggedCalls(t testing.TB, entries []logfmt.Entry) []call {
	t.Helper()
	calls := map[string]call{}
	for _, e := range entries {
		id := datum(e, "tool_use_id")
		c := call{ID: id, Session: string(e.Session), Agent: agentID(e), Tool: datum(e, "tool")}
		known, started := calls[c.key()]
		switch e.Event {
		case logfmt.ToolStart:
			if started {
				t.Errorf("two starts of %s", c)
			}
		case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
			c.End, c.Exit = string(e.Event), datum(e, "exit_code")
			if !started && datum(e, "inferred") != "batch" { // unknown tool, unfit input: the client refused it before any hook
				t.Errorf("end without a start: %s", c)
			}
			if known.End != "" {
				t.Errorf("two ends: %s and %s", known, c)
			}
			if started && (known.Agent != c.Agent || known.Tool != c.Tool) {
				t.Errorf("start says %s, end says %s", known, c)
			}
		default:
			continue
		}
		if id == "" {
			t.Errorf("no tool_use_id in %s", e.Human())
		}
		calls[c.key()] = c
	}
	return slices.Collect(maps.Values(calls))
}

// agree holds the log to the transcript: the same calls, each in the same session and sub-agent, with an end that does not
// contradict, and with the exit code wherever the transcript tells one.
func agree(t testing.TB, logged, transcript []call) {
	t.Helper()
	byKey := map[string]call{}
	for _, c := range transcript {
		if known, twice := byKey[c.key()]; twice {
			t.Errorf("the transcript reader sees %s and %s", known, c)
		}
		byKey[c.key()] = c
	}
	for _, l := range logged {
		c, known := byKey[l.key()]
		delete(byKey, l.key())
		switch {
		case !known:
			t.Errorf("logged, but in no transcript: %s", l)
		case l.Agent != c.Agent, !c.ends(l.End), c.Exit != "" && l.Exit != c.Exit:
			t.Errorf("log:        %s\ntranscript: %s", l, c)
		}
	}
	for _, c := range byKey {
		t.Errorf("in the transcript, but not logged: %s", c)
	}
}

// expect holds calls to a table, one call a line in any order: id, end ("open" = none), exit code ("-" = not told).
func expect(t testing.TB, calls []call, table string) {
	t.Helper()
	want := strings.FieldsFunc(table, func(r rune) bool { return r == '\n' })
	for i := range want {
		want[i] = strings.Join(strings.Fields(want[i]), " ")
	}
	want = slices.DeleteFunc(want, func(line string) bool { return line == "" })
	var got []string
	for _, c := range calls {
		end, exit := c.End, c.Exit
		if end == "" {
			end = "open"
		}
		if exit == "" {
			exit = "-"
		}
		got = append(got, c.ID+" "+end+" "+exit)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("calls:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// sameWords compares two lists of words, in any order.
func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
