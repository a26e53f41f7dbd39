// Package pi reads the payloads that aburn's own extension sends from pi, as the real client 1.6.0 makes it send them. It knows one agent,
// so it imports no other adapter and neither the log nor the queue.
package pi

import (
	"strings"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for pi. Its extension takes an answer only with a prompt, so nothing is told within a turn or at its end. pi has no
// sub-agents.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Pi, Read: read, Knows: knows,
		Ignored:   func(*hooks.Payload) bool { return false },
		Own:       func(*hooks.Payload) bool { return true },
		Answered:  func(p *hooks.Payload) bool { return p.Response.Get("output").Exists() }, // the extension sends no output of what ended well
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
	case "session_start":
		return p.Opened("pi", ""), true
	case "session_shutdown":
		return hooks.One(p.SessionEnd()), true
	case "before_agent_start":
		return hooks.One(p.Prompt(hooks.IsAdvice(p.Str("prompt")))), true
	case "tool_execution_start":
		return hooks.One(p.ToolCall(logfmt.ToolStart, about)), true
	case "tool_execution_end":
		relay := p.ShellRelay("bash", func() string { return p.Response.Get("output").Str })
		return hooks.Plan{Drafts: []hooks.Draft{ended(p, about, proj)}, Relay: relay}, true
	case "agent_settled":
		return hooks.One(settled(p)), true
	case "session_compact":
		return hooks.One(p.Compact("after")), true
	}
	return hooks.Plan{}, false
}

// settled is the end of all work on a prompt. After retries an error is what the last answer says.
func settled(p *hooks.Payload) hooks.Draft {
	switch {
	case p.Get("aborted").Bool():
		return hooks.NewDraft(logfmt.Interrupt)
	case p.Get("error").Exists():
		return p.TurnFailed("", p.Str("error"))
	}
	return hooks.NewDraft(logfmt.Stop)
}

func describe(o *logfmt.Object, p *hooks.Payload, proj *project.Project) {
	if p.Tool == "bash" {
		o.StrIf("head", hooks.CommandHead(p.Input.Get("command").Str))
		return
	}
	o.StrIf("path", pathOf(p, proj))
}

// pathOf is the call's file or folder as entries have it.
func pathOf(p *hooks.Payload, proj *project.Project) string {
	return hooks.PathFrom(p.Cwd, p.Input.Get("path").Str, proj)
}

// ended is a call's end. A call that did not run was refused by an extension, or names no tool, or its arguments are wrong: pi has no
// permissions of its own.
func ended(p *hooks.Payload, about func(*logfmt.Object), proj *project.Project) hooks.Draft {
	failed, exit := p.Response.Get("failed").Bool(), p.Response.Get("exit")
	ev := logfmt.Tool
	if failed {
		ev = logfmt.ToolFailed
	}
	d := p.ToolCall(ev, about)
	if exit.Exists() {
		d.Data.Int("exit_code", exit.Int())
	}
	if failed {
		text := p.Response.Get("output").Str
		d.Data.StrIf("error", hooks.Head(text))
		if strings.HasSuffix(text, "Command aborted") {
			d.Data.Str("outcome", "interrupted")
		}
	} else if p.Tool == "write" || p.Tool == "edit" {
		if path := pathOf(p, proj); path != "" {
			hooks.Content(d.Data, proj, path)
		}
	}
	p.Duration(d.Data)
	return d
}

// knows lists the fields that the extension sends.
func knows(key string) bool {
	switch key {
	case "source", "reason", "prompt", "duration_ms", "aborted", "error", "last_assistant_message", "trigger":
		return true
	}
	return false
}
