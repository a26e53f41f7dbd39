package insight_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
)

// drawn makes a trace of one line, a word an event, a second apart. "_" in texts is a blank.
//
//	p:TEXT        a prompt                      say           a text of the agent's, say:R of response R
//	m             a program's message           c1:TOOL=WHAT  call c1, of response R with c1:TOOL=WHAT@R; of a command or a path
//	ok bad        the end of the last call,     ok:c1 bad:c1  of call c1; bad:EXIT, bad:c1:EXIT, bad:c1:EXIT:HEAD
//	denied:WHO    it was refused                stopped       it was stopped
//	run           it is in the background       intr          an interrupt
//	err:CODE      an error, fatal!:CODE one that ended the turn
//	file:PATH     a change, file:PATH:HASH with a content, of the last call
//	start:CMD complete:CMD fail:CMD             phase:CMD:PHASE done:CMD:PHASE broke:CMD:PHASE
//	stop          the end of a turn, stop:WHY   end           of the session
//	resp:R:N      a response of N tokens        +N            N seconds pass
//	copy:ON       what follows is a copy, copy:OFF no longer  outcome:O:WHY what the source states
func drawn(t testing.TB, line string) *trace.SessionTrace {
	t.Helper()
	d := &drawing{b: draft.New("test", "s1", "claude", "/store"), at: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	for _, word := range strings.Fields(line) {
		d.word(word)
	}
	tr, err := d.b.Finish()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return tr
}

type drawing struct {
	b      *draft.Builder
	at     time.Time
	line   int64
	last   string // the id of the last call
	copied string
}

func (d *drawing) event(body trace.Body) trace.Event {
	d.line++
	if d.copied == "" {
		d.at = d.at.Add(time.Second)
	}
	return trace.Event{Time: d.at, Ref: trace.Ref{Line: d.line}, Copied: d.copied, Body: body}
}

func (d *drawing) word(word string) {
	word = strings.ReplaceAll(word, "_", " ")
	parts := strings.Split(word, ":")
	arg := func(n int) string {
		if n < len(parts) {
			return parts[n]
		}
		return ""
	}
	switch {
	case strings.Contains(word, "=") && parts[0][0] == 'c':
		d.call(parts[0], strings.Join(parts[1:], ":"))
	case word[0] == '+':
		if n, _ := strconv.Atoi(word[1:]); d.copied == "" {
			d.at = d.at.Add(time.Duration(n) * time.Second)
		}
	case parts[0] == "copy":
		d.copied = map[string]string{"ON": "elsewhere"}[arg(1)]
	case parts[0] == "outcome":
		d.b.Trace().Outcome, d.b.Trace().OutcomeFrom = trace.Outcome(arg(1)), cmp.Or(arg(2), "the test")
	case parts[0] == "resp":
		n, _ := strconv.ParseInt(arg(2), 10, 64)
		d.line++
		d.b.Trace().Responses = append(d.b.Trace().Responses, trace.Response{ID: arg(1), Event: len(d.b.Trace().Events), Usage: trace.Usage{Output: n},
			Ref: trace.Ref{Line: d.line}, Copied: d.copied})
	case d.result(parts[0], arg, func(n int) string { return strings.Join(parts[min(n, len(parts)):], ":") }):
	default:
		d.other(parts[0], arg)
	}
}

// tools are the types of the tools that tests use.
var tools = map[string]trace.ToolType{"Bash": trace.ShellTool, "Read": trace.ReadTool, "Edit": trace.EditTool, "Grep": trace.SearchTool,
	"Task": trace.AgentTool, "exec": trace.OtherTool}

func (d *drawing) call(id, spec string) {
	spec, response, _ := strings.Cut(spec, "@")
	tool, what, _ := strings.Cut(spec, "=")
	sum := sha256.Sum256([]byte(spec))
	c := &trace.ToolCall{Call: id, Tool: tool, Type: tools[tool], Response: response, Input: trace.Digest{Length: 1, Hash: hex.EncodeToString(sum[:8])}}
	if c.Type == trace.ShellTool {
		c.Head = what
	} else {
		c.Path = what
	}
	d.last = id
	d.b.Call(d.event(nil), c)
}

// result adds the end of a call. rest is all arguments from the n-th on.
func (d *drawing) result(word string, arg, rest func(int) string) bool {
	r := trace.ToolResultEvent{Call: d.last, From: trace.FromToolResult, Status: trace.StatusCompleted}
	yes := true
	n := 1
	if strings.HasPrefix(arg(1), "c") {
		r.Call, n = arg(1), 2
	}
	switch word {
	case "ok":
		r.DurationMS, _ = strconv.ParseInt(arg(n), 10, 64)
	case "bad":
		r.Status, r.IsError, r.Head = trace.StatusErrored, &yes, rest(n+1)
		if code, err := strconv.Atoi(arg(n)); err == nil {
			r.ExitCode = &code
		}
	case "denied":
		r.Status, r.IsError, r.Denied, r.Head = trace.StatusErrored, &yes, arg(n), "no"
	case "stopped":
		r.Status, r.IsError, r.Head = trace.StatusCancelled, &yes, "aborted by user"
	case "run":
		r.Status = trace.StatusRunning
	default:
		return false
	}
	d.b.Result(d.event(nil), r)
	return true
}

// markers are the words for markers of commands and phases.
var markers = map[string]trace.Marker{"start": trace.CommandStarted, "complete": trace.CommandCompleted, "fail": trace.CommandFailed,
	"phase": trace.PhaseStarted, "done": trace.PhaseCompleted, "broke": trace.PhaseFailed}

func (d *drawing) other(word string, arg func(int) string) {
	var body trace.Body
	e := d.event(nil)
	switch word {
	case "p":
		body = &trace.UserMessage{Head: arg(1)}
	case "m":
		e.By = "client"
		body = &trace.UserMessage{Machine: "other"}
	case "say":
		body = &trace.AgentMessage{Response: arg(1)}
	case "intr":
		body = &trace.Interrupt{}
	case "err", "fatal!":
		body = &trace.Error{Code: arg(1), Head: arg(2), Fatal: word == "fatal!"}
	case "file":
		c := &trace.FileChange{Path: arg(1), Action: "modified", Call: d.last}
		if arg(2) != "" {
			sum := sha256.Sum256([]byte(arg(2)))
			c.Hash = hex.EncodeToString(sum[:])
		}
		body = c
	case "stop":
		body = &trace.Session{Marker: trace.Stopped, Detail: arg(1)}
	case "saysdone":
		body = &trace.Session{Marker: trace.Stopped, Detail: trace.SaidDone}
	case "abandoned":
		body = &trace.Session{Marker: trace.Abandoned, Detail: "the test"}
	case "end":
		body = &trace.Session{Marker: trace.Ended}
	default:
		m, ok := markers[word]
		if !ok {
			panic(fmt.Sprintf("no word %q", word))
		}
		body = &trace.Session{Marker: m, Command: arg(1), Phase: arg(2)}
	}
	e.Body = body
	d.b.Add(e)
}
