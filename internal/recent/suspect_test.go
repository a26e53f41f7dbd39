package recent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/recent"
	"aburn/logfmt"
)

// ended draws ended calls of session a, oldest first, each with its TOOL_START: a letter is an input, "!" behind it a
// failure, "#x" an edit with that content. The other words are as in the cases.
func ended(t *testing.T, drawing string) []string {
	t.Helper()
	var lines []string
	add := func(session string, event logfmt.Event, data string) {
		e := logfmt.Entry{Time: time.Unix(1795248000, 0), Cmd: "build", Event: event, Session: logfmt.SessionID(session), Source: "claude", Data: []byte(data)}
		line, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	for _, word := range strings.Fields(drawing) {
		session, word, other := strings.Cut(word, "/")
		if !other {
			session, word = "a", session
		}
		switch {
		case word == "PROMPT", word == "STOP":
			add(session, logfmt.Event(word), `{}`)
		case strings.HasPrefix(word, "told:"):
			add(session, logfmt.Delivered, `{"task_id":"t","type":"`+word[5:]+`"}`)
		case strings.HasPrefix(word, "seen:"):
			add(session, logfmt.Delivered, `{"task_id":"t","type":"`+word[5:]+`","seen":true}`)
		default:
			input, content, _ := strings.Cut(strings.TrimSuffix(word, "!"), "#")
			data := fmt.Sprintf(`{"tool":"Bash","input":%q}`, input)
			if content != "" {
				data = fmt.Sprintf(`{"tool":"Edit","input":%q,"sha256":%q}`, input, content)
			}
			event := logfmt.Tool
			if strings.HasSuffix(word, "!") {
				event = logfmt.ToolFailed
			}
			add(session, logfmt.ToolStart, data)
			add(session, event, data)
		}
	}
	return lines
}

// Suspect finds what could be a trouble, and rules out what ordinary work looks like without reading far.
func TestSuspect(t *testing.T) {
	x := recent.Ended{Input: "x", At: time.Unix(1795248001, 0)}
	failed, edit, later := x, x, x
	failed.Failed, edit.Sha256 = true, "v1"
	later.Phase, later.At = "RED", x.At.Add(time.Minute)
	all := recent.Troubles{Loop: true, FailureRun: true, EditChurn: true, PhaseStuck: true}
	loop, run, churn := recent.Troubles{Loop: true}, recent.Troubles{FailureRun: true}, recent.Troubles{EditChurn: true}
	stuck, none := recent.Troubles{PhaseStuck: true}, recent.Troubles{}
	for _, c := range []struct {
		log  string
		now  recent.Ended
		want recent.Troubles
		most int // lines read until nothing is suspect
	}{
		{"", x, none, 0},
		{"x x x", x, loop, 0},
		{"x x", x, none, 4},
		{"x l x l x l", x, loop, 0},
		{"x l l l x l l l x l l l", x, loop, 0},
		{"x x x l l l l", x, none, 8},
		{"a b c d e f g h i", x, none, 8},
		{"x x b/x b/x", x, none, 8},
		{"x x x PROMPT", x, none, 1},
		{"x PROMPT x x", x, none, 5},
		{"x a#v1 x b#v2 x c#v3", x, none, 2},
		{"x#v1 x#v1 x#v1", x, none, 2},
		{"x#v1", edit, none, 4},
		{"x#v3 x#v2 x#v4", edit, none, 6},
		{"x x x told:loop", x, none, 2},
		{"x x told:loop x x x x x", x, none, 11},
		{"x x x told:edit_churn", x, loop, 0},
		{"x x x seen:loop", x, loop, 0},
		{"x x x b/told:loop", x, loop, 0},
		{"a! b! c!", failed, run, 0},
		{"a! b! c!", x, none, 8},
		{"a! b c! d!", failed, none, 8},
		{"a! b! PROMPT c! d!", failed, none, 6},
		{"a! b! c! told:tool_failure_run", failed, none, 8},
		{"a#v1 b#v2 c#v1 d#v2", edit, churn, 0},
		{"a#v1 t b#v2 t c#v1 t d#v2 t", edit, churn, 0},
		{"b#v2 c#v1 d#v2", edit, none, 8},
		{"a b c d e f g h i j k l", edit, none, 16},
		{"a", later, stuck, 0},
		{"a", recent.Ended{Input: "x", Phase: "RED", At: x.At}, none, 8},
		{"a", recent.Ended{Input: "x", At: later.At}, none, 8},
		{"PROMPT", later, none, 1},
	} {
		lines := ended(t, c.log)
		read := 0
		counted := func(yield func([]byte) bool) {
			for _, l := range slices.Backward(lines) {
				read++
				if !yield([]byte(l)) {
					return
				}
			}
		}
		if got := recent.Suspect(counted, recent.Who{Session: "a"}, c.now, all); got != c.want {
			t.Errorf("%s, then %+v: %+v", c.log, c.now, got)
		}
		if c.want == none && read > c.most+1 {
			t.Errorf("%s, then %+v: read %d lines", c.log, c.now, read)
		}
		if got := recent.Suspect(newestFirst(lines), recent.Who{Session: "a"}, c.now, none); got != none {
			t.Errorf("%s: nothing is wanted, and suspected is %+v", c.log, got)
		}
	}
}
