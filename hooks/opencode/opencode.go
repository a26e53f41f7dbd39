// Package opencode reads the payloads that aburn's own plugin sends from opencode, as the real client 1.18.33 makes it
// send them, and from OpenCode 2, which nobody has tried.
//
// The plugin knows which session is whose sub-agent, and tells each event once. The package knows one agent,
// so it imports no other adapter and neither the log nor the queue.
package opencode

import (
	"strings"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for opencode. Its plugin takes an answer only with a prompt, so nothing is told within a turn or
// at its end.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Opencode, Read: read, Knows: knows, PromptID: "message_id",
		Ignored:   func(*hooks.Payload) bool { return false },
		Own:       func(p *hooks.Payload) bool { return p.AgentID == "" },
		Answered:  func(p *hooks.Payload) bool { return p.Response.Get("output").Exists() }, // the plugin sends no output of what ended well
		Context:   context,
		MidTurn:   func(*hooks.Payload) bool { return false },
		Continue:  func(*hooks.Payload, string) []byte { return nil },
		PrintMode: func(*hooks.Payload, func(string) string) bool { return false },
	}
}

func context(_, text string) []byte {
	var o logfmt.Object
	return o.Str("text", text).Bytes()
}

func read(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	about := func(o *logfmt.Object) { describe(o, p, proj) }
	switch p.Event {
	case "session.created", "session.resumed":
		return p.Opened("opencode", p.Str("version")), true
	case "chat.message":
		return hooks.One(p.Prompt(p.AgentID != "" || hooks.IsAdvice(p.Str("prompt")))), true
	case "tool.execute.before":
		return hooks.One(p.ToolCall(logfmt.ToolStart, about)), true
	case "tool.ended":
		return hooks.Plan{Drafts: []hooks.Draft{ended(p, about, proj)}, Relay: relay(p)}, true
	case "permission.asked":
		return hooks.One(p.Permission(about)), true
	case "session.idle":
		return hooks.One(hooks.NewDraft(logfmt.Stop)), true
	case "session.error":
		return hooks.One(failed(p)), true
	case "session.compacted":
		return hooks.One(p.Compact("after")), true
	case "subagent.created":
		return hooks.One(p.AgentEvent(logfmt.AgentSpawn)), true
	case "subagent.idle":
		return hooks.One(p.AgentEvent(logfmt.AgentComplete)), true
	case "dispose":
		d := hooks.NewDraft(logfmt.SessionEnd)
		d.Data.Str("reason", p.Event)
		return hooks.One(d), true
	}
	return hooks.Plan{}, false
}

// failed is the end of a turn that an error ended, or the user.
func failed(p *hooks.Payload) hooks.Draft {
	if p.Str("error") == "MessageAbortedError" {
		return hooks.NewDraft(logfmt.Interrupt)
	}
	return p.TurnFailed(p.Str("error"), p.Str("message"))
}

// describe adds what a call is about: a shell command's head, a sub-agent's task, a skill's name or a file's path.
func describe(o *logfmt.Object, p *hooks.Payload, proj *project.Project) {
	switch p.Tool {
	case "bash", "shell":
		o.StrIf("head", hooks.CommandHead(p.Input.Get("command").Str))
	case "task", "subagent":
		o.StrIf("task", hooks.Head(p.Input.Get("description").Str))
	case "skill":
		o.StrIf("head", hooks.Head(p.Input.Get("name").Str))
	default:
		o.StrIf("path", pathOf(p, proj))
	}
}

// pathOf is the call's file or folder as entries have it.
func pathOf(p *hooks.Payload, proj *project.Project) string {
	path := p.Input.Get("filePath").Str
	if path == "" {
		path = p.Input.Get("path").Str
	}
	return hooks.PathFrom(p.Cwd, path, proj)
}

// ended is a call's end. A command that fails is completed for the client; its exit code is null if it was killed.
func ended(p *hooks.Payload, about func(*logfmt.Object), proj *project.Project) hooks.Draft {
	if p.Response.Get("status").Str == "error" {
		return refused(p, about)
	}
	if p.Tool == "invalid" { // which stands for a tool that there is not; the client completes it
		d := p.ToolCall(logfmt.ToolFailed, about)
		d.Data.StrIf("error", hooks.Head(p.Input.Get("error").Str))
		return d
	}
	exit := p.Response.Get("exit")
	ev := logfmt.Tool
	if p.Tool == "bash" && exit.Raw != "0" || p.Tool == "shell" && exit.Raw != "0" && exit.Raw != "" {
		ev = logfmt.ToolFailed // a shell call without a code has put its command into the background
	}
	d := p.ToolCall(ev, about)
	switch p.Tool {
	case "bash", "shell":
		if exit.Raw == "" || exit.Raw == "null" {
			d.Data.Str("outcome", "unknown")
		} else {
			d.Data.Int("exit_code", exit.Int())
		}
		if ev == logfmt.ToolFailed {
			d.Data.StrIf("error", hooks.Head(p.Response.Get("output").Str))
		}
	case "task", "subagent":
		d.Data.StrIf("agent_id", hooks.Head(p.Response.Get("session").Str))
	case "write", "edit":
		if path := pathOf(p, proj); path != "" {
			hooks.Content(d.Data, proj, path)
		}
	}
	p.Duration(d.Data)
	return d
}

// refused is a call that ended in an error: the client's own words tell whether a rule or the user refused it.
func refused(p *hooks.Payload, about func(*logfmt.Object)) hooks.Draft {
	text := p.Response.Get("error").Str
	if strings.HasPrefix(text, "The user rejected permission") || strings.HasPrefix(text, "The user has specified a rule") ||
		strings.HasPrefix(text, "Permission denied: ") {
		d := p.ToolCall(logfmt.ToolDenied, about)
		d.Data.StrIf("reason", hooks.Head(text))
		return d
	}
	d := p.ToolCall(logfmt.ToolFailed, about)
	d.Data.StrIf("error", hooks.Head(text))
	if text == "Tool execution aborted" {
		d.Data.Str("outcome", "interrupted")
	}
	p.Duration(d.Data)
	return d
}

func relay(p *hooks.Payload) *hooks.Relay {
	tool := "bash"
	if p.Tool == "shell" {
		tool = "shell"
	}
	return p.ShellRelay(tool, func() string { return p.Response.Get("output").Str })
}

// knows lists the fields that the plugin sends.
func knows(key string) bool {
	switch key {
	case "source", "version", "prompt", "message_id", "duration_ms", "error", "message":
		return true
	}
	return false
}
