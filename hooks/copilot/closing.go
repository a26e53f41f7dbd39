package copilot

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/logfmt"
)

// moment is what an event says about the calls that are open when it comes.
type moment int

const (
	turnEnded    moment = iota // agentStop, subagentStop: no call of the turn runs any more
	promptCame                 // the next prompt, or one sent into the running turn
	sessionEnded               // sessionEnd, also at a signal
)

// closer ends the calls after which no hook ran: denied ones, above all.
type closer struct {
	transcript string
	agent      string // "" for the session itself
	at         moment
	executions []execution
}

// ending is how a call ended.
type ending struct {
	event         logfmt.Event // "" for TOOL
	exited        bool         // with exitCode
	exitCode      int64
	background    bool // it still runs
	outcome       string
	error, reason string
}

func (e *ending) eventOr(ev logfmt.Event) logfmt.Event { return cmp.Or(e.event, ev) }

func (e *ending) add(o *logfmt.Object) {
	if e.exited {
		o.Int("exit_code", e.exitCode)
	}
	o.StrIf("outcome", e.outcome).StrIf("error", hooks.Head(e.error)).StrIf("reason", hooks.Head(e.reason))
	if e.background {
		o.Bool("background", true)
	}
}

func exited(code int64, output string) ending {
	e := ending{exited: true, exitCode: code}
	if code != 0 {
		e.event, e.error = logfmt.ToolFailed, output
	}
	return e
}

// Wants returns nil: all open calls.
func (c *closer) Wants() []string { return nil }

// maxTranscript is how much of a transcript's end is read, in bytes.
const maxTranscript = 1 << 20

// Prepare reads the transcript if a call is open.
func (c *closer) Prepare(calls *hooks.Calls) bool {
	if len(calls.Open) == 0 {
		return false
	}
	b := hooks.Tail(c.transcript, maxTranscript)
	c.executions = executionsOf(b, c.agent)
	return c.at == turnEnded || len(c.executions) > 0
}

// Close ends the calls whose end is certain. The newest open call of a tool and input goes with the newest execution of
// them after which no hook ran.
func (c *closer) Close(calls *hooks.Calls) []hooks.Draft {
	left := slices.Clone(c.executions)
	var drafts []hooks.Draft
	for _, call := range slices.Backward(calls.Open) {
		end, ok := c.end(&left, call)
		if !ok {
			continue
		}
		p := hooks.Payload{Tool: call.Tool, ToolUseID: call.ToolUseID}
		d := p.ToolCall(end.eventOr(logfmt.Tool), func(o *logfmt.Object) { o.StrIf("head", call.Head).StrIf("path", call.Path).StrIf("input", call.Input) })
		end.add(d.Data)
		d.Data.Str("inferred", "transcript")
		drafts = append(drafts, d)
	}
	slices.Reverse(drafts)
	return drafts
}

// clockStep is how much earlier than the client's own time of its start a call's entry may be.
const clockStep = time.Second

// end takes the call's execution out of left and reads how it ended; false if it may still run. An execution after which
// a hook ran counts only if there is no other.
func (c *closer) end(left *[]execution, call hooks.Call) (ending, bool) {
	found, unhooked, n := -1, -1, 0
	for i, x := range *left {
		if x.tool != call.Tool || x.input != call.Input || x.started.After(call.Time.Add(clockStep)) {
			continue
		}
		found = i
		n++
		if x.refused != "" || !x.result.Exists() {
			unhooked = i
		}
	}
	unknown := ending{outcome: "unknown"}
	if unhooked >= 0 {
		found = unhooked
	} else if n != 1 {
		return unknown, c.at == turnEnded
	}
	x := (*left)[found]
	*left = slices.Delete(*left, found, found+1)
	if end, ended := x.ending(); ended {
		return end, true
	}
	return unknown, c.at == turnEnded
}

// execution is a call as the transcript has it.
type execution struct {
	tool, input string
	started     time.Time
	refused     string       // what was said instead of an approval; "" for an execution that was not refused
	aborted     bool         // the user stopped the turn while it ran
	result      gjson.Result // of its end; does not exist without one
}

// executionsOf lists the calls of the session or sub-agent in the order of their starts. Each record begins with its type.
func executionsOf(b []byte, agent string) (list []execution) {
	at := map[string]int{}
	for line := range bytes.Lines(b) {
		rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
		kind, _, ends := bytes.Cut(rest, []byte{'"'})
		if !ok || !ends {
			continue
		}
		switch string(kind) {
		case "tool.execution_start", "tool.execution_complete", "permission.completed":
		case "abort": // of the whole session
			for i := range list {
				list[i].aborted = list[i].aborted || !list[i].result.Exists()
			}
			continue
		default:
			continue
		}
		r := gjson.ParseBytes(line)
		data := r.Get("data")
		id := data.Get("toolCallId").Str
		i, known := at[id]
		switch {
		case id == "" || r.Get("agentId").Str != agent:
		case string(kind) == "tool.execution_start":
			at[id] = len(list)
			started, _ := time.Parse(time.RFC3339, r.Get("timestamp").Str)
			list = append(list, execution{
				tool: data.Get("toolName").Str, input: hooks.InputKey(hooks.JSON(data.Get("arguments").Raw)), started: started,
			})
		case !known:
		case string(kind) == "tool.execution_complete":
			list[i].result = data
			if e := data.Get("error"); e.Get("code").Str == "denied" {
				list[i].refused = e.Get("message").Str
			}
		default:
			if said := data.Get("result.kind").Str; !strings.HasPrefix(said, "approved") {
				list[i].refused = said
			}
		}
	}
	return list
}

// ending is how the execution ended; false if the transcript does not tell.
func (x *execution) ending() (ending, bool) {
	switch {
	case x.refused != "":
		return ending{event: logfmt.ToolDenied, reason: x.refused}, true
	case x.aborted:
		return ending{event: logfmt.ToolFailed, outcome: "interrupted"}, true
	case !x.result.Exists():
		return ending{}, false
	case !x.result.Get("success").Bool():
		return ending{event: logfmt.ToolFailed, error: x.result.Get("error.message").Str}, true
	}
	if code := x.result.Get("shellExecution.exitCode"); code.Type == gjson.Number {
		return exited(code.Int(), ""), true
	}
	return ending{outcome: "unknown"}, true
}
