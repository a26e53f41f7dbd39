package codex

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/logfmt"
)

// moment is what an event says about the calls that are open when it comes.
type moment int

const (
	turnEnded    moment = iota // Stop, SubagentStop: whatever still runs, runs in the background
	interrupted                // Interrupt: the transcript may say more in a moment
	promptCame                 // the next prompt, or one steered into the running turn
	sessionEnded               // SessionEnd: the transcript is complete
)

// closer ends the calls for which PostToolUse never fires: refused, denied and
// interrupted calls, failed patches and MCP calls, patches through a shell.
type closer struct {
	transcript string
	at         moment
	ends       map[string]ending
	turnEnd    func() time.Time // the transcript's lastTurnEnd
}

type ending struct {
	event    logfmt.Event
	exited   bool // with exitCode
	exitCode int64
	outcome  string
	error    string
	reason   string
	duration time.Duration
}

func (e *ending) add(o *logfmt.Object) {
	if e.exited {
		o.Int("exit_code", e.exitCode)
	}
	o.StrIf("outcome", e.outcome).StrIf("error", hooks.Head(e.error)).StrIf("reason", hooks.Head(e.reason))
	// Codex 0.169 states microseconds for commands that are quicker than it measures (5 µs for `ls`): no process takes that.
	if e.duration >= time.Millisecond {
		o.Int("duration_ms", e.duration.Milliseconds())
	}
}

// Wants returns nil: all open calls.
func (c *closer) Wants() []string { return nil }

// Prepare looks the open calls up in the transcript.
func (c *closer) Prepare(calls *hooks.Calls) bool {
	if len(calls.Open) == 0 {
		return false
	}
	b := hooks.Tail(c.transcript, longTail)
	c.turnEnd = sync.OnceValue(func() time.Time { return lastTurnEnd(b) })
	c.ends = map[string]ending{}
	for i := range calls.Open {
		call := &calls.Open[i]
		if end, ok := c.end(b, call); ok {
			c.ends[call.ToolUseID] = end
		}
	}
	return len(c.ends) > 0
}

// Close ends the calls whose end Prepare found.
func (c *closer) Close(calls *hooks.Calls) []hooks.Draft {
	var drafts []hooks.Draft
	for _, call := range calls.Open {
		end, ok := c.ends[call.ToolUseID]
		if !ok {
			continue
		}
		p := hooks.Payload{Tool: call.Tool, ToolUseID: call.ToolUseID}
		d := p.ToolCall(end.event, func(o *logfmt.Object) { o.StrIf("head", call.Head).StrIf("path", call.Path).StrIf("input", call.Input) })
		end.add(d.Data)
		d.Data.Str("inferred", "transcript")
		drafts = append(drafts, d)
	}
	return drafts
}

// end reads from the transcript b how the call ended; false if it may still run.
func (c *closer) end(b []byte, call *hooks.Call) (ending, bool) {
	if item := completedItem(b, call.ToolUseID); item.Exists() {
		return endOfItem(item), true
	}
	if output := callOutput(b, call.ToolUseID); output.Exists() {
		return endOfOutput(outputText(output), call)
	}
	unknown := ending{event: logfmt.Tool, outcome: "unknown"}
	switch c.at {
	case turnEnded:
		return unknown, true
	case interrupted:
		return unknown, b == nil
	case promptCame:
		return unknown, b == nil || c.turnEnd().After(call.Time)
	}
	return ending{}, false
}

// endOfItem reads the transcript's own record of a call that ran. A killed command has
// the exit code -1.
func endOfItem(item gjson.Result) ending {
	e := ending{event: logfmt.Tool}
	if code := item.Get("exit_code"); code.Type == gjson.Number {
		e = exited(code.Int())
	} else if item.Get("type").Str == "CommandExecution" {
		e.outcome = "unknown"
	}
	d := item.Get("duration")
	e.duration = time.Duration(d.Get("secs").Int())*time.Second + time.Duration(d.Get("nanos").Int())
	if !e.exited && item.Get("status").Str == "failed" || item.Get("result.isError").Bool() {
		e.event = logfmt.ToolFailed
		e.error = item.Get("result.content.0.text").Str + item.Get("stderr").Str
	}
	return e
}

// endOfOutput reads the output that the model got of a call without an item; false if
// the call still runs.
func endOfOutput(text string, call *hooks.Call) (ending, bool) {
	own := ownWords(text)
	has := func(words string) bool { return strings.Contains(own, words) }
	switch {
	case has("Process running with session ID"):
		return ending{}, false
	case has("rejected by user"), has("blocked by PreToolUse hook"), call.Asked && has("aborted by user"):
		return ending{event: logfmt.ToolDenied, reason: text}, true
	case has("aborted by user"):
		return ending{event: logfmt.ToolFailed, outcome: "interrupted"}, true
	case strings.HasPrefix(text, "apply_patch verification failed"):
		return ending{event: logfmt.ToolFailed, error: text}, true
	}
	if code, ok := exitedWith(own); ok {
		return exited(code), true
	}
	return ending{event: logfmt.Tool, outcome: "unknown"}, true
}

func exited(code int64) ending {
	e := ending{event: logfmt.Tool, exited: true, exitCode: code}
	if code != 0 {
		e.event = logfmt.ToolFailed
	}
	if code < 0 {
		e.outcome = "killed"
	}
	return e
}

// ownWords is the client's own part of an output. The part after the line "Output:" is
// the command's and may say anything.
func ownWords(text string) string {
	if strings.HasPrefix(text, "Output:") {
		return ""
	}
	own, _, _ := strings.Cut(text, "\nOutput:")
	return own
}

// exitedWith reads the line "Process exited with code 3", which older clients have
// instead of items.
func exitedWith(own string) (int64, bool) {
	for line := range strings.Lines(own) {
		if digits, ok := strings.CutPrefix(line, "Process exited with code "); ok {
			code, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 32)
			return code, err == nil
		}
	}
	return 0, false
}

func outputText(output gjson.Result) string {
	if output.Type == gjson.String {
		return output.Str
	}
	var b strings.Builder
	for _, part := range output.Array() {
		b.WriteString(part.Get("text").Str + "\n")
	}
	return b.String()
}

// lastTurnEnd is the last end of a turn in the transcript; the zero time without one.
func lastTurnEnd(b []byte) (t time.Time) {
	for _, kind := range []string{"task_complete", "turn_aborted"} {
		record := hooks.LastRecord(b, kind, func(record gjson.Result) gjson.Result {
			if record.Get("payload.type").Str != kind {
				return gjson.Result{}
			}
			return record.Get("timestamp")
		})
		if at, err := time.Parse(time.RFC3339Nano, record.Str); err == nil && at.After(t) {
			t = at
		}
	}
	return t
}
