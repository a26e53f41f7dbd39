package hooks

import (
	"strings"
	"unicode/utf8"

	"aburn/internal/recent"
	"aburn/internal/scrub"
	"aburn/logfmt"
)

// Head is text as an entry keeps it: scrubbed, on one line, cut.
func Head(text string) string { return scrub.Head(strings.TrimSpace(text), HeadMax) }

// CommandHead is the head of a shell command. Of a long one that runs `aburn log`
// far behind, it keeps that too: the running `aburn log` looks for its own call.
func CommandHead(command string) string {
	const shown = 64
	i := strings.Index(command, "aburn log ")
	if i < HeadMax-shown || !recent.RunsLog(command) {
		return Head(command)
	}
	return scrub.Head(command, HeadMax-shown-1) + " " + scrub.Head(command[i:], shown)
}

// Path is a path as an entry keeps it, made relative before.
func Path(rel string) string { return scrub.Head(rel, PathMax) }

// NewDraft is a draft without data.
func NewDraft(ev logfmt.Event) Draft { return Draft{Event: ev, Data: new(logfmt.Object)} }

// SessionStart is the draft of a session's start.
func (p *Payload) SessionStart(client, version string) Draft {
	d := NewDraft(logfmt.SessionStart)
	d.Data.StrIf("source", Head(p.Str("source"))).StrIf("client", Head(client)).StrIf("client_version", Head(version))
	return d
}

// Opened is the plan of a session's start.
func (p *Payload) Opened(client, version string) Plan {
	plan := Plan{Drafts: []Draft{p.SessionStart(client, version)}}
	switch p.Str("source") {
	case "startup", "clear", "fork":
		plan.New = true
	case "compact", "resume":
		plan.Resumed = p.AgentID == ""
	}
	return plan
}

// SessionEnd is the draft of a session's end.
func (p *Payload) SessionEnd() Draft {
	d := NewDraft(logfmt.SessionEnd)
	d.Data.StrIf("reason", Head(p.Str("reason")))
	return d
}

// Prompt is the draft of a prompt; machine says that no person typed it.
func (p *Payload) Prompt(machine bool) Draft {
	d := NewDraft(logfmt.Prompt)
	text := p.Str("prompt")
	d.Data.StrIf("head", Head(text)).Int("chars", int64(utf8.RuneCountInString(text)))
	if machine {
		d.Data.Bool("machine", true)
	}
	return d
}

// Compact is the draft of one of the two moments of a compaction.
func (p *Payload) Compact(stage string) Draft {
	d := NewDraft(logfmt.Compact)
	d.Data.StrIf("trigger", Head(p.Str("trigger"))).Str("stage", stage)
	return d
}

// AgentEvent is the draft of a sub-agent's start or end.
func (p *Payload) AgentEvent(ev logfmt.Event) Draft {
	d := NewDraft(ev)
	d.Data.Str("agent_id", Head(p.AgentID)).StrIf("agent_type", Head(p.AgentType))
	return d
}

// ToolCall is the draft of an event of the payload's tool call; what says what the
// call is about.
func (p *Payload) ToolCall(ev logfmt.Event, what func(o *logfmt.Object)) Draft {
	d := Draft{Event: ev, Once: p.ToolUseID, Data: new(logfmt.Object)}
	d.Data.Str("tool", Head(p.Tool)).StrIf("tool_use_id", Head(p.ToolUseID))
	what(d.Data)
	d.Data.StrIf("input", inputKey(p.Input))
	return d
}

// Permission is the draft of a question to the user; it has no call id.
func (p *Payload) Permission(what func(o *logfmt.Object)) Draft {
	d := p.ToolCall(logfmt.Permission, what)
	d.Once = ""
	return d
}

// TurnFailed is the draft of a turn that ended in an error.
func (p *Payload) TurnFailed(code, text string) Draft {
	d := NewDraft(logfmt.TurnFailed)
	d.Data.StrIf("error", Head(code)).StrIf("reason", Head(text))
	return d
}
