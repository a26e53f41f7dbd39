package qwen

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

const (
	shellTool = "run_shell_command"
	agentTool = "agent"
)

func readTool(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	about := func(o *logfmt.Object) { describe(o, p.Tool, p.Input, p.Cwd, proj) }
	return p.ToolPlan(hooks.ToolEvents{
		About:     about,
		Succeeded: func() hooks.Draft { return succeeded(p, about, proj) },
		Failed:    func() hooks.Draft { return failed(p, about) },
		Relay:     func() *hooks.Relay { return relay(p) },
		Batch:     func() *hooks.Batch { return batch(p, proj) },
	})
}

// describe adds what a call is about: a shell command's head, a sub-agent's task, a
// skill's name or a file's path.
func describe(o *logfmt.Object, tool string, input hooks.JSON, cwd string, proj *project.Project) {
	switch tool {
	case shellTool:
		o.StrIf("head", hooks.CommandHead(input.Get("command").Str))
	case agentTool:
		o.StrIf("task", hooks.Head(input.Get("description").Str))
	case "skill":
		o.StrIf("head", hooks.Head(input.Get("skill").Str))
	default:
		o.StrIf("path", pathOf(input, cwd, proj))
	}
}

// pathOf is the call's file or folder as entries have it.
func pathOf(input hooks.JSON, cwd string, proj *project.Project) string {
	return hooks.PathFrom(cwd, input.First("file_path", "absolute_path", "path"), proj)
}

// succeeded is PostToolUse: the call succeeded, or still runs in the background.
func succeeded(p *hooks.Payload, about func(*logfmt.Object), proj *project.Project) hooks.Draft {
	d := p.ToolCall(logfmt.Tool, about)
	switch p.Tool {
	case shellTool:
		code, ok := agentcli.ShellExit(p.Response.Get("llmContent").Str)
		switch {
		case ok:
			d.Data.Int("exit_code", code)
		case p.Input.Get("is_background").Bool():
			d.Data.Bool("background", true)
		default:
			d.Data.Str("outcome", "unknown")
		}
	case agentTool:
		if p.Response.Get("returnDisplay.status").Str == "background" {
			d.Data.StrIf("agent_id", taskID(p)).Bool("background", true)
		}
	case "write_file", "edit", "notebook_edit":
		if path := pathOf(p.Input, p.Cwd, proj); path != "" {
			hooks.Content(d.Data, proj, path)
		}
	}
	p.Duration(d.Data)
	return d
}

// taskID is the sub-agent that a call launched, which the text for the model names.
func taskID(p *hooks.Payload) string {
	_, rest, ok := strings.Cut(p.Response.Get("llmContent").Str, "\ntask_id: ")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, " ")
	return hooks.Head(id)
}

// failed is PostToolUseFailure. For a shell that includes every exit code but 0.
func failed(p *hooks.Payload, about func(*logfmt.Object)) hooks.Draft {
	d := p.ToolCall(logfmt.ToolFailed, about)
	text := p.Str("error")
	if code, ok := agentcli.ShellExit(text); ok && p.Tool == shellTool {
		d.Data.Int("exit_code", code)
	}
	d.Data.StrIf("error", hooks.Head(agentcli.ShellOutput(text)))
	if p.Get("is_interrupt").Bool() {
		d.Data.Str("outcome", "interrupted")
	}
	p.Duration(d.Data)
	return d
}

func relay(p *hooks.Payload) *hooks.Relay {
	return p.ShellRelay(shellTool, func() string { return agentcli.ShellOutput(p.Response.Get("llmContent").Str) })
}

// batch is PostToolBatch. A call without an end event was refused by somebody, or is none of the client's.
func batch(p *hooks.Payload, proj *project.Project) *hooks.Batch {
	cwd := p.Cwd
	return &hooks.Batch{Calls: p.Get("tool_calls").Array(), ID: "tool_call_id", End: func(p hooks.Payload, c gjson.Result, _ *hooks.Call) hooks.Draft {
		return ended(p, c.Get("status").Str, c.Get("tool_response"), func(o *logfmt.Object) { describe(o, p.Tool, p.Input, cwd, proj) })
	}}
}

func ended(p hooks.Payload, status string, response gjson.Result, about func(*logfmt.Object)) hooks.Draft {
	text := response.Get("error").Str
	if text == "" {
		text = response.Get("response_parts.0.functionResponse.response.error").Str
	}
	began := response.Get("execution_status").Str != "not_started"
	switch {
	case response.Get("error_type").Str == "execution_denied", status == "cancelled" && !began:
		d := p.ToolCall(logfmt.ToolDenied, about)
		d.Data.StrIf("reason", hooks.Head(text))
		return d
	case status == "error", status == "cancelled":
		d := p.ToolCall(logfmt.ToolFailed, about)
		d.Data.StrIf("error", hooks.Head(agentcli.ShellOutput(text)))
		if status == "cancelled" {
			d.Data.Str("outcome", "interrupted")
		}
		return d
	}
	d := p.ToolCall(logfmt.Tool, about) // its end event was lost
	d.Data.Str("outcome", "unknown")
	return d
}
