package gemini

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/internal/project"
	"aburn/logfmt"
)

const shellTool = "run_shell_command"

// ending is how a call ended.
type ending struct {
	event   logfmt.Event
	code    int64 // if exited
	exited  bool
	outcome string
	error   string
	reason  string
	status  string // of a sub-agent
}

func (e *ending) add(o *logfmt.Object) {
	if e.exited {
		o.Int("exit_code", e.code)
	}
	o.StrIf("outcome", e.outcome).StrIf("error", hooks.Head(e.error)).StrIf("reason", hooks.Head(e.reason)).StrIf("status", hooks.Head(e.status))
	if e.outcome == background {
		o.Bool("background", true)
	}
}

// finished is AfterTool. The client sends no end of a call that was denied.
func finished(p *hooks.Payload, proj *project.Project) hooks.Plan {
	end := endOf(p)
	d := p.ToolCall(end.event, func(o *logfmt.Object) { describe(o, p, proj) })
	end.add(d.Data)
	own := callID(p)
	d.Once = own
	switch p.Tool {
	case "write_file", "replace":
		if path := pathOf(p, proj); path != "" && end.event == logfmt.Tool {
			hooks.Content(d.Data, proj, path)
		}
	}
	plan := hooks.Plan{Drafts: []hooks.Draft{d}, Relay: relay(p)}
	var stopped *logfmt.Object
	if p.Tool == nests {
		agent := agentEvent(logfmt.AgentComplete, p.Input, "")
		agent.Data.StrIf("status", hooks.Head(end.status))
		agent.Once, stopped = own, agent.Data
		plan.Drafts = []hooks.Draft{agent, d} // the call's end is the last
	}
	plan.Pair = func(id string) {
		if id == "" {
			id = own
		}
		d.Data.Str("tool_use_id", id)
		if stopped != nil {
			stopped.Str("agent_id", id)
			d.Data.Str("agent_id", id)
		}
	}
	return plan
}

func relay(p *hooks.Payload) *hooks.Relay {
	return p.ShellRelay(shellTool, func() string { return strings.TrimPrefix(p.Response.Get("llmContent").Str, outputPrefix) })
}

func endOf(p *hooks.Payload) ending {
	if e := p.Response.Get("error"); e.Exists() {
		return ending{event: logfmt.ToolFailed, error: cmp.Or(e.Get("message").Str, e.Get("type").Str)}
	}
	text := textOf(p.Response.Get("llmContent"))
	switch p.Tool {
	case shellTool:
		return endOfShell(text, p.Response.Get("returnDisplay"))
	case nests:
		return endOfAgent(text)
	}
	return ending{event: logfmt.Tool}
}

// textOf is the text for the model: a string, or parts of it.
func textOf(content gjson.Result) string {
	if content.IsArray() {
		return content.Get("0.text").Str
	}
	return content.Str
}

// endOfAgent reads "Subagent 'X' finished.\nTermination Reason: GOAL". Every other reason
// is a sub-agent that gave up or was cancelled.
func endOfAgent(text string) ending {
	_, rest, ok := strings.Cut(text, "\nTermination Reason: ")
	if !ok {
		return ending{event: logfmt.Tool, outcome: unknown}
	}
	reason, _, _ := strings.Cut(rest, "\n")
	switch {
	case reason == "GOAL":
		return ending{event: logfmt.Tool, status: "completed"}
	case reason == "ABORTED":
		return ending{event: logfmt.ToolFailed, outcome: interrupted, status: "cancelled"}
	}
	return ending{event: logfmt.ToolFailed, error: reason, status: "failed"}
}

const (
	unknown     = "unknown"
	interrupted = "interrupted"
	background  = "background"

	wrapper      = "<untrusted_context>\n"
	outputPrefix = wrapper + "Output: "
)

// endOfShell reads the client's words about a command: its output between two marks, and
// behind the output one line for each fact. The exit code 0 has no line. A refusal has no
// marks.
func endOfShell(text string, display gjson.Result) ending {
	own, marked := strings.CutPrefix(text, wrapper)
	own = strings.TrimSuffix(own, "\n</untrusted_context>")
	switch {
	case strings.HasPrefix(own, "Command was cancelled by user"):
		return ending{event: logfmt.ToolFailed, outcome: interrupted}
	case strings.HasPrefix(own, "Command was automatically cancelled"):
		return ending{event: logfmt.ToolFailed, outcome: "killed", error: own}
	case strings.HasPrefix(own, "Command moved to background"):
		return ending{event: logfmt.Tool, outcome: background}
	case strings.HasPrefix(own, "Command injection detected"):
		return ending{event: logfmt.ToolDenied, reason: own}
	case !marked:
		return ending{event: logfmt.Tool, outcome: unknown}
	}
	output := "Output: " + display.Str
	if display.Type == gjson.String && display.Str != "" && strings.HasPrefix(own, output) {
		own = own[len(output):]
	}
	return endOfLines(own, display)
}

// endOfLines reads the facts behind the output, the last one first. The output may look
// like one of them; where the terminal shows such a line, the code is unknown.
func endOfLines(own string, display gjson.Result) ending {
	ended, failed := false, ""
	for {
		at := strings.LastIndexByte(own, '\n')
		key, value, _ := strings.Cut(own[at+1:], ": ")
		switch key {
		case "Process Group PGID":
			ended = true
		case "Background PIDs":
		case "Error", "Signal":
			if value != "(none)" && value != "0" && value != "" {
				failed = key + ": " + value
			}
		case "Exit Code":
			code, err := strconv.ParseInt(value, 10, 32)
			if err != nil || strings.Contains(display.Raw, `"text":"Exit Code: `) {
				return ending{event: logfmt.Tool, outcome: unknown}
			}
			e := ending{event: logfmt.Tool, code: code, exited: true}
			if code != 0 || failed != "" {
				e.event = logfmt.ToolFailed
			}
			e.error = failed
			return e
		default:
			at = -1
		}
		if at < 0 {
			break
		}
		own = own[:at]
	}
	switch {
	case failed != "":
		return ending{event: logfmt.ToolFailed, error: failed}
	case !ended:
		return ending{event: logfmt.Tool, outcome: unknown}
	}
	return ending{event: logfmt.Tool, exited: true}
}
