package copilot

import (
	"strconv"
	"strings"

	"aburn/hooks"
	"aburn/internal/project"
	"aburn/logfmt"
)

func readTool(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	about := func(o *logfmt.Object) { describe(o, p, proj) }
	var d hooks.Draft
	var relay *hooks.Relay
	switch p.Event {
	case "preToolUse":
		d = p.ToolCall(logfmt.ToolStart, about)
	case "postToolUse":
		d = finished(p, about, proj)
		relay = relayOf(p)
	case "postToolUseFailure":
		d = p.ToolCall(logfmt.ToolFailed, about)
		d.Data.StrIf("error", hooks.Head(p.Str("error")))
	default:
		return hooks.Plan{}, false
	}
	d.Unnamed = true
	return hooks.Plan{Drafts: []hooks.Draft{d}, Relay: relay}, true
}

func isShell(tool string) bool { return tool == "bash" || tool == "powershell" }

// describe adds what a call is about: a shell command's head, a sub-agent's task or a file's path.
func describe(o *logfmt.Object, p *hooks.Payload, proj *project.Project) {
	switch {
	case isShell(p.Tool):
		o.StrIf("head", hooks.CommandHead(p.Input.Get("command").Str))
	case p.Tool == "task":
		o.StrIf("task", hooks.Head(p.Input.Get("description").Str))
	default:
		o.StrIf("path", pathOf(p, proj))
	}
}

// pathOf is the call's file or folder as entries have it.
func pathOf(p *hooks.Payload, proj *project.Project) string {
	return hooks.PathFrom(p.Cwd, p.Input.Get("path").Str, proj)
}

// finished is postToolUse, which the client calls a success also for a command that failed.
func finished(p *hooks.Payload, about func(*logfmt.Object), proj *project.Project) hooks.Draft {
	text := p.Response.Get("textResultForLlm").Str
	if kind := p.Response.Get("resultType").Str; kind != "success" {
		return unsuccessful(p, about, kind, text)
	}
	var e ending
	if isShell(p.Tool) {
		e = shellEnding(text)
	}
	d := p.ToolCall(e.eventOr(logfmt.Tool), about)
	e.add(d.Data)
	switch p.Tool {
	case "task":
		if id, ok := strings.CutPrefix(text, "Agent started in background with agent_id: "); ok {
			id, _, _ = strings.Cut(id, ". ")
			d.Data.StrIf("agent_id", hooks.Head(id)).Bool("background", true)
		}
	case "create", "edit":
		if path := pathOf(p, proj); path != "" {
			hooks.Content(d.Data, proj, path)
		}
	}
	return d
}

// unsuccessful is a result of another kind than success. No such result was seen; the names are the client's.
func unsuccessful(p *hooks.Payload, about func(*logfmt.Object), kind, text string) hooks.Draft {
	switch kind {
	case "failure":
		d := p.ToolCall(logfmt.ToolFailed, about)
		d.Data.StrIf("error", hooks.Head(text))
		return d
	case "denied", "rejected":
		d := p.ToolCall(logfmt.ToolDenied, about)
		d.Data.StrIf("reason", hooks.Head(text))
		return d
	}
	d := p.ToolCall(logfmt.Tool, about)
	d.Data.Str("outcome", "unknown")
	return d
}

// shellEnding reads the client's own words about a command: the last line of the result, behind all that the command
// printed.
func shellEnding(text string) ending {
	text = strings.TrimRight(text, "\n")
	output, last := "", text
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		output, last = text[:i], text[i+1:]
	}
	words, ok := strings.CutPrefix(last, "<")
	words, closed := strings.CutSuffix(words, ">")
	if !ok || !closed {
		return ending{outcome: "unknown"}
	}
	if rest, ok := strings.CutPrefix(words, "shellId: "); ok {
		if _, digits, ok := strings.Cut(rest, " completed with exit code "); ok {
			if code, err := strconv.ParseInt(digits, 10, 32); err == nil {
				return exited(code, output)
			}
		}
	}
	if strings.HasPrefix(words, "command started in background with shellId: ") ||
		strings.HasPrefix(words, "command with shellId: ") && (strings.Contains(words, " is still running") ||
			strings.Contains(words, " moved to background by the user")) {
		return ending{background: true}
	}
	return ending{outcome: "unknown"}
}

func relayOf(p *hooks.Payload) *hooks.Relay {
	if !isShell(p.Tool) || !strings.Contains(string(p.Input), "aburn") {
		return nil
	}
	return &hooks.Relay{Command: p.Input.Get("command").Str, Output: p.Response.Get("textResultForLlm").Str}
}
