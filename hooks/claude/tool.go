package claude

import (
	"strconv"
	"strings"

	"aburn/hooks"
	"aburn/internal/project"
	"aburn/logfmt"
)

func readTool(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	return p.ToolPlan(hooks.ToolEvents{
		About:     func(o *logfmt.Object) { describe(o, p.Tool, p.Input, proj) },
		Succeeded: func() hooks.Draft { return succeeded(p, proj) },
		Failed:    func() hooks.Draft { return failed(p, proj) },
		Relay:     func() *hooks.Relay { return relay(p) },
		Batch:     func() *hooks.Batch { return batch(p, proj) },
	})
}

// describe adds what a call is about: the head of a shell command, question or plan,
// a file's path, a sub-agent's task or a skill's name.
func describe(o *logfmt.Object, tool string, input hooks.JSON, proj *project.Project) {
	switch tool {
	case "Bash", "PowerShell":
		o.StrIf("head", hooks.CommandHead(input.Get("command").Str))
	case "Agent", "Task":
		o.StrIf("task", hooks.Head(input.Get("description").Str))
	case "AskUserQuestion":
		o.StrIf("head", hooks.Head(input.Get("questions.0.question").Str))
	case "ExitPlanMode":
		o.StrIf("head", hooks.Head(input.Get("plan").Str))
	case "Skill":
		o.StrIf("head", hooks.Head(input.Get("skill").Str))
	default:
		o.StrIf("path", pathOf(input, proj))
	}
}

// pathOf is the call's file or folder as entries have it.
func pathOf(input hooks.JSON, proj *project.Project) string {
	path := input.First("file_path", "notebook_path", "path")
	if path == "" {
		return ""
	}
	return hooks.Path(proj.Rel(path))
}

// succeeded is PostToolUse: the call succeeded, or still runs in the background.
func succeeded(p *hooks.Payload, proj *project.Project) hooks.Draft {
	d := p.ToolCall(logfmt.Tool, func(o *logfmt.Object) { describe(o, p.Tool, p.Input, proj) })
	o := d.Data
	switch p.Tool {
	case "Bash", "PowerShell":
		shellOutcome(o, p.Response)
	case "Agent", "Task":
		status := p.Response.Get("status").Str
		o.StrIf("agent_id", hooks.Head(p.Response.Get("agentId").Str)).StrIf("status", hooks.Head(status))
		if status == "async_launched" || status == "teammate_spawned" {
			o.Bool("background", true)
		}
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		if path := pathOf(p.Input, proj); path != "" {
			hooks.Content(o, proj, path)
		}
	}
	p.Duration(o)
	return d
}

// shellOutcome reads a shell result that the client calls a success. The result has no
// exit code. The code is 0, unless the client interprets another one as harmless (grep
// found nothing) or the command still runs in the background.
func shellOutcome(o *logfmt.Object, response hooks.JSON) {
	meaning, background, interrupted := "", false, false
	response.Members(func(key string, value hooks.JSON) bool {
		switch key {
		case "returnCodeInterpretation":
			meaning = value.Str()
		case "backgroundTaskId":
			background = true
		case "interrupted":
			interrupted = value == "true"
		}
		return true
	})
	switch {
	case background:
		o.Bool("background", true)
	case interrupted:
		o.Str("outcome", "interrupted")
	case meaning != "":
		o.Str("outcome", hooks.Head(meaning))
	default:
		o.Int("exit_code", 0)
	}
}

// failed is PostToolUseFailure. For a shell the error begins with "Exit code N".
func failed(p *hooks.Payload, proj *project.Project) hooks.Draft {
	d := p.ToolCall(logfmt.ToolFailed, func(o *logfmt.Object) { describe(o, p.Tool, p.Input, proj) })
	text := p.Str("error")
	if code, rest, ok := exitCode(text); ok && (p.Tool == "Bash" || p.Tool == "PowerShell") {
		d.Data.Int("exit_code", code)
		text = rest
	}
	d.Data.StrIf("error", hooks.Head(text))
	if p.Get("is_interrupt").Bool() {
		d.Data.Str("outcome", "interrupted")
	}
	p.Duration(d.Data)
	return d
}

// exitCode reads "Exit code 3\noutput…".
func exitCode(text string) (code int64, rest string, ok bool) {
	digits, ok := strings.CutPrefix(text, "Exit code ")
	if !ok {
		return 0, text, false
	}
	digits, rest, _ = strings.Cut(digits, "\n")
	code, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 32)
	if err != nil {
		return 0, text, false
	}
	return code, rest, true
}

func relay(p *hooks.Payload) *hooks.Relay {
	return p.ShellRelay("Bash", func() string { return p.Response.Get("stdout").Str })
}
